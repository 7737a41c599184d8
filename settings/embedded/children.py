"""Starting and ending child processes so that none is ever left behind."""

import contextlib
import ctypes
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

from settings.embedded import accounts

PR_SET_PDEATHSIG = 1
# Loaded here because a child between fork and exec must not load anything.
LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def spawn(
    command: Sequence[str | pathlib.Path],
    *,
    log: pathlib.Path,
    folder: pathlib.Path,
    environment: Mapping[str, str] | None = None,
    account: accounts.Account | None = None,
    ends_with_us_by: signal.Signals = signal.SIGTERM,
    keeps_open: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a child in a session of its own, so that a Ctrl-C reaches only us, and so that its whole family can be ended together."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        return subprocess.Popen(
            [str(word) for word in command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=keeps_open,
            preexec_fn=_dies_with_us(ends_with_us_by),
            **(account.popen_arguments() if account else {}),
        )


def end(child: subprocess.Popen[bytes], *, by: signal.Signals = signal.SIGTERM, seconds: float = 10) -> int:
    """Ask the child to end, wait for it, and then take away whatever is left of its family."""
    if child.poll() is None:
        child.send_signal(by)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=seconds)
    end_family(child)
    return child.wait()


def end_family(child: subprocess.Popen[bytes]) -> None:
    """End every process of the child's group at once. A leader that was killed can leave workers behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)


def ending(code: int) -> str:
    """How a process ended, for people."""
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _dies_with_us(by: signal.Signals) -> Callable[[], None]:
    """What the child does between fork and exec: ask the kernel for a signal at our death.

    It must come after the change of account, which would undo it; subprocess keeps that order.
    """
    parent = os.getpid()

    def ask() -> None:
        if LIBC is not None:
            LIBC.prctl(PR_SET_PDEATHSIG, int(by), 0, 0, 0)
            if os.getppid() != parent:  # we died before the kernel was asked
                os._exit(1)

    return ask
