"""The live process: the meters, pushed to every display as Server-Sent Events.

One watch a process reads all meters in one query, about four times a second, in a thread of its own, because the database
driver waits. What changed is laid on every subscriber's tray. A tray keeps only the newest of each meter: a slow display skips
steps instead of falling behind, and nothing grows. A meter that has not changed is sent again in good time before its freshness
ends, so whoever hears nothing knows that something is wrong; and while the database is away the stream says so.
"""

import asyncio
import concurrent.futures
import datetime
import json
import urllib.parse
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import structlog
from django.db import connection

from audit.api import problems
from audit.refusals import NoSuchThing, NotNow, Refusal
from jackpots import meters

log = structlog.get_logger("linkmeter.live")

PATH = "/api/v1/meters/stream/"
PERIOD_SECONDS = 0.25
# How long an amount may be shown after it was read, and how soon it is sent again unchanged.
FRESH_SECONDS = 5
RENEWAL_SECONDS = 2
# The longest silence on a stream; a comment line breaks it.
SILENCE_SECONDS = 2.5
# A reading slower than this is trouble, and so is a display that does not take what it is sent within the other.
READING_SECONDS = 2
SENDING_SECONDS = 10
STREAMS_AT_MOST = 5000

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class NoSuchProgressive(NoSuchThing):
    """There is no progressive {progressive}."""


class NoSuchStream(NoSuchThing):
    """There is no stream at this address."""


class OnlyReading(Refusal):
    """A stream can only be read; use GET."""


class TooManyStreams(NotNow):
    """This server holds all the streams it can; try again."""


class Tray:
    """What waits to be sent to one subscriber: at most the newest frame of each meter it asked for."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self.wanted = wanted
        self.has_ended = False
        self._waiting: dict[str, bytes] = {}
        self._arrived = asyncio.Event()

    def lay(self, name: str, frame: bytes) -> None:
        if self.wanted and name and name not in self.wanted:
            return
        # Taken out first, so that the order on the tray is the order of arrival.
        self._waiting.pop(name, None)
        self._waiting[name] = frame
        self._arrived.set()

    def end(self) -> None:
        self.has_ended = True
        self._arrived.set()

    async def take(self) -> bytes:
        """Everything that waits; after a silence, a comment line."""
        try:
            async with asyncio.timeout(SILENCE_SECONDS):
                await self._arrived.wait()
        except TimeoutError:
            return b": still here\n\n"
        self._arrived.clear()
        frames = b"".join(self._waiting.values())
        self._waiting.clear()
        return frames


class Watch:
    """Reads the meters while anybody looks, and tells every tray what changed."""

    def __init__(self) -> None:
        self.is_in_trouble = False
        self._trays: set[Tray] = set()
        self._read: dict[str, tuple[dict[str, Any], datetime.datetime]] = {}
        self._thread = concurrent.futures.ThreadPoolExecutor(max_workers=1, thread_name_prefix="meters")
        self._task: asyncio.Task[None] | None = None
        self._looked = asyncio.Event()

    def add(self, tray: Tray) -> None:
        if len(self._trays) >= STREAMS_AT_MOST:
            raise TooManyStreams
        self._trays.add(tray)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())

    def remove(self, tray: Tray) -> None:
        self._trays.discard(tray)

    async def show_present(self, tray: Tray) -> None:
        """Wait for the next reading, then lay the present state on a new subscriber's tray."""
        await self._looked.wait()
        if self.is_in_trouble:
            # Nothing old is shown as if it were current, and nobody can say now which progressives there are.
            tray.lay("", _trouble())
            return
        for slug in sorted(tray.wanted - self._read.keys()):
            raise NoSuchProgressive(progressive=slug)
        for slug, (reading, as_of) in self._read.items():
            tray.lay(slug, _frame(reading, as_of))

    def end(self) -> None:
        for tray in self._trays:
            tray.end()

    async def _watch(self) -> None:
        log.info("watching the meters")
        try:
            while self._trays:
                await self._look()
                await asyncio.sleep(1 if self.is_in_trouble else PERIOD_SECONDS)
        finally:
            # Nothing is awaited from here on: whoever comes next finds no watch and starts one, which knows nothing old.
            self._task, self._read, self.is_in_trouble = None, {}, False
            self._thread.submit(connection.close)
            log.info("nobody looks at the meters")

    async def _look(self) -> None:
        as_of = datetime.datetime.now(datetime.UTC)
        reading = asyncio.get_running_loop().run_in_executor(self._thread, _readings)
        done, _ = await asyncio.wait({reading}, timeout=READING_SECONDS)
        if not done:
            self._tell_trouble("the database does not answer")
            # The thread is still waiting, and a second reading could only queue behind it.
            await asyncio.wait({reading})
        if (error := reading.exception()) is not None:
            self._tell_trouble(str(error))
        else:
            self._tell(reading.result(), as_of)
        self._wake()

    def _tell(self, readings: Iterable[dict[str, Any]], as_of: datetime.datetime) -> None:
        is_back, self.is_in_trouble = self.is_in_trouble, False
        for reading in readings:
            before, told_at = self._read.get(reading["progressive"], (None, as_of))
            if reading != before or is_back or (as_of - told_at).total_seconds() >= RENEWAL_SECONDS:
                self._read[reading["progressive"]] = (reading, as_of)
                self._lay(reading["progressive"], _frame(reading, as_of))
        if is_back:
            self._end_unknown()

    def _tell_trouble(self, reason: str) -> None:
        if not self.is_in_trouble:
            log.warning("the meters cannot be read", reason=reason)
        self.is_in_trouble = True
        self._lay("", _trouble())
        self._wake()

    def _wake(self) -> None:
        self._looked.set()
        self._looked = asyncio.Event()

    def _lay(self, name: str, frame: bytes) -> None:
        for tray in self._trays:
            tray.lay(name, frame)

    def _end_unknown(self) -> None:
        """Whoever came during trouble and asked for what there is not, is refused when it comes again."""
        log.info("the meters can be read again")
        for tray in self._trays:
            if tray.wanted - self._read.keys():
                tray.end()


watch = Watch()


def serves(scope: Scope) -> bool:
    """Whether a request belongs to this process rather than to the doors and pages."""
    return bool(scope["type"] == "http" and scope["path"] == PATH)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
    elif scope["type"] == "http":
        await _answer(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1000})


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["path"] == "/healthz":
        # This process is a server of its own in production, so it answers for itself.
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": b'{"status": "ok"}'})
    elif not serves(scope):
        await _refuse(send, NoSuchStream(), status=404)
    elif scope["method"] != "GET":
        await _refuse(send, OnlyReading(), status=405, headers=[(b"allow", b"GET")])
    else:
        await _stream(Tray(_wanted(scope)), receive, send)


async def _stream(tray: Tray, receive: Receive, send: Send) -> None:
    try:
        watch.add(tray)
        await watch.show_present(tray)
    except NoSuchProgressive as refusal:
        watch.remove(tray)
        await _refuse(send, refusal, status=404)
    except TooManyStreams as refusal:
        await _refuse(send, refusal, status=503, headers=[(b"retry-after", b"5")])
    else:
        await _run(tray, receive, send)


async def _run(tray: Tray, receive: Receive, send: Send) -> None:
    """Write until the display is gone, is too slow, or the process ends; whichever is first ends the other."""
    writing = asyncio.ensure_future(_write(tray, send))
    leaving = asyncio.ensure_future(_until_gone(receive))
    try:
        await asyncio.wait({writing, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        watch.remove(tray)
        writing.cancel()
        leaving.cancel()
        await asyncio.gather(writing, leaving, return_exceptions=True)


async def _write(tray: Tray, send: Send) -> None:
    headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    frames = b"retry: 1000\n\n"
    while not tray.has_ended:
        async with asyncio.timeout(SENDING_SECONDS):
            await send({"type": "http.response.body", "body": frames, "more_body": True})
        frames = await tray.take()
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.shutdown":
            watch.end()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def _refuse(send: Send, refusal: Refusal, *, status: int, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
    body = {
        "type": f"/problems/{refusal.code}",
        "title": problems.TITLES[status],
        "status": status,
        "detail": refusal.detail,
        "code": refusal.code,
        "retryable": refusal.retryable,
        **refusal.facts,
    }
    start = [(b"content-type", b"application/problem+json"), (b"cache-control", b"no-store"), *headers]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": json.dumps(body).encode(), "more_body": False})


def _wanted(scope: Scope) -> frozenset[str]:
    query = urllib.parse.parse_qs(scope["query_string"].decode("latin-1"))
    return frozenset(query.get("progressive", []))


def _readings() -> list[dict[str, Any]]:
    try:
        return [reading.as_json() for reading in meters.readings(now=datetime.datetime.now(datetime.UTC))]
    except Exception:
        # Whatever went wrong, the next reading begins on a connection of its own.
        connection.close()
        raise


def _frame(reading: dict[str, Any], as_of: datetime.datetime) -> bytes:
    fresh_until = as_of + datetime.timedelta(seconds=FRESH_SECONDS)
    told = {**reading, "as_of": as_of.isoformat(timespec="milliseconds"), "fresh_until": fresh_until.isoformat(timespec="milliseconds")}
    return f"event: meter\nid: {reading['version']}\ndata: {json.dumps(told, separators=(',', ':'))}\n\n".encode()


def _trouble() -> bytes:
    told = {"code": "ledger-away", "detail": "The service cannot read its ledger; amounts are not current."}
    return f"event: trouble\ndata: {json.dumps(told)}\n\n".encode()
