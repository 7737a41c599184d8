"""Signing with a PIN. The PIN is checked first, in a transaction of its own, so that a wrong one is remembered whatever follows."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.hashers import check_password, make_password
from django.db import transaction

from audit import journal
from audit.people import slowing
from audit.people.models import Person, Property, Signature
from audit.refusals import Refusal


class PinWrong(Refusal):
    """That is not your PIN."""

    category = "forbidden"


class PinMissing(Refusal):
    """You have no PIN yet, so you cannot sign; an administrator can give you one."""

    category = "forbidden"


class PinPaused(Refusal):
    """Too many wrong PINs; try again in {seconds} seconds."""

    category = "too-fast"


class PinTooShort(Refusal):
    """A PIN has four to twelve digits."""

    category = "unreadable"


@dataclass(frozen=True)
class CheckedPin:
    """The word of check_pin that a person gave the right PIN; what sign asks for."""

    person_id: int
    checked_at: datetime.datetime


def set_pin(*, person: Person, pin: str, now: datetime.datetime, actor: journal.Actor) -> None:
    """Give a person a PIN. Its own person is told of it by whoever gave it; the journal keeps that it was given, not what it is."""
    if not (pin.isascii() and pin.isdigit() and 4 <= len(pin) <= 12):
        raise PinTooShort
    with transaction.atomic():
        Person.objects.filter(pk=person.pk).update(pin=make_password(pin), failures=0, paused_until=None)
        journal.append(kind="pin-given", now=now, actor=actor, facts={}, subject=f"person:{person.username}")
    person.refresh_from_db(fields=["pin", "failures", "paused_until"])


def check_pin(*, person: Person, pin: str, now: datetime.datetime) -> CheckedPin:
    """Check a PIN before the transaction it is to sign is opened; refused inside one, where a failure could be rolled back."""
    with transaction.atomic(durable=True):
        refusal = _judge(person_id=person.pk, pin=pin, now=now)
    if refusal is not None:
        raise refusal
    return CheckedPin(person_id=person.pk, checked_at=now)


def sign(
    *, person: Person, pin: CheckedPin, property: Property, act: str, subject: str, facts: Mapping[str, Any], now: datetime.datetime
) -> Signature:
    """Write a signature inside the caller's transaction; the caller hands it to its record, among the rows.

    ``pin`` is what check_pin returned for this person.
    """
    assert pin.person_id == person.pk, "A PIN signs only for its own person."
    return Signature.objects.create(person=person, property=property, act=act, subject=subject, facts=dict(facts), signed_at=now)


def _judge(*, person_id: int, pin: str, now: datetime.datetime) -> Refusal | None:
    # The row is locked, so that guesses sent side by side are counted one after another.
    person = Person.objects.select_for_update(no_key=True).get(pk=person_id)
    if not person.pin or not person.is_active:
        return PinMissing()
    if person.paused_until is not None and now < person.paused_until:
        return PinPaused(seconds=-(-(person.paused_until - now) // datetime.timedelta(seconds=1)))
    if check_password(pin, person.pin):
        _remember(person, failures=0, paused_until=None)
        return None
    return _count_failure(person, now=now)


def _count_failure(person: Person, *, now: datetime.datetime) -> Refusal:
    failures = person.failures + 1
    pause = slowing.pause_after(failures)
    _remember(person, failures=failures, paused_until=now + pause if pause else None)
    actor = journal.Actor("person", person.username)
    journal.append(kind="pin-wrong", now=now, actor=actor, facts={"failures": failures}, subject=f"person:{person.username}")
    return PinWrong()


def _remember(person: Person, *, failures: int, paused_until: datetime.datetime | None) -> None:
    if (person.failures, person.paused_until) != (failures, paused_until):
        Person.objects.filter(pk=person.pk).update(failures=failures, paused_until=paused_until)
