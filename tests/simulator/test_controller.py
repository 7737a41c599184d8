"""The controller's conduct on a bad line: the same event, under the same id, until it is answered."""

import pathlib
from typing import Any

import pytest

from jackpots.simulator import controller as controllers
from jackpots.simulator import notebook as notebooks
from jackpots.simulator import pace as paces
from tests.simulator import contract_server

WAGER: dict[str, Any] = {"seat": 3, "wager": "progressive", "amount": "1.00"}


def wager(controller: controllers.Controller) -> controllers.Told:
    return controller.tell(table="CSP-01", round_number=1, kind="wager", **WAGER)


@pytest.mark.parametrize("fault", ["cut-before", "cut-after", "busy"])
def test_a_cut_line_or_a_busy_service_gets_the_very_same_event_again(
    contract: contract_server.ContractServer, controller: controllers.Controller, fault: str
) -> None:
    contract.faults.extend([fault, fault])
    told = wager(controller)
    assert told.is_applied
    assert len(contract.events) == 1
    assert len(contract.arrivals) >= 2
    assert all(arrival == contract.arrivals[0] for arrival in contract.arrivals)
    assert controller.unanswered is None


def test_an_answer_that_was_lost_comes_back_whole_from_the_duplicate(
    contract: contract_server.ContractServer, controller: controllers.Controller
) -> None:
    contract.faults.append("cut-after")
    told = controller.tell(table="CSP-01", round_number=1, kind="lockout", wagers=[WAGER], chips=1)
    assert told.outcome == {"count": "agrees"}
    assert wager(controller).code == "round-locked"
    assert [event["sequence"] for event in contract.arrivals][-1] == 2


def test_after_a_gap_the_same_event_goes_on_from_what_is_expected(
    contract: contract_server.ContractServer, controller: controllers.Controller
) -> None:
    wager(controller)
    contract.controllers["token-CSP-01"]["next_sequence"] = 1
    contract.events.clear()
    assert wager(controller).is_applied
    assert [arrival["sequence"] for arrival in contract.arrivals] == [1, 2, 1]
    assert contract.arrivals[1]["id"] == contract.arrivals[2]["id"]


def test_a_used_sequence_makes_the_controller_ask_where_it_stands(
    contract: contract_server.ContractServer, controller: controllers.Controller
) -> None:
    contract.controllers["token-CSP-01"]["next_sequence"] = 40
    assert wager(controller).is_applied
    assert [arrival["sequence"] for arrival in contract.arrivals] == [1, 40]


def test_a_token_nobody_knows_is_turned_away(contract: contract_server.ContractServer, pace: paces.Pace) -> None:
    stranger = controllers.Controller(name="CTL-99", url=contract.url, token="stolen", pace=pace)
    with pytest.raises(controllers.TurnedAway, match="not-authenticated"):
        wager(stranger)
    assert contract.events == {}
    stranger.hang_up()


def test_closing_the_floor_ends_the_wait_for_a_dead_line_and_says_what_is_in_doubt(pace: paces.Pace) -> None:
    controller = controllers.Controller(name="CTL-01", url="http://127.0.0.1:9", token="any", pace=pace)
    pace.close()
    with pytest.raises(paces.Stopped):
        wager(controller)
    assert controller.unanswered is not None
    assert controller.unanswered["seat"] == 3


def lock_out(controller: controllers.Controller, *, number: int, chips: int = 1) -> controllers.Told:
    return controller.tell(table="CSP-01", round_number=number, kind="lockout", wagers=[WAGER], chips=chips)


def test_a_heartbeat_tells_the_wagers_of_lock_outs_that_agreed(
    contract: contract_server.ContractServer, controller: controllers.Controller
) -> None:
    assert controller.beat()
    wager(controller)
    lock_out(controller, number=1, chips=3)
    lock_out(controller, number=1)
    assert lock_out(controller, number=1).code == "round-locked"
    assert controller.beat()
    assert [(beat["since_sequence"], beat["sequence"], beat["counts"]) for beat in contract.beats] == [
        (0, 0, {}),
        (0, 4, {"CSP-01": {"wagers": 1, "amount": "1.00"}}),
    ]
    assert controller.miscounts == []


def test_a_controller_that_was_killed_goes_on_counting_from_its_notebook(
    contract: contract_server.ContractServer, pace: paces.Pace, tmp_path: pathlib.Path
) -> None:
    contract.add_table(table="CSP-01", progressive="caribbean-link")
    contract.controllers["token-CSP-01"]["next_sequence"] = 41
    for number in (1, 2):
        notebook = notebooks.Notebook(tmp_path / "notebook.jsonl")
        alive = controllers.Controller(name="CTL-CSP-01", url=contract.url, token="token-CSP-01", pace=pace, notebook=notebook)
        alive.ask()
        lock_out(alive, number=number)
        assert alive.beat()
        alive.hang_up()
    assert [(beat["since_sequence"], beat["sequence"]) for beat in contract.beats] == [(40, 41), (40, 42)]
    assert contract.beats[-1]["counts"] == {"CSP-01": {"wagers": 2, "amount": "2.00"}}


def test_counts_that_were_booked_otherwise_are_remembered(
    contract: contract_server.ContractServer, controller: controllers.Controller
) -> None:
    contract.booked = {"CSP-01": {"wagers": 2, "amount": "2.00"}}
    lock_out(controller, number=1)
    assert controller.beat()
    assert len(controller.miscounts) == 1
