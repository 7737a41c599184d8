"""A table controller's side of the line, complete and with nothing but Python's standard library. Copy it and make it yours.

The rule it keeps: an event is written into the notebook, on disk, before it is sent, and sent until it is answered. So a crash, a
cut line or an answer that never arrived costs nothing: the same event goes out again under the same id, and is taken once.
"""

import datetime
import http.client
import json
import pathlib
import random
import sqlite3
import time
import urllib.error
import urllib.request
import uuid
from typing import Any

MOST_EVENTS = 1000
LONGEST_WAIT_SECONDS = 30.0
# The server asks for patience, or nobody can say whether it took the call: the same again, later.
PASSING = {429, 500, 502, 503, 504}

SCHEMA = """
CREATE TABLE IF NOT EXISTS event (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL, answer TEXT)
"""


class Halted(Exception):
    """Going on by itself would only repeat a mistake; a technician has to look."""


class NotNow(Exception):
    """The call may succeed later; carries how long the server asks us to wait."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__("not now")
        self.seconds = seconds


class Notebook:
    """What was told and what was answered, on disk. It survives whatever the controller does not."""

    def __init__(self, path: pathlib.Path) -> None:
        self.pages = sqlite3.connect(path, isolation_level=None)
        self.pages.execute("PRAGMA synchronous = FULL")
        self.pages.execute(SCHEMA)

    def last_sequence(self) -> int | None:
        found = self.pages.execute("SELECT max(sequence) FROM event").fetchone()[0]
        return None if found is None else int(found)

    def write(self, event: dict[str, Any]) -> None:
        text = json.dumps(event)
        self.pages.execute("INSERT INTO event (sequence, id, body) VALUES (?, ?, ?)", (event["sequence"], event["id"], text))

    def unanswered(self) -> list[dict[str, Any]]:
        """The oldest first, and never more than one call may carry."""
        waiting = "SELECT body FROM event WHERE answer IS NULL ORDER BY sequence LIMIT ?"
        return [json.loads(body) for (body,) in self.pages.execute(waiting, (MOST_EVENTS,))]

    def note_answer(self, sequence: int, answer: dict[str, Any]) -> None:
        self.pages.execute("UPDATE event SET answer = ? WHERE sequence = ?", (json.dumps(answer), sequence))

    def answer_to(self, sequence: int) -> dict[str, Any] | None:
        found = self.pages.execute("SELECT answer FROM event WHERE sequence = ?", (sequence,)).fetchone()
        return json.loads(found[0]) if found and found[0] else None

    def forget_answers_from(self, sequence: int) -> None:
        """The server wants to hear these again."""
        self.pages.execute("UPDATE event SET answer = NULL WHERE sequence >= ?", (sequence,))


class Controller:
    """Tells the server what happens at the tables."""

    def __init__(self, url: str, token: str, notebook: Notebook) -> None:
        self.url, self.token, self.notebook = url.rstrip("/"), token, notebook

    def start(self) -> dict[str, Any]:
        """Ask where we stand. The notebook must not be behind the server: then it is not this controller's, or an old copy."""
        me = self.call("GET", "/api/v1/controllers/me/")
        last = self.notebook.last_sequence()
        self.next_sequence = int(me["next_sequence"]) if last is None else last + 1
        if me["next_sequence"] > self.next_sequence:
            raise Halted(f"the server has taken up to {me['next_sequence'] - 1}, the notebook ends at {last}")
        return me

    def heartbeat(self, version: str = "") -> int:
        """How far our clock runs ahead of the server's, in milliseconds."""
        return int(self.call("POST", "/api/v1/controllers/me/heartbeat/", {"clock": now(), "version": version})["skew_ms"])

    def tell(self, kind: str, *, table: str, round: int, **fields: Any) -> int:
        """Write an event down, ready to be sent; its sequence. It is safe from here on."""
        sequence = self.next_sequence
        told = {"id": str(uuid.uuid4()), "sequence": sequence, "table": table, "round": round, "type": kind, "at": now(), **fields}
        self.notebook.write(told)
        self.next_sequence += 1
        return sequence

    def deliver(self) -> None:
        """Send whatever has no answer yet, until all of it has one. With more than one waiting, it goes as an array."""
        wait = 0.25
        while waiting := self.notebook.unanswered():
            try:
                self._send(waiting)
                wait = 0.25
            except NotNow as later:
                # A little chance keeps a whole floor from coming back in the same instant.
                time.sleep(later.seconds or wait * random.uniform(0.5, 1.5))
                wait = min(wait * 2, LONGEST_WAIT_SECONDS)

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Tell an event and wait for its answer."""
        sequence = self.tell(kind, **fields)
        self.deliver()
        answer = self.notebook.answer_to(sequence)
        assert answer is not None, "deliver comes back only when everything has been answered"
        return answer

    def _send(self, waiting: list[dict[str, Any]]) -> None:
        if len(waiting) == 1:
            self._note(waiting[0], self._post(waiting[0]))
            return
        for event, result in zip(waiting, self._post(waiting)["results"], strict=True):
            if result["status"] == "stopped":
                self._stopped(result)
                return
            self._note(event, result)

    def _post(self, body: Any) -> dict[str, Any]:
        """One call; a conflict is looked at before it is given up."""
        try:
            return self.call("POST", "/api/v1/events/", body)
        except Halted as no:
            problem = no.args[1] if len(no.args) > 1 else {}
            if problem.get("code") != "sequence-gap":
                raise
            self.notebook.forget_answers_from(problem["expected"])
            raise NotNow from no

    def _note(self, event: dict[str, Any], result: dict[str, Any]) -> None:
        answer = result["first"] if result["status"] == "duplicate" else result
        self.notebook.note_answer(event["sequence"], answer)

    def _stopped(self, result: dict[str, Any]) -> None:
        if result["code"] == "sequence-gap":
            self.notebook.forget_answers_from(result["expected"])
        elif not result["retryable"]:
            raise Halted(result["detail"], result)
        raise NotNow

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """One HTTP call. What may succeed later is NotNow; every other "no" is Halted, with its problem document."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Accept": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=content, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            raise _refusal(error) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            # Cut off anywhere, in the middle of an answer too: whether it was taken is found out by sending it again.
            raise NotNow from error


def _refusal(error: urllib.error.HTTPError) -> Exception:
    if error.code in PASSING:
        asked = error.headers.get("Retry-After", "")
        return NotNow(float(asked) if asked.isdigit() else None)
    try:
        problem = json.load(error)
    except ValueError:
        return Halted(f"the server answered {error.code}")
    return Halted(problem["detail"], problem)


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
