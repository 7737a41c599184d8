"""What a hand is paid: the row of the table, the amount to the cent, and where it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from jackpots.rules import hands, money
from jackpots.rules.book import Award, Line, PayTable, Wager
from jackpots.rules.cards import Card


@dataclass(frozen=True)
class Settlement:
    """An award worked out: whole cents, the part a meter gives and the part the house gives."""

    hand: str
    award: Award
    amount_micros: int
    from_meter_micros: int
    from_house_micros: int
    meter: str | None
    takes_all: bool


def settle(
    *, wager: Wager, pay_table: PayTable, cards: tuple[Card, ...], amount_micros: int, meters: Mapping[str, int]
) -> Settlement | None:
    """What the cards are paid on the meters as they stand, or None where the table pays them nothing."""
    if wager.hand_kind is None:
        return None
    lines = rows(pay_table=pay_table, hand_kind=wager.hand_kind, cards=cards)
    return best(wager=wager, lines=lines, amount_micros=amount_micros, meters=meters)


def rows(*, pay_table: PayTable, hand_kind: str, cards: tuple[Card, ...]) -> list[Line]:
    """The rows of the table that the cards reach, best first."""
    return reached(pay_table=pay_table, forms=hands.forms(hand_kind, cards))


def reached(*, pay_table: PayTable, forms: Sequence[str]) -> list[Line]:
    """The rows of the table among the forms a hand may take, best first."""
    return [line for line in map(pay_table.line, forms) if line is not None]


def claimable(*, wager: Wager, pay_table: PayTable, cards: tuple[Card, ...]) -> tuple[str, ...]:
    """The names by which these cards may rightly be claimed: the row that is paid, or every row reached where the payout decides."""
    if wager.hand_kind is None:
        return ()
    names = tuple(line.hand for line in rows(pay_table=pay_table, hand_kind=wager.hand_kind, cards=cards))
    return names if wager.choice == "highest-payout" else names[:1]


def best(*, wager: Wager, lines: Sequence[Line], amount_micros: int, meters: Mapping[str, int]) -> Settlement | None:
    """The one row that is paid: the highest hand, or the highest payout where the text says so."""
    settled = [work_out(line=line, amount_micros=amount_micros, meters=meters) for line in lines]
    if not settled:
        return None
    # The first of equals is the row that stands higher in the table, because max keeps the first.
    return settled[0] if wager.choice == "highest-hand" else max(settled, key=lambda one: one.amount_micros)


def work_out(*, line: Line, amount_micros: int, meters: Mapping[str, int]) -> Settlement:
    """One row's award for a wager, on the meters as they stand."""
    award = line.award
    due = _due(award, amount_micros, meters)
    from_meter = 0
    if award.meter is not None:
        from_meter = min(due, money.floor_cent(meters[award.meter]))
    return Settlement(
        hand=line.hand,
        award=award,
        amount_micros=due,
        from_meter_micros=from_meter,
        from_house_micros=due - from_meter,
        meter=award.meter,
        takes_all=award.takes_all,
    )


def extra(*, wager: Wager, name: str, amount_micros: int) -> Settlement | None:
    """What a magic card or a lucky bonus pays on a wager, or None where the text has none."""
    line = wager.extras.get(name)
    return None if line is None else work_out(line=line, amount_micros=amount_micros, meters={})


def divide(*, settlement: Settlement, seats: Sequence[int]) -> dict[int, Settlement]:
    """Share one award equally among seats, in whole cents; odd cents are not taken off the meter."""
    each, _ = money.split(settlement.amount_micros, len(seats))
    from_meter = each if settlement.from_meter_micros else 0
    part = replace(settlement, amount_micros=each, from_meter_micros=from_meter, from_house_micros=each - from_meter)
    return dict.fromkeys(seats, part)


def envy(*, pay_table: PayTable, hand: str, holder: int | None, wagers: Mapping[int, int]) -> dict[int, int]:
    """What the other seats receive for a hand, by their own wagers: seat to micros. Never the holder."""
    due = {seat: _envy_for(pay_table, hand, amount) for seat, amount in wagers.items() if seat != holder}
    return {seat: amount for seat, amount in due.items() if amount}


def envy_hand(*, wager: Wager, pay_table: PayTable, cards: tuple[Card, ...]) -> str | None:
    """The row for which others receive an envy bonus when a player holds these cards, wagered on or not; None where there is none."""
    if wager.hand_kind is None:
        return None
    qualifying = {hand for schedule in pay_table.envy.values() for hand in schedule}
    return next((form for form in hands.forms(wager.hand_kind, cards) if form in qualifying), None)


def _envy_for(pay_table: PayTable, hand: str, amount_micros: int) -> int:
    if not pay_table.is_envy_from_amount:
        return pay_table.envy.get(amount_micros, {}).get(hand, 0)
    reached = [least for least in pay_table.envy if least <= amount_micros]
    return pay_table.envy[max(reached)].get(hand, 0) if reached else 0


def _due(award: Award, amount_micros: int, meters: Mapping[str, int]) -> int:
    if award.kind == "percent":
        assert award.meter is not None, "a percentage is of a meter"
        return money.percent(meters[award.meter], award.percent_ppm)
    if award.kind == "fixed":
        return award.amount_micros
    return money.floor_cent(amount_micros * award.odds // award.odds_to)
