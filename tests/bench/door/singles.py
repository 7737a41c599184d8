"""Single lock-outs of sixteen controllers on one link, and what they are compared with.

A lock-out opens a new round, and a table has one round in play; so each controller has many tables, a slice is one lock-out at
each of them, and between slices the rounds are settled by a statement of the bench, unmeasured. Slices of what is compared are taken
in turn, so that whatever else the machine does meets all of them alike; the figures are medians of the slices.
"""

import pathlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.bench import disk, ledger
from tests.bench.door import events, load
from tests.bench.door.figures import Row, at_least, at_most, median, milliseconds, percentile
from tests.bench.door.site import Floor, Server, Site
from tests.bench.door.size import Size

# A table's lock-out goes to either of two processes; after so many, few have not been to both.
WARM_ROUNDS = 5
SETTLE = "UPDATE tables_round SET state = 'settled', closed_at = now() WHERE state IN ('open', 'locked')"


@dataclass
class Measured:
    """Rates slice by slice, and the time of every single lock-out."""

    rates: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def add(self, taken: load.Slice) -> None:
        self.rates.append(taken.rate())
        self.times += taken.times("lockout")

    @property
    def rate(self) -> float:
        return median(self.rates)

    def said(self, name: str) -> str:
        return f"  {name:<34}{self.rate:>8.0f} a second   {milliseconds(self.times)}"


def lock_out_everywhere(site: Site, floor: Floor, server: Server) -> load.Slice:
    """One lock-out at every table of the floor; the rounds are settled afterwards."""
    taken = load.send(port=server.port, requests=[one.lockouts() for one in floor.controllers])
    settle_all(site, floor)
    return taken


def settle_all(site: Site, floor: Floor) -> None:
    """Nothing is in play any more: the next lock-out of every table opens its next round."""
    with site.superuser(floor.database) as cursor:
        cursor.execute(SETTLE)


def compare(floor: Floor, server: Server, path: str, seconds: float) -> load.Slice:
    return load.send(port=server.port, requests=[one.compared(path) for one in floor.strangers], seconds=seconds)


def native(site: Site, floor: Floor, size: Size) -> Iterator[str | Row]:
    """At this disk's own speed, against an endpoint that only inserts and against a plain ModelViewSet."""
    ours, insert_only, plain = Measured(), Measured(), Measured()
    with site.doors(floor.database) as server:
        _warm(site, floor, server)
        for number in range(size.slices):
            yield f"  slice {number + 1} of {size.slices}"
            ours.add(lock_out_everywhere(site, floor, server))
            insert_only.add(compare(floor, server, events.INSERT_ONLY, size.seconds))
            _own_sequences(site, floor)
            plain.add(compare(floor, server, events.PLAIN, size.seconds))
        memory = max(server.memory_mb())
    yield ours.said("single lock-outs")
    yield insert_only.said("insert only")
    yield plain.said("ModelViewSet, select_for_update")
    yield f"  the largest web process holds {memory:.0f} MB"
    yield at_least("single lock-outs, of an endpoint that only inserts the event", ours.rate / insert_only.rate, 0.6)
    yield at_least("single lock-outs, of a plain ModelViewSet with select_for_update", ours.rate / plain.rate, 2)
    yield at_most("single lock-outs, p99 of their p50", percentile(ours.times, 99) / percentile(ours.times, 50), 10)


def slowed(site: Site, floor: Floor, size: Size) -> Iterator[str | Row]:
    """On a disk a millisecond slower, against pgbench writing the event, one hot meter row and the transfers."""
    library, reason = disk.shim(site.folder)
    if library is None:
        yield f"  Not measured on a slower disk: {reason}."
        return
    ours, raw = Measured(), []
    ledger.make_tables(site.postgres)
    with site.slower_disk(library), site.doors(floor.database) as server:
        _warm(site, floor, server)
        for number in range(size.slices):
            yield f"  slice {number + 1} of {size.slices}"
            ours.add(lock_out_everywhere(site, floor, server))
            raw.append(_raw(site, pathlib.Path(site.folder), len(floor.controllers), size, number))
    yield ours.said("single lock-outs, fsync + 1 ms")
    yield f"  {'raw hot row (pgbench), fsync + 1 ms':<34}{median(raw):>8.0f} a second"
    yield f"  {disk.HOW}"
    yield at_least("single lock-outs at fsync + 1 ms, of the raw hot row", ours.rate / median(raw), 0.5)


def _raw(site: Site, folder: pathlib.Path, clients: int, size: Size, number: int) -> float:
    seconds = max(1, round(size.seconds))
    return ledger.run(site.postgres, folder, ledger.HOT, clients=clients, seconds=seconds, after=number * 1_000_000).tps


def _warm(site: Site, floor: Floor, server: Server) -> None:
    """Every thread of the server makes its connection and loads what it loads once, before anything is measured: each of its processes
    has to have met nearly every table."""
    for _ in range(WARM_ROUNDS):
        lock_out_everywhere(site, floor, server)


def _own_sequences(site: Site, floor: Floor) -> None:
    """The plain endpoint keeps sequences of its own; it is told where the senders stand, so that they need no second set."""
    with site.superuser(floor.database) as cursor:
        for one in floor.strangers:
            cursor.execute(
                "INSERT INTO plain_sender SELECT id, %s FROM tables_controller WHERE name = %s"
                " ON CONFLICT (controller) DO UPDATE SET next_sequence = excluded.next_sequence",
                [one.next_sequence, one.name],
            )
