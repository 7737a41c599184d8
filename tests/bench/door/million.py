"""What an event costs when a million of them are stored, against ten thousand: two databases of one server, loaded in turn."""

from collections.abc import Iterator

from tests.bench.door import arrays, filling
from tests.bench.door.figures import Row, at_most, median
from tests.bench.door.site import Floor, Site
from tests.bench.door.size import Size

MOST_MB = 200


def measure(site: Site, floor: Floor, size: Size) -> Iterator[str | Row]:
    """Lock-out and settle in turn, one by one; the cost of an event is the inverse of the rate."""
    few = site.lay_out("few", controllers=size.controllers, tables=size.tables)
    many = site.lay_out("many", controllers=size.controllers, tables=size.tables)
    for at, events in ((few, size.few), (many, size.many)):
        with site.superuser(at.database) as cursor:
            yield f"  {filling.fill(cursor, at, events=events)} events are stored in {at.database}"
    rates: dict[str, list[float]] = {"few": [], "many": []}
    with site.doors("few") as small, site.doors("many") as large:
        for at, server in ((few, small), (many, large)):
            arrays.one_by_one(site, at, server, 1.0)
        for number in range(size.slices):
            yield f"  slice {number + 1} of {size.slices}"
            for at, server in ((few, small), (many, large)):
                rates[at.database].append(arrays.one_by_one(site, at, server, max(2.0, size.seconds)).rate())
        memory = max(large.memory_mb())
    for name, own in rates.items():
        yield f"  {name:<34}{median(own):>8.0f} events a second"
    yield at_most(f"{size.many} stored events against {size.few}, cost of an event", median(rates["few"]) / median(rates["many"]), 1.2)
    yield Row("the largest web process", f"{memory:.0f} MB", f"< {MOST_MB} MB", memory < MOST_MB)
