"""The pieces of `bin/bench door` do what they say. Nothing here asserts how fast anything is."""

import datetime
import http.server
import itertools
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from jackpots import meters
from settings.embedded import postgres, roles
from tables.models import Event, Round
from tests import embedded
from tests.bench.door import displays, events, figures, filling, floor, load, site
from tests.bench.door.plain import sql

CONTROLLERS, TABLES = 2, 2


@pytest.fixture
def laid_out(committed: None) -> site.Floor:
    """A small floor of the bench, with players and strangers."""
    now = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
    made = [events.Controller(**one) for one in floor.build(controllers=CONTROLLERS, tables=TABLES, now=now)]
    return site.Floor(database=embedded.DATABASE, controllers=made[:CONTROLLERS], strangers=made[CONTROLLERS:])


@pytest.fixture
def superuser(committed: None) -> Iterator[Any]:
    with roles.connected(embedded.database_server.address(postgres.SUPERUSER, embedded.DATABASE)) as cursor:
        yield cursor


@pytest.fixture
def compared(superuser: Any, settings: Any) -> Iterator[None]:
    """The addresses of the bench, and the tables of its plain endpoint."""
    settings.ROOT_URLCONF = "tests.bench.door.urls"
    superuser.execute(sql.TABLES)
    superuser.execute(f"GRANT SELECT, INSERT, UPDATE ON {sql.NAMES} TO {roles.APPLICATION}")
    yield
    superuser.execute(f"DROP TABLE {sql.NAMES}")


def _post(controller: events.Controller, request: events.Request) -> Any:
    head, _, body = request.content.partition(b"\r\n\r\n")
    path = head.split()[1].decode()
    return Client().post(path, body, content_type="application/json", headers={"Authorization": f"Bearer {controller.token}"})


def test_the_product_applies_what_the_controllers_of_the_bench_send(laid_out: site.Floor) -> None:
    one, other = laid_out.controllers
    sent = [*itertools.islice(one.in_turn(), 4), one.array(lockouts=3)]
    told = [_post(one, request).json() for request in sent] + [_post(other, request).json() for request in other.lockouts()]
    answers = [answer for said in told for answer in said.get("results", [said])]
    assert {answer["status"] for answer in answers} == {"applied"}
    assert len(answers) == sum(request.events for request in sent) + TABLES
    assert Round.objects.count() == 2 + 3 + TABLES


@pytest.mark.usefixtures("compared")
def test_both_endpoints_of_comparison_keep_what_they_are_sent(laid_out: site.Floor, superuser: Any) -> None:
    stranger = laid_out.strangers[0]
    first, second = itertools.islice(stranger.compared(events.INSERT_ONLY), 2)
    assert [_post(stranger, request).status_code for request in (first, second)] == [201, 201]
    assert Event.objects.count() == 2
    stranger.next_sequence = 1
    first, second = itertools.islice(stranger.compared(events.PLAIN), 2)
    # A gap is refused and the same event again adds nothing: the plain endpoint does that work as well.
    assert [_post(stranger, request).status_code for request in (second, first, first, second)] == [409, 201, 200, 201]
    superuser.execute("SELECT balance_micros, (SELECT count(*) FROM plain_transfer) FROM plain_meter")
    assert superuser.fetchone() == (4 * 700_000, 4)


def test_a_filled_floor_goes_on_where_its_rows_end(laid_out: site.Floor, superuser: Any) -> None:
    tables = CONTROLLERS * TABLES
    assert filling.fill(superuser, laid_out, events=6 * tables) == 6 * tables == Event.objects.count()
    one = laid_out.controllers[0]
    assert [_post(one, request).json()["status"] for request in one.lockouts()] == ["applied"] * TABLES
    shown = meters.reading(slug=floor.SLUG, now=datetime.datetime.now(datetime.UTC))
    wagers = 2 * (3 * tables + TABLES)
    assert shown.amount_micros == 10_000_000_000 + wagers * 700_000


class Answering(http.server.BaseHTTPRequestHandler):
    """Takes whatever is posted, and refuses what it is told to refuse."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = b'{"status":"refused"}' if b'"settle"' in body else b'{"status":"applied"}'
        self.send_response(201)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing to say."""


@pytest.fixture
def port() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    yield server.server_address[1]
    server.shutdown()
    serving.join()
    server.server_close()


def _controller() -> events.Controller:
    return events.Controller(name="CTL-01", token="lmc_none", tables=["T01-01", "T01-02"])


def test_a_slice_counts_what_was_answered_while_every_line_was_busy(port: int) -> None:
    taken = load.send(port=port, requests=[_controller().lockouts(), _controller().compared(events.PRODUCT)])
    assert (
        len(taken.times("lockout")) >= 2 and max(one.answered_at for one in taken.timings) - taken.timings[0].answered_at <= taken.seconds
    )
    assert taken.rate("settle") == 0 and taken.rate() == taken.rate("lockout") > 0


def test_an_answer_that_is_no_yes_stops_the_bench(port: int) -> None:
    with pytest.raises(load.BadAnswer, match="refused"):
        load.send(port=port, requests=[_controller().in_turn()])


def test_a_change_counts_as_delivered_by_the_first_reading_after_it() -> None:
    frames = [[10.0, 10.1], [10.25, 10.4], [10.5, 10.6]]
    found = displays.delays([frames, frames], [10.0, 10.1, 10.3, 10.6])
    assert found == pytest.approx([0.1, 0.3, 0.3, displays.NEVER] * 2)


def test_a_row_says_whether_its_promise_is_kept() -> None:
    kept, broken = figures.at_least("this", 0.61, 0.6), figures.at_most("that", 1.3, 1.2)
    assert figures.table([kept, broken])[2:] == ["| this | 0.61 | ≥ 0.6 | yes |", "| that | 1.30 | ≤ 1.2 | NO |"]
    assert figures.percentile(range(1000), 99) == 990 and figures.percentile([7.0], 99) == 7


@pytest.mark.parametrize(
    "part", ["granian --interface wsgi", "granian --interface asgi", "celery -A settings worker", "celery -A settings beat"]
)
def test_every_part_is_started_as_the_operators_are_told(part: str) -> None:
    command = site.told(part)
    assert command[2] == part.split()[0] and ("--port" in command) == ("granian" in part)
