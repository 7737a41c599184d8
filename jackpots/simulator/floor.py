"""The whole floor: who plays, at which tables; one thread a table."""

import collections
import contextlib
import dataclasses
import json
import pathlib
import threading
import time
from collections.abc import Collection, Sequence
from typing import Any

import structlog

from jackpots.simulator import account as accounts
from jackpots.simulator import controller as controllers
from jackpots.simulator import faults as bad_lines
from jackpots.simulator import floorperson as floorpersons
from jackpots.simulator import games
from jackpots.simulator import notebook as notebooks
from jackpots.simulator import pace as paces
from jackpots.simulator import table as tables

log = structlog.get_logger("linkmeter.simulator")

# Neighbouring tables begin this far apart, in seconds of the players' time, so that the floor does not breathe in step.
STAGGER_SECONDS = 4.3
JOIN_SECONDS = 0.5
HEARTBEAT_SECONDS = 20.0
BEAT_TRIES = 20
# On a line that is bad on purpose nobody gains by waiting long before trying again.
BACK_OFF_UNDER_FAULTS_SECONDS = 0.02


class NoSuchTable(ValueError):
    """A table was asked for that no controller of the demonstration serves."""


@dataclasses.dataclass(frozen=True)
class Cast:
    """The demonstration's people and controllers, as they were written down when the floor was furnished."""

    people: Sequence[dict[str, Any]]
    controllers: Sequence[dict[str, Any]]

    @classmethod
    def read(cls, path: pathlib.Path) -> "Cast":
        written = json.loads(path.read_text(encoding="utf-8"))
        return cls(written["people"], written["controllers"])


@dataclasses.dataclass
class Floor:
    """Tables that play against one service until their rounds are played or the floor is closed."""

    cast: Cast
    url: str
    seed: int
    pace: paces.Pace
    is_demonstration: bool = True
    # Where controllers keep their notebooks; without a folder what is unanswered ends with the process.
    notebooks: pathlib.Path | None = None
    faults: Collection[str] = ()
    # Which life of the simulator this is, where it is killed and started again.
    life: int = 1
    # Whether somebody signs meter awards too, so that no table ever waits for people.
    is_attended: bool = False
    tally: bad_lines.Tally = dataclasses.field(default_factory=bad_lines.Tally)
    account: accounts.Account = dataclasses.field(default_factory=accounts.Account)
    broken: list[str] = dataclasses.field(default_factory=list)

    def play(self, *, rounds: int | None = None, only: Collection[str] = ()) -> bool:
        """Open the tables, play, and say whether every table ended as it should."""
        lines = [self._controller(entry) for entry in self.cast.controllers if not only or entry.get("table") in {None, *only}]
        floorperson = self._person("floorperson")
        supervisor = self._person("supervisor") if self.is_attended else None
        try:
            chosen = self._tables(lines, floorperson, supervisor, only)
            if floorperson and not self.is_attended:
                floorperson.clear_queue()
            self._play_all(chosen, lines, rounds)
        except paces.Stopped:
            pass
        finally:
            for line in lines:
                line.hang_up()
            for person in (floorperson, supervisor):
                if person:
                    person.hang_up()
            self._sum_up(lines)
        return not self.broken and not self.tally.complaints

    def _controller(self, entry: dict[str, Any]) -> controllers.Controller:
        line, off_by = bad_lines.line_for(entry=entry, url=self.url, kinds=self.faults, seed=self.seed, life=self.life, tally=self.tally)
        notebook = notebooks.Notebook(self.notebooks / f"{entry['name']}.jsonl") if self.notebooks else None
        for event, first in notebook.story() if notebook else ():
            self.account.note(event=event, first=first)
        return controllers.Controller(
            name=entry["name"],
            url=self.url,
            token=entry["token"],
            pace=self.pace,
            notebook=notebook,
            line=line,
            clock_is_off_by=off_by,
            on_answer=self.account.note,
            back_off_seconds=BACK_OFF_UNDER_FAULTS_SECONDS if self.faults else None,
        )

    def _person(self, role: str) -> floorpersons.Floorperson | None:
        for person in self.cast.people:
            if person["role"] == role:
                keys = {key: person[key] for key in ("username", "password", "pin")}
                return floorpersons.Floorperson(url=self.url, **keys, signs_meter_awards=role != "floorperson")
        return None

    def _tables(
        self,
        lines: Sequence[controllers.Controller],
        floorperson: floorpersons.Floorperson | None,
        supervisor: floorpersons.Floorperson | None,
        only: Collection[str],
    ) -> list[tables.Table]:
        told = [(line, table) for line in lines for table in line.ask()["tables"] if table["game"] in games.GAMES]
        unknown = set(only) - {table["table"] for _, table in told}
        if unknown:
            raise NoSuchTable(f"No controller serves {', '.join(sorted(unknown))}.")
        chosen = [(line, table) for line, table in told if not only or table["table"] in only]
        demonstrating = _first_linked([table for _, table in chosen]) if self.is_demonstration else None
        made = [self._table(line, table, floorperson, place, demonstrating) for place, (line, table) in enumerate(chosen)]
        for table in made:
            table.supervisor = supervisor
        return made

    def _table(
        self,
        line: controllers.Controller,
        told: dict[str, Any],
        floorperson: floorpersons.Floorperson | None,
        place: int,
        demonstrating: str | None,
    ) -> tables.Table:
        table = tables.Table(
            name=told["table"],
            controller=line,
            pace=self.pace,
            account=self.account,
            floorperson=floorperson,
            seed=self.seed,
            is_demonstrating=told["table"] == demonstrating,
            starts_after_seconds=place * STAGGER_SECONDS,
        )
        table.read(told)
        return table

    def _play_all(self, chosen: Sequence[tables.Table], lines: Sequence[controllers.Controller], rounds: int | None) -> None:
        log.info("the floor opens", tables=[table.name for table in chosen], seed=self.seed, pace=self.pace.multiple, url=self.url)
        for line in lines:
            # Before the first event, so that the service knows how far each clock is off; a bad line gets some chances.
            any(line.beat() for _ in range(BEAT_TRIES))
        threads = [threading.Thread(target=self._run, args=(table, rounds), name=table.name) for table in chosen]
        for thread in threads:
            thread.start()
        # Joined in short steps, so that the main thread hears signals in between.
        beat_at = time.monotonic() + HEARTBEAT_SECONDS
        while any(thread.is_alive() for thread in threads):
            if time.monotonic() >= beat_at:
                beat_at = time.monotonic() + HEARTBEAT_SECONDS
                for line in lines:
                    line.beat()
            max(threads, key=threading.Thread.is_alive).join(JOIN_SECONDS)
        for line in lines if not self.pace.is_closing else ():
            with contextlib.suppress(controllers.TurnedAway):
                # A line that was turned away has said so, and its table has given up.
                line.finish()
            # What was counted and what was booked are compared once more now that all is played.
            any(line.beat() for _ in range(BEAT_TRIES))
            self.tally.complaints += line.miscounts[-1:]

    def _run(self, table: tables.Table, rounds: int | None) -> None:
        try:
            table.play_rounds(rounds)
        except paces.Stopped:
            log.info("the table closes", table=table.name, round=table.next_round)
        except controllers.TurnedAway as reason:
            self.broken.append(table.name)
            log.error("the table gives up", table=table.name, round=table.next_round, reason=str(reason))
        except Exception:
            # One table's fault must not take the others down; it is logged whole and makes the run end as failed.
            self.broken.append(table.name)
            log.exception("the table broke down", table=table.name, round=table.next_round)

    def _sum_up(self, lines: Sequence[controllers.Controller]) -> None:
        in_doubt = [line.unanswered for line in lines if line.unanswered]
        struck = {"faults": dict(self.tally.struck), "arrays": sum(line.arrays for line in lines)} if self.faults else {}
        log.info("the floor is closed", account=self.account.figures(), in_doubt=in_doubt, **struck)


def _first_linked(told: Sequence[dict[str, Any]]) -> str | None:
    """The first table that shares a progressive with another, or simply the first: there the stacked demo deck is used."""
    shared = collections.Counter(offer["progressive"] for table in told for offer in table["progressives"])
    linked = [table["table"] for table in told if any(shared[offer["progressive"]] > 1 for offer in table["progressives"])]
    return next(iter(linked or [table["table"] for table in told]), None)
