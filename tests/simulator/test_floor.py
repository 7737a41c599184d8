"""Whole floors against the contract: every chip counted alike at both ends, awards waited for, half-played rounds closed."""

import threading
import time
from collections.abc import Callable

import pytest

from jackpots.rules import money
from jackpots.simulator import floor as floors
from jackpots.simulator import pace as paces
from tests.simulator import contract_server

FLO = {"username": "flo", "password": contract_server.PASSWORD, "pin": contract_server.PIN, "role": "floorperson", "name": "Flo"}


@pytest.fixture
def floor(contract: contract_server.ContractServer, pace: paces.Pace) -> floors.Floor:
    entries = [
        contract.add_table(table="CSP-03", progressive="caribbean-own"),
        contract.add_table(table="CSP-01", progressive="caribbean-link"),
        contract.add_table(table="CSP-02", progressive="caribbean-link"),
    ]
    return floors.Floor(cast=floors.Cast([FLO], entries), url=contract.url, seed=11, pace=pace)


def booked_micros(contract: contract_server.ContractServer, *tables: str) -> int:
    lists = [event["wagers"] for event in contract.applied("lockout") if event["table"] in tables]
    return sum(money.parse(wager["amount"]) for wagers in lists for wager in wagers)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "It never came about."
        time.sleep(0.01)


def test_three_tables_play_and_both_ends_count_the_same_cents(contract: contract_server.ContractServer, floor: floors.Floor) -> None:
    assert floor.play(rounds=2)
    assert floor.account.figures()["rounds"] == {"CSP-01": 2, "CSP-02": 2, "CSP-03": 2}
    assert floor.account.wagered_micros(progressive="caribbean-link") == booked_micros(contract, "CSP-01", "CSP-02") > 0
    assert floor.account.wagered_micros(progressive="caribbean-own") == booked_micros(contract, "CSP-03") > 0
    assert floor.account.figures()["refused"] == {}


def test_a_bad_line_changes_nothing_of_what_is_played(contract: contract_server.ContractServer, floor: floors.Floor) -> None:
    contract.faults.extend(["cut-after", "", "busy", "cut-before", ""] * 12)
    assert floor.play(rounds=2)
    assert floor.account.wagered_micros(progressive="caribbean-link") == booked_micros(contract, "CSP-01", "CSP-02") > 0
    assert len({arrival["id"] for arrival in contract.arrivals}) == len(contract.events)
    assert len(contract.arrivals) > len(contract.events)


def test_fixed_awards_are_signed_and_the_account_knows_every_hit(contract: contract_server.ContractServer, floor: floors.Floor) -> None:
    floor.is_demonstration = False
    assert floor.play(rounds=20)
    fixed = {number for number, hit in contract.hits.items() if hit["payouts"][0]["kind"] == "fixed"}
    assert fixed
    assert {number for number, _ in contract.signed} == fixed
    assert {hit: known["state"] for hit, known in floor.account.hits().items()} == {hit: now["state"] for hit, now in contract.hits.items()}


def test_the_first_linked_table_waits_for_its_meter_award_while_the_others_play_on(
    contract: contract_server.ContractServer, floor: floors.Floor
) -> None:
    playing = threading.Thread(target=floor.play, kwargs={"rounds": 6})
    playing.start()
    until(lambda: floor.account.figures()["rounds"] == {"CSP-01": 2, "CSP-02": 6, "CSP-03": 6})
    [hit] = [hit for hit in contract.hits.values() if hit["payouts"][0]["kind"] == "jackpot"]
    assert (hit["table"], hit["hand"], hit["state"]) == ("CSP-01", "straight-flush", "pending")
    hit["state"] = "held"
    until(lambda: contract.looks[hit["hit"], "held"] > 2)
    assert floor.account.figures()["rounds"]["CSP-01"] == 2
    hit["state"] = "approved"
    playing.join(30)
    assert floor.account.figures()["rounds"]["CSP-01"] == 6
    assert hit["hit"] not in {number for number, _ in contract.signed}


def test_a_half_played_round_is_closed_before_the_next_begins(contract: contract_server.ContractServer, floor: floors.Floor) -> None:
    contract.rounds["CSP-02", 8] = {"state": "open", "wagers": {4: "5.00"}, "folds": set()}
    contract.rounds["CSP-03", 5] = {"state": "locked", "wagers": {4: "5.00"}, "folds": set()}
    contract.table("CSP-02").update(next_round=9, open_round=8)
    contract.table("CSP-03").update(next_round=6, open_round=5)
    assert floor.play(rounds=1)
    assert [event["round"] for event in contract.applied("settle") if event["table"] == "CSP-02"] == [8, 9]
    assert [event["round"] for event in contract.applied("settle") if event["table"] == "CSP-03"] == [5, 6]
    assert contract.rounds["CSP-03", 5]["wagers"] == {4: "5.00"}


def test_a_meter_award_left_on_the_table_by_an_earlier_run_is_waited_for(
    contract: contract_server.ContractServer, floor: floors.Floor
) -> None:
    contract.rounds["CSP-03", 5] = {"state": "locked", "wagers": {4: "5.00"}, "folds": set()}
    contract.table("CSP-03").update(next_round=6, open_round=5)
    left = {"hit": "H-000001", "state": "held", "table": "CSP-03", "round": 5, "award": "1000.00", "payouts": [{"kind": "jackpot"}]}
    contract.hits["H-000001"] = left
    playing = threading.Thread(target=floor.play, kwargs={"rounds": 1})
    playing.start()
    until(lambda: contract.looks["H-000001", "held"] > 2)
    assert [event for event in contract.applied("settle") if event["table"] == "CSP-03"] == []
    left["state"] = "rejected"
    playing.join(30)
    assert [event["round"] for event in contract.applied("settle") if event["table"] == "CSP-03"] == [5, 6]
    assert "H-000001" not in floor.account.hits()


def test_a_suspended_link_is_waited_out(contract: contract_server.ContractServer, floor: floors.Floor) -> None:
    contract.table("CSP-03")["accepts_wagers"] = False
    playing = threading.Thread(target=floor.play, kwargs={"rounds": 1})
    playing.start()
    until(lambda: floor.account.figures()["rounds"] == {"CSP-01": 1, "CSP-02": 1})
    contract.table("CSP-03")["accepts_wagers"] = True
    playing.join(30)
    assert floor.account.figures()["rounds"]["CSP-03"] == 1


def test_the_same_seed_plays_the_same_cards_again(pace: paces.Pace) -> None:
    def played() -> list[tuple[str, int, object, object]]:
        with contract_server.serving(contract_server.ContractServer()) as contract:
            entries = [contract.add_table(table="CSP-01", progressive="caribbean-own")]
            floors.Floor(cast=floors.Cast([FLO], entries), url=contract.url, seed=5, pace=pace).play(rounds=2)
            return [(event["type"], event["round"], event.get("seat"), event.get("cards")) for event in contract.arrivals]

    assert played() == played()


def test_a_token_revoked_while_playing_ends_its_own_table_and_no_other(
    contract: contract_server.ContractServer, floor: floors.Floor
) -> None:
    playing = threading.Thread(target=floor.play, kwargs={"rounds": 2})
    with contract.lock:
        playing.start()
        until(lambda: contract.asked == 3)
        del contract.controllers["token-CSP-03"]
    playing.join(30)
    assert floor.broken == ["CSP-03"]
    assert floor.account.figures()["rounds"] == {"CSP-01": 2, "CSP-02": 2}


def test_a_table_nobody_serves_is_refused_by_name(floor: floors.Floor) -> None:
    with pytest.raises(floors.NoSuchTable, match="CSP-77"):
        floor.play(rounds=1, only=["CSP-77"])
