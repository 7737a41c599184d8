"""The rule book as values. A rule text has games, a game has wagers, a wager has pay tables, and every part names its paragraph."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from jackpots.rules.money import WHOLE_PPM


@dataclass(frozen=True)
class Award:
    """What one row pays. A percentage and a deducted amount come off the named meter; everything else is the house's.

    A push gives the wager back and no more; "discretion" leaves the amount to the licensee.
    """

    kind: Literal["percent", "for-one", "to-one", "fixed", "push", "discretion"]
    text: str
    percent_ppm: int = 0
    odds: int = 0
    odds_to: int = 1
    amount_micros: int = 0
    meter: str | None = None
    is_deducted: bool = False
    is_shared: bool = False
    validation: str | None = None
    paid_from: str = "table"

    @property
    def takes_all(self) -> bool:
        """Whether this is the whole meter, so that the meter is reset after it."""
        return self.percent_ppm == WHOLE_PPM


@dataclass(frozen=True)
class Line:
    """One row of a pay table."""

    hand: str
    award: Award
    paragraph: str


@dataclass(frozen=True)
class Bound:
    """What a rule text asks of a figure in a configuration: at least so much, or exactly so much."""

    kind: Literal["at-least", "exactly"]
    value: int
    paragraph: str

    def allows(self, value: int) -> bool:
        """Whether a figure keeps to the text."""
        return value == self.value if self.kind == "exactly" else value >= self.value


@dataclass(frozen=True)
class PayTable:
    """One column of a printed table with all that goes with it. The digest names its content: a changed table is another table."""

    id: str
    name: str
    amounts_micros: tuple[int, ...]
    lines: tuple[Line, ...]
    not_paid: tuple[str, ...]
    paragraph: str
    envy: Mapping[int, Mapping[str, int]]
    envy_paragraph: str
    is_envy_from_amount: bool
    linkable: bool
    linking_paragraph: str
    is_minimum: bool
    rates: Mapping[str, Bound]
    initial: Bound | None
    reset: Bound | None
    levels: tuple[str, ...]
    resets_from: Literal["house", "secondary"]
    resets_paragraph: str
    digest: str = ""

    def line(self, hand: str) -> Line | None:
        """The row of a hand, if the table pays it."""
        return next((line for line in self.lines if line.hand == hand), None)


@dataclass(frozen=True)
class Note:
    """A rule in our own words, with its paragraph; a reading is what we take an unclear place to mean."""

    paragraph: str
    text: str
    is_reading: bool = False


@dataclass(frozen=True)
class Validation:
    """Who validates which awards: "every", "percent", "off-meter", or a payout as it is written in the table."""

    awards: str
    by: str
    paragraph: str

    def covers(self, award: Award) -> bool:
        """Whether an award needs this validation."""
        return {
            "every": True,
            "percent": award.kind == "percent",
            "off-meter": award.meter is not None,
        }.get(self.awards, self.awards == award.text)


@dataclass(frozen=True)
class Sources:
    """Where awards are paid: percentages, fixed awards that come off a meter, and all others."""

    percent: str
    deducted: str
    other: str
    paragraph: str

    def of(self, award: Award) -> str:
        """Where one award is paid."""
        if award.kind == "percent":
            return self.percent
        return self.deducted if award.is_deducted else self.other


@dataclass(frozen=True)
class Sharing:
    """Which hands of one table share the meter equally, and whether players on the dealer's hand divide its percentage."""

    hands: tuple[str, ...]
    is_dealer_award_divided: bool
    paragraph: str


@dataclass(frozen=True)
class Wager:
    """A wager and what the text says of it, whichever pay table is chosen."""

    id: str
    name: str
    hand_kind: str | None
    on: tuple[str, ...]
    pay_tables: Mapping[str, PayTable]
    has_meter: bool
    fold_forfeits: bool
    fold_paragraph: str
    envy_survives_fold: bool
    coupon: bool
    choice: Literal["highest-hand", "highest-payout"]
    minimum_micros: int
    paragraph: str
    validations: tuple[Validation, ...]
    sources: Sources
    sharing: Sharing
    extras: Mapping[str, Line] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @property
    def validation(self) -> str | None:
        """Who validates every winning payout, where the text asks that of every one."""
        return next((one.by for one in self.validations if one.awards == "every"), None)


@dataclass(frozen=True)
class Irregularity:
    """A mishap at the table and what it voids: the whole round, one hand, or nothing."""

    id: str
    text: str
    voids: Literal["round", "hand", "nothing"]
    paragraph: str


@dataclass(frozen=True)
class Fund:
    """A bad beat fund: who verifies a bad beat, where it is paid, what the licensee must post, and figures to begin with."""

    id: str
    name: str
    verified_by: str
    paid_from: str
    paragraph: str
    contribution_ppm: int
    contribution_cap_micros: int
    minimum_pot_micros: int
    qualifying_hand: str
    shares_ppm: Mapping[str, int]
    settings_paragraph: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Game:
    """A game of one rule text: its deck, its wagers, the order of payment, and what its irregularities void."""

    id: str
    name: str
    deck: int
    hand_cards: int
    paragraph: str
    payment_order: Literal["dealers-right-first"]
    payment_paragraph: str
    wagers: Mapping[str, Wager]
    funds: Mapping[str, Fund]
    irregularities: Mapping[str, Irregularity]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class RuleText:
    """One rule text."""

    id: str
    title: str
    games: Mapping[str, Game]
    also: tuple[str, ...] = ()
