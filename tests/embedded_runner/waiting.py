"""Waiting for what another process will do, without ever asserting how long it took."""

import pathlib
import time
from collections.abc import Callable

PATIENCE_SECONDS = 120


def until(is_so: Callable[[], bool], what: str) -> None:
    """Return as soon as it is so; fail in words after far longer than it can take."""
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < give_up_at, f"still not so: {what}"
        time.sleep(0.05)


def is_gone(process: int) -> bool:
    """Whether the process has ended; one that its parent has not asked after yet has ended too."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
