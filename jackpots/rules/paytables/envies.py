"""The envy schedules of a wager: for each pay table and wager amount, what the other players receive."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from jackpots.rules import hands
from jackpots.rules.paytables import phrases
from jackpots.rules.paytables.section import Section


@dataclass(frozen=True)
class Envy:
    """The schedules of one pay table: wager amount to hand to micros."""

    schedules: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    paragraph: str = ""
    is_from_amount: bool = False


def envies(section: Section, paid: Mapping[str, tuple[str, ...]], *, hand_kind: str | None, is_ranked: bool) -> Mapping[str, Envy]:
    """Read all schedules beside the hands that each table pays; two for the same table and amount are refused."""
    read: dict[str, Envy] = {}
    for child in section.sections("envy", "envy", by=""):
        column = child.word("for", tuple(paid))
        least = child.has("wager_at_least")
        amount = child.read("wager_at_least" if least else "wager", phrases.dollars)
        known = read.get(column, Envy())
        if amount in known.schedules:
            raise child.wrong(f"pay table {column} has a schedule for this wager already")
        if any(amount < other for other in known.schedules):
            raise child.wrong(f"the schedule for {phrases.written(amount)} stands below one for a greater wager")
        paragraph = child.text("paragraph")
        schedule = _schedule(child, hand_kind)
        _check_schedule(child, column, paid[column], schedule, is_ranked)
        read[column] = Envy({**known.schedules, amount: schedule}, paragraph, least)
        child.end()
    return read


def _check_schedule(section: Section, column: str, paid: tuple[str, ...], schedule: Mapping[str, int], is_ranked: bool) -> None:
    for hand in schedule:
        if hand not in paid:
            raise section.wrong(f"envy is given for {hand}, which pay table {column} does not pay")
    for (higher, more), (lower, less) in pairwise(schedule.items()):
        if paid.index(higher) > paid.index(lower):
            raise section.wrong(f"{lower} is written after {higher} but ranks above it")
        if is_ranked and more < less:
            raise section.wrong(f"{higher} gives {phrases.written(more)}, less than the {phrases.written(less)} of {lower} below it")


def _schedule(section: Section, hand_kind: str | None) -> Mapping[str, int]:
    pays = section.section("pays")
    schedule: dict[str, int] = {}
    for hand in pays.keys():  # noqa: SIM118
        if hand_kind is not None and hand not in hands.KINDS[hand_kind].rows:
            raise pays.wrong(f"{hands.KINDS[hand_kind].name} cannot be {hand!r}")
        schedule[hand] = pays.read(hand, phrases.dollars)
    if not schedule or 0 in schedule.values():
        raise pays.wrong("every qualifying hand is paid something, and there is at least one")
    return schedule


def complete(section: Section, envy: Envy, amounts_micros: tuple[int, ...]) -> None:
    """A table with envy has a schedule for every amount it offers, and for no other."""
    if envy.is_from_amount or not envy.schedules:
        return
    if missing := set(amounts_micros) - set(envy.schedules):
        raise section.wrong(f"a wager of {_listed(missing)} is offered without an envy schedule")
    if extra := set(envy.schedules) - set(amounts_micros):
        raise section.wrong(f"an envy schedule is given for {_listed(extra)}, which is not offered")


def _listed(amounts_micros: set[int]) -> str:
    return ", ".join(phrases.written(amount) for amount in sorted(amounts_micros))
