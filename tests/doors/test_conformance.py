"""Schemathesis, which we did not write, reads the published document and knocks at every door of a running server as it says."""

import copy
import itertools
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
import schemathesis
from django.test import Client
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi import checks

from tests import cast
from tests.house.document import DOCUMENT
from tests.serving import Running

# A stream does not end; its answers are looked at elsewhere.
DOORS = schemathesis.openapi.from_dict(DOCUMENT).exclude(path="/api/v1/meters/stream/")
CHECKS: list[Any] = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]
PEOPLE = ("sam", "anna")
CALLERS = ("nobody", "a controller", *PEOPLE)
TRIES = 2
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
CSRF = "a" * 32

# The same requests in every run; nothing is shrunk, because what was asked is said in the failure.
TIRELESS = hypothesis.settings(
    max_examples=TRIES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    suppress_health_check=list(hypothesis.HealthCheck),
)


@pytest.fixture
def floor(committed: None) -> Iterator[tuple[Running, cast.House]]:
    house, served = cast.house(), Running()
    # Something is there to be asked for: a locked round with a claim on its meter.
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({1: "1.00", 5: "1.00"})
    dealer.hit(5, cast.ROYAL, "royal-flush")
    served.start()
    yield served, house
    served.stop()


def credentials(house: cast.House, caller: str) -> dict[str, str]:
    """The headers by which a caller is known."""
    if caller == "nobody":
        return {}
    if caller == "a controller":
        return {"Authorization": f"Bearer {house.tokens['CSP-01']}"}
    client = Client()
    client.force_login(house.people[caller])
    return {"Cookie": f"sessionid={client.cookies['sessionid'].value}; csrftoken={CSRF}", "X-CSRFToken": CSRF}


def test_every_door_answers_as_the_document_says(floor: tuple[Running, cast.House]) -> None:
    served, house = floor
    known = {caller: credentials(house, caller) for caller in CALLERS}
    read: Any = DOORS.get_all_operations()
    doors = [found.ok() for found in read]
    asked = 0
    for door in doors:
        asked += _knock(door, GenerationMode.POSITIVE, served.address, known["nobody"])
        for caller, mode in itertools.product(_meant_for(door), MODES):
            asked += _knock(door, mode, served.address, known[caller])
    assert asked > len(doors) * len(MODES)


def test_a_door_that_answers_otherwise_is_found(floor: tuple[Running, cast.House]) -> None:
    spoiled = copy.deepcopy(DOCUMENT)
    spoiled["components"]["schemas"]["MeterShape"]["properties"]["amount"] = {"type": "integer"}
    door = schemathesis.openapi.from_dict(spoiled)["/api/v1/meters/"]["GET"]
    with pytest.raises(FailureGroup, match="violates schema"):
        _knock(door, GenerationMode.POSITIVE, floor[0].address, {})


def _meant_for(door: Any) -> Iterator[str]:
    ways = {name for way in door.definition.raw["security"] for name in way}
    if "controller" in ways:
        yield "a controller"
    if "session" in ways:
        yield from PEOPLE


def _knock(operation: Any, mode: GenerationMode, address: str, known: dict[str, str]) -> int:
    asked = 0

    @TIRELESS
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def knock(case: Any) -> None:
        nonlocal asked
        asked += 1
        answer = case.call(base_url=address, headers=known)
        # "Try again" is an answer like others; this is not.
        assert answer.status_code != 500, case.as_curl_command()
        case.validate_response(answer, checks=CHECKS)

    try:
        knock()
    except hypothesis.errors.Unsatisfiable:
        # A door without fields cannot be asked wrongly.
        assert mode is GenerationMode.NEGATIVE, operation.label
    return asked
