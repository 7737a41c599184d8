"""Progressives: made, linked, unlinked, suspended and resumed, each by whom it is for, and written down."""

import datetime
from typing import Any

import pytest

from audit import journal
from audit.people import posts, signing
from audit.people.models import Signature
from jackpots import configurations, links, meters, progressives, terms
from jackpots.models import Progressive
from tables import floor
from tests import cast

MINUTE = datetime.timedelta(minutes=1)


@pytest.fixture
def house(db: None) -> cast.House:
    return cast.house()


def make(house: cast.House, **changed: Any) -> Progressive:
    wanted: dict[str, Any] = {
        "slug": "new",
        "name": "New",
        "rule_text": cast.RULE_TEXT,
        "game": "caribbean-stud",
        "wager": "progressive",
        "property": house.place,
        "person": house.anna,
        "now": cast.NOW,
        **changed,
    }
    return progressives.create(**wanted)


def suspend(house: cast.House, name: str = "shirin", *, now: datetime.datetime = cast.NOW, **changed: str) -> Any:
    asked = {"pin": cast.PIN, "reason": "the sign is dark", **changed}
    return progressives.suspend(progressive=house.link, person=house.people[name], now=now, **asked)


def resume(house: cast.House, name: str = "shirin", *, now: datetime.datetime = cast.NOW, **changed: str) -> Any:
    asked = {"pin": cast.PIN, "reason": "the sign is lit", **changed}
    return progressives.resume(progressive=house.link, person=house.people[name], now=now, **asked)


def test_a_slug_is_used_once(house: cast.House) -> None:
    with pytest.raises(progressives.SlugTaken):
        make(house, slug="caribbean-link")


def test_a_wager_with_neither_meter_nor_envy_is_no_progressive(house: cast.House) -> None:
    with pytest.raises(progressives.WagerHasNoMeter, match=r"\(.+\)"):
        make(house, rule_text="table-games-massachusetts", game="let-it-ride", wager="bonus")


@pytest.mark.parametrize("name", ["sam", "piet", "tess", "otto", "zoe"])
def test_only_accounting_makes_one(house: cast.House, name: str) -> None:
    with pytest.raises(posts.RoleNeeded):
        make(house, person=house.people[name])


# Suspension


def test_a_suspended_progressive_takes_no_wagers_until_it_is_resumed(house: cast.House) -> None:
    version = meters.reading(slug="caribbean-link", now=cast.NOW).version
    suspend(house)
    reading = meters.reading(slug="caribbean-link", now=cast.NOW)
    assert reading.state == "suspended" and reading.version > version
    dealer = cast.Dealer(house, "CSP-01", now=cast.NOW + MINUTE)
    assert dealer.send("wager", seat=1, wager="progressive", amount="1.00")["code"] == "suspended"
    resume(house, now=cast.NOW + 2 * MINUTE)
    dealer.round, dealer.now = dealer.round + 1, cast.NOW + 3 * MINUTE
    assert dealer.send("wager", seat=1, wager="progressive", amount="1.00")["status"] == "applied"


def test_a_round_that_had_begun_is_played_to_its_end(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.send("wager", seat=1, wager="progressive", amount="1.00")
    suspend(house, now=cast.NOW + MINUTE)
    dealer.now = cast.NOW + 2 * MINUTE
    assert dealer.lock_out({1: "1.00"})["outcome"]["contributed"] == {"caribbean-link": "0.700000"}


def test_suspension_is_judged_at_the_rounds_own_time(house: cast.House) -> None:
    """The events of a table that was cut off come in after the suspension, but the round began before it."""
    suspend(house, now=cast.NOW + MINUTE)
    dealer = cast.Dealer(house, "CSP-01", now=cast.NOW + 5 * MINUTE)
    late = dealer.event("wager", seat=1, wager="progressive", amount="1.00")
    assert dealer.resend({**late, "at": cast.NOW.isoformat()})["status"] == "applied"


@pytest.mark.parametrize("name", ["flo", "carla", "piet", "tess", "otto", "zoe"])
def test_who_may_not_suspend(house: cast.House, name: str) -> None:
    with pytest.raises(posts.RoleNeeded):
        suspend(house, name)
    assert not progressives.is_suspended(house.link, cast.NOW)


@pytest.mark.parametrize("name", ["sam", "flo", "carla", "piet", "tess", "otto", "zoe"])
def test_who_may_not_resume(house: cast.House, name: str) -> None:
    suspend(house)
    with pytest.raises(posts.RoleNeeded):
        resume(house, name)
    assert progressives.is_suspended(house.link, cast.NOW)


def test_suspending_asks_for_a_reason_a_pin_and_something_to_suspend(house: cast.House) -> None:
    with pytest.raises(progressives.ReasonNeeded):
        suspend(house, reason=" ")
    with pytest.raises(signing.PinWrong):
        suspend(house, pin="0000")
    with pytest.raises(progressives.NotSuspended):
        resume(house)
    suspend(house, "sam")
    with pytest.raises(progressives.AlreadySuspended, match="the sign is dark"):
        suspend(house)


def test_both_are_signed_and_written_down(house: cast.House) -> None:
    suspend(house)
    resume(house)
    acts = Signature.objects.filter(subject="progressive:caribbean-link", person=house.shirin).order_by("pk")
    assert list(acts.values_list("act", flat=True)) == ["suspend-progressive", "resume-progressive"]
    kinds = [record.kind for record in journal.records(subject="progressive:caribbean-link")][:2]
    assert kinds == ["progressive-resumed", "progressive-suspended"]


def test_a_closed_progressive_takes_part_in_nothing_more(house: cast.House) -> None:
    link = house.link
    Progressive.objects.filter(pk=link.pk).update(closed_at=cast.NOW)
    link.refresh_from_db()
    with pytest.raises(progressives.ProgressiveClosed):
        suspend(house)
    with pytest.raises(progressives.ProgressiveClosed):
        links.unlink(progressive=link, table=house.tables["CSP-01"], person=house.anna, pin=cast.PIN, now=cast.NOW)


# Links


def link(house: cast.House, table: str, *, person: str = "anna", **changed: Any) -> Any:
    asked = {"pin": cast.PIN, "now": cast.NOW, **changed}
    return links.link(progressive=house.link, table=house.tables[table], person=house.people[person], **asked)


def unlink(house: cast.House, table: str, *, person: str = "anna", **changed: Any) -> Any:
    asked = {"pin": cast.PIN, "now": cast.NOW, **changed}
    return links.unlink(progressive=house.link, table=house.tables[table], person=house.people[person], **asked)


def test_an_unlinked_table_offers_the_wager_no_more_and_can_be_linked_again(house: cast.House) -> None:
    unlink(house, "CSP-01", now=cast.NOW + MINUTE)
    dealer = cast.Dealer(house, "CSP-01", now=cast.NOW + 2 * MINUTE)
    assert dealer.send("wager", seat=1, wager="progressive", amount="1.00")["code"] == "wager-not-offered"
    link(house, "CSP-01", now=cast.NOW + 3 * MINUTE)
    dealer.round, dealer.now = dealer.round + 1, cast.NOW + 4 * MINUTE
    assert dealer.send("wager", seat=1, wager="progressive", amount="1.00")["status"] == "applied"


def test_a_round_in_play_keeps_the_link_it_began_with(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.send("wager", seat=1, wager="progressive", amount="1.00")
    unlink(house, "CSP-01")
    dealer.now = cast.NOW + MINUTE
    assert dealer.lock_out({1: "1.00"})["outcome"]["contributed"] == {"caribbean-link": "0.700000"}


def test_a_later_date_holds_from_then_on(house: cast.House) -> None:
    later = cast.NOW + 10 * MINUTE
    unlink(house, "CSP-01", at=later)
    assert progressives.linked_tables(house.link, later - MINUTE) == 2
    assert progressives.linked_tables(house.link, later) == 1
    with pytest.raises(links.AlreadyLinked):
        link(house, "CSP-01", at=later - MINUTE)
    link(house, "CSP-01", at=later + MINUTE)
    assert not progressives.links_of(house.tables["CSP-01"], later).exists()
    assert progressives.links_of(house.tables["CSP-01"], later + MINUTE).exists()


def test_no_date_lies_in_the_past(house: cast.House) -> None:
    assert unlink(house, "CSP-01", at=cast.NOW - 60 * MINUTE).unlinked_at == cast.NOW


def test_a_wager_plays_for_one_progressive(house: cast.House) -> None:
    with pytest.raises(links.WagerTaken, match="caribbean-solo"):
        link(house, "CSP-03")


def test_a_table_of_another_game_is_not_linked(house: cast.House) -> None:
    house.tables["C4P-01"] = floor.open_table(
        property=house.place,
        pit="Pit 1",
        name="C4P-01",
        rule_text="crazy-4-poker-massachusetts",
        game="crazy-4-poker",
        seats=7,
        person=house.tess,
        now=cast.NOW,
    )
    with pytest.raises(links.GameDiffers):
        link(house, "C4P-01")


def test_linking_and_unlinking_what_is_not_so(house: cast.House) -> None:
    with pytest.raises(links.AlreadyLinked):
        link(house, "CSP-01")
    with pytest.raises(links.NotLinked):
        unlink(house, "CSP-03")


def test_a_table_that_may_not_be_linked_keeps_to_itself(house: cast.House) -> None:
    """Pay table B is for one table; a version approved for later counts as much as the one in force."""
    house.tables["CSP-04"] = cast.table(house, "CSP-04")
    with pytest.raises(configurations.ConfigurationBreaksRule, match="linked games"):
        links.link(progressive=house.solo, table=house.tables["CSP-04"], person=house.anna, pin=cast.PIN, now=cast.NOW)
    solo = cast.progressive(house, slug="later-solo", pay_table="D", tables=["CSP-04"])
    draft = configurations.draft(
        progressive=solo,
        choices=configurations.Choices(pay_table="B", rates_ppm={"main": 700_000}, initial_micros=0, reset_micros=0),
        funded_by=house.place,
        person=house.anna,
        now=cast.NOW,
    )
    configurations.approve(configuration=draft, person=house.piet, pin=cast.PIN, effective_at=cast.NOW + 10 * MINUTE, now=cast.NOW)
    with pytest.raises(configurations.ConfigurationBreaksRule, match="linked games"):
        links.link(progressive=solo, table=cast.table(house, "CSP-05"), person=house.anna, pin=cast.PIN, now=cast.NOW)


def test_an_open_progressives_tables_are_changed_only_with_the_pin(house: cast.House) -> None:
    for wrong, refusal in (("", links.PinNeeded), ("0000", signing.PinWrong)):
        with pytest.raises(refusal):
            unlink(house, "CSP-01", pin=wrong)
    assert progressives.linked_tables(house.link, cast.NOW) == 2
    unlink(house, "CSP-01")
    assert Signature.objects.filter(act="unlink-table", person=house.anna).exists()


@pytest.mark.parametrize("name", ["sam", "shirin", "flo", "carla", "piet", "tess", "otto", "zoe"])
def test_only_accounting_links(house: cast.House, name: str) -> None:
    house.tables["CSP-04"] = cast.table(house, "CSP-04")
    with pytest.raises(posts.RoleNeeded):
        link(house, "CSP-04", person=name)
    with pytest.raises(posts.RoleNeeded):
        unlink(house, "CSP-01", person=name)


def test_a_table_next_door_needs_accounting_on_both_sides(house: cast.House) -> None:
    next_door = house.zoe.appointments.get().property
    tom, nadia = cast.person("tom", place=next_door, role="technician"), cast.person("nadia", place=next_door, role="accounting")
    table = floor.open_table(
        property=next_door, pit="P", name="N-01", rule_text=cast.RULE_TEXT, game="caribbean-stud", seats=6, person=tom, now=cast.NOW
    )
    for person in (house.anna, nadia):
        with pytest.raises(posts.RoleNeeded):
            links.link(progressive=house.link, table=table, person=person, pin=cast.PIN, now=cast.NOW)
    posts.appoint(person=house.anna, property=next_door, role="accounting", now=cast.NOW, actor=cast.INSTALLER)
    links.link(progressive=house.link, table=table, person=house.anna, pin=cast.PIN, now=cast.NOW)
    assert progressives.properties_of(house.link) == {house.place.pk, next_door.pk}


def test_terms_are_bound_for_what_is_linked_and_in_force(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-03")
    dealer.send("wager", seat=1, wager="progressive", amount="1.00")
    bound = terms.of(house.tables["CSP-03"].rounds.get())
    assert [one.progressive.slug for one in bound] == ["caribbean-solo"]
