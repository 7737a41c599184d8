"""The stream of meters: the present state first, every change after it, and the truth about trouble."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from django.db import connection

from jackpots import live, meters
from settings.embedded import postgres, roles
from tests import cast, embedded

PATIENCE_SECONDS = 30


class Ear:
    """A display's end of the line: an ASGI server for one request, keeping what it is sent."""

    def __init__(self, query: str = "", method: str = "GET", path: str = live.PATH) -> None:
        self.scope = {"type": "http", "method": method, "path": path, "query_string": query.encode()}
        self.sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.leaving: asyncio.Event = asyncio.Event()
        self.rest = b""

    async def receive(self) -> dict[str, Any]:
        await self.leaving.wait()
        return {"type": "http.disconnect"}

    async def message(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self.sent.get()

    async def event(self, kind: str) -> dict[str, Any]:
        """The next event of a kind; others and comments are passed over."""
        while True:
            frame, mark, rest = self.rest.partition(b"\n\n")
            if not mark:
                self.rest += (await self.message()).get("body", b"")
                continue
            self.rest = rest
            lines = dict(line.split(b": ", 1) for line in frame.splitlines() if not line.startswith(b":"))
            if lines.get(b"event") == kind.encode():
                return {**json.loads(lines[b"data"]), "id": lines.get(b"id", b"").decode()}


@asynccontextmanager
async def listening(query: str = "") -> AsyncIterator[Ear]:
    ear = Ear(query)
    request = asyncio.create_task(live.application(ear.scope, ear.receive, ear.sent.put))
    try:
        yield ear
    finally:
        ear.leaving.set()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await request


async def aside(work: Callable[..., Any], *args: Any) -> Any:
    """Database work in a thread, as a door would do it, on a connection that is closed again."""

    def done() -> Any:
        try:
            return work(*args)
        finally:
            connection.close()

    return await asyncio.to_thread(done)


def run(story: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(story())  # type: ignore[arg-type]


async def refusal(ear: Ear) -> tuple[dict[str, Any], dict[str, Any]]:
    await live.application(ear.scope, ear.receive, ear.sent.put)
    start, body = await ear.message(), await ear.message()
    assert dict(start["headers"])[b"content-type"] == b"application/problem+json"
    return start, json.loads(body["body"])


@pytest.fixture
def house(committed: None) -> cast.House:
    return cast.house()


def test_a_new_display_hears_the_present_state_first(house: cast.House) -> None:
    async def story() -> None:
        async with listening("progressive=caribbean-link") as ear:
            start = await ear.message()
            assert start["status"] == 200
            assert dict(start["headers"])[b"content-type"].startswith(b"text/event-stream")
            told = await ear.event("meter")
        reading = await aside(lambda: meters.reading(slug="caribbean-link", now=cast.NOW))
        assert told["amount"] == "10000.00"
        assert {name: told[name] for name in reading.as_json()} == reading.as_json()
        assert told["id"] == str(reading.version)
        assert told["as_of"] < told["fresh_until"]

    run(story)


def test_a_lock_out_is_heard_with_a_higher_version(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")

    async def story() -> None:
        async with listening("progressive=caribbean-link") as ear:
            first = await ear.event("meter")
            await aside(dealer.lock_out, {1: "1.00", 5: "1.00"})
            while (told := await ear.event("meter"))["version"] == first["version"]:
                pass
        assert told["amount"] == "10001.40"
        assert told["version"] > first["version"]

    run(story)


def test_a_claim_is_heard_with_its_reason(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00"})

    async def story() -> None:
        async with listening("progressive=caribbean-link") as ear:
            await aside(dealer.hit, 5, cast.ROYAL, "royal-flush")
            while not (told := await ear.event("meter"))["last"]:
                pass
        assert told["state"] == "award-pending"
        assert (told["amount"], told["last"]["amount"], told["last"]["table"]) == ("10000.00", "10000.70", "CSP-01")

    run(story)


def test_a_display_hears_only_the_meters_it_asked_for(house: cast.House) -> None:
    linked, alone = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-03")

    async def story() -> None:
        async with listening("progressive=caribbean-solo") as solo, listening() as everything:
            heard = {(await everything.event("meter"))["progressive"] for _ in range(2)}
            assert heard == {"caribbean-link", "caribbean-solo"}
            await aside(linked.lock_out, {1: "1.00"})
            while (await everything.event("meter"))["amount"] != "10000.70":
                pass
            await aside(alone.lock_out, {1: "1.00"})
            while (told := await solo.event("meter"))["amount"] != "10000.70":
                assert told["progressive"] == "caribbean-solo"

    run(story)


def test_a_meter_that_stands_still_is_sent_again_before_it_goes_stale(house: cast.House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "RENEWAL_SECONDS", 0.1)

    async def story() -> None:
        async with listening("progressive=caribbean-link") as ear:
            first, again = await ear.event("meter"), await ear.event("meter")
        assert first["version"] == again["version"]
        assert again["fresh_until"] > first["fresh_until"]

    run(story)


def test_a_silence_is_broken_by_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "SILENCE_SECONDS", 0.01)
    assert live.SILENCE_SECONDS < 5
    assert asyncio.run(live.Tray(frozenset()).take()).startswith(b": ")


def test_a_slow_display_keeps_only_the_newest_of_each_meter() -> None:
    async def story() -> None:
        tray = live.Tray(frozenset({"link"}))
        for number in range(1000):
            tray.lay("link", b"%d\n" % number)
            tray.lay("solo", b"not asked for\n")
        tray.lay("", b"trouble\n")
        assert await tray.take() == b"999\ntrouble\n"

    run(story)


def test_a_display_that_takes_nothing_is_dropped(house: cast.House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "SENDING_SECONDS", 0.05)

    async def story() -> None:
        ear = Ear()

        async def stuck(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.body":
                await asyncio.Event().wait()

        async with asyncio.timeout(PATIENCE_SECONDS):
            await live.application(ear.scope, ear.receive, stuck)

    run(story)


def test_there_is_no_stream_of_a_progressive_that_does_not_exist(house: cast.House) -> None:
    async def story() -> None:
        start, problem = await refusal(Ear("progressive=caribbean-link&progressive=atlantis"))
        assert (start["status"], problem["status"], problem["code"]) == (404, 404, "no-such-progressive")
        assert problem["detail"] == "There is no progressive atlantis."

    run(story)


def test_a_stream_can_only_be_read(house: cast.House) -> None:
    async def story() -> None:
        start, problem = await refusal(Ear(method="POST"))
        assert (start["status"], problem["code"], dict(start["headers"])[b"allow"]) == (405, "only-reading", b"GET")
        start, problem = await refusal(Ear(path="/api/v1/elsewhere/"))
        assert (start["status"], problem["code"]) == (404, "no-such-stream")

    run(story)


def test_a_full_house_of_streams_says_try_again(house: cast.House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "STREAMS_AT_MOST", 0)

    async def story() -> None:
        start, problem = await refusal(Ear())
        assert (start["status"], problem["retryable"]) == (503, True)

    run(story)


@pytest.fixture
def door(house: cast.House) -> Iterator[Callable[[bool], None]]:
    """Shuts the application's role out of the database, and lets it in again."""

    def set_open(is_open: bool) -> None:
        with roles.connected(embedded.database_server.address(postgres.SUPERUSER, embedded.DATABASE)) as cursor:
            cursor.execute(f"ALTER ROLE {roles.APPLICATION} {'LOGIN' if is_open else 'NOLOGIN'}")
            cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", [roles.APPLICATION])

    connection.close()
    yield set_open
    set_open(True)


def test_a_stream_says_that_the_database_is_away_and_comes_back(house: cast.House, door: Callable[[bool], None]) -> None:
    async def story() -> None:
        async with listening("progressive=caribbean-link") as ear:
            await ear.event("meter")
            await asyncio.to_thread(door, False)
            assert (await ear.event("trouble"))["code"] == "ledger-away"
            async with listening("progressive=caribbean-link") as newcomer, listening("progressive=atlantis") as lost:
                await newcomer.event("trouble")
                await lost.event("trouble")
                await asyncio.to_thread(door, True)
                assert (await ear.event("meter"))["amount"] == "10000.00"
                assert (await newcomer.event("meter"))["amount"] == "10000.00"
                while (await lost.message()).get("more_body", True):
                    pass

    run(story)


def test_the_server_may_start_and_stop_it() -> None:
    async def story() -> None:
        told = iter(["lifespan.startup", "lifespan.shutdown"])
        answers: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": next(told)}

        async def send(message: dict[str, Any]) -> None:
            answers.append(message)

        await live.application({"type": "lifespan"}, receive, send)
        assert [one["type"] for one in answers] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]

    run(story)
