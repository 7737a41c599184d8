"""What each kind of event does: first judged in memory, on the round's sheet; then, for a few kinds, what needs the database.

Whatever is judged in memory is raised before anything is changed, so a "no" leaves the sheet as it was.
"""

import datetime
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import models

from audit.refusals import Refusal
from jackpots import claims, playing, terms
from jackpots.courses import Course
from jackpots.ledger import book
from jackpots.models import Terms
from jackpots.rules import money
from tables import messages, rounds
from tables.messages import WagerLine
from tables.models import Round


class WrongField(Refusal):
    """The event cannot be taken: {fault}."""


@dataclass(kw_only=True)
class Happening:
    """An event on its way, and what it leaves behind."""

    message: Any
    sheet: rounds.Sheet
    terms: list[Terms]
    # What its table plays for, where the round is new; None: read it where it is asked for.
    courses: Sequence[Course] | None
    by: str
    property_id: int
    now: datetime.datetime
    occurred_at: datetime.datetime
    event_id: uuid.UUID
    # What the round's wagers are to add to the meters, once it is locked out and the count agrees.
    stakes: list[playing.Stake] = field(default_factory=list)
    rows: list[models.Model] = field(default_factory=list)
    has_claims: bool = False

    @property
    def round(self) -> Round:
        return self.sheet.round

    @property
    def cause(self) -> book.Cause:
        return book.Cause(property_id=self.property_id, now=self.now, event_id=self.event_id, round_id=self.round.pk)

    @property
    def progressive_ids(self) -> list[int]:
        return [one.progressive_id for one in self.terms]

    @property
    def stands_alone(self) -> bool:
        """Whether it takes money off a meter or draws for it, and so has a transaction of its own."""
        if isinstance(self.message, messages.HitClaimed | messages.Voided):
            return True
        if isinstance(self.message, messages.Settled):
            return self.has_claims
        return isinstance(self.message, messages.LockedOut) and playing.has_draws(self.terms)


def judge(happening: Happening) -> dict[str, Any]:
    """Change the sheet, or raise; the outcome as far as it is known without the database."""
    return JUDGED[type(happening.message)](happening)


def follow(happening: Happening, *, ledger: book.Book | None) -> dict[str, Any]:
    """What an event that stands alone does once its sheet is written, and what that adds to its outcome."""
    return FOLLOWING[type(happening.message)](happening, ledger)


def _wager(happening: Happening) -> dict[str, Any]:
    message: messages.WagerMade = happening.message
    line = WagerLine(seat=message.seat, wager=message.wager, amount=message.amount, on=message.on, coupon=message.coupon)
    made = rounds.accept(sheet=happening.sheet, placed=_placed(happening, line))
    return {"seat": made.seat, "wager": made.wager, "amount": money.cents(made.amount_micros)}


def _lock_out(happening: Happening) -> dict[str, Any]:
    message: messages.LockedOut = happening.message
    listed = None if message.wagers is None else [_placed(happening, line) for line in message.wagers]
    locked = rounds.lock_out(sheet=happening.sheet, listed=listed, chips=message.chips, now=happening.now)
    outcome: dict[str, Any] = {
        "count": str(locked.count),
        "wagers": len(locked.wagers),
        "amount": money.cents(sum(wager.amount_micros for wager in locked.wagers)),
        "expected_chips": locked.expected_chips,
        "added": [_said_of(wager) for wager in locked.added],
        "withdrawn": [_said_of(wager) for wager in locked.withdrawn],
    }
    if locked.count == Round.Count.AGREES:
        happening.sheet.change(contributed_at=happening.now)
        happening.stakes = playing.stakes(terms=happening.terms, placed=locked.wagers)
        outcome |= playing.said_of(happening.stakes)
    return outcome


def _fold(happening: Happening) -> dict[str, Any]:
    rounds.fold(sheet=happening.sheet, seat=happening.message.seat)
    return {"seat": happening.message.seat, "folded": True}


def _settle(happening: Happening) -> dict[str, Any]:
    rounds.settle(sheet=happening.sheet, now=happening.now)
    return {"round": str(happening.round.state)}


def _nothing_yet(happening: Happening) -> dict[str, Any]:
    """A claim and a void are judged under the progressive's lock."""
    return {}


JUDGED: dict[type, Callable[[Happening], dict[str, Any]]] = {
    messages.WagerMade: _wager,
    messages.LockedOut: _lock_out,
    messages.Folded: _fold,
    messages.HitClaimed: _nothing_yet,
    messages.Voided: _nothing_yet,
    messages.Settled: _settle,
}


def _claim(happening: Happening, _: book.Book | None) -> dict[str, Any]:
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


def _void(happening: Happening, _: book.Book | None) -> dict[str, Any]:
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


def _draw(happening: Happening, ledger: book.Book | None) -> dict[str, Any]:
    if ledger is None:
        return {}
    moved, said = playing.draw(round=happening.round, staked=happening.stakes, ledger=ledger, cause=happening.cause)
    happening.rows += moved
    return said


def _pay_at_table(happening: Happening, _: book.Book | None) -> dict[str, Any]:
    happening.rows += playing.pay_at_table(round=happening.round, terms=happening.terms, cause=happening.cause, by=happening.by)
    return {}


FOLLOWING: dict[type, Callable[[Happening, book.Book | None], dict[str, Any]]] = {
    messages.HitClaimed: _claim,
    messages.Voided: _void,
    messages.LockedOut: _draw,
    messages.Settled: _pay_at_table,
}


def _placed(happening: Happening, line: WagerLine) -> rounds.Placed:
    """A wager as told, checked against the terms of its round."""
    its_terms = terms.for_wager(round=happening.round, terms=happening.terms, wager=line.wager, courses=happening.courses)
    try:
        amount = money.parse(line.amount)
    except money.BadMoney:
        raise WrongField(fault=f"the amount {line.amount!r} is not money; write it as 1.00") from None
    terms.check_wager(terms=its_terms, on=line.on, amount_micros=amount, is_coupon=line.coupon)
    return rounds.Placed(seat=line.seat, wager=line.wager, on=line.on, amount_micros=amount, is_coupon=line.coupon)


def _said_of(wager: Any) -> dict[str, Any]:
    return {"seat": wager.seat, "wager": wager.wager, "on": wager.on, "amount": money.cents(wager.amount_micros)}
