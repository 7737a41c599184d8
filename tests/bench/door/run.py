"""How fast events go through the whole service, as ratios measured in one run, against what was promised. See docs/speed.md."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence

from tests.bench.door import arrays, claims, displays, figures, million, singles, site, size, where
from tests.bench.door.figures import Row

Section = Callable[[site.Site, site.Floor, size.Size], Iterator[str | Row]]

SECTIONS: dict[str, list[tuple[str, Section]]] = {
    "single": [
        ("Single lock-outs, this disk", singles.native),
        ("Single lock-outs, a disk slower by 1 ms", singles.slowed),
    ],
    "arrays": [("Arrays of lock-outs", arrays.measure)],
    "claims": [("Claims, alone and under load", claims.measure)],
    "displays": [("Displays on the stream", displays.measure)],
    "million": [("A million stored events", million.measure)],
    "where": [("Where the time of a lock-out goes", where.measure)],
}


def measure(words: Sequence[str]) -> Iterator[str]:
    """Say line by line what is measured, and at the end the table. Words choose rows; --quick measures less of each."""
    chosen = [word for word in words if word != "--quick"] or list(SECTIONS)
    unknown = [word for word in chosen if word not in SECTIONS]
    if unknown:
        sys.exit(f"The door has no row called {unknown[0]}; it has: {', '.join(SECTIONS)}.")
    yield from run(chosen, size.QUICK if "--quick" in words else size.FULL)


def run(chosen: Sequence[str], how_much: size.Size) -> Iterator[str]:
    rows: list[Row] = []
    yield f"{how_much.controllers} controllers on one link, {os.cpu_count()} processors, synchronous_commit and fsync on"
    with site.opened() as here:
        yield "laying out the floor"
        floor = here.lay_out("linkmeter", controllers=how_much.controllers, tables=how_much.tables)
        for title, section in (one for name in chosen for one in SECTIONS[name]):
            yield title
            for said in section(here, floor, how_much):
                if isinstance(said, Row):
                    rows.append(said)
                else:
                    yield said
    yield ""
    yield from figures.table(rows)
