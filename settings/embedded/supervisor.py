"""Keeps the service's processes running, and ends them in the right order."""

import dataclasses
import pathlib
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import NoReturn

from settings.embedded import children, screen, trouble

# A child that keeps failing is tried again ever more slowly, so that it fills neither the log nor the processor.
PAUSES_SECONDS = (1, 2, 4, 8, 15, 30)
LONG_LIFE_SECONDS = 60
LARGEST_LOG_BYTES = 20_000_000


@dataclasses.dataclass
class Part:
    """One process of the service."""

    name: str
    command: tuple[str, ...]
    is_started_again: bool
    stop_seconds: float = 10
    ends_with_us_by: signal.Signals = signal.SIGTERM
    child: subprocess.Popen[bytes] | None = None
    started_at: float = 0
    due_at: float = 0
    failures: int = 0


class Supervisor:
    """Holds the parts in the order in which they were started, which read backwards is the order in which they stop."""

    def __init__(self, *, root: pathlib.Path, logs: pathlib.Path, environment: Mapping[str, str], lock: int) -> None:
        self.root = root
        self.logs = logs
        self.environment = environment
        # Every part inherits the runner's lock, so that no second start meets what is left of this one.
        self.lock = lock
        self.parts: list[Part] = []

    def start(self, part: Part) -> None:
        self.parts.append(part)
        self._spawn(part)

    def watch(self, *, is_base_alive: Callable[[], bool]) -> NoReturn:
        """Look after the parts for as long as the servers below them live."""
        while True:
            if not is_base_alive():
                raise trouble.Trouble(f"PostgreSQL or Valkey has ended by itself; their logs are in {self.logs}.")
            for part in self.parts:
                self._look_after(part)
            time.sleep(0.2)

    def check(self, part: Part) -> None:
        """Complain if a part that must live is dead."""
        if part.child is not None and part.child.poll() is not None:
            raise trouble.Trouble(f"The {part.name} process has ended ({_ending(part.child.returncode)}); its log is {self.log(part)}.")

    def stop(self) -> None:
        """End the parts one after another, the last started first."""
        for part in reversed(self.parts):
            if part.child is not None:
                children.end(part.child, seconds=part.stop_seconds)
                part.child = None

    def hurry(self) -> None:
        """End them all at once. What they were doing is found again by the sweeps at the next start."""
        for part in self.parts:
            if part.child is not None:
                children.end_family(part.child)

    def log(self, part: Part) -> pathlib.Path:
        return self.logs / f"{part.name}.log"

    def _spawn(self, part: Part) -> None:
        part.started_at = time.monotonic()
        part.child = children.spawn(
            part.command,
            log=self.log(part),
            folder=self.root,
            environment=self.environment,
            ends_with_us_by=part.ends_with_us_by,
            keeps_open=[self.lock],
        )

    def _look_after(self, part: Part) -> None:
        shorten(self.log(part))
        if part.child is None:
            if time.monotonic() >= part.due_at:
                self._spawn(part)
        elif part.child.poll() is not None:
            self._bury(part)

    def _bury(self, part: Part) -> None:
        assert part.child is not None
        children.end_family(part.child)
        if not part.is_started_again:
            self.check(part)
        lived = time.monotonic() - part.started_at
        part.failures = 1 if lived > LONG_LIFE_SECONDS else part.failures + 1
        pause = PAUSES_SECONDS[min(part.failures, len(PAUSES_SECONDS)) - 1]
        screen.say(
            f"The {part.name} process has ended ({_ending(part.child.returncode)}); it is started again in {pause} s. Log: {self.log(part)}"
        )
        part.child, part.due_at = None, time.monotonic() + pause


def shorten(log: pathlib.Path) -> None:
    """Set a log that has grown large aside and go on with an empty one."""
    # Whoever writes it always writes at the file's end, wherever that is, and so need not know.
    if log.exists() and log.stat().st_size > LARGEST_LOG_BYTES:
        shutil.copyfile(log, log.with_name(f"{log.name}.1"))
        with log.open("r+b") as file:
            file.truncate(0)


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
