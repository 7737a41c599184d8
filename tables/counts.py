"""Counts of wagers by table: what lock-outs have fixed, over a stretch of a controller's sequences."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tables.models import REFUSED, Event

# Events are read in pieces of this many, so that the first count after a long time needs no more memory than any other.
AT_ONCE = 5_000


@dataclass(frozen=True)
class Tally:
    """How many wagers, and how much."""

    wagers: int
    amount_micros: int

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.wagers + other.wagers, self.amount_micros + other.amount_micros)


NOTHING = Tally(0, 0)


def booked(*, controller_id: int, since: int, to: int) -> dict[str, Tally]:
    """The wagers that a controller's lock-outs fixed, behind one sequence and up to another.

    A lock-out counts when its chips agreed. What a void gave back later was wagered all the same, so it stays; what a supervisor let
    stand without the controller is nothing that the controller counts.
    """
    found: dict[str, Tally] = {}
    for first in range(since, to, AT_ONCE):
        found = added(found, _piece(controller_id, first, min(first + AT_ONCE, to)))
    return found


def added(one: Mapping[str, Tally], other: Mapping[str, Tally]) -> dict[str, Tally]:
    return {table: one.get(table, NOTHING) + other.get(table, NOTHING) for table in {*one, *other}}


def written(tallies: Mapping[str, Tally]) -> dict[str, Any]:
    """Tallies as they are kept."""
    return {table: {"wagers": tally.wagers, "amount_micros": tally.amount_micros} for table, tally in sorted(tallies.items())}


def read(kept: Mapping[str, Any]) -> dict[str, Tally]:
    return {table: Tally(one["wagers"], one["amount_micros"]) for table, one in kept.items()}


def _piece(controller_id: int, since: int, to: int) -> dict[str, Tally]:
    events = Event.objects.filter(controller_id=controller_id, sequence__gt=since, sequence__lte=to, type="lockout")
    found: dict[str, Tally] = {}
    for table, answer in events.values_list("round__table__name", "answer"):
        found[table] = found.get(table, NOTHING) + _stood(answer)
    return {table: tally for table, tally in found.items() if tally != NOTHING}


def _stood(answer: str) -> Tally:
    """The wagers that a lock-out fixed; none where it was refused or its chips differed."""
    outcome = {} if REFUSED in answer else json.loads(answer)["outcome"]
    if outcome.get("count") != "agrees":
        return NOTHING
    return Tally(int(outcome["wagers"]), _micros(outcome["amount"]))


def _micros(cents: str) -> int:
    """Whole micros of dollars and cents that were written by us."""
    return int(cents.replace(".", "")) * 10_000
