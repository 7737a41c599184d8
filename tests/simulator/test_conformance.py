"""The conformance kit: the real service keeps every rule, and a server that breaks one is found out by it."""

import http.server
import json
import pathlib
import re
import threading
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from jackpots.simulator import conformance
from tests import cast
from tests.serving import Running

pytestmark = pytest.mark.worker


@pytest.fixture
def house(committed: None) -> cast.House:
    return cast.house()


@pytest.fixture
def running(house: cast.House, broker: str) -> Iterator[Running]:
    made = Running()
    made.start()
    yield made
    made.stop()


Spoil = Callable[[str, int, dict[str, str], bytes], tuple[int, dict[str, str], bytes]]


class Spoiler(http.server.ThreadingHTTPServer):
    """Stands between the kit and the service, and spoils one thing in the answers."""

    def __init__(self, behind: str, spoil: Spoil) -> None:
        self.behind, self.spoil = behind, spoil
        super().__init__(("127.0.0.1", 0), _Between)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Between(http.server.BaseHTTPRequestHandler):
    server: Spoiler

    def do_GET(self) -> None:
        self._pass_on(None)

    def do_POST(self) -> None:
        self._pass_on(self.rfile.read(int(self.headers["Content-Length"])))

    def _pass_on(self, body: bytes | None) -> None:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection", "content-length")}
        request = urllib.request.Request(self.server.behind + self.path, data=body, headers=headers, method=self.command)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310  (our own address)
                told = answer.status, dict(answer.headers), answer.read()
        except urllib.error.HTTPError as error:
            told = error.code, dict(error.headers), error.read()
        status, said, text = self.server.spoil(self.path, *told)
        self.send_response(status)
        for name in ("Content-Type", "ETag"):
            if name in said:
                self.send_header(name, said[name])
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        """The tests' output is for the tests."""


def instead(what: str, then: str) -> Spoil:
    """Every answer with one text put in place of another."""
    return lambda path, status, headers, text: (status, headers, re.sub(what, then, text.decode()).encode())


def status_instead(was: int, then: int) -> Spoil:
    return lambda path, status, headers, text: (then if status == was else status, headers, text)


SPOILED: dict[str, tuple[Spoil, str]] = {
    "a duplicate is said to be applied": (instead('"status":"duplicate"', '"status":"applied"'), "duplicate"),
    "the first answer is not told byte for byte": (instead('"first":{"id":', '"first":{"id": '), "duplicate"),
    "a gap does not say what is expected": (instead('"expected":\\s*\\d+', '"expected":0'), "sequence-gap"),
    "a reused id has another code": (instead("id-reused", "conflict"), "id-reused"),
    "an unreadable body is a 400": (status_instead(422, 400), "unreadable"),
    "an unknown token is a 403": (status_instead(401, 403), "unknown-token"),
    "an error is plain JSON": (
        lambda path, status, headers, text: (status, {**headers, "Content-Type": "application/json"} if status >= 400 else headers, text),
        "no-such-hit",
    ),
    "chips that differ are said to agree": (instead('"count":"differs"', '"count":"agrees"'), "count-differs"),
    "an array goes on after a gap": (instead('"not-processed"', '"applied"'), "array-stops"),
    "an amount is a number": (instead('"amount":\\s*"([0-9.]+)"', '"amount":\\1'), "next-event"),
    "a list has no ETag": (
        lambda path, status, headers, text: (status, {name: value for name, value in headers.items() if name.lower() != "etag"}, text),
        "meters",
    ),
}


def findings(url: str, token: str) -> dict[str, conformance.Finding]:
    return {one.rule: one for one in conformance.check(url=url, token=token)}


def test_the_service_keeps_the_contract(running: Running, house: cast.House) -> None:
    found = findings(running.address, house.tokens["CSP-01"])
    assert {rule: (one.verdict, one.why, one.came) for rule, one in found.items() if one.verdict != "passed"} == {}
    assert len(found) == len(conformance.RULES)


@pytest.mark.parametrize("broken", SPOILED)
def test_a_broken_promise_is_found_by_its_rule(running: Running, house: cast.House, broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil, rule = SPOILED[broken]
    monkeypatch.setattr(conformance, "RULES", [one for one in conformance.RULES if one.__name__.replace("_", "-") == rule])
    assert findings(running.address, house.tokens["CSP-01"])[rule].verdict == "passed"
    between = Spoiler(running.address, spoil)
    threading.Thread(target=between.serve_forever, daemon=True).start()
    found = findings(between.url, house.tokens["CSP-01"])
    between.shutdown()
    between.server_close()
    assert found[rule].verdict == "failed"
    assert found[rule].why


def test_the_report_names_what_failed_what_was_sent_and_what_came(tmp_path: pathlib.Path) -> None:
    report = tmp_path / "report.json"
    with pytest.raises(SystemExit):
        call_command("simulate", check="http://127.0.0.1:9", token="lmc_none", report=report)
    told = json.loads(report.read_text())["findings"]
    assert {one["verdict"] for one in told} == {"failed"}
    assert all(one["sent"] and one["why"] for one in told)
    text = conformance.as_markdown([conformance.Finding(**one) for one in told], url="http://127.0.0.1:9")
    assert f"0 passed, {len(told)} failed, 0 skipped" in text


@pytest.mark.parametrize(
    "options",
    [
        {"check": "ftp://x", "token": "t"},
        {"check": "http://127.0.0.1:9"},
        {"check": "http://127.0.0.1:9", "demo": pathlib.Path("no-such-file.json")},
    ],
)
def test_what_cannot_be_checked_is_said_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(CommandError):
        call_command("simulate", **options)
