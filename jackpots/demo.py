"""A small casino to look at: tables of every game, and somebody in every post. CSP-01 and CSP-02 share a link.

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
from jackpots import configurations, links, progressives, rulebook
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


@dataclass(frozen=True)
class Layout:
    """What a table of one game is furnished with: its text, its seats, and the progressives it plays for."""

    rule_text: str
    game: str
    prefix: str
    seats: int
    offers: tuple[tuple[str, str, Mapping[str, int], str, str | None], ...]


# Wager, pay table, rates, opening amount and reset. The names count from where the three tables of Caribbean stud end.
LAYOUTS = {
    "caribbean-stud": Layout(
        RULE_TEXT,
        GAME,
        "CSP",
        7,
        (
            ("progressive", "D", {"main": 700_000}, "10000.00", "10000.00"),
            ("five-card-hand-bonus", "standard", {"main": 600_000, "reserve": 100_000}, "10000.00", "10000.00"),
        ),
    ),
    "caribbean-stud-section-10": Layout(
        "caribbean-stud-section-10", GAME, "CST", 7, (("progressive", "ten-percent", {"main": 720_000}, "10000.00", "10000.00"),)
    ),
    "crazy-4-poker": Layout(
        "crazy-4-poker-massachusetts",
        "crazy-4-poker",
        "C4P",
        7,
        (
            ("four-card-progressive", "A", {"main": 250_000}, "5000.00", "5000.00"),
            ("five-card-progressive", "standard", {"main": 500_000}, "10000.00", "10000.00"),
            ("five-card-hand-bonus", "standard", {"main": 600_000}, "10000.00", "10000.00"),
        ),
    ),
    "high-card-flush": Layout(
        "high-card-flush-massachusetts",
        "high-card-flush",
        "HCF",
        6,
        (("progressive", "A", {"main": 240_000, "secondary": 20_000}, "10000.00", None),),
    ),
    "pai-gow-poker": Layout(
        "table-games-massachusetts",
        "pai-gow-poker",
        "PGP",
        6,
        (("progressive", "one-dollar", {"main": 210_000}, "10000.00", "10000.00"), ("bonus", "king-queen", {}, "0.00", None)),
    ),
}
# Beside the three tables of Caribbean stud that every demonstration has.
USUAL_TABLES = {"caribbean-stud": 1, "caribbean-stud-section-10": 1, "crazy-4-poker": 1, "high-card-flush": 1, "pai-gow-poker": 1}
MOST_TABLES = 500
FIRST_TABLES = ("CSP-01", "CSP-02", "CSP-03")


class NoSuchLayout(ValueError):
    """Tables were asked for in words that cannot be read."""


def tables_asked(text: str) -> dict[str, int]:
    """Read "40", spread over all games, or "crazy-4-poker=20,pai-gow-poker=10"."""
    if text.isdecimal():
        each, more = divmod(int(text), len(LAYOUTS))
        asked = {name: each + (place < more) for place, name in enumerate(LAYOUTS)}
    else:
        pairs = [part.partition("=") for part in text.split(",")]
        asked = {name.strip(): int(number) if number.isdecimal() else -1 for name, _, number in pairs}
    if not set(asked) <= set(LAYOUTS) or any(number < 0 for number in asked.values()) or sum(asked.values()) > MOST_TABLES:
        raise NoSuchLayout(f"{text!r} is no number of tables up to {MOST_TABLES} and no list such as {'=2,'.join(LAYOUTS)}=2.")
    return asked


def is_there() -> bool:
    return Property.objects.filter(slug="harborlight").exists()


def build(*, now: datetime.datetime, tables: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Make the demo floor, and say who can log in and with which tokens its controllers speak."""
    place, people = _house(now)
    first = {name: _table(place, name, LAYOUTS[GAME], people["tess"], now) for name in FIRST_TABLES}
    _progressive(place, people, [first["CSP-01"], first["CSP-02"]], now, slug="caribbean-link", name="Caribbean Link", pay_table="D")
    _progressive(place, people, [first["CSP-03"]], now, slug="caribbean-solo", name="Caribbean Solo", pay_table="B")
    more = [
        table
        for layout, number in (USUAL_TABLES if tables is None else tables).items()
        for table in _furnish(place, people, LAYOUTS[layout], layout, number, now)
    ]
    paired = [_pair(place, table, people["tess"], now) for table in [*first.values(), *more]]
    listed = [{"username": one.username, "password": PASSWORD, "pin": one.pin, "role": one.role, "name": one.name} for one in CAST]
    return {"people": listed, "controllers": paired}


def _furnish(place: Property, people: Mapping[str, Person], layout: Layout, name: str, number: int, now: datetime.datetime) -> list[Table]:
    """So many tables of one layout. They share a meter for each wager, which a pay table without linking keeps to the first of them."""
    after = len(FIRST_TABLES) if layout.prefix == "CSP" else 0
    names = [f"{layout.prefix}-{nth:02}" for nth in range(after + 1, after + number + 1)]
    made = [_table(place, one, layout, people["tess"], now) for one in names]
    for wager, pay_table, rates, opening, reset in layout.offers if made else ():
        chosen = rulebook.pay_table(rule_text=layout.rule_text, game=layout.game, wager=wager, pay_table=pay_table)
        linked = made if chosen.linkable else made[:1]
        choices = Choices(
            pay_table=pay_table,
            rates_ppm=rates,
            initial_micros=money.parse(opening),
            reset_micros=money.parse(reset) if reset else None,
        )
        _open(place, people, linked, now, slug=f"{name}-{wager}"[:40], name=_name(layout, wager), layout=(layout, wager), choices=choices)
    return made


def _name(layout: Layout, wager: str) -> str:
    return f"{layout.prefix} {wager.replace('-', ' ').title()}"


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


def _table(place: Property, name: str, layout: Layout, technician: Person, now: datetime.datetime) -> Table:
    return floor.open_table(
        property=place,
        pit="Pit 1" if layout.game == GAME else "Pit 2",
        name=name,
        rule_text=layout.rule_text,
        game=layout.game,
        seats=layout.seats,
        person=technician,
        now=now,
    )


def _progressive(
    place: Property, people: Mapping[str, Person], tables: list[Table], now: datetime.datetime, *, slug: str, name: str, pay_table: str
) -> None:
    # The opening amounts are a night's play above the reset, so that the signs look lived in.
    opening = money.parse("10000.00") + money.parse("0.70") * (5000 + secrets.randbelow(9000))
    choices = Choices(pay_table=pay_table, rates_ppm={"main": 700_000}, initial_micros=opening, reset_micros=money.parse("10000.00"))
    _open(place, people, tables, now, slug=slug, name=name, layout=(LAYOUTS[GAME], "progressive"), choices=choices)


def _open(
    place: Property,
    people: Mapping[str, Person],
    tables: list[Table],
    now: datetime.datetime,
    *,
    slug: str,
    name: str,
    layout: tuple[Layout, str],
    choices: Choices,
) -> None:
    accountant, approver = people["anna"], people["piet"]
    rules = {"rule_text": layout[0].rule_text, "game": layout[0].game, "wager": layout[1]}
    made = progressives.create(slug=slug, name=name, property=place, person=accountant, now=now, **rules)
    for table in tables:
        links.link(progressive=made, table=table, person=accountant, now=now)
    draft = configurations.draft(progressive=made, choices=choices, funded_by=place, person=accountant, now=now)
    pin = next(one.pin for one in CAST if one.username == approver.username)
    configurations.approve(configuration=draft, person=approver, pin=pin, effective_at=now, now=now)


def _pair(place: Property, table: Table, technician: Person, now: datetime.datetime) -> dict[str, Any]:
    name = f"CTL-{table.name}"
    _, token = controllers.pair(property=place, name=name, tables=[table], person=technician, now=now)
    return {"name": name, "table": table.name, "token": token, "game": table.game, "seats": table.seats}
