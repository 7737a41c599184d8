"""Where the time of one lock-out goes: the server, Python, the database's statements, the commit.

Through the web server, one at a time, and then the same in a program that calls the WSGI application itself with a timed connection.
What the first takes longer is the server with its sockets and threads; what the second spends outside the database is Python.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from tests.bench.door import events, load
from tests.bench.door.events import Request
from tests.bench.door.figures import Row, percentile
from tests.bench.door.singles import settle_all
from tests.bench.door.site import Floor, Site
from tests.bench.door.size import Size

MOST_STATEMENTS = 12


def measure(site: Site, floor: Floor, size: Size) -> Iterator[str | Row]:
    """No row of the table: nothing was promised of it."""
    with site.doors(floor.database) as server:
        served = [_through_server(site, floor, server.port) for _ in range(4)][1:]
    whole = percentile([seconds for slice in served for seconds in slice.times("lockout")], 50) * 1000
    ours = _inside(site, floor, [request for one in floor.controllers for request in one.lockouts()])
    settle_all(site, floor)
    stranger = floor.strangers[0]
    inserted = _inside(site, floor, [request for request, _ in zip(stranger.compared(events.INSERT_ONLY), range(200), strict=False)])
    yield f"  {'one lock-out, through the server':<34}{whole:>8.2f} ms"
    yield from _said("one lock-out, inside", ours)
    yield f"  {'  server, sockets, threads':<34}{whole - ours['whole_ms']:>8.2f} ms"
    yield from _said("the insert-only endpoint, inside", inserted)
    yield f"  {'the statements of a lock-out':<34}{'calls':>8}{'ms':>8}"
    for text, calls, spent in ours["statements"][:MOST_STATEMENTS]:
        yield f"    {text[:100]:<100}{calls:>6.2f}{spent:>8.3f}"


def _through_server(site: Site, floor: Floor, port: int) -> load.Slice:
    one = floor.controllers[0]
    taken = load.send(port=port, requests=[one.lockouts()])
    settle_all(site, floor)
    return taken


def _inside(site: Site, floor: Floor, requests: list[Request]) -> Any:
    """What the program next door has to say of these requests."""
    told = json.dumps([request.content.decode() for request in requests])
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.door.timed"],
        input=told,
        env=site.environment(floor.database),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"The requests could not be timed: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout)


def _said(name: str, found: Any) -> Iterator[str]:
    python = found["whole_ms"] - found["statements_ms"] - found["commit_ms"]
    yield f"  {name:<34}{found['whole_ms']:>8.2f} ms"
    yield f"  {'  Python: Django, DRF and ours':<34}{python:>8.2f} ms"
    yield f"  {'  statements, there and back':<34}{found['statements_ms']:>8.2f} ms in {found['calls']:.1f} calls"
    yield f"  {'  commit':<34}{found['commit_ms']:>8.2f} ms"
