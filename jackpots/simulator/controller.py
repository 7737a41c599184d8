"""A table controller: it names each event before sending it, and sends that same event until it is answered."""

import dataclasses
import datetime
import random
import threading
import uuid
from typing import Any

import structlog

from jackpots.simulator import line as lines
from jackpots.simulator import pace as paces

log = structlog.get_logger("linkmeter.simulator")

FIRST_BACK_OFF_SECONDS = 0.25
LONGEST_BACK_OFF_SECONDS = 10.0
# Enough to find the right sequence after a restored database or a second controller with the same token; more would be a quarrel.
RENUMBERINGS = 5
WAITING = ("pending", "held")


class TurnedAway(Exception):
    """The service will not take events from this controller, or cannot read what it sends."""


@dataclasses.dataclass(frozen=True)
class Told:
    """The service's first and lasting answer to an event."""

    is_applied: bool
    code: str
    detail: str
    outcome: dict[str, Any]


class Controller:
    """One token, one rising sequence; its tables take turns."""

    def __init__(self, *, name: str, url: str, token: str, pace: paces.Pace) -> None:
        self.name = name
        self._line = lines.Line(url=url, token=token)
        self._pace = pace
        self._turn = threading.Lock()
        self._next_sequence = 1
        # The event that was made and is not answered yet. It outlives a cut line, and says at the end what is in doubt.
        self.unanswered: dict[str, Any] | None = None

    def ask(self) -> dict[str, Any]:
        """Who the service thinks this controller is: its tables, and the sequence it expects next."""
        with self._turn:
            me = self._get("/api/v1/controllers/me/").body
            self._next_sequence = me["next_sequence"]
        return me

    def look_at(self, hit: str) -> dict[str, Any]:
        """A hit as it stands now."""
        with self._turn:
            return self._get(f"/api/v1/hits/{hit}/").body

    def unanswered_hits(self, *, table: str, round_number: int) -> list[str]:
        """The hits of one round that still wait for people: what a controller that was switched off finds on the table."""
        with self._turn:
            listed = [hit for state in WAITING for hit in self._get(f"/api/v1/hits/?state={state}").items]
        return [hit["hit"] for hit in listed if (hit["table"], hit["round"]) == (table, round_number)]

    def tell(self, *, table: str, round_number: int, kind: str, **fields: Any) -> Told:
        """Report one happening at a table, and come back with the service's answer, however long the line is down."""
        with self._turn:
            self.unanswered = {
                "id": str(uuid.uuid4()),
                "sequence": self._next_sequence,
                "table": table,
                "round": round_number,
                "type": kind,
                "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                **fields,
            }
            told = _told(self._send(self.unanswered))
            self._next_sequence = self.unanswered["sequence"] + 1
            self.unanswered = None
        return told

    def hang_up(self) -> None:
        self._line.close()

    def _send(self, event: dict[str, Any]) -> lines.Answer:
        for _ in range(RENUMBERINGS):
            answer = self._until_answered("POST", "/api/v1/events/", event)
            if answer.status in {200, 201}:
                return answer
            self._renumber(event, answer)
        raise TurnedAway(f"{self.name} cannot agree with the service on its next sequence.")

    def _renumber(self, event: dict[str, Any], answer: lines.Answer) -> None:
        """The sequence was wrong, so nothing was recorded under this id: the same event goes on from the number expected."""
        if answer.code == "sequence-gap":
            expected = answer.body["expected"]
        elif answer.code == "sequence-reused":
            expected = self._get("/api/v1/controllers/me/").body["next_sequence"]
        else:
            raise _turned_away(self.name, answer)
        log.warning("sequence corrected", controller=self.name, sent=event["sequence"], expected=expected)
        event["sequence"] = expected

    def _get(self, path: str) -> lines.Answer:
        answer = self._until_answered("GET", path, None)
        if answer.status != 200:
            raise _turned_away(self.name, answer)
        return answer

    def _until_answered(self, method: str, path: str, body: dict[str, Any] | None) -> lines.Answer:
        """The same call again and again, ever more slowly, until the service gives an answer that stays."""
        back_off = FIRST_BACK_OFF_SECONDS
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
            # Spread a little, so that a floor of controllers does not come back all at once.
            self._pace.wait(back_off * random.uniform(0.8, 1.2))
            back_off = min(back_off * 2, LONGEST_BACK_OFF_SECONDS)


def _asked_seconds(answer: lines.Answer) -> float:
    asked = answer.retry_after or ""
    return min(float(asked), LONGEST_BACK_OFF_SECONDS) if asked.isdigit() else 0.0


def _told(answer: lines.Answer) -> Told:
    body = answer.body
    first = body["first"] if body.get("status") == "duplicate" else body
    return Told(first.get("status") == "applied", str(first.get("code", "")), str(first.get("detail", "")), first.get("outcome") or {})


def _turned_away(name: str, answer: lines.Answer) -> TurnedAway:
    return TurnedAway(
        f"{name} was answered {answer.status} {answer.code}: {answer.body.get('detail', '')} {answer.body.get('errors', '')}".strip()
    )
