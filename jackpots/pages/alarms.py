"""Alarms about controllers, in a sentence each."""

import datetime
from zoneinfo import ZoneInfo

from audit.people.models import Person, Property
from jackpots import workshop
from tables.models import Alarm

SENTENCES = {
    "silent": "{who} has not been heard since {since}.",
    "counts-differ": "{who} has counted other wagers than were booked, noticed at {since}.",
}


def told_to(person: Person, *roles: str) -> list[dict[str, str]]:
    """What the person should look at where they hold one of the roles."""
    return [told(alarm) for alarm in workshop.alarms_for(person, *roles)]


def told(alarm: Alarm) -> dict[str, str]:
    controller = alarm.controller
    tables = " and ".join(sorted(table.name for table in controller.tables.all()))
    who = f"{controller.name}, at {tables}," if tables else controller.name
    sentence = SENTENCES[alarm.kind].format(who=who, since=clock(alarm.since, controller.property))
    return {"kind": alarm.kind, "controller": controller.name, "property": controller.property.slug, "sentence": sentence}


def clock(at: datetime.datetime, property: Property) -> str:
    """A moment in the property's own time."""
    return f"{at.astimezone(ZoneInfo(property.time_zone)):%Y-%m-%d %H:%M:%S}"
