"""Two signatures: the first person moves, another one seconds, and only then is it done. Both sign exactly the same thing."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models, transaction

from audit import journal
from audit.people import posts, signing
from audit.people.models import Person, Property, Signature
from audit.refusals import Refusal
from jackpots.ledger import book
from jackpots.models import Motion, Progressive

# Accounting moves and an approver seconds; a shift supervisor may do either, for what happens on the floor by night.
MOVERS = ("accounting", "shift-supervisor")
SECONDERS = ("approver", "shift-supervisor")


class MotionDiffers(Refusal):
    """{person} has signed for something else: {signed}. Both signatures are under the same."""


class SecondIsAnothers(Refusal):
    """You have signed this already; the second signature is another person's."""


@dataclass(frozen=True, kw_only=True)
class Seconded:
    """A motion with both its signatures, about to be carried out under the progressive's lock."""

    ledger: book.Book
    cause: book.Cause
    facts: Mapping[str, Any]


CarryOut = Callable[[Seconded], Sequence[models.Model]]


def sign(
    *,
    progressive: Progressive,
    place: Property,
    subject: str,
    act: str,
    facts: Mapping[str, Any],
    person: Person,
    pin: str,
    now: datetime.datetime,
    carry_out: CarryOut,
    also: Sequence[Progressive] = (),
    notices: Sequence[tuple[str, str]] = (),
) -> Motion:
    """The first call signs; the second, by another person and for the same, signs and carries it out.

    ``also`` are other progressives that carrying it out touches: all locks are taken up front, in order.
    ``notices`` are left for the worker once it is carried out.
    """
    posts.require(person, place, *MOVERS, *SECONDERS)
    checked = signing.check_pin(person=person, pin=pin, now=now)
    with transaction.atomic(), book.locked(progressive_ids=[one.pk for one in (progressive, *also)], mode=book.Mode.EXCLUSIVE) as ledger:
        moved = Motion.objects.filter(subject=subject, act=act, second=None).select_related("first__person").first()
        # Which signature this is shows only under the lock: two first ones at once must not add up to a second.
        posts.require(person, place, *(SECONDERS if moved else MOVERS))
        if moved:
            _require_same(moved, person, facts)
        signature = signing.sign(person=person, pin=checked, property=place, act=act, subject=subject, facts=facts, now=now)
        rows: Sequence[models.Model] = ()
        if moved is None:
            moved = Motion.objects.create(progressive=progressive, subject=subject, act=act, facts=dict(facts), first=signature)
        else:
            moved.second = signature
            moved.save(update_fields=["second"])
            cause = book.Cause(property_id=place.pk, now=now, signature_id=signature.pk)
            rows = carry_out(Seconded(ledger=ledger, cause=cause, facts=facts))
        _journal(moved, signature, rows, now, notices=notices if moved.second_id else ())
    return moved


def _require_same(moved: Motion, person: Person, facts: Mapping[str, Any]) -> None:
    if moved.first.person_id == person.pk:
        raise SecondIsAnothers
    if moved.facts != dict(facts):
        raise MotionDiffers(person=moved.first.person.name, signed=moved.facts)


def _journal(
    moved: Motion, signature: Signature, rows: Sequence[models.Model], now: datetime.datetime, *, notices: Sequence[tuple[str, str]]
) -> None:
    journal.append(
        kind=f"{moved.act}-{'moved' if moved.second_id is None else 'carried-out'}",
        now=now,
        actor=journal.Actor("person", signature.person.username),
        facts={**moved.facts, "subject": moved.subject},
        property_id=signature.property_id,
        subject=moved.subject,
        rows=[signature, *rows],
        notices=notices,
    )
