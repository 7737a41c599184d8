"""Keeps the service's processes running, and ends them in the right order."""

import dataclasses
import pathlib
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import NoReturn

from settings.embedded import children, lives, screen, trouble

LARGEST_LOG_BYTES = 20_000_000


@dataclasses.dataclass
class Part:
    """One process of the service."""

    name: str
    command: tuple[str, ...]
    is_started_again: bool
    stop_seconds: float = 10
    ends_with_us_by: signal.Signals = signal.SIGTERM
    tries: lives.Lives = dataclasses.field(default_factory=lives.Lives)
    child: subprocess.Popen[bytes] | None = None


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

    def watch(self, *, look_below: Callable[[], None]) -> NoReturn:
        """Look after the parts, and first every time after what they stand on, until one of them is beyond help."""
        while True:
            look_below()
            for part in self.parts:
                self._look_after(part)
            time.sleep(0.2)

    def check(self, part: Part) -> None:
        """Complain if a part that must live is dead."""
        if part.child is not None and part.child.poll() is not None:
            raise trouble.Trouble(
                f"The {part.name} process has ended ({children.ending(part.child.returncode)}); its log is {self.log(part)}."
            )

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
        part.tries.begin()
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
            if part.tries.is_due():
                self._spawn(part)
        elif part.child.poll() is not None:
            self._bury(part)

    def _bury(self, part: Part) -> None:
        assert part.child is not None
        children.end_family(part.child)
        if not part.is_started_again:
            self.check(part)
        sentence = f"The {part.name} process has ended ({children.ending(part.child.returncode)})"
        pause = part.tries.end()
        if pause is None:
            raise trouble.Trouble(f"{sentence}, and does not stay up. Log: {self.log(part)}")
        screen.say(f"{sentence}; it is started again in {pause} s. Log: {self.log(part)}")
        part.child = None


def shorten(log: pathlib.Path) -> None:
    """Set a log that has grown large aside and go on with an empty one."""
    # Whoever writes it always writes at the file's end, wherever that is, and so need not know.
    if log.exists() and log.stat().st_size > LARGEST_LOG_BYTES:
        shutil.copyfile(log, log.with_name(f"{log.name}.1"))
        with log.open("r+b") as file:
            file.truncate(0)
