"""progressives/, tables/ and controllers/ from outside: made, linked, stopped and read by those it is for."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests import cast
from tests.doors.conftest import Caller

LogIn = Callable[[str], Client]
BASE = "/api/v1/progressives/"
NEW = {
    "progressive": "new-link",
    "name": "New Link",
    "property": "harborlight",
    "rule_text": cast.RULE_TEXT,
    "game": "caribbean-stud",
    "wager": "progressive",
}
EVERYBODY = {*cast.ROLES, "zoe", "dan", "ada"}
READERS = set(cast.ROLES)


@pytest.fixture
def house(house: cast.House) -> cast.House:
    """With a dealer and an administrator, who have no business with the books."""
    house.people["dan"] = cast.person("dan", place=house.place, role="dealer")
    house.people["ada"] = cast.person("ada", place=house.place, role="administrator")
    return house


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(f"{BASE}{path}", body, content_type="application/json")


def test_who_sees_the_progressives(house: cast.House, logged_in: LogIn) -> None:
    seen = {name for name in EVERYBODY if logged_in(name).get(BASE).json()}
    assert seen == READERS
    one = {name for name in EVERYBODY if logged_in(name).get(f"{BASE}caribbean-link/").status_code == 200}
    assert one == READERS
    assert logged_in("zoe").get(f"{BASE}caribbean-link/").json()["code"] == "no-such-progressive"
    assert Client().get(BASE).status_code == 401


def test_a_progressive_says_what_it_is(house: cast.House, logged_in: LogIn) -> None:
    shown = logged_in("otto").get(f"{BASE}caribbean-link/").json()
    assert shown["state"] == "live" and shown["version"] == 1 and shown["property"] == "harborlight"
    assert [(link["table"], link["unlinked_at"]) for link in shown["tables"]] == [("CSP-01", None), ("CSP-02", None)]


def test_accounting_makes_one(house: cast.House, logged_in: LogIn) -> None:
    made = post(logged_in("anna"), "", **NEW)
    assert made.status_code == 201 and made.json()["state"] == "not-open" and made.json()["tables"] == []
    again = post(logged_in("anna"), "", **NEW)
    assert (again.status_code, again.json()["code"]) == (409, "slug-taken")


@pytest.mark.parametrize("name", sorted(EVERYBODY - {"anna"}))
def test_nobody_else_makes_one(house: cast.House, logged_in: LogIn, name: str) -> None:
    answer = post(logged_in(name), "", **NEW)
    assert answer.status_code in (403, 404), answer.json()
    assert not any(one["progressive"] == "new-link" for one in logged_in("anna").get(BASE).json())


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"progressive": "not a slug"}, 422, "invalid"),
        ({"colour": "red"}, 422, "invalid"),
        ({"wager": "luck"}, 404, "no-such-rule"),
        ({"game": "chess"}, 404, "no-such-rule"),
        ({"property": "next-door"}, 404, "no-such-property"),
        ({"rule_text": "table-games-massachusetts", "game": "pai-gow-poker", "wager": "insurance"}, 409, "wager-has-no-meter"),
    ],
)
def test_what_cannot_be_made(house: cast.House, logged_in: LogIn, changed: dict[str, str], status: int, code: str) -> None:
    answer = post(logged_in("anna"), "", **{**NEW, **changed})
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_suspend_and_resume(house: cast.House, logged_in: LogIn) -> None:
    stopped = post(logged_in("sam"), "caribbean-link/suspend/", pin=cast.PIN, reason="the sign is dark")
    assert (stopped.json()["state"], stopped.json()["suspended_for"]) == ("suspended", "the sign is dark")
    assert logged_in("anna").get("/api/v1/meters/caribbean-link/").json()["state"] == "suspended"
    refused = post(logged_in("sam"), "caribbean-link/resume/", pin=cast.PIN, reason="lit again")
    assert (refused.status_code, refused.json()["code"]) == (403, "role-needed")
    going = post(logged_in("shirin"), "caribbean-link/resume/", pin=cast.PIN, reason="lit again")
    assert going.json()["state"] == "live"


@pytest.mark.parametrize(("name", "status"), [("flo", 403), ("carla", 403), ("otto", 403), ("dan", 404), ("ada", 404), ("zoe", 404)])
def test_who_may_not_suspend(house: cast.House, logged_in: LogIn, name: str, status: int) -> None:
    assert post(logged_in(name), "caribbean-link/suspend/", pin=cast.PIN, reason="because").status_code == status
    assert logged_in("anna").get(f"{BASE}caribbean-link/").json()["state"] == "live"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"pin": "0000", "reason": "dark"}, 403, "pin-wrong"),
        ({"pin": cast.PIN}, 422, "invalid"),
        ({"pin": cast.PIN, "reason": ""}, 422, "invalid"),
        ({"pin": cast.PIN, "reason": "dark", "until": "tomorrow"}, 422, "invalid"),
    ],
)
def test_a_suspension_needs_a_pin_and_a_reason(house: cast.House, logged_in: LogIn, body: dict[str, str], status: int, code: str) -> None:
    answer = post(logged_in("shirin"), "caribbean-link/suspend/", **body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_link_and_unlink_with_dates(house: cast.House, logged_in: LogIn) -> None:
    anna = logged_in("anna")
    gone = post(anna, "caribbean-link/unlink/", table="CSP-02", pin=cast.PIN)
    assert [link["table"] for link in gone.json()["tables"]] == ["CSP-01"]
    back = post(anna, "caribbean-link/link/", table="CSP-02", pin=cast.PIN, at="2099-01-01T00:00:00Z")
    assert back.json()["tables"][-1]["linked_at"] == "2099-01-01T00:00:00Z"
    assert [one["progressives"] for one in anna.get("/api/v1/tables/").json()] == [["caribbean-link"], [], ["caribbean-solo"]]


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("link/", {"table": "CSP-01", "pin": cast.PIN}, 409, "already-linked"),
        ("link/", {"table": "CSP-03", "pin": cast.PIN}, 409, "wager-taken"),
        ("link/", {"table": "CSP-99", "pin": cast.PIN}, 404, "no-such-table"),
        ("link/", {"table": "CSP-01", "property": "next-door", "pin": cast.PIN}, 404, "no-such-table"),
        ("unlink/", {"table": "CSP-03", "pin": cast.PIN}, 409, "not-linked"),
        ("unlink/", {"table": "CSP-01"}, 422, "pin-needed"),
        ("unlink/", {"table": "CSP-01", "pin": "0000"}, 403, "pin-wrong"),
        ("unlink/", {"table": "CSP-01", "pin": cast.PIN, "at": "soon"}, 422, "invalid"),
    ],
)
def test_what_cannot_be_linked(house: cast.House, logged_in: LogIn, path: str, body: dict[str, str], status: int, code: str) -> None:
    answer = post(logged_in("anna"), f"caribbean-link/{path}", **body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize("name", sorted(EVERYBODY - {"anna"}))
def test_only_accounting_links(house: cast.House, logged_in: LogIn, name: str) -> None:
    for path in ("link/", "unlink/"):
        assert post(logged_in(name), f"caribbean-link/{path}", table="CSP-01", pin=cast.PIN).status_code in (403, 404)


def test_a_controller_has_no_business_here(house: cast.House, controller: Caller) -> None:
    for path in ("progressives/", "configurations/", "tables/", "controllers/", "progressives/caribbean-link/proof-line/"):
        answer = controller.client.get(f"/api/v1/{path}", headers=controller.headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "person-needed"), path


def test_who_sees_the_floor(house: cast.House, logged_in: LogIn) -> None:
    for path, first in (("tables/", "CSP-01"), ("controllers/", "CTL-CSP-01")):
        for name in EVERYBODY:
            shown = logged_in(name).get(f"/api/v1/{path}").json()
            assert bool(shown) == (name in READERS), (path, name)
        assert next(iter(logged_in("tess").get(f"/api/v1/{path}").json()[0].values())) == first


def test_the_figures(house: cast.House, logged_in: LogIn) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({1: "1.00", 2: "5.00"})
    dealer.settle()
    dealer.lock_out({1: "5.00"})
    dealer.void()
    dealer.round += 1
    dealer.lock_out({5: "1.00"})
    hit = dealer.hit(5, cast.ROYAL, "royal-flush")
    shown = logged_in("otto").get(f"{BASE}caribbean-link/figures/").json()
    assert (shown["progressive_in"], shown["amount_wagered"], shown["by_coupon"]) == (3, "7.00", 0)
    (main,) = shown["levels"]
    assert main["contributions"] == "4.900000"
    assert (main["hits"], main["wins"], main["wins_pending"]) == (0, "0.000000", "10004.900000")
    assert (shown["display"], main["balance"], main["base"], main["limit"]) == ("10000.00", "10000.000000", "10000.00", None)
    assert [one["hit"] for one in shown["last_hits"]] == [hit["hit"]]
    approved = logged_in("sam").post(
        f"/api/v1/hits/{hit['hit']}/approve/", {"pin": cast.PIN, "award": hit["award"]}, content_type="application/json"
    )
    assert approved.status_code == 200
    shown = logged_in("otto").get(f"{BASE}caribbean-link/figures/").json()
    (main,) = shown["levels"]
    assert (main["hits"], main["wins"], main["wins_pending"]) == (1, "10004.900000", "0.000000")
    assert shown["awards"] == [{"hand": "royal-flush", "hits": 1, "wins": "10004.90"}]


def test_the_figures_are_the_books(house: cast.House, logged_in: LogIn) -> None:
    allowed = {name for name in EVERYBODY if logged_in(name).get(f"{BASE}caribbean-link/figures/").status_code == 200}
    assert allowed == {"sam", "shirin", "anna", "piet", "otto"}
