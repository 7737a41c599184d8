"""The published document is a proper one, its examples fit its shapes, and no event, refusal or door is left out."""

import json
import pathlib
from collections.abc import Iterator
from typing import Any

import drf_spectacular.validation
import jsonschema
import pytest

from audit.api import problems
from audit.refusals import NoSuchThing
from jackpots.api import examples, refusing
from tests.house import refusals
from tests.house.document import DOCUMENT, OPERATIONS, PAPER, judge, resolved

METASCHEMA = pathlib.Path(drf_spectacular.validation.__file__).parent / "openapi_3_1_schema.json"
EVENTS = DOCUMENT["paths"]["/api/v1/events/"]["post"]

# Refusals that no door of the API gives: who gives them.
SAID_ELSEWHERE = {
    "act-unclear": "the technician's page, which is sent a form",
    "act-unknown": "the floor's page, which is sent a form",
    "moment-unreadable": "the proof line's page, which is sent a form",
    "number-unclear": "the technician's page, which is sent a form",
    "not-now": "pages, when the database is away; the API says try-again",
    "pin-too-short": "whoever sets PINs at the command line",
    "posts-incompatible": "whoever appoints at the command line",
    "role-unknown": "whoever appoints at the command line",
}


def shown() -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Every example that stands beside a shape: where it is, the shape, and the example itself."""
    for name, operation in OPERATIONS.items():
        spoken = {"request": operation.get("requestBody", {}), **operation["responses"]}
        for place, said in spoken.items():
            for media, content in resolved(said).get("content", {}).items():
                for key, example in content.get("examples", {}).items():
                    yield f"{name} {place} {media} {key}", content["schema"], resolved(example)["value"]


def test_the_document_is_a_proper_one() -> None:
    jsonschema.Draft202012Validator(json.loads(METASCHEMA.read_text(encoding="utf-8"))).validate(DOCUMENT)


def test_every_shape_is_a_proper_one() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_example_fits_its_shape() -> None:
    judges: dict[str, jsonschema.Draft202012Validator] = {}
    count = 0
    for place, schema, value in shown():
        found = judges.setdefault(json.dumps(schema), judge(schema))
        assert [fault.message for fault in found.iter_errors(value)] == [], place
        count += 1
    assert count > 500


def test_an_example_that_does_not_fit_is_found() -> None:
    answer = resolved(EVENTS["responses"]["201"]["content"]["application/json"]["schema"])
    assert list(judge(answer).iter_errors({**examples.OUTCOMES["settle"]["value"], "outcome": {"round": "lost"}}))


def test_no_example_lies_about() -> None:
    text = PAPER.read_text(encoding="utf-8")
    assert {name for name in DOCUMENT["components"]["examples"] if f"#/components/examples/{name}'" not in text} == set()


def test_every_refusal_has_an_example_where_it_is_given() -> None:
    given = {value["code"] for _, _, value in shown() if isinstance(value, dict) and "code" in value}
    asked = {code for _, code, _, _, _ in refusals.all_refusals()} | {code for _, _, code, _ in problems.FOREIGN}
    # The framework's "authentication failed" is raised by ways of proving oneself that are not in use here.
    assert asked - given - {"authentication-failed"} == set(SAID_ELSEWHERE)


def test_every_door_says_who_may_knock_and_with_which_refusals() -> None:
    assert set(refusing.DOORS) == set(OPERATIONS) - {"meters_stream"}, "give the door its line in jackpots/api/refusing.py"


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_told_in_full(name: str) -> None:
    operation = OPERATIONS[name]
    assert operation["summary"]
    assert operation["description"]
    assert operation["security"]
    assert {"503", "default"} <= operation["responses"].keys()
    for status, response in operation["responses"].items():
        said = resolved(response)
        assert said["description"], f"{name} says nothing of {status}"
        for media, content in said.get("content", {}).items():
            assert content["schema"], f"{name} gives no shape to {status}"
            assert status < "400" or media == problems.MEDIA_TYPE


def test_every_type_of_event_has_an_example_and_an_outcome() -> None:
    types = set(DOCUMENT["components"]["schemas"]["Event"]["discriminator"]["mapping"])
    assert types == {"wager", "lockout", "fold", "hit", "void", "settle"}
    assert types <= examples.EVENTS.keys() & examples.OUTCOMES.keys()


class NoGadget(NoSuchThing):
    """There is no {gadget}."""


def test_a_refusal_of_an_unknown_fact_cannot_be_shown_until_somebody_gives_a_sample() -> None:
    with pytest.raises(KeyError, match="gadget"):
        examples.refusal(NoGadget)
