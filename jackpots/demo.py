"""A small casino to look at: three Caribbean stud tables, two of them linked, and somebody in every post.

Everything is made by the same verbs a real property uses, so the demo floor has evidence from its first minute.
"""

import datetime
import secrets
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from audit import journal
from audit.people import posts, signing
from audit.people.models import Person, Property
from jackpots import configurations, links, progressives
from jackpots.configurations import Choices
from jackpots.models import Award, Tier
from jackpots.rules import money
from tables import controllers, floor
from tables.models import Table

RULE_TEXT = "caribbean-stud-massachusetts"
GAME = "caribbean-stud"
INSTALLER = journal.Actor("system", "demo")
PASSWORD = "harborlight"  # noqa: S105  (the demo floor's, printed at every start)


@dataclass(frozen=True)
class Player:
    """Somebody of the demo's cast."""

    username: str
    name: str
    role: str
    pin: str


CAST = (
    Player("sam", "Sam Okafor", "supervisor", "2468"),
    Player("shirin", "Shirin Vale", "shift-supervisor", "1357"),
    Player("flo", "Flo Marchetti", "floorperson", "8642"),
    Player("carla", "Carla Reyes", "cashier", "7531"),
    Player("anna", "Anna Lindqvist", "accounting", "1122"),
    Player("piet", "Piet de Groot", "approver", "3344"),
    Player("tess", "Tess Nakamura", "technician", "5566"),
    Player("otto", "Otto Brandt", "auditor", ""),
    Player("ada", "Ada Bell", "administrator", ""),
)

TABLES = ("CSP-01", "CSP-02", "CSP-03")


def is_there() -> bool:
    return Property.objects.filter(slug="harborlight").exists()


def build(*, now: datetime.datetime) -> dict[str, Any]:
    """Make the demo floor, and say who can log in and with which tokens its controllers speak."""
    place, people = _house(now)
    tables = {name: _table(place, name, people["tess"], now) for name in TABLES}
    _progressive(place, people, [tables["CSP-01"], tables["CSP-02"]], now, slug="caribbean-link", name="Caribbean Link", pay_table="D")
    _progressive(place, people, [tables["CSP-03"]], now, slug="caribbean-solo", name="Caribbean Solo", pay_table="B")
    paired = [_pair(place, table, people["tess"], now) for table in tables.values()]
    listed = [{"username": one.username, "password": PASSWORD, "pin": one.pin, "role": one.role, "name": one.name} for one in CAST]
    return {"people": listed, "controllers": paired}


@transaction.atomic
def _house(now: datetime.datetime) -> tuple[Property, Mapping[str, Person]]:
    zone = zoneinfo.ZoneInfo("America/New_York")
    today = (now.astimezone(zone) - datetime.timedelta(hours=6)).date()
    place = Property.objects.create(slug="harborlight", name="Harborlight Casino", time_zone=zone.key, gaming_day=today)
    Tier.objects.bulk_create(
        [
            Tier(property=place, kind=Award.Kind.JACKPOT, from_micros=0, signatures=1, has_slip=True),
            Tier(property=place, kind=Award.Kind.JACKPOT, from_micros=money.parse("50000.00"), signatures=2, has_slip=True),
            Tier(property=place, kind=Award.Kind.FIXED, from_micros=0, signatures=1, has_slip=False),
            Tier(property=place, kind=Award.Kind.ENVY, from_micros=0, signatures=1, has_slip=False),
        ]
    )
    journal.append(
        kind="property-opened", now=now, actor=INSTALLER, facts={"name": place.name}, property_id=place.pk, subject="property:harborlight"
    )
    return place, {one.username: _person(place, one, now) for one in CAST}


def _person(place: Property, player: Player, now: datetime.datetime) -> Person:
    person = Person(username=player.username, name=player.name)
    person.set_password(PASSWORD)
    person.save()
    posts.appoint(person=person, property=place, role=player.role, now=now, actor=INSTALLER)
    if player.pin:
        signing.set_pin(person=person, pin=player.pin, now=now, actor=INSTALLER)
    return person


def _table(place: Property, name: str, technician: Person, now: datetime.datetime) -> Table:
    return floor.open_table(property=place, pit="Pit 1", name=name, rule_text=RULE_TEXT, game=GAME, seats=7, person=technician, now=now)


def _progressive(
    place: Property, people: Mapping[str, Person], tables: list[Table], now: datetime.datetime, *, slug: str, name: str, pay_table: str
) -> None:
    accountant, approver = people["anna"], people["piet"]
    made = progressives.create(
        slug=slug, name=name, rule_text=RULE_TEXT, game=GAME, wager="progressive", property=place, person=accountant, now=now
    )
    for table in tables:
        links.link(progressive=made, table=table, person=accountant, now=now)
    # The opening amounts are a night's play above the reset, so that the signs look lived in.
    opening = money.parse("10000.00") + money.parse("0.70") * (5000 + secrets.randbelow(9000))
    choices = Choices(pay_table=pay_table, rates_ppm={"main": 700_000}, initial_micros=opening, reset_micros=money.parse("10000.00"))
    draft = configurations.draft(progressive=made, choices=choices, funded_by=place, person=accountant, now=now)
    pin = next(one.pin for one in CAST if one.username == approver.username)
    configurations.approve(configuration=draft, person=approver, pin=pin, effective_at=now, now=now)


def _pair(place: Property, table: Table, technician: Person, now: datetime.datetime) -> dict[str, Any]:
    name = f"CTL-{table.name}"
    _, token = controllers.pair(property=place, name=name, tables=[table], person=technician, now=now)
    return {"name": name, "table": table.name, "token": token, "game": table.game, "seats": table.seats}
