"""configurations/ from outside: one person drafts, another approves, everybody else is refused, and every version is kept."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests import cast

LogIn = Callable[[str], Client]
BASE = "/api/v1/configurations/"
DRAFT: dict[str, Any] = {
    "progressive": "caribbean-link",
    "pay_table": "D",
    "rates_ppm": {"main": 750_000},
    "initial": "10000.00",
    "reset": "10000.00",
}
EVERYBODY = {*cast.ROLES, "zoe", "dan", "ada"}


@pytest.fixture
def house(house: cast.House) -> cast.House:
    house.people["dan"] = cast.person("dan", place=house.place, role="dealer")
    house.people["ada"] = cast.person("ada", place=house.place, role="administrator")
    return house


def post(client: Client, path: str = "", **body: Any) -> Any:
    return client.post(f"{BASE}{path}", body, content_type="application/json")


def drafted(logged_in: LogIn, **changed: Any) -> int:
    made = post(logged_in("anna"), **{**DRAFT, **changed})
    assert made.status_code == 201, made.json()
    return int(made.json()["id"])


def test_from_draft_to_force(house: cast.House, logged_in: LogIn) -> None:
    number = drafted(logged_in, cap="25000.00")
    waiting = logged_in("piet").get(f"{BASE}?state=draft").json()
    assert [(one["id"], one["version"], one["drafted_by"], one["cap"]) for one in waiting] == [(number, 2, "Anna", "25000.00")]
    done = post(logged_in("piet"), f"{number}/approve/", pin=cast.PIN).json()
    assert (done["state"], done["approved_by"], done["cap_taken"]) == ("in-force", "Piet", True)
    versions = logged_in("otto").get("/api/v1/progressives/caribbean-link/configurations/").json()
    assert [(one["version"], one["state"]) for one in versions] == [(2, "in-force"), (1, "superseded")]
    assert logged_in("otto").get(f"{BASE}{number}/").json() == versions[0]
    assert logged_in("piet").get(f"{BASE}?state=draft").json() == []


def test_approved_for_later(house: cast.House, logged_in: LogIn) -> None:
    number = drafted(logged_in)
    done = post(logged_in("piet"), f"{number}/approve/", pin=cast.PIN, effective_at="2099-01-01T06:00:00Z").json()
    assert (done["state"], done["effective_at"], done["cap_taken"]) == ("approved", "2099-01-01T06:00:00Z", None)
    assert logged_in("anna").get("/api/v1/progressives/caribbean-link/").json()["version"] == 1


def test_withdrawn(house: cast.House, logged_in: LogIn) -> None:
    number = drafted(logged_in)
    done = post(logged_in("anna"), f"{number}/withdraw/", reason="wrong rate").json()
    assert (done["state"], done["withdrawn_by"], done["withdrawn_for"]) == ("withdrawn", "Anna", "wrong rate")
    answer = post(logged_in("piet"), f"{number}/approve/", pin=cast.PIN)
    assert (answer.status_code, answer.json()["code"]) == (409, "draft-withdrawn")


@pytest.mark.parametrize("name", sorted(EVERYBODY - {"anna"}))
def test_nobody_else_drafts(house: cast.House, logged_in: LogIn, name: str) -> None:
    assert post(logged_in(name), **DRAFT).status_code in (403, 404)


@pytest.mark.parametrize("name", sorted(EVERYBODY - {"piet"}))
def test_nobody_else_approves(house: cast.House, logged_in: LogIn, name: str) -> None:
    number = drafted(logged_in)
    assert post(logged_in(name), f"{number}/approve/", pin=cast.PIN).status_code in (403, 404)
    assert logged_in("anna").get(f"{BASE}{number}/").json()["state"] == "draft"


@pytest.mark.parametrize("name", sorted(EVERYBODY - {"piet", "anna"}))
def test_nobody_else_withdraws(house: cast.House, logged_in: LogIn, name: str) -> None:
    number = drafted(logged_in)
    assert post(logged_in(name), f"{number}/withdraw/", reason="no").status_code in (403, 404)


def test_who_reads_them(house: cast.House, logged_in: LogIn) -> None:
    number = drafted(logged_in)
    readers = {"sam", "shirin", "anna", "piet", "otto"}
    assert {name for name in EVERYBODY if logged_in(name).get(BASE).json()} == readers
    assert {name for name in EVERYBODY if logged_in(name).get(f"{BASE}{number}/").status_code == 200} == readers
    listed = "/api/v1/progressives/caribbean-link/configurations/"
    assert {name for name in EVERYBODY if logged_in(name).get(listed).status_code == 200} == readers
    assert Client().get(BASE).status_code == 401


def test_a_breach_quotes_its_paragraph(house: cast.House, logged_in: LogIn) -> None:
    answer = post(logged_in("anna"), **{**DRAFT, "rates_ppm": {"main": 650_000}, "pay_table": "B"})
    told = answer.json()
    assert (answer.status_code, told["code"]) == (409, "configuration-breaks-rule")
    assert {error["field"] for error in told["errors"]} == {"rate-too-low", "linking-not-allowed"}
    assert all(error["detail"].endswith(")") for error in told["errors"]) and told["paragraph"] in told["detail"]


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"initial": 10000}, 422, "invalid"),
        ({"initial": "ten"}, 422, "invalid"),
        ({"initial": "1e4"}, 422, "invalid"),
        ({"initial": "-1.00"}, 422, "invalid"),
        ({"reset": "10000.0000001"}, 422, "invalid"),
        ({"rates_ppm": {"main": 0.7}}, 422, "invalid"),
        ({"rates_ppm": {"main": -1}}, 422, "invalid"),
        ({"rates_ppm": "70%"}, 422, "invalid"),
        ({"colour": "red"}, 422, "invalid"),
        ({"pay_table": "Z"}, 404, "no-such-rule"),
        ({"progressive": "none-such"}, 404, "no-such-progressive"),
        ({"funded_by": "next-door"}, 404, "no-such-property"),
        ({"cap": "9000.00"}, 409, "configuration-unsound"),
        ({"awards": {"flush": 999}}, 409, "configuration-breaks-rule"),
        ({"amounts": ["2.00"]}, 409, "configuration-breaks-rule"),
    ],
)
def test_what_is_refused(house: cast.House, logged_in: LogIn, changed: dict[str, Any], status: int, code: str) -> None:
    answer = post(logged_in("anna"), **{**DRAFT, **changed})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert logged_in("anna").get(f"{BASE}?state=draft").json() == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "invalid"),
        ({"pin": "0000"}, 403, "pin-wrong"),
        ({"pin": cast.PIN, "effective_at": "soon"}, 422, "invalid"),
        ({"pin": cast.PIN, "reason": "fine"}, 422, "invalid"),
    ],
)
def test_an_approval_that_cannot_be_taken(house: cast.House, logged_in: LogIn, body: dict[str, str], status: int, code: str) -> None:
    number = drafted(logged_in)
    answer = post(logged_in("piet"), f"{number}/approve/", **body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_no_such_version_or_state(house: cast.House, logged_in: LogIn) -> None:
    assert logged_in("anna").get(f"{BASE}999999/").json()["code"] == "no-such-configuration"
    assert post(logged_in("piet"), "999999/approve/", pin=cast.PIN).json()["code"] == "no-such-configuration"
    assert logged_in("anna").get(f"{BASE}?state=lost").status_code == 422
