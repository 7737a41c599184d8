"""items/, corrections and the release of overflow from outside: two signatures, of two people, under the same."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from jackpots import hits
from jackpots.ledger import book
from jackpots.models import Item
from tests import cast
from tests.doors.conftest import Caller

LogIn = Callable[[str], Client]
EVERYBODY = {*cast.ROLES, "zoe", "dan", "ada"}
MOVERS = {"anna", "shirin"}
SECONDERS = {"piet", "shirin"}
CORRECTION = {"pin": cast.PIN, "level": "main", "amount": "12.50", "reason": "sign read short"}
RELEASE = {"pin": cast.PIN, "amount": "1.00", "to": "main"}
LINK = "/api/v1/progressives/caribbean-link"


@pytest.fixture
def house(house: cast.House) -> cast.House:
    house.people["dan"] = cast.person("dan", place=house.place, role="dealer")
    house.people["ada"] = cast.person("ada", place=house.place, role="administrator")
    return house


@pytest.fixture
def item(house: cast.House) -> Item:
    """A royal approved for too little: a claim before it was then rejected."""
    first, second = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    first.lock_out({5: "1.00"})
    second.lock_out({1: "1.00"})
    straight = first.hit(5, cast.STRAIGHT_FLUSH, "straight-flush")
    royal = second.hit(1, cast.ROYAL_HEARTS, "royal-flush")
    hits.approve(number=royal["hit"], person=house.sam, pin=cast.PIN, award=royal["award"], now=cast.NOW)
    hits.reject(number=straight["hit"], person=house.sam, pin=cast.PIN, reason="the deck was short", now=cast.NOW)
    return Item.objects.get()


def post(client: Client, path: str, body: dict[str, Any] | None = None) -> Any:
    return client.post(path, {"pin": cast.PIN} if body is None else body, content_type="application/json")


def main_of(house: cast.House) -> int:
    return book.standings()[house.link.pk].available[book.MAIN]


def test_who_sees_the_items(item: Item, logged_in: LogIn) -> None:
    seen = {name for name in EVERYBODY if logged_in(name).get("/api/v1/items/").json()}
    assert seen == set(cast.ROLES) - {"tess"}
    (shown,) = logged_in("anna").get("/api/v1/items/?state=open").json()
    assert (shown["item"], shown["told"], shown["due"], shown["difference"]) == (item.pk, "9001.26", "10001.40", "1000.14")
    assert logged_in("anna").get("/api/v1/items/?state=granted").json() == []
    assert logged_in("anna").get("/api/v1/items/?state=lost").status_code == 422
    assert Client().get("/api/v1/items/").status_code == 401


@pytest.mark.parametrize(("act", "state"), [("grant", "granted"), ("let-go", "returned")])
def test_two_people_decide_an_item(item: Item, logged_in: LogIn, act: str, state: str) -> None:
    path = f"/api/v1/items/{item.pk}/{act}/"
    first = post(logged_in("anna"), path).json()
    assert (first["state"], first["signed_by"]) == ("signed-once", ["Anna"])
    assert logged_in("anna").get("/api/v1/items/").json()[0]["state"] == "open"
    second = post(logged_in("piet"), path).json()
    assert (second["state"], second["signed_by"]) == ("carried-out", ["Anna", "Piet"])
    assert logged_in("anna").get("/api/v1/items/").json()[0]["state"] == state
    third = post(logged_in("anna"), path)
    assert (third.status_code, third.json()["code"]) == (409, "item-answered")


@pytest.mark.parametrize("act", ["grant", "let-go"])
def test_who_may_not_begin_or_second(item: Item, logged_in: LogIn, act: str) -> None:
    path = f"/api/v1/items/{item.pk}/{act}/"
    for name in sorted(EVERYBODY - MOVERS):
        assert post(logged_in(name), path).status_code in (403, 404), name
    assert post(logged_in("shirin"), path).json()["state"] == "signed-once"
    again = post(logged_in("shirin"), path)
    assert (again.status_code, again.json()["code"]) == (409, "second-is-anothers")
    for name in sorted(EVERYBODY - SECONDERS):
        assert post(logged_in(name), path).status_code in (403, 404), name
    item.refresh_from_db()
    assert item.state == Item.State.OPEN


def test_a_correction(house: cast.House, logged_in: LogIn) -> None:
    before = main_of(house)
    assert post(logged_in("anna"), f"{LINK}/correct/", CORRECTION).json()["state"] == "signed-once"
    assert main_of(house) == before
    differs = post(logged_in("piet"), f"{LINK}/correct/", {**CORRECTION, "amount": "1250.00"})
    assert (differs.status_code, differs.json()["code"]) == (409, "motion-differs")
    assert post(logged_in("piet"), f"{LINK}/correct/", CORRECTION).json()["state"] == "carried-out"
    assert main_of(house) == before + 12_500_000
    proof = logged_in("anna").get(f"{LINK}/proof-line/?line=moves").json()
    assert (proof["verdict"], proof["lines"][-1]["amount"]) == ("agrees", "12.500000")
    assert proof["opened"]["transfers"][0]["signature"]["person"] == "Piet"


def test_who_may_not_correct(house: cast.House, logged_in: LogIn) -> None:
    for name in sorted(EVERYBODY - MOVERS):
        assert post(logged_in(name), f"{LINK}/correct/", CORRECTION).status_code in (403, 404), name


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({**CORRECTION, "pin": "0000"}, 403, "pin-wrong"),
        ({**CORRECTION, "level": "third"}, 422, "invalid"),
        ({**CORRECTION, "amount": "12,50"}, 422, "invalid"),
        ({**CORRECTION, "amount": 12.5}, 422, "invalid"),
        ({**CORRECTION, "amount": "0.00"}, 422, "amount-unreadable"),
        ({**CORRECTION, "reason": ""}, 422, "invalid"),
        ({**CORRECTION, "by": "me"}, 422, "invalid"),
    ],
)
def test_what_is_no_correction(house: cast.House, logged_in: LogIn, body: dict[str, Any], status: int, code: str) -> None:
    answer = post(logged_in("anna"), f"{LINK}/correct/", body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_no_meter_is_corrected_below_nothing(house: cast.House, logged_in: LogIn) -> None:
    below = {**CORRECTION, "amount": "-10000.01"}
    post(logged_in("anna"), f"{LINK}/correct/", below)
    answer = post(logged_in("piet"), f"{LINK}/correct/", below)
    assert (answer.status_code, answer.json()["code"]) == (409, "meter-too-low")


def test_overflow_that_is_not_there_is_not_released(house: cast.House, logged_in: LogIn) -> None:
    assert post(logged_in("anna"), f"{LINK}/release-overflow/", RELEASE).json()["state"] == "signed-once"
    answer = post(logged_in("piet"), f"{LINK}/release-overflow/", RELEASE)
    assert (answer.status_code, answer.json()["code"]) == (409, "nothing-above-the-cap")
    assert post(logged_in("anna"), f"{LINK}/release-overflow/", {**RELEASE, "to": "house"}).status_code == 422
    for name in sorted(EVERYBODY - MOVERS - SECONDERS):
        assert post(logged_in(name), f"{LINK}/release-overflow/", RELEASE).status_code in (403, 404), name


def test_no_such_item_or_progressive(house: cast.House, logged_in: LogIn) -> None:
    assert post(logged_in("anna"), "/api/v1/items/999999/grant/").json()["code"] == "no-such-item"
    assert post(logged_in("anna"), "/api/v1/progressives/none-such/correct/", CORRECTION).json()["code"] == "no-such-progressive"


def test_a_controller_may_not(item: Item, controller: Caller) -> None:
    for path in (f"/api/v1/items/{item.pk}/grant/", f"{LINK}/correct/"):
        body = CORRECTION if "correct" in path else {"pin": cast.PIN}
        answer = controller.client.post(path, body, content_type="application/json", headers=controller.headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "person-needed")
