"""Linking tables to a progressive."""

import datetime

from django.db import transaction

from audit import journal
from audit.people import posts
from audit.people.models import Person
from audit.refusals import Refusal
from jackpots import configurations, progressives
from jackpots.ledger import book
from jackpots.models import Link, Progressive
from tables.models import Table


class GameDiffers(Refusal):
    """Table {table} deals {dealt}; the progressive is for {game}."""


def link(*, progressive: Progressive, table: Table, person: Person, now: datetime.datetime) -> Link:
    """Let a table play for a progressive."""
    posts.require(person, table.property, "accounting")
    if (table.rule_text, table.game) != (progressive.rule_text, progressive.game):
        raise GameDiffers(table=table.name, dealt=table.game, game=progressive.game)
    with transaction.atomic():
        Progressive.objects.select_for_update().get(pk=progressive.pk)
        in_force = configurations.in_force(progressive, now)
        if in_force:
            configurations.check(
                progressive, configurations.choices_of(in_force), linked_tables=progressives.linked_tables(progressive, now) + 1
            )
        made = Link.objects.create(progressive=progressive, table=table, linked_at=now)
        accounts = book.open_accounts(progressive_id=progressive.pk, property_id=table.property_id)
        journal.append(
            kind="table-linked",
            now=now,
            actor=journal.Actor("person", person.username),
            facts={"table": table.name},
            property_id=table.property_id,
            subject=f"progressive:{progressive.slug}",
            rows=accounts,
        )
    return made
