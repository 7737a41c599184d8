"""Claims on the meter, alone and while fifteen other controllers of the link contribute as fast as they are answered.

The controller that claims plays round after round: lock-out, straight flush (a tenth of the meter), settle. Only the claim is timed.
Worker and beat run, because folding the meters is theirs. Quiet slices and loaded ones are taken in turn, so that the claims already on
the meter are as many for both.
"""

from collections.abc import Iterator

from tests.bench.door import load
from tests.bench.door.events import Controller, Request
from tests.bench.door.figures import Row, at_most, milliseconds, percentile
from tests.bench.door.singles import settle_all
from tests.bench.door.site import Floor, Server, Site
from tests.bench.door.size import Size

STRAIGHT_FLUSH = '"seat":1,"wager":"progressive","cards":["9D","8D","7D","6D","5D"],"hand":"straight-flush"'


def measure(site: Site, floor: Floor, size: Size) -> Iterator[str | Row]:
    idle: list[float] = []
    loaded: list[float] = []
    meanwhile: list[float] = []
    tries_again = 0
    with site.doors(floor.database) as server, site.worker(floor.database):
        _slice(site, floor, server, size, is_loaded=True)
        for number in range(size.claim_slices):
            yield f"  slice {number + 1} of {size.claim_slices}"
            idle += _slice(site, floor, server, size, is_loaded=False).times("claim")
            taken = _slice(site, floor, server, size, is_loaded=True)
            loaded += taken.times("claim")
            meanwhile += taken.times("lockout")
            tries_again += taken.tries_again
    yield f"  {'claims, nothing else going on':<34}{milliseconds(idle)}"
    yield f"  {'claims under load':<34}{milliseconds(loaded)}"
    yield f"  {'contributions meanwhile':<34}{milliseconds(meanwhile)}; {tries_again} requests were told to try again"
    yield at_most("a claim under load, its p99 of the p50 of an idle one", percentile(loaded, 99) / percentile(idle, 50), 5)
    yield at_most("contributions meanwhile, their p99 of the claims' p99", percentile(meanwhile, 99) / percentile(loaded, 99), 1)


def _slice(site: Site, floor: Floor, server: Server, size: Size, *, is_loaded: bool) -> load.Slice:
    claimer, *others = floor.controllers
    loads = [one.in_turn() for one in others] if is_loaded else []
    taken = load.send(port=server.port, requests=[_rounds(claimer, size.claims), *loads])
    settle_all(site, floor)
    return taken


def _rounds(claimer: Controller, number: int) -> Iterator[Request]:
    table = claimer.tables[0]
    for _ in range(number):
        yield claimer.request("opening", claimer.lockout(table))
        yield claimer.request("claim", claimer.event("hit", table, STRAIGHT_FLUSH))
        yield claimer.request("settle", claimer.event("settle", table))
