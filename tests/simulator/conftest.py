"""A service that behaves as the contract says, and a controller speaking to it."""

from collections.abc import Iterator

import pytest

from jackpots.simulator import controller as controllers
from jackpots.simulator import pace as paces
from tests.simulator import contract_server

FAST = 100_000.0


@pytest.fixture
def contract() -> Iterator[contract_server.ContractServer]:
    with contract_server.serving(contract_server.ContractServer()) as contract:
        yield contract


@pytest.fixture
def pace(monkeypatch: pytest.MonkeyPatch) -> paces.Pace:
    """Players far quicker than people, and back-off in milliseconds."""
    monkeypatch.setattr("jackpots.simulator.controller.FIRST_BACK_OFF_SECONDS", 0.001)
    monkeypatch.setattr("jackpots.simulator.table.LOOK_AGAIN_SECONDS", 0.005)
    monkeypatch.setattr("jackpots.simulator.table.TROUBLE_SECONDS", 0.005)
    return paces.Pace(multiple=FAST)


@pytest.fixture
def controller(contract: contract_server.ContractServer, pace: paces.Pace) -> Iterator[controllers.Controller]:
    entry = contract.add_table(table="CSP-01", progressive="caribbean-link")
    controller = controllers.Controller(name=entry["name"], url=contract.url, token=entry["token"], pace=pace)
    controller.ask()
    yield controller
    controller.hang_up()
