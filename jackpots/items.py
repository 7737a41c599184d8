"""Items: differences put before accounting. Two signatures pay one out, or let it go."""

import datetime
from collections.abc import Collection

from django.db import models

from audit.people.models import Person
from audit.refusals import NoSuchThing, Refusal
from jackpots import motions, payouts
from jackpots.ledger import book
from jackpots.models import Award, Hit, Item, Motion


class NoSuchItem(NoSuchThing):
    """There is no item {item}."""


class ItemAnswered(Refusal):
    """Item {item} is {state} already."""


class NothingToGrant(Refusal):
    """By item {item} the player was told {told} and was due {due}: there is nothing more to pay."""


def get(number: int) -> Item:
    found = _with_all().filter(pk=number).first()
    if found is None:
        raise NoSuchItem(item=number)
    return found


def listed(*, property_ids: Collection[int], state: str | None = None) -> list[Item]:
    found = _with_all().filter(hit__round__table__property_id__in=property_ids).order_by("-pk")
    return list(found.filter(state=state)[:200] if state else found[:200])


def grant(*, number: int, person: Person, pin: str, now: datetime.datetime) -> Motion:
    """Pay the difference to the player: what is set aside for it, or, for a late or out-of-turn figure, from the house."""
    item = _open(number)
    if item.difference_micros <= 0:
        raise NothingToGrant(item=number, told=item.told_micros, due=item.due_micros)
    return _sign(item, "grant-item", person, pin, now, lambda seconded: _grant(_open(number), seconded))


def let_go(*, number: int, person: Person, pin: str, now: datetime.datetime) -> Motion:
    """Give what is set aside back to the meter, and close the item."""
    return _sign(_open(number), "let-item-go", person, pin, now, lambda seconded: _let_go(_open(number), seconded))


def _sign(item: Item, act: str, person: Person, pin: str, now: datetime.datetime, carry_out: motions.CarryOut) -> Motion:
    assert item.hit.terms is not None, "an item comes of a claim that stood"
    return motions.sign(
        progressive=item.hit.terms.progressive,
        place=item.hit.round.table.property,
        subject=f"item:{item.pk}",
        act=act,
        facts={"hit": item.hit.number, "told": item.told_micros, "due": item.due_micros},
        person=person,
        pin=pin,
        now=now,
        carry_out=carry_out,
        notices=[("payout-due", item.hit.number)] if act == "grant-item" else (),
    )


def _grant(item: Item, seconded: motions.Seconded) -> list[models.Model]:
    """The difference becomes an award of its own, due at the cage, with a slip."""
    ledger, hit = seconded.ledger, item.hit
    assert hit.terms is not None
    progressive_id, place = hit.terms.progressive_id, hit.round.table.property_id
    reserved = ledger.transfers(item.reservations)
    entries = [ledger.post_reservation(transfer, reason="grant") for transfer in reserved]
    rest = item.difference_micros - sum(transfer.amount_micros for transfer in reserved)
    if rest:
        house, payable = ledger.account(progressive_id, book.HOUSE, place), ledger.account(progressive_id, book.PAYABLE, place)
        entries.append(book.Entry(debit=house, credit=payable, amount_micros=rest, reason="grant"))
    posted = ledger.post(progressive_id=progressive_id, cause=seconded.cause, entries=entries)
    Award.objects.create(hit=hit, seat=hit.seat, kind=Award.Kind.DIFFERENCE, amount_micros=item.difference_micros, paid_from=payouts.CAGE)
    # A hit that was paid has something left to pay again.
    Hit.objects.filter(pk=hit.pk, state=Hit.State.PAID).update(state=Hit.State.APPROVED)
    _answer(item, Item.State.GRANTED, seconded)
    return [*posted]


def _let_go(item: Item, seconded: motions.Seconded) -> list[models.Model]:
    ledger = seconded.ledger
    assert item.hit.terms is not None
    # Named apart from a rejection: this gives the meter money as a fact, whatever is settled again later.
    entries = [ledger.void_reservation(transfer, reason="item-returned") for transfer in ledger.transfers(item.reservations)]
    posted = ledger.post(progressive_id=item.hit.terms.progressive_id, cause=seconded.cause, entries=entries)
    _answer(item, Item.State.RETURNED, seconded)
    return [*posted]


def _answer(item: Item, state: Item.State, seconded: motions.Seconded) -> None:
    item.state, item.answered_at = state, seconded.cause.now
    item.save(update_fields=["state", "answered_at"])


def _open(number: int) -> Item:
    item = get(number)
    if item.state != Item.State.OPEN:
        raise ItemAnswered(item=number, state=item.state)
    return item


def _with_all() -> models.QuerySet[Item]:
    return Item.objects.select_related("hit__round__table__property", "hit__terms__progressive")
