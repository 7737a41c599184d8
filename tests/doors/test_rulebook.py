"""The rule book over the API: complete, exact, open to whoever is known, and with a site's own texts."""

import os
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from django.core import checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import Client
from rest_framework import serializers

from jackpots import rulebook
from jackpots.api.rulebook import RuleGameShape, RuleTextShape
from jackpots.rules import odds
from jackpots.rules.book import PayTable, Wager
from tests import cast
from tests.doors.conftest import Caller
from tests.doors.site_texts import drop, folder, worked_example

__all__ = ["folder"]

LogIn = Callable[[str], Client]
ROOT = pathlib.Path(__file__).resolve().parents[2]
GAMES = sorted({game for text in rulebook.texts().values() for game in text.games})


def ask(client: Client, path: str = "") -> Any:
    answer = client.get(f"/api/v1/rulebook/{path}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def progressive_tables(answer: Any) -> dict[str, Any]:
    """The pay tables of Caribbean stud's progressive wager, by their letters."""
    (entry,) = [one for one in answer["entries"] if one["rule_text"] == cast.RULE_TEXT]
    (wager,) = [one for one in entry["wagers"] if one["wager"] == "progressive"]
    return {table["pay_table"]: table for table in wager["pay_tables"]}


def test_whoever_is_known_may_read_and_a_stranger_may_not(house: cast.House, logged_in: LogIn, controller: Caller) -> None:
    for path in ("/api/v1/rulebook/", "/api/v1/rulebook/caribbean-stud/"):
        assert {name: logged_in(name).get(path).status_code for name in house.people} == dict.fromkeys(house.people, 200)
        assert controller.client.get(path, headers=controller.headers).status_code == 200
        stranger = Client().get(path)
        assert (stranger.status_code, stranger.json()["code"]) == (401, "not-authenticated")


def test_the_list_has_every_text_game_and_wager(logged_in: LogIn) -> None:
    listed = {
        text["rule_text"]: {game["game"]: [wager["wager"] for wager in game["wagers"]] for game in text["games"]}
        for text in ask(logged_in("sam"))
    }
    assert listed == {text.id: {game.id: list(game.wagers) for game in text.games.values()} for text in rulebook.texts().values()}


def test_a_game_stands_once_for_each_text_that_has_it(logged_in: LogIn) -> None:
    answer = ask(logged_in("sam"), "caribbean-stud/")
    texts = [entry["rule_text"] for entry in answer["entries"]]
    assert texts == ["caribbean-stud-massachusetts", "caribbean-stud-section-10", "table-games-massachusetts"]


def test_a_game_nobody_knows_is_missing(logged_in: LogIn) -> None:
    answer = logged_in("sam").get("/api/v1/rulebook/whist/")
    assert (answer.status_code, answer.json()["code"]) == (404, "no-such-rule")
    assert answer.json()["detail"] == "The rule book has no game whist."


def test_a_straight_flush_on_table_d_as_the_text_has_it(logged_in: LogIn) -> None:
    table = progressive_tables(ask(logged_in("sam"), "caribbean-stud/"))["D"]
    assert table["lines"][1] == {
        "hand": "straight-flush",
        "name": "Straight flush",
        "award": {
            "text": "10% of meter",
            "kind": "percent",
            "percent": "10",
            "amount": None,
            "pays": None,
            "per": None,
            "meter": "main",
            "is_deducted": False,
        },
        "paragraph": "section 11(d)",
        "odds": {"count": 36, "total": 2_598_960, "one_in": "72,193.33"},
        "is_shared": False,
        "validated_by": "floorperson",
        "paid_from": "cage",
    }
    assert table["amounts"] == ["1.00", "5.00"]
    assert table["rates"] == [{"level": "main", "bound": "at-least", "percent": "70", "paragraph": "section 11(d)(5)"}]
    assert table["linking"] == {"is_allowed": True, "paragraph": "section 11(d)(4)"}


def test_envy_has_a_schedule_for_each_wager_of_table_d_and_none_on_a(logged_in: LogIn) -> None:
    tables = progressive_tables(ask(logged_in("sam"), "caribbean-stud/"))
    paid = {one["wager"]: {pay["hand"]: pay["amount"] for pay in one["pays"]} for one in tables["D"]["envy"]["schedules"]}
    assert paid == {
        "1.00": {"royal-flush": "1000.00", "straight-flush": "300.00"},
        "5.00": {"royal-flush": "5000.00", "straight-flush": "1500.00"},
    }
    assert tables["A"]["envy"]["schedules"] == []


def test_extras_funds_secondary_meters_and_irregularities_are_told(logged_in: LogIn) -> None:
    client = logged_in("sam")
    bonus = ask(client, "caribbean-stud/")["entries"][0]["wagers"][1]
    assert [(extra["hand"], extra["award"]["text"]) for extra in bonus["extras"]] == [
        ("magic-card", "20 for 1"),
        ("lucky-bonus", "5 for 1"),
    ]
    assert bonus["extras"][0]["odds"] == {"count": 5, "total": 52, "one_in": "10.40"}
    (fund,) = ask(client, "poker/")["entries"][0]["funds"]
    assert fund["licensee_sets"]["shares"][0] == {"to": "loser", "percent": "50"}
    flush = ask(client, "high-card-flush/")["entries"][0]
    table = flush["wagers"][0]["pay_tables"][0]
    assert (table["levels"], table["resets_from"], table["initial"]["bound"]) == (["main", "secondary"], "secondary", "exactly")
    assert {one["voids"] for one in flush["irregularities"]} == {"round", "nothing"}


def every_table(game: str) -> list[tuple[str, Wager, PayTable]]:
    return [
        (text.id, wager, table)
        for text in rulebook.texts().values()
        if game in text.games
        for wager in text.games[game].wagers.values()
        for table in wager.pay_tables.values()
    ]


@pytest.mark.parametrize("game", GAMES)
def test_every_line_is_there_with_its_paragraph_and_odds(logged_in: LogIn, game: str) -> None:
    shown = {
        (entry["rule_text"], wager["wager"], table["pay_table"]): table
        for entry in ask(logged_in("sam"), f"{game}/")["entries"]
        for wager in entry["wagers"]
        for table in wager["pay_tables"]
    }
    for text, wager, table in every_table(game):
        told = shown[text, wager.id, table.id]
        chances = {chance.hand: chance.text for chance in odds.chances(wager=wager, pay_table=table)}
        expected = [(line.hand, line.award.text, line.paragraph, chances.get(line.hand)) for line in table.lines]
        assert [
            (line["hand"], line["award"]["text"], line["paragraph"], line["odds"] and line["odds"]["one_in"]) for line in told["lines"]
        ] == expected
        assert told["digest"] == table.digest
        assert wager.hand_kind is None or all(line["odds"] for line in told["lines"])


def differences(shape: serializers.BaseSerializer[Any], told: Any, place: str = "") -> list[str]:
    """Where an answer does not have exactly the members that its published shape names."""
    if told is None:
        return [] if shape.allow_null else [f"{place} is nothing"]
    if isinstance(shape, serializers.ListSerializer) and isinstance(shape.child, serializers.BaseSerializer):
        return [found for number, one in enumerate(told) for found in differences(shape.child, one, f"{place}[{number}]")]
    assert isinstance(shape, serializers.Serializer)
    found = [f"{place}.{name}" for name in set(shape.fields) ^ set(told)]
    for name, part in shape.fields.items():
        if isinstance(part, serializers.BaseSerializer) and name in told:
            found += differences(part, told[name], f"{place}.{name}")
    return found


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_told_in_exactly_the_published_shape(logged_in: LogIn, game: str) -> None:
    assert differences(RuleGameShape(), ask(logged_in("sam"), f"{game}/")) == []


def test_the_list_is_told_in_exactly_the_published_shape(logged_in: LogIn) -> None:
    assert differences(RuleTextShape(many=True), ask(logged_in("sam"))) == []


def test_a_text_dropped_into_the_sites_folder_is_in_the_book(folder: pathlib.Path, logged_in: LogIn) -> None:
    drop(folder / "river.toml", worked_example())
    client = logged_in("sam")
    assert "house-river" in [text["rule_text"] for text in ask(client)]
    (entry,) = ask(client, "river-stud/")["entries"]
    (table,) = entry["wagers"][0]["pay_tables"]
    assert [line["award"]["text"] for line in table["lines"]][2] == "$150.00 off the meter"
    assert table["not_paid"] == ["straight"]


def complaints() -> list[str]:
    return [found.msg for found in checks.run_checks() if found.id == "jackpots.E001"]


def test_the_texts_that_ship_give_no_cause_for_complaint() -> None:
    assert complaints() == []


def test_a_bad_text_stops_every_command_and_names_file_and_place(folder: pathlib.Path) -> None:
    path = drop(folder / "river.toml", worked_example().replace("royal-flush    = ", "five-aces      = "))
    with pytest.raises(SystemCheckError) as stopped:
        call_command("check")
    sentence = f"{path}: house-river, game river-stud, wager progressive, pays, rows: a five-card hand cannot be 'five-aces'"
    assert sentence in str(stopped.value)


def test_a_bad_text_stops_the_web_server_with_the_same_sentence(folder: pathlib.Path) -> None:
    path = drop(folder / "river.toml", 'id = "house-river"')
    told = {**os.environ, "RULE_TEXT_FOLDER": str(folder)}
    started = subprocess.run(
        [sys.executable, "-c", "import settings.wsgi"], env=told, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (started.returncode, started.stderr.strip()) == (1, f"{path}: house-river: title is missing")


def test_what_is_not_toml_or_not_text_is_said_to_be_so(folder: pathlib.Path) -> None:
    path = drop(folder / "river.toml", "id = house-river")
    (complaint,) = complaints()
    assert complaint.startswith(f"{path}: rule text: Invalid value (at line 1")
    drop(path, b"id = \xff")
    (complaint,) = complaints()
    assert complaint.startswith(f"{path}: 'utf-8' codec")


@pytest.mark.parametrize("name", ["aaa.toml", "zzz.toml"])
def test_an_id_that_is_taken_is_refused_and_the_sites_file_is_named(folder: pathlib.Path, name: str) -> None:
    drop(folder / name, worked_example().replace('"house-river"', f'"{cast.RULE_TEXT}"'))
    (complaint,) = complaints()
    assert complaint.startswith(f"{folder / name}: the rule text {cast.RULE_TEXT} is there already")


def test_a_folder_that_is_not_there_is_said_to_be_missing(folder: pathlib.Path) -> None:
    folder.rmdir()
    assert complaints() == [f"RULE_TEXT_FOLDER: there is no folder {folder}"]
