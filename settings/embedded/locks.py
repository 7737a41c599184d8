"""One server a folder: a lock that lives as long as anyone who holds it, however they die."""

import fcntl
import os
import pathlib
import time

from settings.embedded import trouble


def hold(*, path: pathlib.Path, what: str, seconds: float = 15) -> int:
    """Lock the file for as long as the returned descriptor, or a child that inherits it, is open.

    Whoever started the holders and is alive is not waited for; what one who was killed left behind is given so many seconds to end.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    give_up_at = time.monotonic() + seconds
    try:
        while not _taken(descriptor):
            _refuse_living(descriptor, what)
            if time.monotonic() >= give_up_at:
                raise trouble.Trouble(f"{what} was killed, and what it left behind is still ending; try again in a moment.")
            time.sleep(0.05)
    except trouble.Trouble:
        os.close(descriptor)
        raise
    os.truncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    return descriptor


def _refuse_living(descriptor: int, what: str) -> None:
    holder = os.pread(descriptor, 20, 0).decode(errors="replace")
    if holder.isdecimal() and is_alive(int(holder)):
        raise trouble.Trouble(f"{what} is already running here (process {holder}).")


def is_alive(process: int) -> bool:
    """Whether there is such a process, ours or not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
