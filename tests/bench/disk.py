"""A disk a millisecond slower than this one, as a network disk is: PostgreSQL with a library preloaded that holds up its flushes."""

import contextlib
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterator

from settings.embedded import postgres

SOURCE = pathlib.Path(__file__).with_name("slow_disk.c")
HOW = "The slower disk is this one with fsync and fdatasync held up for 1 ms by a preloaded library (tests/bench/slow_disk.c)."


def shim(folder: pathlib.Path) -> tuple[pathlib.Path | None, str]:
    """The library, compiled into the folder; or why it cannot be had here."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        return None, "that takes Linux and a C compiler called cc"
    made = folder / "slow_disk.so"
    done = subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", made, SOURCE], capture_output=True, text=True, check=False)
    return (made, "") if done.returncode == 0 else (None, f"{compiler} could not compile {SOURCE.name}")


@contextlib.contextmanager
def preloaded(library: pathlib.Path) -> Iterator[None]:
    """Servers started meanwhile have the library preloaded. They get an environment of their own, so ours does not reach them."""
    plain = postgres._plain_environment
    postgres._plain_environment = lambda: {**plain(), "LD_PRELOAD": str(library)}
    try:
        yield
    finally:
        postgres._plain_environment = plain
