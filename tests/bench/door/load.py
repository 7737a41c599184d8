"""Sends requests over connections that are kept, one request at a time on each, and times every answer. One thread, no parsing beyond
what tells an answer from the next: the sender shares the processors with what it measures."""

import selectors
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.bench.door.events import Request

GOOD = (b"HTTP/1.1 201", b"HTTP/1.1 200")
NOT_NOW = b"HTTP/1.1 503"
# A controller that is told to try again does so, with the same bytes; one that is told so all the time is right to complain.
MOST_TRIES = 20
# An answer that takes longer than this will not come.
PATIENCE_SECONDS = 120


class BadAnswer(RuntimeError):
    """The server answered something else than that it took the event."""


@dataclass(frozen=True)
class Timing:
    """An answered request: what it was, when it was answered, how long it took."""

    kind: str
    answered_at: float
    seconds: float
    events: int


@dataclass
class Slice:
    """What was answered while every connection was busy."""

    seconds: float
    timings: list[Timing]
    tries_again: int

    def rate(self, kind: str | None = None) -> float:
        """Events a second, of one kind or of all."""
        return sum(one.events for one in self.timings if kind in (None, one.kind)) / self.seconds

    def times(self, kind: str) -> list[float]:
        return [one.seconds for one in self.timings if one.kind == kind]


@dataclass
class Line:
    """One connection, and what is still to be sent over it."""

    port: int
    requests: Iterator[Request]
    connection: socket.socket = field(init=False)
    sent: Request | None = None
    sent_at: float = 0.0
    tries_again: int = 0
    received: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self.connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send_next(self) -> bool:
        """Send what comes next; False where nothing does."""
        self.sent = next(self.requests, None)
        if self.sent is None:
            return False
        self.sent_at = time.perf_counter()
        self.connection.sendall(self.sent.content)
        return True

    def receive(self) -> Timing | None:
        """Take in what has come; the timing once the answer is whole. An event that is to be sent again is timed from its first time."""
        arrived = self.connection.recv(262_144)
        if not arrived:
            raise BadAnswer("the server closed the connection")
        self.received += arrived
        if not _is_whole(self.received):
            return None
        now = time.perf_counter()
        assert self.sent is not None
        if self.received.startswith(NOT_NOW) and self.tries_again < MOST_TRIES:
            self.tries_again += 1
            self.received.clear()
            self.connection.sendall(self.sent.content)
            return None
        if not self.received.startswith(GOOD) or b'"refused"' in self.received or b'"stopped"' in self.received:
            raise BadAnswer(self.received[-800:].decode(errors="replace"))
        self.received.clear()
        return Timing(self.sent.kind, now, now - self.sent_at, self.sent.events)


def send(*, port: int, requests: Sequence[Iterable[Request]], seconds: float | None = None) -> Slice:
    """Send each sequence over a connection of its own, until one of them has come to its end or, with ``seconds``, time is up.

    What counts is what was answered until then: so long all connections were busy.
    """
    lines = [Line(port=port, requests=iter(own)) for own in requests]
    try:
        return _run(lines, seconds)
    finally:
        for line in lines:
            line.connection.close()


def _run(lines: list[Line], seconds: float | None) -> Slice:
    timings: list[Timing] = []
    with selectors.DefaultSelector() as selector:
        began_at = time.perf_counter()
        ends_at = began_at + seconds if seconds else float("inf")
        for line in lines:
            selector.register(line.connection, selectors.EVENT_READ, line)
            line.send_next()
        first_idle_at = None
        while selector.get_map():
            for key, _ in selector.select(PATIENCE_SECONDS) or _give_up():
                timing = key.data.receive()
                if timing is None:
                    continue
                timings.append(timing)
                if first_idle_at or timing.answered_at >= ends_at or not key.data.send_next():
                    first_idle_at = first_idle_at or timing.answered_at
                    selector.unregister(key.fileobj)
    until = first_idle_at or time.perf_counter()
    tries_again = sum(line.tries_again for line in lines)
    return Slice(seconds=until - began_at, timings=[one for one in timings if one.answered_at <= until], tries_again=tries_again)


def _give_up() -> list[tuple[selectors.SelectorKey, int]]:
    raise BadAnswer(f"no answer within {PATIENCE_SECONDS} seconds")


def _is_whole(received: bytearray) -> bool:
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = bytes(received[:end]).lower()
    at = head.find(b"content-length:")
    if at < 0:
        raise BadAnswer("an answer does not tell its length: " + head.decode(errors="replace"))
    length = int(head[at + 15 :].split(b"\r\n", 1)[0])
    return len(received) >= end + 4 + length
