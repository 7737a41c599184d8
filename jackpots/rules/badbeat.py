"""The bad beat fund: what a pot gives to it, which losing hand wins it, and how it is shared."""

from collections.abc import Sequence

from jackpots.rules import hands, money, poker
from jackpots.rules.book import Fund
from jackpots.rules.cards import Card

LOSER, WINNER, TABLE, NEXT_FUND = SHARES = ("loser", "winner", "table", "next-fund")


def contribution(*, fund: Fund, pot_micros: int) -> int:
    """What a pot gives, counted before the rake: a percentage up to a limit, down to the cent; nothing from a small pot."""
    if pot_micros < fund.minimum_pot_micros:
        return 0
    return min(money.percent(pot_micros, fund.contribution_ppm), fund.contribution_cap_micros)


def is_bad_beat(*, fund: Fund, losing: Sequence[Card], winning: Sequence[Card]) -> bool:
    """Whether a losing five-card hand is high enough, and truly lost to the winning one."""
    rows = hands.KINDS["five-card"].rows
    best = hands.forms("five-card", tuple(losing))[0]
    return rows.index(best) <= rows.index(fund.qualifying_hand) and poker.strength(losing) < poker.strength(winning)


def shares(*, fund: Fund, amount_micros: int, loser: int, winners: Sequence[int], others: Sequence[int]) -> tuple[dict[int, int], int]:
    """What each seat receives of the fund, in whole cents, and what is left to begin the next fund.

    The winners of a divided pot divide the winner's share; the table's share is divided among the other players dealt in.
    """
    parts = {who: money.percent(amount_micros, rate) for who, rate in fund.shares_ppm.items()}
    paid = {loser: parts[LOSER]} | _each(parts[WINNER], winners) | _each(parts[TABLE], others)
    return paid, amount_micros - sum(paid.values())


def _each(amount_micros: int, seats: Sequence[int]) -> dict[int, int]:
    return dict.fromkeys(seats, money.split(amount_micros, len(seats))[0]) if seats else {}
