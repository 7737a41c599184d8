"""Displays say what they show, and are told what is true."""

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from audit import journal
from jackpots import displays, meters
from jackpots.models import Display, Showing
from tests import cast

LogIn = Callable[[str], Client]
LATER = datetime.timedelta(seconds=6)


@pytest.fixture
def wall(house: cast.House) -> tuple[Display, str]:
    return displays.pair(property=house.place, name="WALL-1", person=house.tess, pin=cast.PIN, now=cast.NOW)


def post(token: str, *, name: str = "WALL-1", **told: Any) -> Any:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return Client().post(f"/api/v1/displays/{name}/reading/", told, content_type="application/json", headers=headers)


def shown(wall: tuple[Display, str], amount: int, version: int, now: datetime.datetime = cast.NOW) -> str:
    return str(
        displays.report(display=wall[0], name="WALL-1", slug="caribbean-link", amount_micros=amount, version=version, now=now)[0].verdict
    )


def told() -> list[str]:
    return [record.kind for record in reversed(journal.records(limit=50)) if record.kind in ("display-differs", "display-agrees")]


def waiting() -> int:
    return journal.Notice.objects.filter(topic="display-differs").count()


def test_a_display_that_shows_the_truth_agrees(wall: tuple[Display, str]) -> None:
    truth = meters.reading(slug="caribbean-link", now=cast.NOW)
    answer = post(wall[1], progressive="caribbean-link", amount="10000.00", version=truth.version)
    assert (answer.status_code, answer.json()) == (200, {"verdict": "agrees", "amount": "10000.00", "version": truth.version})
    assert told() == []


def test_one_that_shows_more_than_there_is_differs_until_it_agrees(wall: tuple[Display, str]) -> None:
    version = meters.reading(slug="caribbean-link", now=cast.NOW).version
    assert shown(wall, 10_000_010_000, version) == "differs"
    assert shown(wall, 10_000_010_000, version) == "differs"
    assert (told(), waiting()) == (["display-differs"], 1)
    assert shown(wall, 10_000_000_000, version) == "agrees"
    assert (told(), waiting()) == (["display-differs", "display-agrees"], 0)


def test_one_ahead_of_us_differs(wall: tuple[Display, str]) -> None:
    assert shown(wall, 10_000_000_000, meters.reading(slug="caribbean-link", now=cast.NOW).version + 1) == "differs"


def test_one_still_rolling_is_behind_and_then_stale(house: cast.House, wall: tuple[Display, str]) -> None:
    before = meters.reading(slug="caribbean-link", now=cast.NOW).version
    cast.Dealer(house, "CSP-01").lock_out({1: "1.00"})
    assert shown(wall, 10_000_000_000, before) == "behind"
    assert shown(wall, 10_000_300_000, before + 1) == "behind"
    assert (shown(wall, 10_000_300_000, before + 1, cast.NOW + LATER), told()) == ("stale", ["display-differs"])
    assert shown(wall, 10_000_700_000, before + 1, cast.NOW + LATER) == "agrees"


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"token": ""}, 401, "not-authenticated"),
        ({"token": "lmd_nobody"}, 401, "token-unknown"),
        ({"name": "WALL-2"}, 403, "not-this-display"),
        ({"progressive": "no-such"}, 404, "no-such-progressive"),
        ({"amount": 10000}, 422, "invalid"),
        ({"colour": "red"}, 422, "invalid"),
    ],
)
def test_what_is_not_taken(wall: tuple[Display, str], change: dict[str, Any], status: int, code: str) -> None:
    said = {"token": wall[1], "progressive": "caribbean-link", "amount": "10000.00", "version": 1, **change}
    answer = post(said.pop("token"), **said)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not Showing.objects.exists()


def test_a_controllers_token_is_no_displays(house: cast.House, wall: tuple[Display, str]) -> None:
    answer = post(house.tokens["CSP-01"], progressive="caribbean-link", amount="10000.00", version=1)
    assert answer.status_code == 401


def test_a_technician_pairs_looks_and_revokes(house: cast.House, logged_in: LogIn) -> None:
    tess = logged_in("tess")
    body = {"display": "WALL-9", "property": "harborlight", "pin": cast.PIN}
    made = tess.post("/api/v1/displays/", body, content_type="application/json")
    assert made.status_code == 201
    assert tess.post("/api/v1/displays/", body, content_type="application/json").json()["code"] == "display-name-taken"
    token, version = made.json()["token"], meters.reading(slug="caribbean-link", now=cast.NOW).version
    assert post(token, name="WALL-9", progressive="caribbean-link", amount="99999.00", version=version).json()["verdict"] == "differs"
    (listed,) = tess.get("/api/v1/displays/").json()
    assert (listed["display"], listed["shows"][0]["verdict"], "token" in listed) == ("WALL-9", "differs", False)
    gone = tess.post("/api/v1/displays/WALL-9/revoke/", {"pin": cast.PIN}, content_type="application/json")
    assert gone.json()["revoked_at"] and waiting() == 0
    assert post(token, name="WALL-9", progressive="caribbean-link", amount="10000.00", version=version).status_code == 401


@pytest.mark.parametrize("name", ["sam", "anna", "otto"])
def test_nobody_else_pairs_one(house: cast.House, logged_in: LogIn, name: str) -> None:
    body = {"display": "WALL-9", "property": "harborlight", "pin": cast.PIN}
    answer = logged_in(name).post("/api/v1/displays/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (403, "role-needed")
