"""Completes the published document: for every door who may knock, every refusal with an example, and examples of every event."""

from collections.abc import Iterable
from typing import Any

from audit.api import problems
from jackpots.api import examples, refusing
from jackpots.api.descriptions import describe
from jackpots.api.refusing import Door, Kind

Operation = dict[str, Any]
Examples = dict[str, examples.Example]

PROBLEM = {"$ref": "#/components/schemas/Problem"}
OTHERWISE = {"$ref": "#/components/responses/Otherwise"}
# What any door may be answered with, whatever it is for: the request itself is wrong, or something went wrong here.
ANYWHERE = (
    (400, "bad-request"),
    (405, "method-not-allowed"),
    (406, "not-acceptable"),
    (415, "unsupported-media-type"),
    (500, "unexpected"),
)
SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "controller": [{"controller": []}],
    "display": [{"display": []}],
    "person": [{"session": []}],
    "either": [{"controller": []}, {"session": []}],
    "anyone": [{}],
}
# These tell after how many seconds to come again.
SLOWING = {429, 503}
RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait before the same call is made again.", "schema": {"type": "integer"}}}


class Shelf:
    """The examples that the document keeps in one place; doors point at them."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.kept: Examples = document["components"].setdefault("examples", {})

    def put(self, name: str, example: examples.Example) -> examples.Example:
        """Keep an example, and give what points at it. Two that differ under one name are told apart by a number."""
        free = (name if number == 1 else f"{name}-{number}" for number in range(1, 99))
        chosen = next(each for each in free if self.kept.get(each, example) == example)
        self.kept[chosen] = example
        return {chosen: {"$ref": f"#/components/examples/{chosen}"}}

    def put_all(self, prefix: str, many: Examples) -> Examples:
        return {name: place for key, one in many.items() for name, place in self.put(f"{prefix}{key}", one).items()}


def complete(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The hook that the schema's generator calls at the end."""
    shelf = Shelf(result)
    result["components"].setdefault("responses", {})["Otherwise"] = _otherwise(shelf)
    for path in result["paths"].values():
        for method, operation in path.items():
            _complete(operation, method, shelf)
    _show_events(result["paths"]["/api/v1/events/"]["post"], shelf)
    result["components"]["examples"] = dict(sorted(shelf.kept.items()))
    return result


def _complete(operation: Operation, method: str, shelf: Shelf) -> None:
    door = refusing.DOORS.get(operation["operationId"])
    describe(operation)
    _say_problems(operation["responses"])
    if door is not None:
        operation["security"] = SECURITY[door.caller]
        shown = _refusals(door, method, shelf)
        answers = {status: answer for status, answer in operation["responses"].items() if int(status) < 400}
        operation["responses"] = {**answers, **{str(status): _problem(status, own, shelf) for status, own in sorted(shown.items())}}
    operation["responses"]["default"] = OTHERWISE


def _refusals(door: Door, method: str, shelf: Shelf) -> dict[int, Examples]:
    shown = refused(door.all_kinds(), shelf)
    for status, code in _foreign(door, method):
        shown.setdefault(status, {}).update(shelf.put(code, examples.of_foreign(code, status)))
    return shown


def refused(kinds: Iterable[Kind], shelf: Shelf) -> dict[int, Examples]:
    """Under each status, what points at the examples of its refusals."""
    sorted_out = refusing.by_status(kinds, problems.STATUS)
    return {
        status: {name: place for kind in own for name, place in shelf.put(kind.code, examples.of_refusal(kind)).items()}
        for status, own in sorted_out.items()
    }


def refused_as(kinds: Iterable[Kind], document: dict[str, Any], *, status: int | None = None) -> dict[str, Any]:
    """The problem responses of a door that the generator does not know; under one status, where it answers with its own."""
    shelf = Shelf(document)
    if status is None:
        return {str(each): _problem(each, own, shelf) for each, own in sorted(refused(kinds, shelf).items())}
    shown: Examples = {}
    for kind in kinds:
        shown |= shelf.put(kind.code, examples.of_refusal(kind, status=status))
    return {str(status): _problem(status, shown, shelf)}


def _foreign(door: Door, method: str) -> Iterable[tuple[int, str]]:
    """What the framework answers before a verb of ours is reached."""
    if door.caller != "anyone":
        yield 401, "not-authenticated"
    if door.caller in {"controller", "display"}:
        yield 403, "not-allowed"
    if door.reads_fields:
        yield 422, "invalid"
    if door.reads_fields and method == "post":
        yield 422, "unreadable"


def _problem(status: int, shown: Examples, shelf: Shelf) -> dict[str, Any]:
    codes = ", ".join(dict.fromkeys(f"`{shelf.kept[name]['value']['code']}`" for name in shown))
    answer: dict[str, Any] = {
        "description": f"{problems.TITLES[status].rstrip('?')}: {codes}",
        "content": {problems.MEDIA_TYPE: {"schema": PROBLEM, "examples": shown}},
    }
    return {**answer, "headers": RETRY_AFTER} if status in SLOWING else answer


def _otherwise(shelf: Shelf) -> dict[str, Any]:
    shown: Examples = {}
    for status, code in ANYWHERE:
        shown |= shelf.put(code, examples.of_foreign(code, status))
    return {
        "description": "What any call may be answered: the request is not a proper one, or something went wrong here.",
        "content": {problems.MEDIA_TYPE: {"schema": PROBLEM, "examples": shown}},
    }


def _say_problems(responses: dict[str, Any]) -> None:
    """Errors are declared like answers, so the generator gives them the answers' media type."""
    for status, response in responses.items():
        content = response.get("content", {})
        if int(status) >= 400 and "application/json" in content:
            content[problems.MEDIA_TYPE] = content.pop("application/json")


def _show_events(operation: Operation, shelf: Shelf) -> None:
    responses = operation["responses"]
    refused_events = {kind.code: examples.of_refused_event(kind) for kind in sorted(refusing.EVENT_REFUSED, key=lambda one: one.code)}
    recorded = {**shelf.put_all("outcome-", examples.OUTCOMES), **shelf.put_all("refused-", refused_events)}
    again = {**examples.AGAIN, **examples.results(refusing.STOPPING)}
    _show(operation["requestBody"], shelf.put_all("event-", examples.EVENTS))
    _show(responses["201"], recorded)
    _show(responses["200"], shelf.put_all("", again))


def _show(said: dict[str, Any], shown: Examples) -> None:
    said["content"]["application/json"]["examples"] = shown
