"""One server a folder: a lock that lives as long as anyone who holds it, however they die."""

import fcntl
import os
import pathlib
import time

from settings.embedded import trouble


def hold(*, path: pathlib.Path, what: str, seconds: float = 0) -> int:
    """Lock the file for as long as the returned descriptor, or a child that inherits it, is open; wait at most so many seconds for it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    give_up_at = time.monotonic() + seconds
    while not _taken(descriptor):
        if time.monotonic() >= give_up_at:
            holder = os.pread(descriptor, 20, 0).decode(errors="replace").strip()
            os.close(descriptor)
            raise trouble.Trouble(f"{what} is already running here" + (f" (process {holder})." if holder else "."))
        time.sleep(0.05)
    os.truncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    return descriptor


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
