"""Linking tables to a progressive, and taking them off it again."""

import datetime

from django.db import transaction

from audit.people import posts, signing
from audit.people.models import Person, Signature
from audit.refusals import Refusal
from jackpots import configurations, progressives
from jackpots.ledger import book
from jackpots.models import Approval, Link, Progressive
from tables.models import Table


class GameDiffers(Refusal):
    """Table {table} deals {dealt}; the progressive is for {game}."""


class AlreadyLinked(Refusal):
    """Table {table} plays for {progressive} already."""


class WagerTaken(Refusal):
    """The {wager} wager at table {table} plays for {progressive}; it cannot play for two."""


class NotLinked(Refusal):
    """Table {table} does not play for {progressive}."""


class PinNeeded(Refusal):
    """{progressive} is open: which tables play for it is changed only with your PIN."""

    category = "unreadable"


def link(
    *, progressive: Progressive, table: Table, person: Person, now: datetime.datetime, pin: str = "", at: datetime.datetime | None = None
) -> Link:
    """Let a table play for a progressive, from now or from a later moment on.

    Until a progressive is opened its tables are part of what the approver signs; from then on each change is signed for itself.
    """
    _require(progressive, table, person)
    if (table.rule_text, table.game) != (progressive.rule_text, progressive.game):
        raise GameDiffers(table=table.name, dealt=table.game, game=progressive.game)
    checked = _check_pin(progressive, person, pin, now)
    begins_at = max(at or now, now)
    with transaction.atomic():
        held = progressives.hold(progressive)
        _require_free(held, table, begins_at)
        _check_versions(held, table, now)
        made = Link.objects.create(progressive=held, table=table, linked_at=begins_at)
        accounts = book.open_accounts(progressive_id=held.pk, property_id=table.property_id)
        facts = {"table": table.name, "property": table.property.slug, "from": begins_at}
        signed = _signed("link-table", held, table, person, checked, now)
        progressives.write_down("table-linked", held, person, now, facts=facts, rows=[*accounts, *signed])
    return made


def unlink(
    *, progressive: Progressive, table: Table, person: Person, now: datetime.datetime, pin: str = "", at: datetime.datetime | None = None
) -> Link:
    """Take a table off a progressive, from now or from a later moment on. A round that has begun is played to its end under its terms."""
    _require(progressive, table, person)
    checked = _check_pin(progressive, person, pin, now)
    with transaction.atomic():
        held = progressives.hold(progressive)
        found = progressives.links_from(held, now).filter(table=table).select_for_update(no_key=True).order_by("-linked_at").first()
        if found is None:
            raise NotLinked(table=table.name, progressive=held.slug)
        found.unlinked_at = max(at or now, now, found.linked_at)
        found.save(update_fields=["unlinked_at"])
        facts = {"table": table.name, "property": table.property.slug, "from": found.unlinked_at}
        signed = _signed("unlink-table", held, table, person, checked, now)
        progressives.write_down("table-unlinked", held, person, now, facts=facts, rows=signed)
    return found


def _require(progressive: Progressive, table: Table, person: Person) -> None:
    """Both the progressive and the table must be theirs to decide about."""
    posts.require(person, progressive.property, "accounting")
    if table.property_id != progressive.property_id:
        posts.require(person, table.property, "accounting")


def _require_free(progressive: Progressive, table: Table, begins_at: datetime.datetime) -> None:
    """A table plays for a progressive once, and each of its wagers for one progressive only."""
    # Two progressives at once must not each take the same wager of a table.
    Table.objects.select_for_update(no_key=True).get(pk=table.pk)
    held = Link.objects.filter(table=table).exclude(unlinked_at__lte=begins_at).select_related("progressive")
    for other in held.filter(progressive__closed_at__isnull=True):
        if other.progressive_id == progressive.pk:
            raise AlreadyLinked(table=table.name, progressive=progressive.slug)
        if other.progressive.wager == progressive.wager:
            raise WagerTaken(wager=progressive.wager, table=table.name, progressive=other.progressive.slug)


def _check_versions(progressive: Progressive, table: Table, now: datetime.datetime) -> None:
    """Linking must be allowed by the version in force and by those that have been approved for later."""
    others = progressives.links_from(progressive, now).exclude(table=table).values("table_id").distinct().count()
    later = Approval.objects.filter(configuration__progressive=progressive, effective_at__gt=now).select_related("configuration")
    in_force = configurations.in_force(progressive, now)
    for version in [*([in_force] if in_force else []), *(approval.configuration for approval in later)]:
        configurations.check(progressive, configurations.choices_of(version), linked_tables=others + 1)


def _check_pin(progressive: Progressive, person: Person, pin: str, now: datetime.datetime) -> signing.CheckedPin | None:
    if progressive.opened_at is None and not pin:
        return None
    if not pin:
        raise PinNeeded(progressive=progressive.slug)
    return signing.check_pin(person=person, pin=pin, now=now)


def _signed(
    act: str, progressive: Progressive, table: Table, person: Person, checked: signing.CheckedPin | None, now: datetime.datetime
) -> list[Signature]:
    if checked is None and progressive.opened_at is not None:
        raise PinNeeded(progressive=progressive.slug)
    if checked is None:
        return []
    signature = signing.sign(
        person=person,
        pin=checked,
        property=progressive.property,
        act=act,
        subject=f"progressive:{progressive.slug}",
        facts={"table": table.name},
        now=now,
    )
    return [signature]
