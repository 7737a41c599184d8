"""Who may see which hits and payouts, and how they are shown."""

from typing import Any

from audit.people import posts
from audit.people.models import Person
from jackpots import claims, hits, interventions, items, payouts
from jackpots.models import Hit, Item, Payout
from jackpots.rules import money
from tables.models import Controller, Round

LOOKERS = ("floorperson", "supervisor", "shift-supervisor", "cashier", "accounting", "approver", "auditor")


def hits_for(reader: Person | Controller, *, state: str | None = None) -> list[Hit]:
    """The hits of a person's properties, or of a controller's own tables."""
    if isinstance(reader, Controller):
        return hits.listed(table_ids=list(reader.tables.values_list("pk", flat=True)), state=state)
    return hits.listed(property_ids=posts.properties_of(reader, *LOOKERS), state=state)


def hit_for(reader: Person | Controller, number: str) -> Hit:
    """One hit, if the reader may see it; to others it does not exist."""
    hit = hits.get(number)
    table = hit.round.table
    if isinstance(reader, Controller):
        may_see = reader.tables.filter(pk=table.pk).exists()
    else:
        may_see = table.property_id in posts.properties_of(reader, *LOOKERS)
    if not may_see:
        raise hits.NoSuchHit(hit=number)
    return hit


def hit_shown(hit: Hit) -> dict[str, Any]:
    """A hit as it is now: what the controller was told of it, and what people have done since."""
    assert hit.terms is not None
    shown: dict[str, Any] = {
        **claims.outcome_of(hit),
        "table": hit.round.table.name,
        "round": hit.round.number,
        "round_reference": hit.round.reference,
        "wager": hit.wager,
        "cards": hit.cards.split(),
        "claimed_at": hit.claimed_at,
    }
    if hit.state == Hit.State.REFUSED:
        return shown
    signers = hit.signatures.filter(is_lost=False).select_related("person").order_by("pk")
    return {
        **shown,
        "place": hit.terms.place,
        "signatures_needed": hits.signatures_needed(hit),
        "signatures": [one.person.name for one in signers],
        **({"reason": hit.reason} if hit.reason else {}),
    }


def payout_for(reader: Person, number: str) -> Payout:
    payout = payouts.get(number)
    if payout.award.hit.round.table.property_id not in posts.properties_of(reader, *LOOKERS):
        raise payouts.NoSuchPayout(payout=number)
    return payout


def payouts_for(reader: Person, *, state: str | None = None) -> list[Payout]:
    return payouts.listed(property_ids=posts.properties_of(reader, *LOOKERS), state=state)


def payout_shown(payout: Payout) -> dict[str, Any]:
    award, hit = payout.award, payout.award.hit
    slip = getattr(payout, "slip", None)
    return {
        "payout": payout.number,
        "state": str(payout.state),
        "hit": hit.number,
        "table": hit.round.table.name,
        "seat": award.seat,
        "kind": str(award.kind),
        "hand": hit.hand,
        "amount": money.cents(award.amount_micros),
        "paid_from": award.paid_from,
        "slip": f"{slip.number:06d}" if slip else None,
        "made_at": payout.made_at,
        "paid_at": payout.paid_at,
        "paid_by": payout.paid_by or None,
    }


def round_for(reader: Person, reference: str) -> Round:
    """One round, if the reader may see it."""
    round = interventions.get(reference)
    if round.table.property_id not in posts.properties_of(reader, *LOOKERS):
        raise interventions.NoSuchRound(round=reference)
    return round


def items_for(reader: Person, *, state: str | None = None) -> list[Item]:
    return items.listed(property_ids=posts.properties_of(reader, *LOOKERS), state=state)


def item_shown(item: Item) -> dict[str, Any]:
    difference = item.difference_micros
    return {
        "item": item.pk,
        "kind": str(item.kind),
        "state": str(item.state),
        "hit": item.hit.number,
        "table": item.hit.round.table.name,
        "seat": item.hit.seat,
        "told": money.cents(item.told_micros),
        "due": money.cents(item.due_micros),
        "difference": ("-" if difference < 0 else "") + money.cents(abs(difference)),
    }
