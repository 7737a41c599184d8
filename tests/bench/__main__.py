"""What `bin/bench` measures, by name."""

import signal
import sys
from collections.abc import Iterable, Sequence

from tests.bench import hands, ledger
from tests.bench.door import load
from tests.bench.door import run as door

SECTIONS = {"hands": hands.measure, "ledger": ledger.measure}


def main(words: Sequence[str]) -> None:
    """`door` takes words of its own; the other sections take none. Without a word all but the door are measured: it takes minutes."""
    # Ended from outside, it still ends what it has started and takes its folder away.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit("Stopped before the end."))
    if words and words[0] == "door":
        try:
            _say(door.measure(words[1:]))
        except load.BadAnswer as answer:
            sys.exit(f"The service did not take what it was sent: {answer}")
        return
    unknown = [name for name in words if name not in SECTIONS]
    if unknown:
        sys.exit(f"There is nothing called {unknown[0]} to measure; there is: {', '.join([*SECTIONS, 'door'])}.")
    for name in words or SECTIONS:
        _say(SECTIONS[name]())


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
