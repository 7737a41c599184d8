"""A table controller: it writes each event down before sending it, and sends that same event until it is answered.

While the line is cut, what need not be answered at once is kept back; the backlog then goes out as one array.
"""

import dataclasses
import datetime
import random
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog

from jackpots.simulator import counters
from jackpots.simulator import line as lines
from jackpots.simulator import notebook as notebooks
from jackpots.simulator import pace as paces

log = structlog.get_logger("linkmeter.simulator")

FIRST_BACK_OFF_SECONDS = 0.25
LONGEST_BACK_OFF_SECONDS = 10.0
# Enough to find the right sequence after a restored database or a second controller with the same token; more would be a quarrel.
RENUMBERINGS = 5
MOST_EVENTS = 1000
WAITING = ("pending", "held")
TAKEN = ("applied", "refused", "duplicate")
VERSION = "linkmeter-simulator"


class TurnedAway(Exception):
    """The service will not take events from this controller, or cannot read what it sends."""


@dataclasses.dataclass(frozen=True)
class Told:
    """The service's first and lasting answer to an event; or that it is still in the backlog."""

    is_applied: bool
    code: str
    detail: str
    outcome: dict[str, Any]
    is_kept_back: bool = False


KEPT_BACK = Told(is_applied=False, code="", detail="", outcome={}, is_kept_back=True)


class Controller:
    """One token, one rising sequence; its tables take turns."""

    def __init__(
        self,
        *,
        name: str,
        url: str,
        token: str,
        pace: paces.Pace,
        notebook: notebooks.Notebook | None = None,
        line: lines.Line | None = None,
        clock_is_off_by: datetime.timedelta = datetime.timedelta(0),
        on_answer: Callable[..., None] = lambda **_: None,
        back_off_seconds: float | None = None,
    ) -> None:
        self.name = name
        self._line = line or lines.Line(url=url, token=token)
        self._pace = pace
        self._notebook = notebook
        self._clock_is_off_by = clock_is_off_by
        self._on_answer = on_answer
        self._back_off_seconds = back_off_seconds or FIRST_BACK_OFF_SECONDS
        self._turn = threading.Lock()
        # What was made and is not answered yet. It outlives a cut line and, in the notebook, the controller itself.
        self._backlog: list[dict[str, Any]] = notebook.unanswered() if notebook else []
        self._next_sequence = self._backlog[-1]["sequence"] + 1 if self._backlog else 1
        self._told: Told = KEPT_BACK
        self._counters = counters.Counters()
        for event, first in notebook.story() if notebook else ():
            self._counters.note(event=event, first=first)
        self.arrays = 0
        # What the service said of our counts, where it had booked something else.
        self.miscounts: list[str] = []

    @property
    def unanswered(self) -> dict[str, Any] | None:
        """The first event whose answer is in doubt."""
        return self._backlog[0] if self._backlog else None

    def ask(self) -> dict[str, Any]:
        """Who the service thinks this controller is: its tables, and the sequence it expects next."""
        with self._turn:
            self._deliver(is_patient=True)
            me = self._get("/api/v1/controllers/me/").body
            self._next_sequence = me["next_sequence"]
            self._counters.begin(after=self._next_sequence - 1)
        return me

    def beat(self) -> bool:
        """Tell clock, version and counts, if the line is free and up; a heartbeat that does not arrive is simply missed."""
        if not self._turn.acquire(blocking=False):
            return False
        try:
            told = {"clock": self._clock(), "version": VERSION, **self._counters.told()}
            self._hear(self._line.post("/api/v1/controllers/me/heartbeat/", told))
            return True
        except lines.LineDown as down:
            log.warning("a heartbeat was lost", controller=self.name, reason=str(down))
            return False
        finally:
            self._turn.release()

    def look_at(self, hit: str) -> dict[str, Any]:
        """A hit as it stands now."""
        with self._turn:
            return self._get(f"/api/v1/hits/{hit}/").body

    def unanswered_hits(self, *, table: str, round_number: int) -> list[str]:
        """The hits of one round that still wait for people: what a controller that was switched off finds on the table."""
        with self._turn:
            listed = [hit for state in WAITING for hit in self._get(f"/api/v1/hits/?state={state}").items]
        return [hit["hit"] for hit in listed if (hit["table"], hit["round"]) == (table, round_number)]

    def tell(self, *, table: str, round_number: int, kind: str, may_wait: bool = False, **fields: Any) -> Told:
        """Report one happening at a table, and come back with the service's answer, however long the line is down.

        What `may_wait` is kept back while the line is down, and goes out before whatever is told next.
        """
        with self._turn:
            event = {
                "id": str(uuid.uuid4()),
                "sequence": self._next_sequence,
                "table": table,
                "round": round_number,
                "type": kind,
                "at": self._clock(),
                **fields,
            }
            self._write_down(event)
            self._backlog.append(event)
            self._next_sequence += 1
            self._told = KEPT_BACK
            self._deliver(is_patient=not may_wait)
            return self._told

    def finish(self) -> None:
        """Send what was kept back, until it is answered."""
        with self._turn:
            self._deliver(is_patient=True)

    def hang_up(self) -> None:
        self._line.close()
        if self._notebook:
            self._notebook.close()

    def _hear(self, answer: lines.Answer) -> None:
        if answer.status != 200:
            log.warning("a heartbeat was turned away", controller=self.name, status=answer.status, detail=answer.body.get("detail"))
        elif not answer.body.get("counts", {}).get("agrees", True):
            self.miscounts.append(f"{self.name} counted otherwise than was booked: {answer.body['counts']['tables']}")
            log.error("the service has booked something else", controller=self.name, counts=answer.body["counts"])

    def _clock(self) -> str:
        now = datetime.datetime.now(datetime.UTC) + self._clock_is_off_by
        return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _write_down(self, event: dict[str, Any]) -> None:
        if self._notebook:
            self._notebook.note_event(event)

    def _deliver(self, *, is_patient: bool) -> None:
        """Send the backlog until it is answered; whoever is not patient keeps it back at the first silence."""
        corrections = 0
        while self._backlog:
            sent = self._backlog[:MOST_EVENTS]
            self.arrays += len(sent) > 1
            answer = self._until_answered("POST", "/api/v1/events/", sent[0] if len(sent) == 1 else sent, is_patient=is_patient)
            if answer is None:
                return
            stopped = self._take(sent, answer)
            if stopped is not None:
                corrections += 1
                self._correct(stopped, corrections)

    def _take(self, sent: Sequence[dict[str, Any]], answer: lines.Answer) -> Mapping[str, Any] | None:
        """Note what was answered; what stopped it is the answer, if something did."""
        if len(sent) == 1:
            if answer.status not in {200, 201}:
                return {"status_code": answer.status, **answer.body}
            self._resolve(sent[0], answer.body)
            return None
        if answer.status != 200:
            return {"status_code": answer.status, **answer.body}
        for event, result in zip(sent, answer.body["results"], strict=True):
            if result.get("status") not in TAKEN:
                return dict(result)
            self._resolve(event, result)
        return None

    def _resolve(self, event: dict[str, Any], answered: dict[str, Any]) -> None:
        first = answered["first"] if answered.get("status") == "duplicate" else answered
        if self._notebook:
            self._notebook.note_answer(event["id"], first)
        self._on_answer(event=event, first=first)
        self._counters.note(event=event, first=first)
        self._backlog.remove(event)
        self._told = Told(
            first.get("status") == "applied", str(first.get("code", "")), str(first.get("detail", "")), first.get("outcome") or {}
        )

    def _correct(self, stopped: Mapping[str, Any], corrections: int) -> None:
        """The sequence was wrong, so nothing was recorded under this id: the same events go on from the number expected."""
        if stopped.get("retryable"):
            self._pace.wait(self._back_off_seconds)
            return
        if corrections >= RENUMBERINGS:
            raise TurnedAway(f"{self.name} cannot agree with the service on its next sequence.")
        if stopped.get("code") == "sequence-gap":
            expected = int(stopped["expected"])
        elif stopped.get("code") == "sequence-reused":
            expected = self._get("/api/v1/controllers/me/").body["next_sequence"]
        else:
            raise _turned_away(self.name, stopped)
        log.warning("sequence corrected", controller=self.name, sent=self._backlog[0]["sequence"], expected=expected)
        for place, event in enumerate(self._backlog):
            event["sequence"] = expected + place
            self._write_down(event)
        self._next_sequence = expected + len(self._backlog)

    def _get(self, path: str) -> lines.Answer:
        answer = self._until_answered("GET", path, None, is_patient=True)
        assert answer is not None, "patience does not end without an answer"
        if answer.status != 200:
            raise _turned_away(self.name, {"status_code": answer.status, **answer.body})
        return answer

    def _until_answered(self, method: str, path: str, body: object, *, is_patient: bool) -> lines.Answer | None:
        """The same call again and again, ever more slowly, until the service gives an answer that stays; None for the impatient."""
        back_off = self._back_off_seconds
        while True:
            try:
                answer = self._line.get(path) if body is None else self._line.post(path, body)
            except lines.LineDown as down:
                log.warning("line down, will send the same again", controller=self.name, reason=str(down))
            else:
                if answer.status != 429 and answer.status < 500:
                    return answer
                log.warning("asked to try again", controller=self.name, status=answer.status, code=answer.code)
                back_off = max(back_off, _asked_seconds(answer))
            if not is_patient:
                return None
            # Spread a little, so that a floor of controllers does not come back all at once.
            self._pace.wait(back_off * random.uniform(0.8, 1.2))
            back_off = min(back_off * 2, LONGEST_BACK_OFF_SECONDS)


def _asked_seconds(answer: lines.Answer) -> float:
    asked = answer.retry_after or ""
    return min(float(asked), LONGEST_BACK_OFF_SECONDS) if asked.isdigit() else 0.0


def _turned_away(name: str, answered: Mapping[str, Any]) -> TurnedAway:
    said = f"{answered.get('status_code', answered.get('status', ''))} {answered.get('code', '')}"
    return TurnedAway(f"{name} was answered {said}: {answered.get('detail', '')} {answered.get('errors', '')}".strip())
