"""Hits and payouts as the consoles show them: in words, with the reason for every figure."""

import datetime
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from audit.people import posts
from audit.people.models import Person, Signature
from jackpots import configurations, hits, payouts, viewing
from jackpots.models import Award, Hit, Payout
from jackpots.pages import cards
from jackpots.rules import money
from tables import rounds

ACTS = {"approve-hit": "Approved and signed", "hold-hit": "Held", "reject-hit": "Rejected", "pay": "Paid at the cage"}
REASONS = {
    "hand-mismatch": "the cards are not the hand that was claimed",
    "not-a-paying-hand": "the hand pays nothing on this pay table",
    "no-accepted-wager": "the seat made no progressive wager",
    "folded": "the player had folded",
    "round-not-locked": "bets had not been closed",
    "count-differs": "the chip count did not agree",
    "round-void": "the round or the seat was void",
    "round-settled": "the round had been settled",
    "duplicate-claim": "the hand had been claimed already",
    "impossible-cards": "the cards cannot be, or lie in front of somebody else",
}


@dataclass(frozen=True, kw_only=True)
class Step:
    """One line of how an amount came about, or of what happened when."""

    label: str
    figure: str
    note: str = ""
    is_sum: bool = False


@dataclass(frozen=True, kw_only=True)
class Happening:
    at: datetime.datetime
    clock: str
    what: str
    who: str = ""


def dollars(micros: int) -> str:
    whole, _, cents = money.cents(micros).partition(".")
    return f"${int(whole):,}.{cents}"


def exactly(micros: int) -> str:
    whole, _, rest = money.exact(micros).partition(".")
    return f"${int(whole):,}.{rest}"


def hand_name(hand: str) -> str:
    return hand.replace("-", " ").capitalize()


def line(hit: Hit) -> dict[str, Any]:
    """A hit in the queue."""
    return {
        "number": hit.number,
        "state": str(hit.state),
        "table": hit.round.table.name,
        "seat": "Dealer" if hit.seat is None else f"Seat {hit.seat}",
        "hand": hand_name(hit.hand or hit.claimed_hand),
        "amount": dollars(hit.award_micros),
        "is_on_meter": bool(hit.meter),
        "at": local(hit.claimed_at, hit),
        "reason": REASONS.get(hit.refused_for, hit.refused_for),
    }


def whole(hit: Hit, *, viewer: Person) -> dict[str, Any]:
    """Everything a supervisor wants to know before signing."""
    given = list(hit.awards.all())
    signers = [one.person for one in hit.signatures.filter(is_lost=False).select_related("person").order_by("pk")]
    return {
        **line(hit),
        "faces": cards.faces(hit.cards),
        "round": hit.round.number,
        "pit": hit.round.table.pit.name,
        "progressive": hit.terms.progressive if hit.terms else None,
        "is_waiting": hit.state in (Hit.State.PENDING, Hit.State.HELD),
        "is_late": hit.is_late,
        "is_out_of_turn": hit.is_out_of_turn,
        "place": hit.terms.place if hit.terms and hit.meter else None,
        "award": money.cents(hit.award_micros),
        "held_for": hit.reason,
        "steps": list(_steps(hit)),
        "envy": [{"seat": one.seat, "amount": dollars(one.amount_micros)} for one in given if one.kind == Award.Kind.ENVY],
        "cards_stay": hit.state != Hit.State.REFUSED and any(one.paid_from == payouts.CAGE for one in given),
        "needed": hits.signatures_needed(hit),
        "signers": signers,
        "missing": range(max(0, hits.signatures_needed(hit) - len(signers))),
        "happenings": sorted(_happenings(hit), key=lambda one: one.at),
        "payouts": [viewing.payout_shown(one) for one in _payouts(hit)],
        "cannot_sign": _cannot_sign(hit, viewer, signers),
        "seen": digest(hit),
    }


def digest(hit: Hit) -> str:
    """Changes with whatever a person looking at the hit should see changed."""
    signed = [str(pk) for pk in hit.signatures.filter(is_lost=False).order_by("pk").values_list("pk", flat=True)]
    paid = [f"{one.number}{one.state}" for one in _payouts(hit)]
    told = "|".join([hit.state, str(hit.award_micros), str(hit.meter_after_micros), hit.reason, *signed, *paid])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def local(at: datetime.datetime, hit: Hit) -> str:
    return f"{at.astimezone(ZoneInfo(hit.round.table.property.time_zone)):%H:%M:%S}"


def _cannot_sign(hit: Hit, viewer: Person, signers: list[Person]) -> str:
    """Why the person looking cannot sign, in a sentence; empty where they can. The verb itself decides, under its lock."""
    allowed = hits.validators_of(hit)
    if not posts.roles_of(viewer, hits.property_of(hit)) & set(allowed):
        return f"This needs the signature of a {' or '.join(role.replace('-', ' ') for role in allowed)}."
    if viewer in signers:
        return "You have signed. The next signature is another person's."
    return ""


def _steps(hit: Hit) -> Iterator[Step]:
    if hit.state == Hit.State.REFUSED or hit.terms is None:
        return
    _, pay_table = configurations.rules_of(hit.terms.configuration)
    pay_line = pay_table.line(hit.hand)
    pays = pay_line.award.text if pay_line else "nothing of its own"
    source = f"pay table {pay_table.id}, {pay_line.paragraph}" if pay_line else ""
    if hit.meter and hit.meter_before_micros is not None and hit.meter_after_micros is not None:
        yield from _meter_steps(hit, pays=pays, source=source, before=hit.meter_before_micros, after=hit.meter_after_micros)
        return
    wagered = [one.amount_micros for one in rounds.accepted(hit.round) if one.seat == hit.seat and one.wager == hit.wager]
    yield Step(label="Wager", figure=dollars(wagered[0]) if wagered else "none")
    yield Step(label=f"{hand_name(hit.hand)} pays", figure=pays, note=source)
    yield Step(label="Award", figure=dollars(hit.award_micros), note="from the house; the meter is not touched", is_sum=True)


def _meter_steps(hit: Hit, *, pays: str, source: str, before: int, after: int) -> Iterator[Step]:
    yield Step(label="Meter at the claim", figure=exactly(before), note="exact, under its lock")
    yield Step(label=f"{hand_name(hit.hand)} pays", figure=pays, note=source)
    yield Step(label="Award", figure=dollars(hit.award_micros), note="rounded down to the cent", is_sum=True)
    left = before - hit.award_micros
    if after != left:
        yield Step(label="Left on the meter", figure=exactly(left))
        yield Step(label="Reset", figure=f"+ {exactly(after - left)}", note="put back at once, so that play goes on")
    yield Step(label="Meter after the claim", figure=exactly(after), is_sum=True)


def _happenings(hit: Hit) -> Iterator[Happening]:
    seat = "the dealer's hand" if hit.seat is None else f"seat {hit.seat}"
    yield _happening(hit, hit.claimed_at, f"Claimed at {hit.round.table.name}, {seat}")
    for one in Signature.objects.filter(subject=f"hit:{hit.number}").select_related("person"):
        reason = one.facts.get("reason", "")
        what = ACTS.get(one.act, one.act) + (f": {reason}" if reason else "")
        yield _happening(hit, one.signed_at, what, who=one.person.name)
    for payout in _payouts(hit):
        slip = getattr(payout, "slip", None)
        amount = dollars(payout.award.amount_micros)
        on = f", slip {slip.number:06d}" if slip else ""
        yield _happening(hit, payout.made_at, f"Payout {payout.number} of {amount} made{on}")
        if payout.paid_at:
            yield _happening(hit, payout.paid_at, f"Payout {payout.number} paid", who=payout.paid_by)


def _happening(hit: Hit, at: datetime.datetime, what: str, *, who: str = "") -> Happening:
    return Happening(at=at, clock=local(at, hit), what=what, who=who)


def _payouts(hit: Hit) -> list[Payout]:
    return list(Payout.objects.filter(award__hit=hit).select_related("award__hit__round__table", "slip").order_by("pk"))
