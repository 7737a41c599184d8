"""Putting a meter right by hand, and releasing what a cap has kept: always by two signatures."""

import datetime
from collections.abc import Mapping
from typing import Any

from django.db import models

from audit.people.models import Person, Property
from audit.refusals import Refusal
from jackpots import configurations, motions, progressives
from jackpots.ledger import book
from jackpots.models import Motion, Progressive
from jackpots.rules import money


class ReasonMissing(Refusal):
    """A correction needs a reason, in a few words."""

    category = "unreadable"


class MeterTooLow(Refusal):
    """The {level} meter holds {held}; {amount} cannot be taken off it."""


class NoSuchLevel(Refusal):
    """The progressive has no {level} meter."""

    category = "unreadable"


class NotOpen(Refusal):
    """The {progressive} progressive has not been opened yet."""


class AmountUnreadable(Refusal):
    """An amount is written like 12.50, or -12.50; {amount} is none."""

    category = "unreadable"


class NothingAboveTheCap(Refusal):
    """Overflow holds {held}; {amount} cannot be released."""


def correct(*, slug: str, level: str, amount: str, reason: str, person: Person, pin: str, now: datetime.datetime) -> Motion:
    """Put a meter right by hand: from the house where the amount is above zero, to the house where it is below."""
    if not reason.strip():
        raise ReasonMissing
    if level not in (book.MAIN, book.SECONDARY):
        raise NoSuchLevel(level=level)
    facts = {"level": level, "amount_micros": _signed(amount), "reason": reason.strip()[:200]}
    return _sign("correct", slug, facts, person, pin, now, _correct)


def release_overflow(*, slug: str, amount: str, to: str, person: Person, pin: str, now: datetime.datetime) -> Motion:
    """Give what a cap has kept back to the meter or to the reserve."""
    if to not in (book.MAIN, book.RESERVE):
        raise NoSuchLevel(level=to)
    return _sign("release-overflow", slug, {"to": to, "amount_micros": _signed(amount)}, person, pin, now, _release)


def _signed(amount: str) -> int:
    """An amount that may be below zero, in micros; never nothing."""
    try:
        micros = money.parse(amount.removeprefix("-"))
    except money.BadMoney:
        micros = 0
    if not micros:
        raise AmountUnreadable(amount=amount)
    return -micros if amount.startswith("-") else micros


def _sign(act: str, slug: str, facts: Mapping[str, Any], person: Person, pin: str, now: datetime.datetime, carry_out: Any) -> Motion:
    progressive = progressives.get(slug)
    configuration = configurations.in_force(progressive, now)
    if configuration is None:
        raise NotOpen(progressive=slug)
    place = configuration.funded_by
    return motions.sign(
        progressive=progressive,
        place=place,
        subject=f"progressive:{slug}",
        act=act,
        facts=facts,
        person=person,
        pin=pin,
        now=now,
        carry_out=lambda seconded: carry_out(progressive, place, seconded),
    )


def _correct(progressive: Progressive, place: Property, seconded: motions.Seconded) -> list[models.Model]:
    level, amount = seconded.facts["level"], seconded.facts["amount_micros"]
    held = seconded.ledger.available(progressive.pk)[level]
    if held + amount < 0:
        raise MeterTooLow(level=level, held=money.exact(held), amount=money.exact(-amount))
    house = seconded.ledger.account(progressive.pk, book.HOUSE, place.pk)
    meter = seconded.ledger.account(progressive.pk, level)
    debit, credit = (house, meter) if amount > 0 else (meter, house)
    return _post(progressive, seconded, book.Entry(debit=debit, credit=credit, amount_micros=abs(amount), reason="correction"))


def _release(progressive: Progressive, place: Property, seconded: motions.Seconded) -> list[models.Model]:
    amount = seconded.facts["amount_micros"]
    held = seconded.ledger.available(progressive.pk)[book.OVERFLOW]
    if not 0 < amount <= held:
        raise NothingAboveTheCap(held=money.exact(held), amount=money.exact(amount))
    return _post(
        progressive,
        seconded,
        book.Entry(
            debit=seconded.ledger.account(progressive.pk, book.OVERFLOW),
            credit=seconded.ledger.account(progressive.pk, seconded.facts["to"]),
            amount_micros=amount,
            reason="overflow-released",
        ),
    )


def _post(progressive: Progressive, seconded: motions.Seconded, entry: book.Entry) -> list[models.Model]:
    return [*seconded.ledger.post(progressive_id=progressive.pk, cause=seconded.cause, entries=[entry])]
