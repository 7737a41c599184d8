"""rounds/ from outside: what supervisors may do to a round, and that nobody else may."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from jackpots import interventions
from jackpots.ledger import book
from jackpots.models import Hit
from tables.models import Round
from tests import cast
from tests.doors.conftest import Caller

LogIn = Callable[[str], Client]
EVERYBODY = {*cast.ROLES, "zoe", "dan", "ada"}
SUPERVISORS = {"sam", "shirin"}
SIGNED = {"pin": cast.PIN, "reason": "seen on camera"}
MISSED = {**SIGNED, "seat": 4, "wager": "progressive", "cards": cast.ROYAL, "hand": "royal-flush"}
VOID = {**SIGNED, "irregularity": "cards-face-up"}


@pytest.fixture
def house(house: cast.House) -> cast.House:
    house.people["dan"] = cast.person("dan", place=house.place, role="dealer")
    house.people["ada"] = cast.person("ada", place=house.place, role="administrator")
    return house


@pytest.fixture
def dealer(house: cast.House) -> cast.Dealer:
    return cast.Dealer(house, "CSP-01")


def reference() -> str:
    return Round.objects.get().reference


def post(client: Client, act: str, body: dict[str, Any], *, round: str | None = None) -> Any:
    return client.post(f"/api/v1/rounds/{round or reference()}/{act}/", body, content_type="application/json")


def main_of(house: cast.House) -> int:
    return book.standings()[house.link.pk].available[book.MAIN]


def test_who_sees_a_round(dealer: cast.Dealer, logged_in: LogIn) -> None:
    dealer.lock_out({4: "1.00"})
    address = f"/api/v1/rounds/{reference()}/"
    seen = {name for name in EVERYBODY if logged_in(name).get(address).status_code == 200}
    assert seen == set(cast.ROLES) - {"tess"}
    assert logged_in("zoe").get(address).json()["code"] == "no-such-round"
    assert logged_in("otto").get(address).json()["state"] == "locked"
    assert Client().get(address).status_code == 401


@pytest.mark.parametrize(
    ("act", "body", "allowed"),
    [
        ("accept-count", SIGNED, SUPERVISORS),
        ("close", SIGNED, SUPERVISORS),
        ("void", VOID, {"shirin"}),
        ("missed-hit", MISSED, {"shirin"}),
        ("approve-fixed", {"pin": cast.PIN}, {"sam", "shirin", "flo"}),
    ],
)
def test_who_may_not(dealer: cast.Dealer, logged_in: LogIn, act: str, body: dict[str, Any], allowed: set[str]) -> None:
    dealer.lock_out({4: "1.00"}, chips=3)
    for name in sorted(EVERYBODY - allowed):
        answer = post(logged_in(name), act, body)
        assert answer.status_code in (403, 404) and answer.json()["code"] in ("role-needed", "no-such-round"), (name, answer.json())
    untouched = Round.objects.get()
    assert (untouched.state, untouched.count) == (Round.State.LOCKED, Round.Count.DIFFERS)


@pytest.mark.parametrize("act", ["accept-count", "close", "void", "missed-hit", "approve-fixed"])
def test_a_controller_may_not(dealer: cast.Dealer, controller: Caller, act: str) -> None:
    dealer.lock_out({4: "1.00"})
    body = {"void": VOID, "missed-hit": MISSED, "approve-fixed": {"pin": cast.PIN}}.get(act, SIGNED)
    answer = controller.client.post(
        f"/api/v1/rounds/{reference()}/{act}/", body, content_type="application/json", headers=controller.headers
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "person-needed")


def test_a_supervisor_lets_the_wagers_stand(house: cast.House, dealer: cast.Dealer, logged_in: LogIn) -> None:
    assert dealer.lock_out({4: "1.00"}, chips=2)["outcome"]["count"] == "differs"
    before = main_of(house)
    answer = post(logged_in("sam"), "accept-count", SIGNED)
    assert answer.status_code == 200 and main_of(house) == before + 700_000
    again = post(logged_in("sam"), "accept-count", SIGNED)
    assert (again.status_code, again.json()["code"]) == (409, "count-agrees")


def test_an_abandoned_round_is_closed(house: cast.House, dealer: cast.Dealer, logged_in: LogIn) -> None:
    dealer.send("wager", seat=1, wager="progressive", amount="1.00")
    assert post(logged_in("sam"), "close", SIGNED).json()["state"] == "void"
    again = post(logged_in("sam"), "close", SIGNED)
    assert (again.status_code, again.json()["code"]) == (409, "round-over")


def test_a_contributed_round_is_closed_as_settled(house: cast.House, dealer: cast.Dealer, logged_in: LogIn) -> None:
    dealer.lock_out({1: "1.00"})
    before = main_of(house)
    assert post(logged_in("sam"), "close", SIGNED).json()["state"] == "settled"
    assert main_of(house) == before


def test_a_shift_supervisor_voids_a_settled_round(house: cast.House, dealer: cast.Dealer, logged_in: LogIn) -> None:
    before = main_of(house)
    dealer.lock_out({1: "1.00"})
    dealer.settle()
    assert post(logged_in("shirin"), "void", VOID).json()["state"] == "void"
    assert main_of(house) == before
    again = post(logged_in("shirin"), "void", VOID)
    assert (again.status_code, again.json()["code"]) == (409, "round-over")


def test_a_missed_hand_is_entered_out_of_turn(house: cast.House, dealer: cast.Dealer, logged_in: LogIn) -> None:
    dealer.lock_out({4: "1.00"})
    early = post(logged_in("shirin"), "missed-hit", MISSED)
    assert (early.status_code, early.json()["code"]) == (409, "round-still-in-play")
    dealer.settle()
    assert post(logged_in("shirin"), "missed-hit", MISSED).status_code == 200
    hit = Hit.objects.get()
    assert (hit.state, hit.is_out_of_turn, hit.award_micros) == (Hit.State.PENDING, True, 10_000_700_000)


def test_one_pin_for_all_fixed_awards(house: cast.House, dealer: cast.Dealer, logged_in: LogIn) -> None:
    dealer.lock_out({4: "1.00", 2: "1.00"})
    none = post(logged_in("flo"), "approve-fixed", {"pin": cast.PIN})
    assert (none.status_code, none.json()["code"]) == (409, "nothing-fixed")
    dealer.hit(4, cast.QUADS, "four-of-a-kind")
    royal = dealer.hit(2, cast.ROYAL, "royal-flush")
    signed = post(logged_in("flo"), "approve-fixed", {"pin": cast.PIN}).json()
    assert [hit["state"] for hit in signed] == ["approved"]
    assert Hit.objects.get(pk=int(royal["hit"][2:])).state == Hit.State.PENDING, "an award off the meter is signed singly"


@pytest.mark.parametrize(
    ("act", "body", "status", "code"),
    [
        ("accept-count", {"pin": "0000", "reason": "seen"}, 403, "pin-wrong"),
        ("accept-count", {"pin": cast.PIN}, 422, "invalid"),
        ("close", {"pin": cast.PIN, "reason": ""}, 422, "invalid"),
        ("close", {**SIGNED, "colour": "red"}, 422, "invalid"),
        ("void", SIGNED, 422, "invalid"),
        ("void", {**VOID, "seats": []}, 422, "invalid"),
        ("void", {**VOID, "irregularity": "bad-luck"}, 409, "unknown-irregularity"),
        ("void", {**VOID, "seats": [4]}, 409, "irregularity-voids-otherwise"),
        ("missed-hit", {**MISSED, "cards": ["AS", "KS", "QS", "JS", "10S"]}, 422, "invalid"),
        ("missed-hit", {**MISSED, "seat": 0}, 422, "invalid"),
        ("approve-fixed", {}, 422, "invalid"),
    ],
)
def test_what_is_refused(dealer: cast.Dealer, logged_in: LogIn, act: str, body: dict[str, Any], status: int, code: str) -> None:
    dealer.lock_out({4: "1.00"}, chips=2)
    answer = post(logged_in("shirin"), act, body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert Round.objects.get().state == Round.State.LOCKED


@pytest.mark.parametrize("wrong", ["R-999999", "1", "R-x", "H-000001"])
def test_no_such_round(house: cast.House, logged_in: LogIn, wrong: str) -> None:
    assert logged_in("shirin").get(f"/api/v1/rounds/{wrong}/").json()["code"] == interventions.NoSuchRound.code
    assert post(logged_in("shirin"), "close", SIGNED, round=wrong).status_code == 404
