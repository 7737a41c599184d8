"""The stream of meters in the published document: the live process serves it, so the generator does not find it by itself."""

from typing import Any

from jackpots import live
from jackpots.api import completing

STREAM_EXAMPLE = """retry: 1000

event: meter
id: 4711
data: {"progressive":"caribbean-link","name":"Caribbean Link","amount":"18342.17","version":4711,"state":"live","last":null,\
"pending":[],"pays":[],"as_of":"2026-11-18T05:04:29.123+00:00","fresh_until":"2026-11-18T05:04:34.123+00:00"}

: still here

"""

OPERATION: dict[str, Any] = {
    "operationId": "meters_stream",
    "summary": "The meters as Server-Sent Events",
    "description": (
        "The present state first, then every change. `id` is the meter's version. An amount may be shown until `fresh_until`; "
        "it is sent again in good time, and a comment line breaks every silence. The event `trouble` says that amounts are not "
        "current."
    ),
    "parameters": [
        {
            "in": "query",
            "name": "progressive",
            "schema": {"type": "array", "items": {"type": "string"}},
            "description": "Only these; all, where it is left out.",
        }
    ],
    "tags": ["meters"],
    "security": completing.SECURITY["anyone"],
}
ANSWER = {
    "description": "The stream; it does not end by itself.",
    "content": {"text/event-stream": {"schema": {"type": "string"}, "examples": {"stream": {"value": STREAM_EXAMPLE}}}},
}


def add_stream(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Puts the stream among the other doors."""
    refused = completing.refused_as((live.NoSuchProgressive, live.NoSuchStream, live.TooManyStreams), result)
    method = completing.refused_as((live.OnlyReading,), result, status=405)
    responses = {"200": ANSWER, **refused, **method, "default": completing.OTHERWISE}
    result["paths"][live.PATH] = {"get": {**OPERATION, "responses": responses}}
    result["paths"] = dict(sorted(result["paths"].items()))
    return result
