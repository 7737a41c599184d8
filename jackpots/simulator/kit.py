"""What the conformance rules are checked with: a plain caller that keeps every answer, and a table of its own to play at."""

import datetime
import http.client
import json
import urllib.parse
import uuid
from dataclasses import dataclass, field
from typing import Any

TIMEOUT_SECONDS = 20.0
EVENTS = "/api/v1/events/"
ME = "/api/v1/controllers/me/"
SHOWN = 600


class Wrong(Exception):
    """The server did not do what the contract says."""


class Skipped(Exception):
    """The rule cannot be checked here."""


@dataclass(frozen=True)
class Reply:
    """An answer as it came: status, headers by lower-case name, and the text."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        try:
            return json.loads(self.text)
        except ValueError:
            raise Wrong(f"the answer is not JSON: {self.text[:200]!r}") from None


@dataclass
class Kit:
    """One controller's token, and what was said on it since the last rule began."""

    url: str
    token: str
    sent: str = ""
    came: str = ""
    me: dict[str, Any] = field(default_factory=dict)
    sequence: int = 1

    def call(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
        """One call on a connection of its own. Headers given by name replace the usual ones; an empty one is left out."""
        address = urllib.parse.urlsplit(self.url)
        kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        usual = {"Authorization": f"Bearer {self.token}", "Accept": "application/json", "Content-Type": "application/json"}
        said = {
            name: value for name, value in {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}.items() if value
        }
        connection = kind(address.hostname or "", address.port, timeout=TIMEOUT_SECONDS)
        self.sent = f"{method} {path} {(body or b'')[:SHOWN].decode('utf-8', 'replace')}".strip()
        try:
            connection.request(method, path, body=body, headers=said)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as fault:
            self.came = f"nothing: {fault}"
            raise Wrong(f"no answer came: {fault}") from fault
        finally:
            connection.close()
        self.came = f"{answer.status} {text[:SHOWN]}"
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, text)

    def get(self, path: str, **headers: str) -> Reply:
        return self.call("GET", path, None, **headers)

    def post(self, body: object, path: str = EVENTS) -> Reply:
        return self.call("POST", path, json.dumps(body).encode())

    def begin(self) -> None:
        """Look where the controller stands, so that one failed rule does not spoil the next."""
        self.me = self.get(ME).json
        self.sequence = self.me["next_sequence"]

    @property
    def table(self) -> dict[str, Any]:
        playing = [table for table in self.me["tables"] if table["progressives"]]
        if not playing:
            raise Skipped("none of the controller's tables plays for a progressive")
        return dict(playing[0])

    @property
    def offer(self) -> dict[str, Any]:
        """A wager that the table takes."""
        return dict(self.table["progressives"][0])

    def line(self, seat: int = 1) -> dict[str, Any]:
        return {"seat": seat, "wager": self.offer["wager"], "amount": self.offer["amounts"][0]}

    def event(self, kind: str, round_number: int, **fields: Any) -> dict[str, Any]:
        """The controller's next event."""
        made = {
            "id": str(uuid.uuid4()),
            "sequence": self.sequence,
            "table": self.table["table"],
            "round": round_number,
            "type": kind,
            "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            **fields,
        }
        self.sequence += 1
        return made

    def tell(self, kind: str, round_number: int, **fields: Any) -> dict[str, Any]:
        """Send the next event; its answer, which must be a recorded one."""
        reply = self.post(self.event(kind, round_number, **fields))
        expect(reply.status == 201, f"the next event is answered 201, not {reply.status}")
        return dict(reply.json)

    def applied(self, kind: str, round_number: int, **fields: Any) -> dict[str, Any]:
        """Send the next event; its outcome, since it must be applied."""
        answer = self.tell(kind, round_number, **fields)
        expect(answer.get("status") == "applied", f"{kind} is applied, not {answer.get('status')} {answer.get('code', '')}")
        return dict(answer["outcome"])

    def refused(self, code: str, kind: str, round_number: int, **fields: Any) -> dict[str, Any]:
        """Send the next event, which must be refused with that code; any code where it is empty."""
        answer = self.tell(kind, round_number, **fields)
        expect(answer.get("status") == "refused", f"{kind} is refused, not {answer.get('status')}")
        expect(not code or answer.get("code") == code, f"the code is {code}, not {answer.get('code')}")
        expect(bool(answer.get("code")) and bool(answer.get("detail")), "a refusal has a code and a detail")
        return answer

    def new_round(self) -> int:
        """The number of a round that nothing has been said of, with no other in play at the table."""
        in_play = self.table["open_round"]
        if in_play is not None:
            self.post(self.event("lockout", in_play, wagers=[], chips=0))
            self.post(self.event("settle", in_play))
            self.begin()
            expect(self.table["open_round"] is None, "a round that was locked out and settled is no longer in play")
        return int(self.table["next_round"])

    def meter(self) -> dict[str, str]:
        """What anybody is shown of the wager's meter."""
        reply = self.get(f"/api/v1/meters/{self.offer['progressive']}/", Authorization="")
        expect(reply.status == 200, f"the meter is answered 200, not {reply.status}")
        return dict(reply.json)

    def locked_round(self, seats: tuple[int, ...] = (1, 2)) -> int:
        """A round with a wager in front of each of these seats, locked out."""
        number = self.new_round()
        self.applied("lockout", number, wagers=[self.line(seat) for seat in seats], chips=len(seats))
        return number


def expect(is_so: bool, sentence: str) -> None:
    if not is_so:
        raise Wrong(f"expected: {sentence}")


def expect_problem(reply: Reply, status: int, code: str = "") -> dict[str, Any]:
    """A problem document with all its members, of this status and, where one is named, this code."""
    expect(reply.status == status, f"the status is {status}, not {reply.status}")
    expect(reply.headers.get("content-type", "").startswith("application/problem+json"), "an error is application/problem+json")
    body = reply.json
    missing = [name for name in ("type", "title", "status", "detail", "code", "retryable") if name not in body]
    expect(not missing, f"a problem document has {', '.join(missing)}")
    expect(body["status"] == status, "the document's status is the answer's")
    expect(not code or body["code"] == code, f"the code is {code}, not {body['code']}")
    return dict(body)
