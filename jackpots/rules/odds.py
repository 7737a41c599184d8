"""How likely each row of a pay table is, exactly: so many hands out of all that can be dealt."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from jackpots.rules import awards, figures, hands, money
from jackpots.rules.book import PayTable, Wager

# A pay table that judges by payout needs a meter to judge on; this is the least its text lets a meter begin with.
_USUAL_METER = 10_000 * money.DOLLAR


@dataclass(frozen=True)
class Chance:
    """How many of all hands are paid by one row."""

    hand: str
    count: int
    total: int

    @property
    def one_in(self) -> Fraction:
        """N of "one in N"."""
        return Fraction(self.total, self.count)

    @property
    def text(self) -> str:
        """N as people read it, to two decimals: "649,740", "72,193.33", "47.33"."""
        hundredths = round(self.one_in * 100)
        return f"{hundredths // 100:,}.{hundredths % 100:02d}".removesuffix(".00")


def chances(*, wager: Wager, pay_table: PayTable, meters: Mapping[str, int] | None = None) -> tuple[Chance, ...]:
    """The chance of every row, in the order of the table; empty where the hands of the wager are not ranked here.

    Where the highest payout decides, the meters say which row that is; without them the initial amount stands in.
    """
    if wager.hand_kind is None:
        return ()
    counts = dict.fromkeys((line.hand for line in pay_table.lines), 0)
    standing = meters if meters is not None else _initial(pay_table)
    for forms, count in figures.COUNTS[wager.hand_kind]:
        paid = _paid(wager, pay_table, tuple(forms.split()), standing)
        if paid is not None:
            counts[paid] += count
    total = _total(wager.hand_kind)
    return tuple(Chance(hand, count, total) for hand, count in counts.items() if count)


def magic_card(*, wager: Wager) -> Fraction | None:
    """The chance that a card picked from the deck is one of the hand's, where the wager pays a magic card."""
    if "magic-card" not in wager.extras or wager.hand_kind is None:
        return None
    kind = hands.KINDS[wager.hand_kind]
    return Fraction(kind.cards, 52 + kind.jokers)


def lucky_bonus(*, wager: Wager, positions: int) -> Fraction | None:
    """The chance that a position is picked among so many, the dealer's included, where the wager pays a lucky bonus."""
    return Fraction(1, positions) if "lucky-bonus" in wager.extras else None


def _paid(wager: Wager, pay_table: PayTable, forms: tuple[str, ...], meters: Mapping[str, int]) -> str | None:
    lines = awards.reached(pay_table=pay_table, forms=forms)
    amount = pay_table.amounts_micros[0] if pay_table.amounts_micros else money.DOLLAR
    settled = awards.best(wager=wager, lines=lines, amount_micros=amount, meters=meters)
    return None if settled is None else settled.hand


def _initial(pay_table: PayTable) -> Mapping[str, int]:
    return dict.fromkeys(pay_table.levels, pay_table.initial.value if pay_table.initial else _USUAL_METER)


def _total(kind: str) -> int:
    return sum(count for _, count in figures.COUNTS[kind])
