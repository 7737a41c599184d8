"""The floor: its pits and tables."""

import datetime

from django.db import transaction

from audit import journal
from audit.people import posts
from audit.people.models import Person, Property
from tables.models import Pit, Table


def open_table(
    *, property: Property, pit: str, name: str, rule_text: str, game: str, seats: int, person: Person, now: datetime.datetime
) -> Table:
    """Set up a table in a pit, dealing one game."""
    posts.require(person, property, "technician")
    with transaction.atomic():
        its_pit, _ = Pit.objects.get_or_create(property=property, name=pit)
        table = Table.objects.create(property=property, pit=its_pit, name=name, rule_text=rule_text, game=game, seats=seats)
        journal.append(
            kind="table-opened",
            now=now,
            actor=journal.Actor("person", person.username),
            facts={"pit": pit, "rule_text": rule_text, "game": game, "seats": seats},
            property_id=property.pk,
            subject=f"table:{name}",
        )
    return table
