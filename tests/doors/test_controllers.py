"""controllers/ from outside: what the technician may do and nobody else, and what a controller says of itself."""

import datetime
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from audit.people.models import Signature
from tables import controllers, rates, watching
from tables.models import Controller, Event
from tests import cast
from tests.doors.conftest import Caller

LogIn = Callable[[str], Client]
NAME = "CTL-CSP-01"
ACTS: dict[str, dict[str, Any]] = {
    "move": {"tables": ["CSP-02"]},
    "rotate": {"overlap_seconds": 60},
    "revoke": {},
    "rate": {"rate": 7},
    "pass-over": {"sequence": 1, "reason": "lost with its disk"},
}


@pytest.fixture(autouse=True)
def _full_buckets() -> Iterator[None]:
    rates.forget()
    yield
    rates.forget()


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(f"/api/v1/controllers/{path}", body, content_type="application/json")


def pair(client: Client, **changed: Any) -> Any:
    return post(client, "", **{"controller": "CTL-NEW", "property": "harborlight", "tables": ["CSP-03"], "pin": cast.PIN, **changed})


def me(token: str) -> Any:
    return Client().get("/api/v1/controllers/me/", headers={"Authorization": f"Bearer {token}"})


def beat(caller: Caller, **fields: Any) -> Any:
    told = {"clock": timezone.now().isoformat(), **fields}
    return caller.client.post("/api/v1/controllers/me/heartbeat/", told, content_type="application/json", headers=caller.headers)


def test_a_paired_controllers_token_works_and_is_shown_nowhere_again(house: cast.House, logged_in: LogIn) -> None:
    tess = logged_in("tess")
    made = pair(tess)
    assert (made.status_code, made["Cache-Control"], made.json()["tables"]) == (201, "no-store", ["CSP-03"])
    token = made.json()["token"]
    assert me(token).json()["controller"] == "CTL-NEW"
    assert token.encode() not in tess.get("/api/v1/controllers/").content + tess.get("/api/v1/controllers/CTL-NEW/").content
    assert Signature.objects.get(act="controller-paired").person == house.tess


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"controller": NAME}, 409, "name-taken"),
        ({"controller": "me"}, 422, "name-unusable"),
        ({"tables": []}, 422, "invalid"),
        ({"tables": ["CSP-99"]}, 404, "no-such-table"),
        ({"property": "next-door"}, 404, "no-such-property"),
        ({"pin": "0000"}, 403, "pin-wrong"),
        ({"pin": ""}, 422, "invalid"),
        ({"colour": "red"}, 422, "invalid"),
    ],
)
def test_what_cannot_be_paired_is_refused(logged_in: LogIn, changed: dict[str, Any], status: int, code: str) -> None:
    answer = pair(logged_in("tess"), **changed)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not Controller.objects.filter(name="CTL-NEW").exists()


@pytest.mark.parametrize("act", ACTS)
def test_each_act_is_the_technicians_with_a_pin(house: cast.House, logged_in: LogIn, act: str) -> None:
    tess = logged_in("tess")
    before = tess.get(f"/api/v1/controllers/{NAME}/").json()
    unsigned = post(tess, f"{NAME}/{act}/", **ACTS[act])
    assert (unsigned.status_code, unsigned.json()["code"]) == (422, "invalid")
    wrong = post(tess, f"{NAME}/{act}/", **ACTS[act], pin="0000")
    assert (wrong.status_code, wrong.json()["code"]) == (403, "pin-wrong")
    assert tess.get(f"/api/v1/controllers/{NAME}/").json() == before
    done = post(tess, f"{NAME}/{act}/", **ACTS[act], pin=cast.PIN)
    assert done.status_code == 200
    assert {**done.json(), "token": ""} != {**before, "token": ""}
    assert Signature.objects.filter(subject=f"controller:{NAME}", person=house.tess).count() == 1


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("name", ["sam", "flo", "carla", "anna", "otto"])
def test_nobody_else_of_the_house_does_it(house: cast.House, logged_in: LogIn, act: str, name: str) -> None:
    answer = post(logged_in(name), f"{NAME}/{act}/", **ACTS[act], pin=cast.PIN)
    assert (answer.status_code, answer.json()["code"]) == (403, "role-needed")
    assert not Signature.objects.filter(subject=f"controller:{NAME}").exists()


@pytest.mark.parametrize("act", ACTS)
def test_the_dealer_the_neighbour_and_the_controller_itself_do_not_do_it(house: cast.House, controller: Caller, act: str) -> None:
    dealer, theo = cast.person("dina", place=house.place, role="dealer"), house.zoe
    for person in (dealer, theo):
        client = Client()
        client.force_login(person)
        assert post(client, f"{NAME}/{act}/", **ACTS[act], pin=cast.PIN).status_code == 404
    body = {**ACTS[act], "pin": cast.PIN}
    itself = Client().post(f"/api/v1/controllers/{NAME}/{act}/", body, content_type="application/json", headers=controller.headers)
    assert itself.status_code == 403
    assert post(Client(), f"{NAME}/{act}/", **ACTS[act]).status_code == 401


def test_a_rotated_token_overlaps_and_a_revoked_one_stops_at_once(house: cast.House, logged_in: LogIn) -> None:
    tess = logged_in("tess")
    new = post(tess, f"{NAME}/rotate/", overlap_seconds=600, pin=cast.PIN).json()["token"]
    assert [me(house.tokens["CSP-01"]).status_code, me(new).status_code] == [200, 200]
    shown = post(tess, f"{NAME}/revoke/", pin=cast.PIN).json()
    assert (shown["state"], shown["tokens"]) == ("revoked", [])
    assert [me(house.tokens["CSP-01"]).status_code, me(new).status_code] == [401, 401]
    again = post(tess, f"{NAME}/rotate/", overlap_seconds=600, pin=cast.PIN)
    assert (again.status_code, again.json()["code"]) == (409, "controller-revoked")


def test_whose_a_token_is_is_asked_once_and_proven_with_every_event(
    house: cast.House, controller: Caller, logged_in: LogIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert controller.post(controller.event()).status_code == 201
    with monkeypatch.context() as asked_once:
        asked_once.setattr(controllers, "of_hash", lambda *words, **fields: pytest.fail("it was asked a moment ago"))
        assert controller.post(controller.event(seat=2)).status_code == 201
        assert controller.post([controller.event(seat=3)]).json()["results"][0]["status"] == "applied"
    seen_at = Controller.objects.get(name=NAME).last_seen_at
    remembered = dict(controllers._remembered)
    assert post(logged_in("tess"), f"{NAME}/rotate/", overlap_seconds=0, pin=cast.PIN).status_code == 200
    fold, hit = controller.event("fold", seat=3), controller.event("hit", seat=2, wager="progressive", cards=cast.ROYAL, hand="royal-flush")
    wrong: list[Any] = [{**fold, "table": "nowhere"}, {**fold, "seat": "three"}, {**fold, "sequence": 1}]
    for body in [fold, hit, [fold, hit], [{}], *wrong]:
        # Each of them is the first that this process hears of the token's end.
        controllers._remembered.update(remembered)
        answer = controller.post(body)
        assert (answer.status_code, answer.json()["code"]) == (401, "token-unknown")
    assert Event.objects.count() == 3
    assert Controller.objects.get(name=NAME).last_seen_at == seen_at


def test_a_token_that_has_ended_is_not_remembered(house: cast.House, controller: Caller, logged_in: LogIn) -> None:
    assert controller.post(controller.event()).status_code == 201
    assert post(logged_in("tess"), f"{NAME}/rotate/", overlap_seconds=0, pin=cast.PIN).status_code == 200
    assert controller.post(controller.event("fold", seat=1)).status_code == 401
    assert controllers.hash_of(house.tokens["CSP-01"]) not in controllers._remembered


def test_a_controller_whose_token_was_remembered_is_revoked_at_once(house: cast.House, controller: Caller, logged_in: LogIn) -> None:
    assert controller.post(controller.event()).status_code == 201
    assert post(logged_in("tess"), f"{NAME}/revoke/", pin=cast.PIN).status_code == 200
    for body in (controller.event("fold", seat=1), [controller.event("fold", seat=1)]):
        assert (controller.post(body).status_code, controller.post(body).json()["code"]) == (401, "token-unknown")
    assert Event.objects.count() == 1


def test_too_fast_a_controller_is_told_to_wait_and_nothing_is_recorded(house: cast.House, controller: Caller) -> None:
    controllers.set_rate(controller=house.controllers["CSP-01"], rate=1, person=house.tess, now=cast.NOW)
    sent = controller.event()
    for moment in range(rates.BURST_SECONDS):
        rates.spend(controller_id=house.controllers["CSP-01"].pk, rate=1, moment_ns=2**62 + moment)
    answer = controller.post(sent)
    assert (answer.status_code, answer.json()["code"], answer.json()["retryable"]) == (429, "too-fast", True)
    assert int(answer["Retry-After"]) >= 1
    assert not Event.objects.exists()
    rates.forget()
    assert controller.post(sent).json()["status"] == "applied"


def test_a_heartbeat_without_counts_is_answered_as_it_always_was(controller: Caller) -> None:
    answer = beat(controller, version="9.1", counts={})
    assert (answer.status_code, set(answer.json())) == (200, {"clock", "skew_ms"})


def test_a_heartbeat_with_counts_is_told_what_was_booked(house: cast.House, controller: Caller, logged_in: LogIn) -> None:
    cast.Dealer(house, "CSP-01").lock_out({1: "1.00", 5: "1.00"})
    right = beat(controller, counts={"CSP-01": {"wagers": 2, "amount": "2.00"}}, sequence=1).json()["counts"]
    both = {"wagers": 2, "amount": "2.00"}
    assert right == {
        "since_sequence": 0,
        "sequence": 1,
        "agrees": True,
        "tables": {"CSP-01": {"counted": both, "booked": both, "agrees": True}},
    }
    wrong = beat(controller, counts={"CSP-01": {"wagers": 3, "amount": "3.00"}}).json()["counts"]
    assert (wrong["agrees"], wrong["tables"]["CSP-01"]["booked"]) == (False, both)
    shown = logged_in("tess").get(f"/api/v1/controllers/{NAME}/").json()
    assert ([one["kind"] for one in shown["alarms"]], shown["counts"]["agrees"]) == (["counts-differ"], False)


@pytest.mark.parametrize(
    "fields",
    [
        {"counts": {"CSP-01": {"wagers": 2}}},
        {"counts": {"CSP-01": {"wagers": 2, "amount": 2}}},
        {"counts": {"CSP-01": {"wagers": 2, "amount": "2.00", "coupons": 1}}},
        {"counts": {"CSP-01": {"wagers": -2, "amount": "2.00"}}},
        {"counts": {"CSP-01": {"wagers": 2**70, "amount": "2.00"}}},
        {"counts": {"CSP-01": 2}},
        {"counts": {"C\x00": {"wagers": 2, "amount": "2.00"}}},
        {"counts": {"\ud800": {"wagers": 2, "amount": "2.00"}}},
        {"counts": {f"T-{number}": {"wagers": 0, "amount": "0.00"} for number in range(101)}},
        {"counts": [], "sequence": 1},
        {"sequence": 2, "since_sequence": 3},
        {"since_sequence": -1},
    ],
)
def test_counts_that_cannot_be_read_are_refused(controller: Caller, fields: dict[str, Any]) -> None:
    answer = beat(controller, **fields)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


def test_counts_that_go_back_are_a_conflict_and_the_clock_is_kept(house: cast.House, controller: Caller) -> None:
    cast.Dealer(house, "CSP-01").lock_out({1: "1.00"})
    beat(controller, counts={"CSP-01": {"wagers": 0, "amount": "0.00"}}, since_sequence=1)
    answer = beat(controller, counts={"CSP-01": {"wagers": 1, "amount": "1.00"}}, since_sequence=0, version="newer")
    assert (answer.status_code, answer.json()["code"]) == (409, "counts-begin-earlier")
    assert Controller.objects.get(name=NAME).version == "newer"


def test_asking_for_its_station_and_beating_are_signs_of_life(house: cast.House, controller: Caller, logged_in: LogIn) -> None:
    tess = logged_in("tess")
    assert tess.get(f"/api/v1/controllers/{NAME}/").json()["state"] == "never-heard"
    me(house.tokens["CSP-01"])
    assert tess.get(f"/api/v1/controllers/{NAME}/").json()["state"] == "alive"
    Controller.objects.filter(name=NAME).update(last_seen_at=timezone.now() - datetime.timedelta(hours=1))
    assert tess.get(f"/api/v1/controllers/{NAME}/").json()["state"] == "silent"
    beat(controller)
    assert tess.get(f"/api/v1/controllers/{NAME}/").json()["state"] == "alive"


def test_refused_events_and_gaps_are_there_to_be_read(house: cast.House, controller: Caller, logged_in: LogIn) -> None:
    for amount in ("2.00", "3.00"):
        assert controller.post(controller.event(amount=amount)).json()["status"] == "refused"
    controller.post(controller.event())
    watching.note_gap(controller_id=house.controllers["CSP-01"].pk, expected=4, sent=9, now=cast.NOW)
    tess = logged_in("tess")
    shown = tess.get(f"/api/v1/controllers/{NAME}/").json()
    assert (shown["refused"], shown["gaps"], shown["last_gap"]["sent"]) == (2, 1, 9)
    listed = tess.get(f"/api/v1/controllers/{NAME}/refused/").json()
    assert [(one["sequence"], one["code"]) for one in listed] == [(2, "amount-not-offered"), (1, "amount-not-offered")]
    assert [one["sequence"] for one in tess.get(f"/api/v1/controllers/{NAME}/refused/?before=2").json()] == [1]
    assert tess.get(f"/api/v1/controllers/{NAME}/refused/?before=soon").status_code == 422


def test_the_list_is_the_propertys_own(house: cast.House, logged_in: LogIn) -> None:
    assert [one["controller"] for one in logged_in("sam").get("/api/v1/controllers/").json()] == [f"CTL-CSP-0{n}" for n in (1, 2, 3)]
    assert logged_in("zoe").get("/api/v1/controllers/").json() == []
    assert logged_in("zoe").get(f"/api/v1/controllers/{NAME}/").json()["code"] == "no-such-controller"
    assert logged_in("tess").get(f"/api/v1/controllers/{NAME}/?property=next-door").status_code == 404


def test_a_clock_without_its_zone_is_no_clock(controller: Caller) -> None:
    answer = beat(controller, clock="2026-11-18T00:00:00")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "clock")
