"""The shapes of events in the published schema, taken from the very types that read them."""

from typing import Any

import msgspec

from jackpots.api import outcomes
from tables import messages

_REFERENCE = "#/components/schemas/{name}"
_EVENT, COMPONENTS = msgspec.json.schema_components([messages.Message], ref_template=_REFERENCE)

EVENT = {"$ref": "#/components/schemas/Event"}
COMPONENTS["Event"] = {**_EVENT[0], "description": "What happened at a table."}
COMPONENTS |= outcomes.COMPONENTS
COMPONENTS["Applied"] = {
    "type": "object",
    "required": ["id", "sequence", "status", "outcome"],
    "properties": {**outcomes.NAMED, "status": {"const": "applied"}, "outcome": {"oneOf": outcomes.BY_TYPE}},
}
COMPONENTS["Refused"] = {
    "type": "object",
    "description": "The rules or the state of the table said no. The event is recorded, and its sequence is used up.",
    "required": ["id", "sequence", "status", "code", "detail"],
    "properties": {**outcomes.NAMED, "status": {"const": "refused"}, "code": {"type": "string"}, "detail": {"type": "string"}},
}
COMPONENTS["Answer"] = {"oneOf": [{"$ref": "#/components/schemas/Applied"}, {"$ref": "#/components/schemas/Refused"}]}
COMPONENTS["AnsweredBefore"] = {
    "type": "object",
    "required": ["status", "first"],
    "properties": {"status": {"const": "duplicate"}, "first": {"$ref": "#/components/schemas/Answer"}},
}
COMPONENTS["Results"] = {
    "type": "object",
    "required": ["results", "next_sequence"],
    "properties": {
        "results": {
            "type": "array",
            "items": {
                "oneOf": [
                    {"$ref": "#/components/schemas/Answer"},
                    {"$ref": "#/components/schemas/AnsweredBefore"},
                    {"$ref": "#/components/schemas/NotTaken"},
                ]
            },
        },
        "next_sequence": {"type": "integer"},
    },
}
COMPONENTS["NotTaken"] = {
    "type": "object",
    "required": ["status"],
    "properties": {
        "id": {"description": "As it was sent, where it was."},
        "sequence": {"description": "As it was sent, where it was."},
        "status": {"enum": ["stopped", "not-processed"]},
        "code": {"type": "string"},
        "detail": {"type": "string"},
        "retryable": {"type": "boolean"},
        "expected": {"type": "integer"},
    },
}

EVENT_OR_EVENTS = {"oneOf": [EVENT, {"type": "array", "items": EVENT, "minItems": 1, "maxItems": messages.MOST_EVENTS}]}
ANSWER = {"$ref": "#/components/schemas/Answer"}
AGAIN_OR_RESULTS = {"oneOf": [{"$ref": "#/components/schemas/AnsweredBefore"}, {"$ref": "#/components/schemas/Results"}]}


def add_events(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Puts the event shapes among the schema's components."""
    result.setdefault("components", {}).setdefault("schemas", {}).update(COMPONENTS)
    return result
