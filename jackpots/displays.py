"""Displays that report what they show, so that shown and true are compared. Technicians set them up; each has a token of its own."""

import datetime
import secrets
from collections.abc import Iterable
from typing import Any

from django.db import transaction

from audit import journal
from audit.people import posts, signing
from audit.people.models import Person, Property, Signature
from audit.refusals import NoSuchThing, NotAllowed, Refusal
from jackpots import meters, progressives
from jackpots.models import Display, Showing
from jackpots.rules import money
from tables import controllers

# Said in front of every token, so that one found in the wrong place is known for what it is.
PREFIX = "lmd_"
# A display may be this far behind: a reading is on its way, a number is still rolling.
PATIENCE = datetime.timedelta(seconds=5)
TROUBLE = (Showing.Verdict.STALE, Showing.Verdict.DIFFERS)


class NoSuchDisplay(NoSuchThing):
    """There is no display {display} here."""


class DisplayNameTaken(Refusal):
    """There is a display {display} already."""


class NotThisDisplay(NotAllowed):
    """A display reports only what it shows itself."""


def pair(*, property: Property, name: str, person: Person, pin: str, now: datetime.datetime) -> tuple[Display, str]:
    """Give a display its name and its token, which is in the answer and nowhere else."""
    posts.require(person, property, "technician")
    checked = signing.check_pin(person=person, pin=pin, now=now)
    if not controllers.NAME.fullmatch(name):
        raise controllers.NameUnusable
    token = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        made, is_new = Display.objects.get_or_create(
            name=name, defaults={"property": property, "hash": controllers.hash_of(token), "made_at": now}
        )
        if not is_new:
            raise DisplayNameTaken(display=name)
        _write_down(
            "display-paired", made, now, journal.Actor("person", person.username), rows=[_signed(made, "pair", person, checked, now)]
        )
    return made, token


def revoke(*, display: Display, person: Person, pin: str, now: datetime.datetime) -> Display:
    """Its token stops at once, and whatever was wrong with it is nobody's trouble any more."""
    posts.require(person, display.property, "technician")
    checked = signing.check_pin(person=person, pin=pin, now=now)
    with transaction.atomic():
        held = Display.objects.select_for_update(no_key=True).get(pk=display.pk)
        held.revoked_at = held.revoked_at or now
        held.save(update_fields=["revoked_at"])
        journal.Notice.objects.filter(topic="display-differs", key__startswith=f"{held.name}:").delete()
        _write_down(
            "display-revoked", held, now, journal.Actor("person", person.username), rows=[_signed(held, "revoke", person, checked, now)]
        )
    return held


def of_token(token: str) -> Display | None:
    """The display a token belongs to, while it is good."""
    if not token.startswith(PREFIX):
        return None
    return Display.objects.filter(hash=controllers.hash_of(token), revoked_at__isnull=True).select_related("property").first()


def displays_for(reader: Person, roles: Iterable[str]) -> list[Display]:
    """The displays of a person's properties, with what each showed last."""
    own = Display.objects.filter(property__in=posts.properties_of(reader, *roles))
    return list(own.select_related("property").prefetch_related("showings__progressive").order_by("name"))


def display_for(reader: Person, name: str, roles: Iterable[str]) -> Display:
    for found in displays_for(reader, roles):
        if found.name == name:
            return found
    raise NoSuchDisplay(display=name)


def report(
    *, display: Display, name: str, slug: str, amount_micros: int, version: int, now: datetime.datetime
) -> tuple[Showing, meters.Reading]:
    """What a display shows of a meter, and what is true. Trouble is written down when it begins and when it is over."""
    if display.name != name:
        raise NotThisDisplay
    progressive = progressives.get(slug)
    with transaction.atomic():
        # Two reports at once: the second waits, and is compared with the first.
        Display.objects.select_for_update(no_key=True).get(pk=display.pk)
        # The truth is read after the report came, so a display can only seem to be behind, never ahead.
        truth = meters.reading(slug=slug, now=now)
        before = display.showings.filter(progressive=progressive).first()
        since = before.since if before and before.version == version else now
        verdict = _verdict(amount_micros, version, truth, is_patient=now - since < PATIENCE)
        said = {"amount_micros": amount_micros, "version": version, "verdict": verdict, "since": since, "read_at": now}
        showing, _ = Showing.objects.update_or_create(display=display, progressive=progressive, defaults=said)
        _tell(showing, before, truth, now)
    return showing, truth


def _verdict(amount_micros: int, version: int, truth: meters.Reading, *, is_patient: bool) -> Showing.Verdict:
    is_current = version == truth.version
    if version > truth.version or (is_current and amount_micros > truth.amount_micros):
        return Showing.Verdict.DIFFERS
    if is_current and money.cents(amount_micros) == money.cents(truth.amount_micros):
        return Showing.Verdict.AGREES
    return Showing.Verdict.BEHIND if is_patient else Showing.Verdict.STALE


def _tell(showing: Showing, before: Showing | None, truth: meters.Reading, now: datetime.datetime) -> None:
    was, is_now = before is not None and before.verdict in TROUBLE, showing.verdict in TROUBLE
    if was == is_now:
        return
    display, key = showing.display, f"{showing.display.name}:{truth.slug}"
    facts = {
        "progressive": truth.slug,
        "verdict": str(showing.verdict),
        "shown": money.cents(showing.amount_micros),
        "version": showing.version,
        "true": money.cents(truth.amount_micros),
        "true_version": truth.version,
    }
    actor = journal.Actor("display", display.name)
    if is_now:
        _write_down("display-differs", display, now, actor, facts=facts, notices=[("display-differs", key)])
    else:
        journal.Notice.objects.filter(topic="display-differs", key=key).delete()
        _write_down("display-agrees", display, now, actor, facts=facts)


def _signed(display: Display, act: str, person: Person, checked: signing.CheckedPin, now: datetime.datetime) -> Signature:
    facts = {"display": display.name}
    subject = f"display:{display.name}"
    return signing.sign(person=person, pin=checked, property=display.property, act=f"display-{act}", subject=subject, facts=facts, now=now)


def _write_down(
    kind: str, display: Display, now: datetime.datetime, actor: journal.Actor, *, facts: dict[str, Any] | None = None, **more: Any
) -> None:
    told = facts or {"display": display.name}
    journal.append(kind=kind, now=now, actor=actor, facts=told, property_id=display.property_id, subject=f"display:{display.name}", **more)
