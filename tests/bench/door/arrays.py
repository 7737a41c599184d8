"""Arrays of 500 lock-outs, each with its settle, as a controller sends its backlog; against the same events sent one by one.

All events are counted, on both sides: lock-out and settle in turn at one table, once in single requests of sixteen controllers and once
in arrays.
"""

import time
from collections.abc import Iterator

from tests.bench.door import load
from tests.bench.door.figures import Row, at_least, median
from tests.bench.door.singles import settle_all
from tests.bench.door.site import Floor, Server, Site
from tests.bench.door.size import Size


def measure(site: Site, floor: Floor, size: Size) -> Iterator[str | Row]:
    single, arrays = [], []
    with site.doors(floor.database) as server:
        one_by_one(site, floor, server, 1.0)
        for number in range(size.array_slices):
            yield f"  slice {number + 1} of {size.array_slices}"
            single.append(one_by_one(site, floor, server, max(2.0, size.seconds)).rate())
            arrays.append(in_arrays(floor, server, size))
    yield f"  {'lock-out and settle, one by one':<34}{median(single):>8.0f} events a second"
    yield f"  {f'arrays of {size.array_lockouts} lock-outs and settles':<34}{median(arrays):>8.0f} events a second"
    yield at_least(f"arrays of {size.array_lockouts} lock-outs, of the single rate", median(arrays) / median(single), 5)


def one_by_one(site: Site, floor: Floor, server: Server, seconds: float) -> load.Slice:
    """Lock-out and settle in turn, each controller at its first table; whatever is still in play is settled afterwards."""
    taken = load.send(port=server.port, requests=[one.in_turn() for one in floor.controllers], seconds=seconds)
    settle_all(site, floor)
    return taken


def in_arrays(floor: Floor, server: Server, size: Size) -> float:
    """Events a second while some controllers send an array each."""
    requests = [[one.array(lockouts=size.array_lockouts)] for one in floor.controllers[: size.array_senders]]
    began_at = time.perf_counter()
    load.send(port=server.port, requests=requests)
    return sum(own[0].events for own in requests) / (time.perf_counter() - began_at)
