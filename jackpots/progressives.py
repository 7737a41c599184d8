"""Progressives: whose they are, which tables play for them, and when they take no wagers."""

import datetime
from collections.abc import Mapping, Sequence

from django.db import models, transaction

from audit import journal
from audit.people import posts, signing
from audit.people.models import Person, Property, Signature
from audit.refusals import NoSuchThing, Refusal
from jackpots import rulebook
from jackpots.models import Link, Progressive, Suspension
from tables.models import Table

# Whoever sees that something is wrong may stop a progressive; going on again is for those who answer for it.
SUSPENDERS = ("supervisor", "shift-supervisor", "accounting")
RESUMERS = ("shift-supervisor", "accounting")


class NoSuchProgressive(NoSuchThing):
    """There is no progressive {slug}."""


class SlugTaken(Refusal):
    """There is a progressive {slug} already."""


class WagerHasNoMeter(Refusal):
    """The rule text gives the {wager} wager neither a meter nor envy ({paragraph})."""


class ProgressiveClosed(Refusal):
    """The progressive {slug} has been discontinued."""


class AlreadySuspended(Refusal):
    """The progressive {slug} is suspended already: {reason}."""


class NotSuspended(Refusal):
    """The progressive {slug} is not suspended."""


class ReasonNeeded(Refusal):
    """Say why, in a few words."""

    category = "unreadable"


def create(
    *, slug: str, name: str, rule_text: str, game: str, wager: str, property: Property, person: Person, now: datetime.datetime
) -> Progressive:
    """A progressive on paper: it takes wagers once it has tables and an approved configuration."""
    posts.require(person, property, "accounting")
    its_wager = rulebook.wager(rule_text=rule_text, game=game, wager=wager)
    if not its_wager.has_meter and not any(table.envy for table in its_wager.pay_tables.values()):
        raise WagerHasNoMeter(wager=wager, paragraph=its_wager.paragraph)
    with transaction.atomic():
        its_rules = {"rule_text": rule_text, "game": game, "wager": wager, "has_meter": its_wager.has_meter}
        made, is_new = Progressive.objects.get_or_create(slug=slug, defaults={"name": name, "property": property, **its_rules})
        if not is_new:
            raise SlugTaken(slug=slug)
        write_down("progressive-created", made, person, now, facts={"name": name, **its_rules})
    return made


def suspend(*, progressive: Progressive, person: Person, pin: str, reason: str, now: datetime.datetime) -> Suspension:
    """Take no wagers from now on. Rounds that have begun are played to their end."""
    posts.require(person, progressive.property, *SUSPENDERS)
    because = _because(reason)
    checked = signing.check_pin(person=person, pin=pin, now=now)
    with transaction.atomic():
        held = hold(progressive)
        stopped = held.suspensions.filter(resumed_at__isnull=True).first()
        if stopped is not None:
            raise AlreadySuspended(slug=held.slug, reason=stopped.reason)
        made = Suspension.objects.create(progressive=held, reason=because, suspended_at=now)
        _sign("suspend", held, person, checked, {"reason": because}, now)
    return made


def resume(*, progressive: Progressive, person: Person, pin: str, reason: str, now: datetime.datetime) -> Suspension:
    """Take wagers again, in rounds that begin from now on."""
    posts.require(person, progressive.property, *RESUMERS)
    because = _because(reason)
    checked = signing.check_pin(person=person, pin=pin, now=now)
    with transaction.atomic():
        held = hold(progressive)
        stopped = held.suspensions.filter(resumed_at__isnull=True).first()
        if stopped is None:
            raise NotSuspended(slug=held.slug)
        # Never before it began, however two clocks stand to each other.
        stopped.resumed_at = max(now, stopped.suspended_at)
        stopped.save(update_fields=["resumed_at"])
        _sign("resume", held, person, checked, {"reason": because, "suspended_for": stopped.reason}, now)
    return stopped


def get(slug: str) -> Progressive:
    found = Progressive.objects.filter(slug=slug).select_related("property").first()
    if found is None:
        raise NoSuchProgressive(slug=slug)
    return found


def hold(progressive: Progressive) -> Progressive:
    """Its row, held until the transaction ends, so that what is decided about it is decided one after another.

    The weaker of the two row locks, because every transfer and every round's terms point at this row.
    """
    held = Progressive.objects.select_for_update(no_key=True).get(pk=progressive.pk)
    if held.closed_at is not None:
        raise ProgressiveClosed(slug=held.slug)
    return held


def links_of(table: Table, at: datetime.datetime) -> models.QuerySet[Link]:
    """The progressives a table played for at a moment."""
    return Link.objects.filter(table=table, linked_at__lte=at).exclude(unlinked_at__lte=at)


def links_from(progressive: Progressive, at: datetime.datetime) -> models.QuerySet[Link]:
    """The links that hold at a moment or begin later."""
    return Link.objects.filter(progressive=progressive).exclude(unlinked_at__lte=at)


def linked_tables(progressive: Progressive, at: datetime.datetime) -> int:
    """How many tables play for it from a moment on, counting those whose link is still to come."""
    return links_from(progressive, at).values("table_id").distinct().count()


def is_suspended(progressive: Progressive, at: datetime.datetime) -> bool:
    stopped = Suspension.objects.filter(progressive=progressive, suspended_at__lte=at)
    return stopped.exclude(resumed_at__lte=at).exists()


def properties_of(progressive: Progressive) -> frozenset[int]:
    """The ids of the properties it concerns: its home, and those whose tables have played for it."""
    played = Link.objects.filter(progressive=progressive).values_list("table__property_id", flat=True)
    return frozenset({progressive.property_id, *played})


def write_down(
    kind: str,
    progressive: Progressive,
    person: Person,
    now: datetime.datetime,
    *,
    facts: Mapping[str, object],
    rows: Sequence[models.Model] = (),
) -> None:
    """The record of what a person has done to a progressive."""
    journal.append(
        kind=kind,
        now=now,
        actor=journal.Actor("person", person.username),
        facts=facts,
        property_id=progressive.property_id,
        subject=f"progressive:{progressive.slug}",
        rows=rows,
    )


def _sign(
    act: str, progressive: Progressive, person: Person, checked: signing.CheckedPin, facts: Mapping[str, str], now: datetime.datetime
) -> Signature:
    """Sign for it, write it down, and let the displays hear of it though no money moved."""
    signature = signing.sign(
        person=person,
        pin=checked,
        property=progressive.property,
        act=f"{act}-progressive",
        subject=f"progressive:{progressive.slug}",
        facts=facts,
        now=now,
    )
    Progressive.objects.filter(pk=progressive.pk).update(state_changes=models.F("state_changes") + 1)
    write_down(f"progressive-{act}{'ed' if act == 'suspend' else 'd'}", progressive, person, now, facts=facts, rows=[signature])
    return signature


def _because(reason: str) -> str:
    if not reason.strip():
        raise ReasonNeeded
    return reason.strip()[:200]
