"""The people and the floor that nearly every test knows: one casino, three Caribbean stud tables, somebody in every post.

Sam supervises, Shirin runs the shift, Flo walks the floor, Carla pays, Anna keeps the books, Piet approves, Tess keeps the
controllers, Otto audits. Zoe works next door, at another casino, and must be refused everything here.
"""

import datetime
import itertools
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from audit import journal
from audit.people import posts, signing
from audit.people.models import Person, Property
from jackpots import configurations, intake, links, progressives
from jackpots.configurations import Choices
from jackpots.models import Progressive
from jackpots.rules import money
from tables import controllers, floor, messages
from tables.inbox import Sender
from tables.models import Controller, Table

# Long past for the real clock, so that what was made then is in force whenever a door reads the time.
NOW = datetime.datetime(2026, 1, 15, 20, 0, tzinfo=datetime.UTC)
PIN = "2468"
RULE_TEXT = "caribbean-stud-massachusetts"
INSTALLER = journal.Actor("system", "tests")

ROLES = {
    "sam": "supervisor",
    "shirin": "shift-supervisor",
    "flo": "floorperson",
    "carla": "cashier",
    "anna": "accounting",
    "piet": "approver",
    "tess": "technician",
    "otto": "auditor",
}

ROYAL = ["AS", "KS", "QS", "JS", "TS"]
ROYAL_HEARTS = ["AH", "KH", "QH", "JH", "TH"]
STRAIGHT_FLUSH = ["9D", "8D", "7D", "6D", "5D"]
QUADS = ["7S", "7H", "7D", "7C", "2S"]
TRIPS = ["4S", "4H", "4D", "9C", "2S"]
NOTHING = ["AS", "KH", "9D", "6C", "3S"]


@dataclass
class House:
    place: Property
    people: dict[str, Person]
    tables: dict[str, Table] = field(default_factory=dict)
    controllers: dict[str, Controller] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Person:
        try:
            return self.people[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def link(self) -> Progressive:
        return progressives.get("caribbean-link")

    @property
    def solo(self) -> Progressive:
        return progressives.get("caribbean-solo")


def house(*, now: datetime.datetime = NOW) -> House:
    """The casino with its floor, ready to play."""
    place = property_named("harborlight", now=now)
    made = House(place=place, people={name: person(name, place=place, role=role, now=now) for name, role in ROLES.items()})
    next_door = property_named("next-door", now=now)
    made.people["zoe"] = person("zoe", place=next_door, role="supervisor", now=now)
    for name in ("CSP-01", "CSP-02", "CSP-03"):
        made.tables[name] = table(made, name, now=now)
        made.controllers[name], made.tokens[name] = controllers.pair(
            property=place, name=f"CTL-{name}", tables=[made.tables[name]], person=made.tess, now=now
        )
    progressive(made, slug="caribbean-link", pay_table="D", tables=["CSP-01", "CSP-02"], now=now)
    progressive(made, slug="caribbean-solo", pay_table="B", tables=["CSP-03"], now=now)
    return made


def property_named(slug: str, *, now: datetime.datetime = NOW) -> Property:
    return Property.objects.create(slug=slug, name=slug.title(), time_zone="America/New_York", gaming_day=now.date())


def person(username: str, *, place: Property, role: str, now: datetime.datetime = NOW) -> Person:
    made = Person(username=username, name=username.title())
    made.set_password(username)
    made.save()
    posts.appoint(person=made, property=place, role=role, now=now, actor=INSTALLER)
    signing.set_pin(person=made, pin=PIN, now=now, actor=INSTALLER)
    return made


def table(made: House, name: str, *, rule_text: str = RULE_TEXT, game: str = "caribbean-stud", now: datetime.datetime = NOW) -> Table:
    return floor.open_table(property=made.place, pit="Pit 1", name=name, rule_text=rule_text, game=game, seats=7, person=made.tess, now=now)


def set_up(made: House, name: str, *, rule_text: str, game: str, now: datetime.datetime = NOW) -> None:
    """A further table with its controller, dealing any game of the rule book."""
    made.tables[name] = table(made, name, rule_text=rule_text, game=game, now=now)
    made.controllers[name], made.tokens[name] = controllers.pair(
        property=made.place, name=f"CTL-{name}", tables=[made.tables[name]], person=made.tess, now=now
    )


def progressive(
    made: House,
    *,
    slug: str,
    pay_table: str,
    tables: Sequence[str],
    rules: tuple[str, str, str] = (RULE_TEXT, "caribbean-stud", "progressive"),
    now: datetime.datetime = NOW,
    **chosen: Any,
) -> Progressive:
    created = progressives.create(
        slug=slug,
        name=slug.title(),
        rule_text=rules[0],
        game=rules[1],
        wager=rules[2],
        property=made.place,
        person=made.anna,
        now=now,
    )
    for name in tables:
        links.link(progressive=created, table=made.tables[name], person=made.anna, now=now)
    ten_thousand = money.parse("10000.00")
    wanted: dict[str, Any] = {"rates_ppm": {"main": 700_000}, "initial_micros": ten_thousand, "reset_micros": ten_thousand, **chosen}
    draft = configurations.draft(
        progressive=created, choices=Choices(pay_table=pay_table, **wanted), funded_by=made.place, person=made.anna, now=now
    )
    configurations.approve(configuration=draft, person=made.piet, pin=PIN, effective_at=now, now=now)
    return created


class Dealer:
    """Plays a table by hand: sends the events its controller would send, straight into the intake."""

    def __init__(self, made: House, table_name: str, *, now: datetime.datetime = NOW) -> None:
        self.house = made
        self.table = table_name
        self.controller = made.controllers[table_name]
        self.sequence = itertools.count(Controller.objects.get(pk=self.controller.pk).next_sequence)
        self.round = (made.tables[table_name].rounds.order_by("-number").values_list("number", flat=True).first() or 0) + 1
        self.now = now

    def event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {
            "id": str(uuid.uuid4()),
            "sequence": next(self.sequence),
            "table": self.table,
            "round": self.round,
            "type": kind,
            "at": self.now.isoformat(),
            **fields,
        }

    def send(self, kind: str, **fields: Any) -> dict[str, Any]:
        """One event; its whole answer."""
        return self.resend(self.event(kind, **fields))

    def resend(self, event: dict[str, Any]) -> dict[str, Any]:
        answer = intake.receive(sender=Sender(controller_id=self.controller.pk), arrived=messages.arrived(event), now=self.now)
        return dict(messages.decode(answer.text.encode()))

    def lock_out(self, wagers: dict[int, str], *, chips: int | None = None) -> dict[str, Any]:
        """Lock out a round with these wagers, seat by seat."""
        listed = [{"seat": seat, "wager": "progressive", "amount": amount} for seat, amount in wagers.items()]
        return self.send("lockout", wagers=listed, chips=len(wagers) if chips is None else chips)

    def hit(self, seat: int | str, cards: list[str], hand: str, **fields: Any) -> dict[str, Any]:
        """Claim a hand; the outcome."""
        answer = self.send("hit", **{"seat": seat, "wager": "progressive", "cards": cards, "hand": hand, **fields})
        assert answer["status"] == "applied", answer
        return dict(answer["outcome"])

    def settle(self) -> dict[str, Any]:
        """End the round and go on to the next."""
        answer = self.send("settle")
        self.round += 1
        return answer

    def void(self, reason: str = "cards-face-up", **fields: Any) -> dict[str, Any]:
        answer = self.send("void", reason=reason, **fields)
        return answer
