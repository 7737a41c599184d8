"""The state of a round: open, locked, settled or void. Verbs here change rounds and wagers; what that means in money is the bank's."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from audit import rows
from audit.refusals import Refusal
from tables.models import Round, Table, Wager

# A slip of one digit must not use up all the numbers that a table has left.
LONGEST_LEAP, LARGEST_FIRST = 10**6, 10**12


class RoundInPlay(Refusal):
    """Round {in_play} of table {table} is still in play; it is settled or closed before round {number} begins."""


class RoundPassed(Refusal):
    """Table {table} has gone on to round {latest}; round {number} was never played."""


class RoundTooFar(Refusal):
    """Round {number} is too far beyond the last one of table {table}; rounds go on by at most {most} at a time."""


class RoundLocked(Refusal):
    """Round {number} of table {table} takes no more wagers: it is locked out."""


class RoundNotLocked(Refusal):
    """Round {number} of table {table} has not been locked out yet."""


class RoundSettled(Refusal):
    """Round {number} of table {table} is settled."""


class RoundVoid(Refusal):
    """Round {number} of table {table} is void."""


class NoSuchSeat(Refusal):
    """Table {table} has seats 1 to {seats}; there is no seat {seat}."""


class HandVoid(Refusal):
    """The hand of seat {seat} is void in this round; no wager can be made for it."""


class WagerAlreadyAccepted(Refusal):
    """Seat {seat} already has an accepted {wager} wager in this round."""


class WagerListedTwice(Refusal):
    """The list names the {wager} wager of seat {seat} twice."""


class AlreadyFolded(Refusal):
    """Seat {seat} has folded already."""


class CountDiffers(Refusal):
    """The chips of round {number} do not agree with its accepted wagers; count again, or have a supervisor let the wagers stand."""


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A wager as the floor sees it: who, which, on whose hand, how much."""

    seat: int
    wager: str
    on: str
    amount_micros: int
    is_coupon: bool


@dataclass(kw_only=True)
class Sheet:
    """A round in play as it is being judged: judged in memory, in order, and written when all has been judged."""

    round: Round
    # The accepted wagers, as they stand now.
    wagers: list[Wager] = field(default_factory=list)
    is_new: bool = False
    # What is still to be written: fields of the round that changed, wagers that are new, wagers that were withdrawn.
    changed: set[str] = field(default_factory=set)
    placed: list[Wager] = field(default_factory=list)
    withdrawn: list[Wager] = field(default_factory=list)
    # What whoever asked for the sheet wanted to know of the round.
    beside: Any = None

    def change(self, **fields: Any) -> None:
        for name, value in fields.items():
            setattr(self.round, name, value)
        self.changed |= fields.keys()

    def place(self, placed: Placed) -> Wager:
        wager = rows.new(
            Wager, seat=placed.seat, wager=placed.wager, on=placed.on, amount_micros=placed.amount_micros, is_coupon=placed.is_coupon
        )
        self.wagers.append(wager)
        self.placed.append(wager)
        return wager

    def withdraw(self, wager: Wager) -> None:
        wager.state = Wager.State.WITHDRAWN
        self.wagers.remove(wager)
        self.withdrawn.append(wager)


def open(*, table: Table, number: int, latest: Round | None, occurred_at: datetime, now: datetime) -> Sheet:
    """The first event that names a higher number opens that round."""
    if latest and number <= latest.number:
        raise RoundPassed(table=table.name, latest=latest.number, number=number)
    if number - (latest.number if latest else 0) > (LONGEST_LEAP if latest else LARGEST_FIRST):
        raise RoundTooFar(number=number, table=table.name, most=LONGEST_LEAP)
    if latest and latest.state in (Round.State.OPEN, Round.State.LOCKED):
        raise RoundInPlay(in_play=latest.number, table=table.name, number=number)
    # Bound by its own time, but never to before the table's previous round nor to a time that has not come.
    bound_at = min(max(occurred_at, latest.bound_at) if latest else occurred_at, now)
    round = rows.new(Round, number=number, bound_at=bound_at, opened_at=now)
    round.table = table
    return Sheet(round=round, is_new=True)


def accept(*, sheet: Sheet, placed: Placed) -> Wager:
    """An acceptor light went on."""
    require_open(sheet.round)
    _require_hand(sheet.round, placed.seat)
    if any(_is_same(wager, placed) for wager in sheet.wagers):
        raise WagerAlreadyAccepted(seat=placed.seat, wager=placed.wager)
    return sheet.place(placed)


@dataclass(frozen=True, kw_only=True)
class LockOut:
    wagers: list[Wager]
    count: Round.Count
    expected_chips: int
    added: list[Wager]
    withdrawn: list[Wager]


def lock_out(*, sheet: Sheet, listed: Sequence[Placed] | None, chips: int, now: datetime) -> LockOut:
    """No more bets: the wagers are fixed, and the chips compared with those made without a coupon."""
    round = sheet.round
    if not (round.state == Round.State.LOCKED and round.count == Round.Count.DIFFERS):
        require_open(round)
    added, withdrawn = _replace(sheet, listed) if listed is not None else ([], [])
    wagers = sorted(sheet.wagers, key=_place_at_table)
    expected = sum(not wager.is_coupon for wager in wagers)
    count = Round.Count.AGREES if chips == expected else Round.Count.DIFFERS
    sheet.change(state=Round.State.LOCKED, locked_at=now, count=count)
    return LockOut(wagers=wagers, count=count, expected_chips=expected, added=added, withdrawn=withdrawn)


def accept_count(*, round: Round) -> None:
    """A supervisor lets the accepted wagers stand."""
    round.count = Round.Count.AGREES
    round.save(update_fields=["count"])


def mark_contributed(*, round: Round, now: datetime) -> None:
    round.contributed_at = now
    round.save(update_fields=["contributed_at"])


def fold(*, sheet: Sheet, seat: int) -> None:
    """The player gave up the hand."""
    require_locked(sheet.round)
    require_count(sheet.round)
    require_seat(sheet.round.table, seat)
    if seat in sheet.round.folded_seats:
        raise AlreadyFolded(seat=seat)
    sheet.change(folded_seats=sorted([*sheet.round.folded_seats, seat]))


def void(*, round: Round, reason: str, seats: Sequence[int] | None, now: datetime) -> list[Wager]:
    """An irregularity voids the round, or only some hands; the wagers to be returned are the answer."""
    for seat in seats or ():
        require_seat(round.table, seat)
    returned = [wager for wager in accepted(round) if seats is None or wager.seat in seats]
    Wager.objects.filter(pk__in=[wager.pk for wager in returned]).update(state=Wager.State.RETURNED)
    round.void_reason = reason
    if seats is None:
        round.state, round.closed_at = Round.State.VOID, now
    else:
        round.void_seats = sorted({*round.void_seats, *seats})
    round.save(update_fields=["state", "closed_at", "void_reason", "void_seats"])
    return returned


def settle(*, sheet: Sheet, now: datetime) -> None:
    """Every hand has been turned over and nothing more will be claimed."""
    require_locked(sheet.round)
    require_count(sheet.round)
    sheet.change(state=Round.State.SETTLED, closed_at=now)


def write(*, sheets: Sequence[Sheet], writing: rows.Writing) -> None:
    """What was judged, as rows. Rounds that end are written before those that begin: a table has one in play."""
    for sheet in sheets:
        if not sheet.is_new:
            writing.update([sheet.round], sorted(sheet.changed))
            for wager in sheet.withdrawn:
                if wager not in sheet.placed:
                    writing.update([wager], ["state"])
    writing.insert([sheet.round for sheet in sheets if sheet.is_new])
    for sheet in sheets:
        for wager in sheet.placed:
            wager.round_id = sheet.round.pk
    writing.insert([wager for sheet in sheets for wager in sheet.placed])


def accepted(round: Round) -> list[Wager]:
    return list(round.wagers.filter(state=Wager.State.ACCEPTED).order_by("seat", "wager", "on"))


def require_open(round: Round) -> None:
    if round.state == Round.State.LOCKED:
        raise RoundLocked(number=round.number, table=round.table.name)
    require_in_play(round)


def require_locked(round: Round) -> None:
    if round.state == Round.State.OPEN:
        raise RoundNotLocked(number=round.number, table=round.table.name)
    require_in_play(round)


def require_in_play(round: Round) -> None:
    if round.state == Round.State.SETTLED:
        raise RoundSettled(number=round.number, table=round.table.name)
    if round.state == Round.State.VOID:
        raise RoundVoid(number=round.number, table=round.table.name)


def require_count(round: Round) -> None:
    if round.count == Round.Count.DIFFERS:
        raise CountDiffers(number=round.number)


def require_seat(table: Table, seat: int) -> None:
    if not 1 <= seat <= table.seats:
        raise NoSuchSeat(table=table.name, seats=table.seats, seat=seat)


def _require_hand(round: Round, seat: int) -> None:
    require_seat(round.table, seat)
    if seat in round.void_seats:
        raise HandVoid(seat=seat)


def _replace(sheet: Sheet, listed: Sequence[Placed]) -> tuple[list[Wager], list[Wager]]:
    """Make the accepted wagers exactly the listed ones; what was added and what was withdrawn is the answer."""
    wanted: dict[tuple[int, str, str], Placed] = {}
    for placed in listed:
        _require_hand(sheet.round, placed.seat)
        if wanted.setdefault((placed.seat, placed.wager, placed.on), placed) is not placed:
            raise WagerListedTwice(seat=placed.seat, wager=placed.wager)
    withdrawn = []
    for wager in sorted(sheet.wagers, key=_place_at_table):
        placed_now = wanted.get((wager.seat, wager.wager, wager.on))
        if placed_now and (placed_now.amount_micros, placed_now.is_coupon) == (wager.amount_micros, wager.is_coupon):
            del wanted[(wager.seat, wager.wager, wager.on)]
        else:
            sheet.withdraw(wager)
            withdrawn.append(wager)
    return [sheet.place(placed) for placed in wanted.values()], withdrawn


def _place_at_table(wager: Wager) -> tuple[int, str, str]:
    return (wager.seat, wager.wager, wager.on)


def _is_same(wager: Wager, placed: Placed) -> bool:
    return _place_at_table(wager) == (placed.seat, placed.wager, placed.on)
