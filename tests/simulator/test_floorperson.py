"""The demonstration's floorperson signs what is small and fixed, and nothing that comes off a meter."""

from typing import Any

import pytest

from jackpots.simulator import floorperson as floorpersons
from tests.simulator import contract_server

FIXED = {"seat": 2, "kind": "fixed", "amount": "30.00", "paid_from": "table"}
JACKPOT = {"seat": 5, "kind": "jackpot", "amount": "1834.21", "paid_from": "cage"}
ENVY = {"seat": 1, "kind": "envy", "amount": "300.00", "paid_from": "table"}


def pending(*payouts: dict[str, Any]) -> dict[str, Any]:
    return {"hit": "H-000001", "state": "pending", "award": "30.00", "payouts": list(payouts)}


def floorperson(url: str, password: str = contract_server.PASSWORD) -> floorpersons.Floorperson:
    return floorpersons.Floorperson(url=url, username="flo", password=password, pin=contract_server.PIN)


def test_only_a_pending_hit_without_a_jackpot_is_the_floorpersons_to_sign() -> None:
    assert floorpersons.is_for_the_floorperson(pending(FIXED))
    assert not floorpersons.is_for_the_floorperson(pending(JACKPOT, ENVY))
    assert not floorpersons.is_for_the_floorperson(pending())
    assert not floorpersons.is_for_the_floorperson({**pending(FIXED), "state": "refused"})


def test_a_meter_award_is_never_signed_even_when_asked(contract: contract_server.ContractServer) -> None:
    with pytest.raises(AssertionError):
        floorperson(contract.url).sign(pending(JACKPOT))
    assert contract.signed == []


def test_a_fixed_award_is_signed_through_the_log_in_form_with_the_pin_and_the_amount_seen(
    contract: contract_server.ContractServer,
) -> None:
    contract.hits["H-000001"] = pending(FIXED)
    flo = floorperson(contract.url)
    assert flo.sign(pending(FIXED))
    assert contract.signed == [("H-000001", "30.00")]
    flo.hang_up()


def test_a_queue_left_behind_is_cleared_of_fixed_awards_only(contract: contract_server.ContractServer) -> None:
    contract.hits["H-000001"] = pending(FIXED)
    contract.hits["H-000002"] = {**pending(JACKPOT, ENVY), "hit": "H-000002"}
    contract.hits["H-000003"] = {**pending(FIXED), "hit": "H-000003"}
    flo = floorperson(contract.url)
    assert flo.clear_queue() == 2
    assert contract.signed == [("H-000001", "30.00"), ("H-000003", "30.00")]
    flo.hang_up()


def test_a_wrong_password_leaves_the_hit_in_the_queue(contract: contract_server.ContractServer) -> None:
    contract.hits["H-000001"] = pending(FIXED)
    flo = floorperson(contract.url, password="wrong")
    assert not flo.sign(pending(FIXED))
    assert contract.signed == []
    flo.hang_up()
