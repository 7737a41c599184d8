"""How fast the floor plays, and how it is asked to stop: every wait in the simulator goes through here."""

import threading


class Stopped(Exception):
    """The floor was asked to close while a table was waiting."""


class Pace:
    """Waits that shrink with the pace and end at once when the floor closes."""

    def __init__(self, *, multiple: float = 1.0) -> None:
        if not multiple > 0:
            raise ValueError(f"The pace must be above zero, not {multiple}.")
        self.multiple = multiple
        self._closing = threading.Event()

    @property
    def is_closing(self) -> bool:
        return self._closing.is_set()

    def close(self) -> None:
        """Ask every table to stop at its next wait."""
        self._closing.set()

    def play(self, seconds: float) -> None:
        """Let so much of the players' time pass: at pace 10 a second takes a tenth."""
        self.wait(seconds / self.multiple)

    def wait(self, seconds: float) -> None:
        """Let real seconds pass, for what does not speed up with the players: back-off, and people being waited for."""
        if self._closing.wait(seconds):
            raise Stopped
