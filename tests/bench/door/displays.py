"""A thousand displays on the stream of one live process, while sixteen controllers contribute as fast as they are answered.

A change is a lock-out. It was delivered to a display when the first frame arrived there whose reading (`as_of`) began after the
lock-out had been answered: that reading cannot lack it. The time from the answer to that arrival is what is measured, for every
display, so it includes the wait for the next reading. Those of the last second are left out, for nothing changes after them.
"""

import bisect
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from tests.bench.door import arrays
from tests.bench.door.figures import Row, milliseconds, percentile
from tests.bench.door.site import ROOT, Floor, Server, Site
from tests.bench.door.size import Size

# Each display against each lock-out would be tens of millions of pairs; this many lock-outs, evenly spread, say the same.
MOST_LOCKOUTS = 2_000
NEVER = float("inf")

Frames = list[list[float]]


def measure(site: Site, floor: Floor, size: Size) -> Iterator[str | Row]:
    with site.doors(floor.database) as doors, site.live(floor.database) as live, site.worker(floor.database):
        arrays.one_by_one(site, floor, doors, 1.0)
        yield f"  {size.displays} displays are coming"
        watching = _watch(live, size.displays)
        try:
            offset = time.time() - time.perf_counter()
            taken = arrays.one_by_one(site, floor, doors, size.display_seconds)
            time.sleep(1)
            shown: list[Frames] = json.loads(watching.communicate(input="", timeout=60)[0])
        finally:
            watching.kill()
        memory = max(live.memory_mb())
    answered = sorted(one.answered_at + offset for one in taken.timings if one.kind == "lockout")
    late = delays(shown, [moment for moment in answered if moment < answered[-1] - 1])
    frames = sum(len(one) for one in shown) / len(shown)
    yield f"  {'lock-outs and settles meanwhile':<34}{taken.rate():>8.0f} events a second, {frames:.0f} frames to each display"
    yield f"  {'from answer to display':<34}{milliseconds(late)}; the live process holds {memory:.0f} MB"
    p99 = percentile(late, 99)
    yield Row(f"a change on each of {len(shown)} displays, p99", f"{p99:.2f} s", "≤ 1 s", p99 <= 1 and len(shown) == size.displays)


def _watch(live: Server, displays: int) -> subprocess.Popen[str]:
    """The program that is the displays; it is ready once each of them has its first frame."""
    words = [sys.executable, "-m", "tests.bench.door.watching", str(live.port), str(displays)]
    watching = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert watching.stdout is not None
    if watching.stdout.readline().strip() != "ready":
        watching.kill()
        sys.exit("The displays did not all get a first frame.")
    return watching


def delays(shown: Sequence[Frames], answered: Sequence[float]) -> list[float]:
    """How long each of the changes took to each of the displays."""
    thinned = answered[:: max(1, len(answered) // MOST_LOCKOUTS)]
    return [delay for frames in shown for delay in _of_one(frames, thinned)]


def _of_one(frames: Frames, answered: Sequence[float]) -> Iterator[float]:
    read_at = [frame[0] for frame in frames]
    for moment in answered:
        place = bisect.bisect_left(read_at, moment)
        yield frames[place][1] - moment if place < len(frames) else NEVER
