"""What a controller of the bench sends: the same bytes a real one would, made cheaply, because the sender shares the processors."""

import datetime
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

PRODUCT = "/api/v1/events/"
INSERT_ONLY = "/bench/insert/"
PLAIN = "/bench/plain/"

WAGERS = '"wagers":[{"seat":1,"wager":"progressive","amount":"1.00"},{"seat":5,"wager":"progressive","amount":"1.00"}],"chips":2'


@dataclass(frozen=True)
class Request:
    """One request, ready to be written to a socket: what it is called in the figures, and how many events it carries."""

    kind: str
    content: bytes
    events: int = 1


@dataclass
class Controller:
    """A controller with its token, where its sequence stands, and the latest round of each of its tables."""

    name: str
    token: str
    tables: list[str]
    next_sequence: int = 1
    rounds: dict[str, int] = field(default_factory=dict)

    def lockout(self, table: str) -> str:
        """No more bets, in a new round: two wagers of a dollar."""
        self.rounds[table] = self.rounds.get(table, 0) + 1
        return self.event("lockout", table, WAGERS)

    def event(self, kind: str, table: str, fields: str = "") -> str:
        sequence, self.next_sequence = self.next_sequence, self.next_sequence + 1
        at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        more = f",{fields}" if fields else ""
        number = self.rounds.get(table, 1)
        return f'{{"id":"{_id()}","sequence":{sequence},"table":"{table}","round":{number},"type":"{kind}","at":"{at}"{more}}}'

    def request(self, kind: str, body: str, *, path: str = PRODUCT, events: int = 1) -> Request:
        content = body.encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        return Request(kind=kind, content=head.encode() + content, events=events)

    def lockouts(self) -> Iterator[Request]:
        """A lock-out at each of its tables, one after another."""
        return (self.request("lockout", self.lockout(table)) for table in self.tables)

    def in_turn(self) -> Iterator[Request]:
        """Lock-out and settle at its first table, for ever."""
        table = self.tables[0]
        for _ in itertools.count():
            yield self.request("lockout", self.lockout(table))
            yield self.request("settle", self.event("settle", table))

    def compared(self, path: str) -> Iterator[Request]:
        """Lock-outs to an endpoint that the product is compared with, for ever."""
        for _ in itertools.count():
            yield self.request("lockout", self.lockout("T01-01"), path=path)

    def array(self, *, lockouts: int) -> Request:
        """A backlog: so many lock-outs at its first table, each followed by its settle, for the next lock-out needs that."""
        table = self.tables[0]
        listed = [text for _ in range(lockouts) for text in (self.lockout(table), self.event("settle", table))]
        return self.request("array", f"[{','.join(listed)}]", events=len(listed))


def _id() -> str:
    drawn = os.urandom(16).hex()
    return f"{drawn[:8]}-{drawn[8:12]}-4{drawn[13:16]}-8{drawn[17:20]}-{drawn[20:]}"
