"""A bad line on purpose: what happens between a controller and the service on a bad night, drawn from a seed."""

import collections
import dataclasses
import datetime
import random
import time
from collections.abc import Collection
from typing import Any

import structlog

from jackpots.simulator import line as lines

log = structlog.get_logger("linkmeter.simulator")

# What can be switched on. `skew` is of the controller's clock and `kill` of the whole simulator; the others are of the line.
KINDS = ("duplicate", "reorder", "drop", "delay", "skew", "cut", "kill")
CHANCES = {"duplicate": 0.06, "reorder": 0.04, "drop": 0.06, "delay": 0.05, "cut": 0.015}
DELAY_SECONDS = (0.005, 0.05)
# A cut swallows so many calls, one after the other.
CUT_CALLS = (3, 9)
LARGEST_SKEW_SECONDS = 90
EVENTS = "/api/v1/events/"


class NoSuchFault(ValueError):
    """A fault was asked for that the simulator does not know."""


def chosen(text: str) -> frozenset[str]:
    """Read "all", or names with commas between them."""
    named = set(KINDS) if text == "all" else {name.strip() for name in text.split(",") if name.strip()}
    unknown = named - set(KINDS)
    if unknown or not named:
        raise NoSuchFault(f"There is no fault {', '.join(sorted(unknown)) or text!r}; there are {', '.join(KINDS)}.")
    return frozenset(named)


@dataclasses.dataclass
class Tally:
    """How often each fault struck, and every promise the service broke under them."""

    struck: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    complaints: list[str] = dataclasses.field(default_factory=list)


class FaultyLine(lines.Line):
    """A line that loses, repeats, delays and disorders what is sent on it, and is cut now and then."""

    def __init__(self, *, url: str, token: str, kinds: Collection[str], chance: random.Random, tally: Tally) -> None:
        super().__init__(url=url, token=token)
        self._kinds = [kind for kind in CHANCES if kind in kinds]
        self._chance = chance
        self._tally = tally
        self._calls_until_mended = 0
        # Copies of events that are still somewhere in the network, and will arrive after what is sent later.
        self._astray: list[object] = []

    def get(self, path: str) -> lines.Answer:
        self._suffer_cut()
        return super().get(path)

    def post(self, path: str, body: object) -> lines.Answer:
        self._suffer_cut()
        if path != EVENTS:
            return super().post(path, body)
        fault = self._drawn()
        if fault is None:
            answer = super().post(path, body)
            self._let_astray_arrive(path)
            return answer
        self._tally.struck[fault] += 1
        answered: lines.Answer = getattr(self, f"_{fault}")(path, body)
        return answered

    def _drawn(self) -> str | None:
        return next((kind for kind in self._kinds if self._chance.random() < CHANCES[kind]), None)

    def _suffer_cut(self) -> None:
        if self._calls_until_mended:
            self._calls_until_mended -= 1
            raise lines.LineDown("the line is cut")

    def _cut(self, path: str, body: object) -> lines.Answer:
        self._calls_until_mended = self._chance.randint(*CUT_CALLS)
        self.close()
        raise lines.LineDown("the line was cut")

    def _drop(self, path: str, body: object) -> lines.Answer:
        if self._chance.random() < 0.5:
            raise lines.LineDown("the request was lost")
        super().post(path, body)
        raise lines.LineDown("the answer was lost")

    def _delay(self, path: str, body: object) -> lines.Answer:
        time.sleep(self._chance.uniform(*DELAY_SECONDS))
        return super().post(path, body)

    def _duplicate(self, path: str, body: object) -> lines.Answer:
        first = super().post(path, body)
        second = super().post(path, body)
        # A service that cannot answer just now promises nothing by saying so.
        is_again = second.status == 503 or (second.status == 200 and first.text in second.text)
        if first.status == 201 and not is_again:
            self._tally.complaints.append(f"sent twice, the first answer did not come back byte for byte: {first.text} then {second.text}")
        return self._chance.choice((first, second))

    def _reorder(self, path: str, body: object) -> lines.Answer:
        """Of a backlog the second event comes before the first; a single event strays, and a copy of it arrives late."""
        if isinstance(body, list):
            early = super().post(path, body[1])
            if early.status == 409 and early.code != "sequence-gap":
                self._tally.complaints.append(f"an event before its turn was answered {early.status} {early.code}")
            return super().post(path, body)
        self._astray.append(body)
        raise lines.LineDown("the request went astray")

    def _let_astray_arrive(self, path: str) -> None:
        """A late copy is answered as a duplicate, or turned away by its id or sequence; it is never taken a second time."""
        astray, self._astray = self._astray, []
        for body in astray:
            late = super().post(path, body)
            if late.status == 201:
                self._tally.complaints.append(f"a late copy was taken as new: {body}")


def line_for(
    *, entry: dict[str, Any], url: str, kinds: Collection[str], seed: int, life: int, tally: Tally
) -> tuple[lines.Line, datetime.timedelta]:
    """A controller's line with these faults, and how far its clock is off. Another life of the same controller meets other faults."""
    chance = random.Random(f"{seed}/{entry['name']}/line/{life}")
    # The clock of one controller is off by the same amount in every life.
    off_by = random.Random(f"{seed}/{entry['name']}/clock").uniform(-LARGEST_SKEW_SECONDS, LARGEST_SKEW_SECONDS)
    line = FaultyLine(url=url, token=entry["token"], kinds=kinds, chance=chance, tally=tally)
    return line, datetime.timedelta(seconds=off_by if "skew" in kinds else 0)
