"""What supervisors and shift supervisors may do to a round, with a PIN and a reason."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import models, transaction

from audit import journal
from audit.people import posts, signing
from audit.people.models import Person
from audit.refusals import NoSuchThing, Refusal
from jackpots import claims, hits, playing, terms
from jackpots.ledger import book
from jackpots.models import Award, Hit, Terms
from tables import rounds
from tables.messages import HitClaimed
from tables.models import Round

SUPERVISORS = ("supervisor", "shift-supervisor")
SHIFT_SUPERVISORS = ("shift-supervisor",)


class NoSuchRound(NoSuchThing):
    """There is no round {round}."""


class CountAgrees(Refusal):
    """The chips of round {number} do not differ; there is nothing to let stand."""


class RoundOver(Refusal):
    """Round {number} of table {table} is {state} already."""


class RoundStillInPlay(Refusal):
    """Round {number} of table {table} is still in play; the dealer claims the hand there."""


class NothingFixed(Refusal):
    """Round {number} of table {table} has no fixed awards waiting."""


@dataclass(kw_only=True)
class Intervention:
    """A round in a supervisor's hands: its row held, the signature given, and what comes of it."""

    round: Round
    terms: Sequence[Terms]
    cause: book.Cause
    person: Person
    reason: str
    rows: list[models.Model] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def get(reference: str) -> Round:
    """A round by its reference, such as R-000123."""
    prefix, _, digits = reference.partition("-")
    is_number = prefix == "R" and digits.isascii() and digits.isdigit() and len(digits) <= 18
    found = Round.objects.select_related("table__property").filter(pk=int(digits)).first() if is_number else None
    if found is None:
        raise NoSuchRound(round=reference)
    return found


def accept_count(*, reference: str, person: Person, pin: str, reason: str, now: datetime.datetime) -> Round:
    """Let the accepted wagers stand though the chips differ."""
    return _intervene("accept-count", reference, person, pin, reason, now, roles=SUPERVISORS, then=_accept_count)


def close(*, reference: str, person: Person, pin: str, reason: str, now: datetime.datetime) -> Round:
    """End an abandoned round: not yet contributed it is void and its wagers returned; contributed, it is settled."""
    return _intervene("close-round", reference, person, pin, reason, now, roles=SUPERVISORS, then=_close)


def void(
    *,
    reference: str,
    person: Person,
    pin: str,
    reason: str,
    irregularity: str,
    seats: Sequence[int] | None,
    now: datetime.datetime,
) -> Round:
    """Void a round or single hands over signatures, or after it was settled."""
    return _intervene(
        "void-round",
        reference,
        person,
        pin,
        reason,
        now,
        roles=SHIFT_SUPERVISORS,
        then=lambda act: _void(act, irregularity, seats),
        irregularity=irregularity,
        seats=list(seats) if seats else None,
    )


def enter_missed(*, reference: str, person: Person, pin: str, reason: str, told: HitClaimed, now: datetime.datetime) -> Round:
    """Enter a winning hand found after the round was settled. It is out of turn, and settled on the meter as it stands."""
    claimed = {"seat": told.seat, "wager": told.wager, "cards": list(told.cards), "hand": told.hand}
    return _intervene(
        "missed-hit", reference, person, pin, reason, now, roles=SHIFT_SUPERVISORS, then=lambda act: _enter_missed(act, told), **claimed
    )


def approve_fixed(*, reference: str, person: Person, pin: str, now: datetime.datetime) -> list[Hit]:
    """One PIN for all the fixed and deducted awards of a round. Meter awards are signed singly."""
    round = get(reference)
    posts.require(person, round.table.property, *hits.VALIDATORS)
    checked = signing.check_pin(person=person, pin=pin, now=now)
    waiting = Hit.objects.filter(round=round, state=Hit.State.PENDING).exclude(awards__kind=Award.Kind.JACKPOT).order_by("pk")
    numbers = [hit.number for hit in waiting]
    if not numbers:
        raise NothingFixed(number=round.number, table=round.table.name)
    return hits.approve_all(numbers=numbers, person=person, checked=checked, now=now)


def _intervene(
    act: str,
    reference: str,
    person: Person,
    pin: str,
    reason: str,
    now: datetime.datetime,
    *,
    roles: Sequence[str],
    then: Callable[[Intervention], None],
    **facts: Any,
) -> Round:
    told = {**hits.because(reason), **facts}
    place = get(reference).table.property
    posts.require(person, place, *roles)
    checked = signing.check_pin(person=person, pin=pin, now=now)
    with transaction.atomic():
        # The round's row before the progressives' locks, as everywhere.
        round = Round.objects.select_for_update(of=("self",), no_key=True).select_related("table__property").get(pk=get(reference).pk)
        signature = signing.sign(person=person, pin=checked, property=place, act=act, subject=f"round:{reference}", facts=told, now=now)
        cause = book.Cause(property_id=place.pk, now=now, signature_id=signature.pk, round_id=round.pk)
        done = Intervention(round=round, terms=terms.of(round), cause=cause, person=person, reason=told["reason"])
        then(done)
        journal.append(
            kind=act,
            now=now,
            actor=journal.Actor("person", person.username),
            facts={**told, **done.facts, "table": round.table.name, "round": round.number, "state": round.state},
            property_id=place.pk,
            subject=f"round:{reference}",
            rows=[signature, *done.rows],
        )
    return round


def _accept_count(act: Intervention) -> None:
    rounds.require_locked(act.round)
    if act.round.count != Round.Count.DIFFERS:
        raise CountAgrees(number=act.round.number)
    rounds.accept_count(round=act.round)
    transfers, said = playing.contribute(round=act.round, terms=act.terms, placed=rounds.accepted(act.round), cause=act.cause)
    act.rows += transfers
    act.facts |= said


def _close(act: Intervention) -> None:
    round = act.round
    if round.state in (Round.State.SETTLED, Round.State.VOID):
        raise RoundOver(number=round.number, table=round.table.name, state=round.state)
    if round.contributed_at is None:
        returned = rounds.void(round=round, reason="closed", seats=None, now=act.cause.now)
        act.facts["returned"] = [{"seat": wager.seat, "wager": wager.wager} for wager in returned]
    else:
        sheet = rounds.Sheet(round=round)
        rounds.settle(sheet=sheet, now=act.cause.now)
        round.save(update_fields=sorted(sheet.changed))
        act.rows += playing.pay_at_table(round=round, terms=act.terms, cause=act.cause, by=act.person.username)


def _void(act: Intervention, irregularity: str, seats: Sequence[int] | None) -> None:
    if act.round.state == Round.State.VOID:
        raise RoundOver(number=act.round.number, table=act.round.table.name, state=act.round.state)
    done = playing.void(round=act.round, terms=act.terms, reason=irregularity, seats=seats, cause=act.cause, over_signatures=True)
    act.rows += done.transfers
    act.facts |= {
        "rejected": [hit.number for hit in done.rejected],
        "cancelled": [hit.number for hit in done.cancelled],
        "items": [item.pk for item in done.items],
        "returned": [{"seat": wager.seat, "wager": wager.wager} for wager in done.returned],
    }


def _enter_missed(act: Intervention, told: HitClaimed) -> None:
    if act.round.state != Round.State.SETTLED:
        raise RoundStillInPlay(number=act.round.number, table=act.round.table.name)
    with book.locked(progressive_ids=[one.progressive_id for one in act.terms], mode=book.Mode.EXCLUSIVE) as ledger:
        claimed = claims.claim(round=act.round, told=told, ledger=ledger, cause=act.cause, terms=act.terms, missed=True)
    act.rows += claimed.transfers
    act.facts["hit"] = claims.outcome_of(claimed.hit)
