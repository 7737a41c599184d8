"""Events from the tables: each is taken exactly once, in order, by the verb that its kind calls for, in one transaction.

The order of locks is the same for all: the controller's row, the round's row, then the progressives' locks, ascending. An answer
that says *no* undoes the verb, is kept as the event's answer and is said again to whoever asks again; *not now* keeps nothing.
"""

import datetime
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import uuid_utils.compat
from django.conf import settings
from django.db import DatabaseError, models, transaction

from audit import journal
from audit.refusals import Refusal
from jackpots import claims, playing, terms
from jackpots.ledger import book
from jackpots.models import Terms
from jackpots.rules import money
from tables import inbox, messages, rounds
from tables.messages import Arrived, Message, WagerLine
from tables.models import Controller, Round, Table


class WrongField(Refusal):
    """The event cannot be taken: {fault}."""


class UnknownTable(Refusal):
    """There is no table {table} here that this controller may speak for."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What an event is answered: the very text, whether this was its first time, and whether it left the worker something to do."""

    text: str
    is_new: bool
    is_claim: bool = False


@dataclass(kw_only=True)
class Happening:
    """An event on its way through a verb, and what it leaves behind."""

    message: Any
    controller: Controller
    round: Round
    terms: list[Terms]
    now: datetime.datetime
    occurred_at: datetime.datetime
    event_id: uuid.UUID
    rows: list[models.Model] = field(default_factory=list)

    @property
    def cause(self) -> book.Cause:
        return book.Cause(property_id=self.round.table.property_id, now=self.now, event_id=self.event_id, round_id=self.round.pk)

    @property
    def progressive_ids(self) -> list[int]:
        return [one.progressive_id for one in self.terms]


def receive(*, controller_id: int, arrived: Arrived, now: datetime.datetime) -> Answer:
    """Take one event. A Refusal raised from here was not recorded: the event is not this controller's next."""
    with transaction.atomic():
        controller = inbox.lock(controller_id=controller_id)
        first = inbox.first_answer(controller=controller, arrived=arrived)
        if first is not None:
            return Answer(text='{"status":"duplicate","first":' + first + "}", is_new=False)
        return _take(controller, arrived, now)


@dataclass(frozen=True, kw_only=True)
class Stopped:
    """Where an array of events ended before its end, and why."""

    at: int
    refusal: Refusal


def receive_all(
    *, controller_id: int, arrived: Sequence[Arrived | Refusal], now: datetime.datetime
) -> tuple[list[Answer], Stopped | None, int]:
    """Take events in order, as a prefix: what stops it is named with its place. The controller's next sequence comes last."""
    answers: list[Answer] = []
    stopped = None
    for place, one in enumerate(arrived):
        try:
            if isinstance(one, Refusal):
                raise one
            answers.append(receive(controller_id=controller_id, arrived=one, now=now))
        except Refusal as refusal:
            stopped = Stopped(at=place, refusal=refusal)
            break
        except DatabaseError:
            if not answers:
                raise
            stopped = Stopped(at=place, refusal=TryAgain())
            break
    return answers, stopped, Controller.objects.values_list("next_sequence", flat=True).get(pk=controller_id)


class TryAgain(Refusal):
    """The service could not finish this just now; try again."""

    category = "not-now"


def _take(controller: Controller, arrived: Arrived, now: datetime.datetime) -> Answer:
    event_id = uuid_utils.compat.uuid7()
    told = {"id": str(arrived.told_id), "sequence": arrived.sequence}
    happening: Happening | None = None
    try:
        # A savepoint: a "no" undoes whatever the verb had begun, and the event is still kept.
        with transaction.atomic():
            happening = _enter(controller, arrived, event_id, now)
            outcome = VERBS[type(happening.message)](happening)
            answer = {**told, "status": "applied", "outcome": outcome}
    except Refusal as refusal:
        if refusal.retryable:
            raise
        happening = None
        answer = {**told, "status": "refused", "code": refusal.code, "detail": refusal.detail}
    text = json.dumps(answer, separators=(",", ":"), ensure_ascii=False)
    round_id = happening.round.pk if happening else None
    event = inbox.keep(controller=controller, arrived=arrived, event_id=event_id, round_id=round_id, answer=text, now=now)
    _record(controller, arrived, answer, [event, *(happening.rows if happening else [])], now)
    return Answer(text=text, is_new=True, is_claim=arrived.type == "hit")


def _record(controller: Controller, arrived: Arrived, answer: dict[str, Any], rows: list[models.Model], now: datetime.datetime) -> None:
    outcome = answer.get("outcome", {})
    subject = f"hit:{outcome['hit']}" if "hit" in outcome else f"controller:{controller.name}"
    journal.append(
        kind=f"event-{answer['status']}",
        now=now,
        actor=journal.Actor("controller", controller.name),
        facts={"type": arrived.type, "answer": answer},
        property_id=controller.property_id,
        subject=subject,
        told_at=arrived.message.at if arrived.message else None,
        rows=rows,
    )


def _enter(controller: Controller, arrived: Arrived, event_id: uuid.UUID, now: datetime.datetime) -> Happening:
    """Find the table and the round an event speaks of; the first event of a round opens it and binds its terms."""
    message = arrived.message
    if message is None:
        raise WrongField(fault=arrived.fault)
    table = _table(controller, message)
    occurred_at = message.at - datetime.timedelta(milliseconds=controller.skew_ms)
    round, is_opened = rounds.enter(table=table, number=message.round, occurred_at=occurred_at, now=now)
    bound = terms.bind(round=round, now=now) if is_opened else terms.of(round)
    return Happening(message=message, controller=controller, round=round, terms=bound, now=now, occurred_at=occurred_at, event_id=event_id)


def _table(controller: Controller, message: Message) -> Table:
    table = controller.tables.select_related("property").filter(name=message.table, is_open=True).first()
    if table is None:
        raise UnknownTable(table=message.table)
    return table


def _wager(happening: Happening) -> dict[str, Any]:
    message: messages.WagerMade = happening.message
    line = WagerLine(seat=message.seat, wager=message.wager, amount=message.amount, on=message.on, coupon=message.coupon)
    made = rounds.accept(round=happening.round, placed=_placed(happening, line))
    return {"seat": made.seat, "wager": made.wager, "amount": money.cents(made.amount_micros)}


def _lock_out(happening: Happening) -> dict[str, Any]:
    message: messages.LockedOut = happening.message
    listed = None if message.wagers is None else [_placed(happening, line) for line in message.wagers]
    locked = rounds.lock_out(round=happening.round, listed=listed, chips=message.chips, now=happening.now)
    outcome: dict[str, Any] = {
        "count": str(locked.count),
        "wagers": len(locked.wagers),
        "expected_chips": locked.expected_chips,
        "added": [_said_of(wager) for wager in locked.added],
        "withdrawn": [_said_of(wager) for wager in locked.withdrawn],
    }
    if locked.count == Round.Count.AGREES:
        done = playing.contribute(round=happening.round, terms=happening.terms, placed=locked.wagers, cause=happening.cause)
        happening.rows += done.transfers
        outcome |= done.said
    return outcome


def _fold(happening: Happening) -> dict[str, Any]:
    rounds.fold(round=happening.round, seat=happening.message.seat)
    return {"seat": happening.message.seat, "folded": True}


def _hit(happening: Happening) -> dict[str, Any]:
    late = claims.is_late(occurred_at=happening.occurred_at, now=happening.now, limit_seconds=settings.LATE_CLAIM_SECONDS)
    with book.locked(progressive_ids=happening.progressive_ids, mode=book.Mode.EXCLUSIVE) as ledger:
        claimed = claims.claim(
            round=happening.round,
            told=happening.message,
            ledger=ledger,
            cause=happening.cause,
            terms=happening.terms,
            late_since=happening.occurred_at if late else None,
        )
    happening.rows += claimed.transfers
    outcome = claims.outcome_of(claimed.hit)
    if claimed.resettled:
        outcome["resettled"] = [{"hit": other.number, "award": money.cents(other.award_micros)} for other in claimed.resettled]
    return outcome


def _void(happening: Happening) -> dict[str, Any]:
    message: messages.Voided = happening.message
    rounds.require_in_play(happening.round)
    done = playing.void(
        round=happening.round,
        terms=happening.terms,
        reason=message.reason,
        seats=message.seats,
        cause=happening.cause,
        over_signatures=False,
    )
    happening.rows += done.transfers
    returned = [_said_of(wager) for wager in done.returned]
    return {"returned": returned, "rejected": [hit.number for hit in done.rejected], "round": str(happening.round.state)}


def _settle(happening: Happening) -> dict[str, Any]:
    by = happening.controller.name
    happening.rows += playing.settle(round=happening.round, terms=happening.terms, cause=happening.cause, by=by)
    return {"round": str(happening.round.state)}


VERBS: dict[type, Callable[[Happening], dict[str, Any]]] = {
    messages.WagerMade: _wager,
    messages.LockedOut: _lock_out,
    messages.Folded: _fold,
    messages.HitClaimed: _hit,
    messages.Voided: _void,
    messages.Settled: _settle,
}


def _placed(happening: Happening, line: WagerLine) -> rounds.Placed:
    """A wager as told, checked against the terms of its round."""
    its_terms = terms.for_wager(round=happening.round, terms=happening.terms, wager=line.wager)
    try:
        amount = money.parse(line.amount)
    except money.BadMoney:
        raise WrongField(fault=f"the amount {line.amount!r} is not money; write it as 1.00") from None
    terms.check_wager(terms=its_terms, on=line.on, amount_micros=amount, is_coupon=line.coupon)
    return rounds.Placed(seat=line.seat, wager=line.wager, on=line.on, amount_micros=amount, is_coupon=line.coupon)


def _said_of(wager: Any) -> dict[str, Any]:
    return {"seat": wager.seat, "wager": wager.wager, "on": wager.on, "amount": money.cents(wager.amount_micros)}
