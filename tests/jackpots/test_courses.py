"""What tables play for is kept in memory, and nobody notices: every change of it holds from the next event on."""

import datetime
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from jackpots import configurations, courses, links, progressives
from jackpots.configurations import Choices
from jackpots.models import Progressive, Revision
from tests import cast

MINUTE = datetime.timedelta(minutes=1)


@pytest.fixture
def house(db: None) -> cast.House:
    courses.forget()
    return cast.house()


def play(house: cast.House, table: str = "CSP-01", *, now: datetime.datetime = cast.NOW, at: datetime.datetime | None = None) -> Any:
    """One round with a wager of a dollar; what its lock-out was answered."""
    dealer = cast.Dealer(house, table, now=now)
    line = {"seat": 1, "wager": "progressive", "amount": "1.00"}
    event = dealer.event("lockout", wagers=[line], chips=1)
    answer = dealer.resend({**event, "at": (at or now).isoformat()})
    if answer["status"] == "applied":
        dealer.settle()
    return answer.get("outcome", {}).get("contributed") or answer["code"]


def suspend(house: cast.House, now: datetime.datetime) -> None:
    progressives.suspend(progressive=house.link, person=house.shirin, pin=cast.PIN, reason="the sign is dark", now=now)


def resume(house: cast.House, now: datetime.datetime) -> None:
    progressives.resume(progressive=house.link, person=house.shirin, pin=cast.PIN, reason="the sign is lit", now=now)


def unlink(house: cast.House, now: datetime.datetime) -> None:
    links.unlink(progressive=house.link, table=house.tables["CSP-01"], person=house.anna, pin=cast.PIN, now=now)


def link_elsewhere(house: cast.House, now: datetime.datetime) -> None:
    unlink(house, now)
    cast.progressive(house, slug="elsewhere", pay_table="B", tables=["CSP-01"], now=now)


def raise_rate(house: cast.House, now: datetime.datetime) -> None:
    ten_thousand = 10_000_000_000
    choices = Choices(pay_table="D", rates_ppm={"main": 800_000}, initial_micros=ten_thousand, reset_micros=ten_thousand)
    draft = configurations.draft(progressive=house.link, choices=choices, funded_by=house.place, person=house.anna, now=now)
    configurations.approve(configuration=draft, person=house.piet, pin=cast.PIN, effective_at=now, now=now)


def discontinue(house: cast.House, now: datetime.datetime) -> None:
    Progressive.objects.filter(pk=house.link.pk).update(closed_at=now, heir=house.solo)


CHANGES: dict[str, tuple[Callable[[cast.House, datetime.datetime], None], Any]] = {
    "suspended": (suspend, "suspended"),
    "unlinked": (unlink, "wager-not-offered"),
    "linked elsewhere": (link_elsewhere, {"elsewhere": "0.700000"}),
    "a new version": (raise_rate, {"caribbean-link": "0.800000"}),
    "discontinued": (discontinue, {"caribbean-solo": "0.700000"}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_holds_from_the_next_event_on(house: cast.House, change: str) -> None:
    assert play(house) == {"caribbean-link": "0.700000"}
    act, then = CHANGES[change]
    act(house, cast.NOW + MINUTE)
    assert play(house, now=cast.NOW + 2 * MINUTE) == then


def test_what_was_suspended_and_resumed_plays_on(house: cast.House) -> None:
    play(house)
    suspend(house, cast.NOW + MINUTE)
    assert play(house, now=cast.NOW + MINUTE) == "suspended"
    resume(house, cast.NOW + 2 * MINUTE)
    assert play(house, now=cast.NOW + 3 * MINUTE) == {"caribbean-link": "0.700000"}


def test_a_round_told_of_late_is_played_under_what_held_then(house: cast.House) -> None:
    raise_rate(house, cast.NOW + 2 * MINUTE)
    # Kept from a later moment on, and so no answer to what came before it.
    assert play(house, "CSP-02", now=cast.NOW + 3 * MINUTE) == {"caribbean-link": "0.800000"}
    assert play(house, now=cast.NOW + 3 * MINUTE) == {"caribbean-link": "0.800000"}
    courses.read(table_ids=[house.tables["CSP-01"].pk], since=cast.NOW + 3 * MINUTE)
    revision = Revision.objects.get().token
    found = courses.of_tables(table_ids=[house.tables["CSP-01"].pk], since=cast.NOW + MINUTE, revision=revision)
    assert [course.in_force(cast.NOW + MINUTE).rates_ppm for course in found] == [{"main": 700_000}]  # type: ignore[union-attr]


def test_while_nothing_changes_nothing_is_asked(house: cast.House) -> None:
    play(house)
    with CaptureQueriesContext(connection) as asked:
        play(house)
    assert courses.COURSES.name not in " ".join(query["sql"] for query in asked)


def test_what_was_kept_at_another_revision_is_read_again(house: cast.House) -> None:
    table_id = house.tables["CSP-01"].pk
    courses.read(table_ids=[table_id], since=cast.NOW)
    with CaptureQueriesContext(connection) as asked:
        found = courses.of_tables(table_ids=[table_id], since=cast.NOW, revision=uuid.uuid4())
    assert len(asked) == 1 and [course.progressive.slug for course in found] == ["caribbean-link"]


def test_a_claim_is_no_change_of_what_tables_play_for(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00"})
    before = Revision.objects.get().token
    dealer.hit(5, cast.ROYAL, "royal-flush")
    assert Revision.objects.get().token == before


def test_a_table_that_plays_for_the_heir_itself_is_bound_to_it_once(house: cast.House) -> None:
    rules = (cast.RULE_TEXT, "caribbean-stud", "five-card-hand-bonus")
    heir = cast.progressive(house, slug="bonus", pay_table="standard", tables=["CSP-01"], rules=rules, rates_ppm={"main": 600_000})
    Progressive.objects.filter(pk=house.link.pk).update(closed_at=cast.NOW, heir=heir)
    dealer = cast.Dealer(house, "CSP-01")
    line = {"seat": 1, "wager": "five-card-hand-bonus", "amount": "1.00"}
    answer = dealer.send("lockout", wagers=[line], chips=1)
    assert answer["outcome"]["contributed"] == {"bonus": "0.600000"}
