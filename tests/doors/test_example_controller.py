"""The example controller, on a line that fails it: a stand-in answers as a bad day would, and nothing is lost or told twice."""

import collections
import http.server
import importlib.util
import json
import pathlib
import sys
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.house import files

EXAMPLE = files.ROOT / "docs" / "examples" / "controller.py"
PLACE = {"table": "CSP-01", "round": 1}
TRY_AGAIN = (503, {"code": "try-again", "detail": "The service could not finish this just now; try again.", "retryable": True})


@pytest.fixture(scope="module")
def example() -> ModuleType:
    found = importlib.util.spec_from_file_location("example_controller", EXAMPLE)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules["example_controller"] = module
    found.loader.exec_module(module)
    return module


class BadDay:
    """A server whose next answers are laid out beforehand; what has none is applied."""

    def __init__(self) -> None:
        self.next_sequence = 1
        self.heard: list[Any] = []
        self.answers: collections.deque[tuple[int, Any]] = collections.deque()
        self.url = ""

    def hear(self, body: Any) -> tuple[int, Any]:
        self.heard.append(body)
        if self.answers:
            return self.answers.popleft()
        if isinstance(body, list):
            return 200, {"results": [_applied(one) for one in body], "next_sequence": 0}
        return 201, _applied(body)


def _applied(event: dict[str, Any]) -> dict[str, Any]:
    return {"id": event["id"], "sequence": event["sequence"], "status": "applied", "outcome": {}}


@pytest.fixture
def bad_day() -> Iterator[BadDay]:
    day = BadDay()

    class Door(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(200, {"next_sequence": day.next_sequence, "tables": []})

        def do_POST(self) -> None:
            self._say(*day.hear(json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

        def _say(self, status: int, body: Any) -> None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        day.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield day
        server.shutdown()


@pytest.fixture
def controller(example: ModuleType, bad_day: BadDay, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    # Its waiting is its own affair; here it only has to be short.
    monkeypatch.setattr(example.time, "sleep", lambda seconds: None)
    made = example.Controller(bad_day.url, "token", example.Notebook(tmp_path / "notebook.db"))
    made.start()
    yield made
    made.notebook.pages.close()


def test_the_very_same_is_sent_until_it_is_answered(controller: Any, bad_day: BadDay) -> None:
    bad_day.answers.extend([TRY_AGAIN, (429, {"code": "too-fast"}), (500, {"code": "unexpected"}), (201, b'{"id": "cut')])
    assert controller.ask("settle", **PLACE)["status"] == "applied"
    assert len(bad_day.heard) == 5
    assert all(told == bad_day.heard[0] for told in bad_day.heard)


def test_what_the_server_misses_is_told_again_from_there_on(controller: Any, bad_day: BadDay) -> None:
    for _ in range(2):
        controller.ask("settle", **PLACE)
    bad_day.answers.append((409, {"code": "sequence-gap", "detail": "Send what is missing first.", "expected": 2}))
    controller.ask("settle", **PLACE)
    assert [one["sequence"] for one in bad_day.heard[-1]] == [2, 3]


def test_an_array_that_was_stopped_goes_on_where_it_stopped(controller: Any, bad_day: BadDay) -> None:
    told = [controller.tell("settle", **PLACE) for _ in range(3)]
    first = controller.notebook.unanswered()[0]
    stopped = {"status": "stopped", "code": "try-again", "detail": "Try again.", "retryable": True}
    bad_day.answers.append((200, {"results": [_applied(first), stopped, {"status": "not-processed"}], "next_sequence": 2}))
    controller.deliver()
    assert [one["sequence"] for one in bad_day.heard[-1]] == [2, 3]
    assert all(controller.notebook.answer_to(sequence)["status"] == "applied" for sequence in told)


@pytest.mark.parametrize("code", ["id-reused", "sequence-reused", "unreadable"])
def test_a_mistake_is_not_repeated(example: ModuleType, controller: Any, bad_day: BadDay, code: str) -> None:
    bad_day.answers.append((409, {"code": code, "detail": "No."}))
    with pytest.raises(example.Halted, match=r"No\."):
        controller.ask("settle", **PLACE)
    assert len(bad_day.heard) == 1
    assert len(controller.notebook.unanswered()) == 1


def test_an_array_stopped_by_a_mistake_stops_the_controller(example: ModuleType, controller: Any, bad_day: BadDay) -> None:
    for _ in range(2):
        controller.tell("settle", **PLACE)
    stopped = {"status": "stopped", "code": "id-reused", "detail": "No.", "retryable": False}
    bad_day.answers.append((200, {"results": [stopped, {"status": "not-processed"}], "next_sequence": 1}))
    with pytest.raises(example.Halted, match=r"No\."):
        controller.deliver()


def test_an_old_copy_of_the_notebook_is_found_out(example: ModuleType, controller: Any, bad_day: BadDay) -> None:
    controller.ask("settle", **PLACE)
    bad_day.next_sequence = 9
    with pytest.raises(example.Halted, match="taken up to 8"):
        controller.start()


def test_a_crash_between_writing_and_sending_loses_nothing(
    example: ModuleType, controller: Any, bad_day: BadDay, tmp_path: pathlib.Path
) -> None:
    sequence = controller.tell("settle", **PLACE)
    risen = example.Controller(bad_day.url, "token", example.Notebook(tmp_path / "notebook.db"))
    risen.start()
    risen.deliver()
    assert [one["sequence"] for one in bad_day.heard] == [sequence]
    assert risen.next_sequence == sequence + 1
    risen.notebook.pages.close()
