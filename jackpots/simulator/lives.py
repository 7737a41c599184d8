"""A run with faults from beginning to end: figures read, the floor played through several lives, figures read again and compared."""

import dataclasses
import pathlib
import random
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Sequence

import structlog

from jackpots.simulator import account as accounts
from jackpots.simulator import controller as controllers
from jackpots.simulator import floor as floors
from jackpots.simulator import floorperson as floorpersons
from jackpots.simulator import notebook as notebooks
from jackpots.simulator import pace as paces
from jackpots.simulator import reckoning

log = structlog.get_logger("linkmeter.simulator")

KILLS = 3
# A life ends once its controllers have written so much more into their notebooks: in the middle of play, however fast the machine is.
BYTES_UNTIL_KILLED = (4_000, 16_000)
LOOK_SECONDS = 0.02

Spawn = Callable[[int], "subprocess.Popen[bytes]"]


class NobodyForTheFigures(ValueError):
    """The cast has nobody of accounting, who could read the figures at the end."""


@dataclasses.dataclass
class Run:
    """One run with faults on a floor where nobody else plays."""

    cast: floors.Cast
    url: str
    seed: int
    only: Collection[str]
    folder: pathlib.Path
    pace: paces.Pace = dataclasses.field(default_factory=paces.Pace)

    def reckon(self, play: Callable[[], tuple[accounts.Account, Sequence[str]]]) -> list[reckoning.Row]:
        """Read the figures, let the floor play, read them again; the comparison is the answer."""
        accountant = self._accountant()
        reckoner = reckoning.Reckoner(accountant=accountant)
        try:
            reckoner.begin(self._known_account().progressives())
            account, complaints = play()
            return reckoner.compare(account=account, complaints=complaints)
        finally:
            accountant.hang_up()

    def live_and_die(self, spawn: Spawn) -> tuple[accounts.Account, Sequence[str]]:
        """Kill the simulator a few times while it plays, and start it again; then let it come to its end."""
        chance = random.Random(f"{self.seed}/kills")
        lengths = [*(chance.randint(*BYTES_UNTIL_KILLED) for _ in range(KILLS)), None]
        for life, more_bytes in enumerate(lengths, start=1):
            ended_with = self._live(spawn(life), more_bytes, life)
            if ended_with is not None:
                return self.account(), [f"life {life} ended with {ended_with}"] if ended_with else []
        raise AssertionError("the last life is not killed")

    def account(self) -> accounts.Account:
        """The account as the notebooks tell it: nothing else outlives a kill."""
        account = self._known_account()
        for path in sorted(self.folder.glob("*.jsonl")):
            notebook = notebooks.Notebook(path)
            for event, first in notebook.story():
                account.note(event=event, first=first)
            notebook.close()
        return account

    def _live(self, child: "subprocess.Popen[bytes]", more_bytes: int | None, life: int) -> int | None:
        """Wait until this life has done so much, and end it at once; or how it ended by itself. Without a length it comes to its end."""
        until = float("inf") if more_bytes is None else self._written() + more_bytes
        while child.poll() is None and self._written() < until:
            if self.pace.is_closing:
                # Whoever stops the run stops this life too, in good order.
                child.terminate()
                return child.wait()
            time.sleep(LOOK_SECONDS)
        if child.poll() is None:
            child.send_signal(signal.SIGKILL)
            child.wait()
            log.info("the simulator was killed", life=life)
            return None
        return child.returncode

    def _written(self) -> int:
        return sum(path.stat().st_size for path in self.folder.glob("*.jsonl"))

    def _known_account(self) -> accounts.Account:
        """An empty account that knows what each table's wagers play for."""
        account = accounts.Account()
        for entry in self.cast.controllers:
            asked = controllers.Controller(name=entry["name"], url=self.url, token=entry["token"], pace=paces.Pace())
            for table in asked.ask()["tables"]:
                if not self.only or table["table"] in self.only:
                    account.know(table=table["table"], offers=table["progressives"])
            asked.hang_up()
        return account

    def _accountant(self) -> floorpersons.Floorperson:
        for person in self.cast.people:
            if person["role"] == "accounting":
                keys = {key: person[key] for key in ("username", "password", "pin")}
                return floorpersons.Floorperson(url=self.url, **keys)
        raise NobodyForTheFigures("The reckoning needs somebody of accounting among the people, to read the figures.")
