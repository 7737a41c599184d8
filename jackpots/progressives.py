"""Progressives and the tables that play for them."""

import datetime

from django.db import models, transaction

from audit import journal
from audit.people import posts
from audit.people.models import Person, Property
from audit.refusals import NoSuchThing
from jackpots import rulebook
from jackpots.models import Link, Progressive, Suspension
from tables.models import Table


class NoSuchProgressive(NoSuchThing):
    """There is no progressive {slug}."""


def create(
    *, slug: str, name: str, rule_text: str, game: str, wager: str, property: Property, person: Person, now: datetime.datetime
) -> Progressive:
    """A progressive on paper: it takes wagers once it has tables and an approved configuration."""
    posts.require(person, property, "accounting")
    rulebook.wager(rule_text=rule_text, game=game, wager=wager)
    with transaction.atomic():
        made = Progressive.objects.create(slug=slug, name=name, rule_text=rule_text, game=game, wager=wager)
        facts = {"name": name, "rule_text": rule_text, "game": game, "wager": wager}
        journal.append(
            kind="progressive-created",
            now=now,
            actor=journal.Actor("person", person.username),
            facts=facts,
            property_id=property.pk,
            subject=f"progressive:{slug}",
        )
    return made


def get(slug: str) -> Progressive:
    found = Progressive.objects.filter(slug=slug).first()
    if found is None:
        raise NoSuchProgressive(slug=slug)
    return found


def links_of(table: Table, at: datetime.datetime) -> models.QuerySet[Link]:
    """The progressives a table played for at a moment."""
    return Link.objects.filter(table=table, linked_at__lte=at).exclude(unlinked_at__lte=at)


def linked_tables(progressive: Progressive, at: datetime.datetime) -> int:
    return Link.objects.filter(progressive=progressive, linked_at__lte=at).exclude(unlinked_at__lte=at).count()


def is_suspended(progressive: Progressive, at: datetime.datetime) -> bool:
    stopped = Suspension.objects.filter(progressive=progressive, suspended_at__lte=at)
    return stopped.exclude(resumed_at__lte=at).exists()
