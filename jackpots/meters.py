"""Meters as people see them: the amount to the cent, what each hand pays right now, and what has happened to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from audit import journal
from jackpots import caps, configurations, progressives
from jackpots.ledger import book
from jackpots.models import Configuration, Hit, Progressive
from jackpots.rules import awards, money

WAITING = (Hit.State.PENDING, Hit.State.HELD)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One progressive's meter at one instant. The version changes with every change and never otherwise."""

    slug: str
    name: str
    amount_micros: int
    version: int
    state: str
    last: dict[str, Any] | None
    pending: list[dict[str, Any]]
    pays: list[dict[str, Any]]

    def as_json(self) -> dict[str, Any]:
        return {
            "progressive": self.slug,
            "name": self.name,
            "amount": money.cents(self.amount_micros),
            "version": self.version,
            "state": self.state,
            "last": self.last,
            "pending": self.pending,
            "pays": self.pays,
        }


def readings(*, now: datetime) -> list[Reading]:
    """Every open progressive's meter. The amounts and their versions come from one statement."""
    # Hits are read before the ledger: a reading may know of money a moment before the reason, never of a reason without its money.
    opened = list(Progressive.objects.filter(opened_at__isnull=False, has_meter=True).order_by("slug"))
    hits = _notable_hits()
    standings = book.standings()
    return [_reading(progressive, standings[progressive.pk], hits.get(progressive.pk, []), now) for progressive in opened]


def reading(*, slug: str, now: datetime) -> Reading:
    progressives.get(slug)
    found = [one for one in readings(now=now) if one.slug == slug]
    if not found:
        raise progressives.NoSuchProgressive(slug=slug)
    return found[0]


def fold_all(*, now: datetime) -> int:
    """Fold every tail that nobody is busy with, and move what exceeds a cap to overflow. Comes round every second."""
    due = sorted({*book.with_a_tail(), *caps.waiting(now), *_above_their_caps(now)})
    return sum(_fold(progressive_id, now=now) for progressive_id in due)


def _above_their_caps(now: datetime) -> list[int]:
    """Somebody else may have folded the tail that took a meter above its cap; it still has to come down."""
    standings = book.standings()
    opened = Progressive.objects.filter(opened_at__isnull=False, closed_at__isnull=True, has_meter=True)
    capped = [(progressive.pk, cap) for progressive in opened if (cap := caps.in_force(progressive, now)) is not None]
    return [progressive_id for progressive_id, cap in capped if standings[progressive_id].available[book.MAIN] > cap]


def _fold(progressive_id: int, *, now: datetime) -> bool:
    with transaction.atomic(), book.locked_if_free(progressive_id=progressive_id) as ledger:
        if ledger is None:
            return False
        progressive = Progressive.objects.get(pk=progressive_id)
        caps.rule(ledger=ledger, progressive=progressive, now=now)
        held = ledger.available(progressive_id)
        configuration, cap = configurations.in_force(progressive, now), caps.in_force(progressive, now)
        if configuration and cap is not None and held[book.MAIN] > cap:
            _skim(ledger, progressive, configuration, cap=cap, excess_micros=held[book.MAIN] - cap, now=now)
    return True


def _skim(
    ledger: book.Book, progressive: Progressive, configuration: Configuration, *, cap: int, excess_micros: int, now: datetime
) -> None:
    cause = book.Cause(property_id=configuration.funded_by_id, now=now)
    entry = book.Entry(
        debit=ledger.account(progressive.pk, book.MAIN),
        credit=ledger.account(progressive.pk, book.OVERFLOW),
        amount_micros=excess_micros,
        reason="overflow",
    )
    moved = ledger.post(progressive_id=progressive.pk, cause=cause, entries=[entry])
    ledger.fold(progressive.pk)
    journal.append(
        kind="overflow",
        now=now,
        actor=journal.Actor("system", "fold"),
        facts={"amount": money.exact(excess_micros), "cap": money.exact(cap)},
        property_id=configuration.funded_by_id,
        subject=f"progressive:{progressive.slug}",
        rows=moved,
    )


def _reading(progressive: Progressive, standing: book.Standing, hits: list[Hit], now: datetime) -> Reading:
    configuration = configurations.in_force(progressive, now)
    # What is above the cap goes to overflow with the next fold; it is never shown.
    amount = caps.standing(standing.available[book.MAIN], progressive, now)
    pending = [hit for hit in hits if hit.state in WAITING]
    return Reading(
        slug=progressive.slug,
        name=progressive.name,
        amount_micros=amount,
        version=standing.transfers + progressive.state_changes,
        state=_state(progressive, bool(pending), now),
        last=_said_of(hits[0]) if hits else None,
        pending=[_said_of(hit) for hit in pending],
        pays=_pays(configuration, {**standing.available, book.MAIN: amount}) if configuration else [],
    )


def _state(progressive: Progressive, has_pending: bool, now: datetime) -> str:
    if progressive.closed_at is not None:
        return "closed"
    if progressives.is_suspended(progressive, now):
        return "suspended"
    return "award-pending" if has_pending else "live"


def _notable_hits() -> dict[int, list[Hit]]:
    """The hits on meters that a sign should speak of, newest first: all that wait, and the last one otherwise."""
    found: dict[int, list[Hit]] = {}
    on_meters = Hit.objects.exclude(meter="").exclude(state=Hit.State.REFUSED).select_related("terms", "round__table")
    waiting = on_meters.filter(state__in=WAITING).order_by("-pk")[:100]
    newest = on_meters.order_by("terms__progressive_id", "-pk").distinct("terms__progressive_id")
    for hit in [*newest, *waiting]:
        known = found.setdefault(hit.terms.progressive_id if hit.terms else 0, [])
        if hit not in known:
            known.append(hit)
    return found


def _said_of(hit: Hit) -> dict[str, Any]:
    told = {Hit.State.PENDING: "claimed", Hit.State.HELD: "claimed"}.get(Hit.State(hit.state), str(hit.state))
    return {
        "kind": told,
        "hit": hit.number,
        "table": hit.round.table.name,
        "seat": hit.seat,
        "hand": hit.hand,
        "amount": money.cents(hit.award_micros),
        "at": (hit.answered_at or hit.claimed_at).isoformat(),
    }


def _pays(configuration: Configuration, meters: Mapping[str, int]) -> list[dict[str, Any]]:
    """What each hand pays on the smallest wager offered, on the meters as they stand.

    Where the rule book has lost the pay table nothing is said of it; the meter itself, and all the others, are still shown.
    """
    try:
        _, table = configurations.rules_of(configuration)
    except configurations.PayTableOffTheShelf:
        return []
    least = min(table.amounts_micros)
    settled = [(line, awards.work_out(line=line, amount_micros=least, meters=meters)) for line in table.lines]
    return [{"hand": line.hand, "award": line.award.text, "amount": money.cents(found.amount_micros)} for line, found in settled]
