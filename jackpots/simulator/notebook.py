"""A controller's notebook: each event is on disk before it is sent, and each answer once it came, so that a killed controller goes on."""

import json
import os
import pathlib
import threading
from collections.abc import Iterator
from typing import Any


class Notebook:
    """Lines of JSON, each forced to disk before anything else happens. A line that was torn by a kill was never acted upon."""

    def __init__(self, path: pathlib.Path) -> None:
        self._lock = threading.Lock()
        self._events, self._answers = _read(path)
        self._file = open(path, "ab")  # noqa: SIM115  (it stays open as long as the controller lives)
        if self._file.tell() and not path.read_bytes().endswith(b"\n"):
            self._write({})

    def note_event(self, event: dict[str, Any]) -> None:
        """An event as it is about to be sent; once more where its sequence was corrected."""
        with self._lock:
            self._events[event["id"]] = dict(event)
            self._write({"event": event})

    def note_answer(self, event_id: str, first: dict[str, Any]) -> None:
        """The service's first and lasting answer to an event."""
        with self._lock:
            self._answers[event_id] = first
            self._write({"answered": event_id, "first": first})

    def unanswered(self) -> list[dict[str, Any]]:
        """What was made and perhaps sent, and whose answer is not known, in order."""
        with self._lock:
            return [dict(event) for event in self._events.values() if event["id"] not in self._answers]

    def story(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Every answered event with its answer, in the order they were made."""
        for event_id, event in list(self._events.items()):
            if event_id in self._answers:
                yield event, self._answers[event_id]

    def close(self) -> None:
        self._file.close()

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _read(path: pathlib.Path) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    events: dict[str, dict[str, Any]] = {}
    answers: dict[str, dict[str, Any]] = {}
    for text in path.read_bytes().split(b"\n") if path.exists() else []:
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if "event" in line:
            events[line["event"]["id"]] = line["event"]
        elif "answered" in line:
            answers[line["answered"]] = line["first"]
    return events, answers
