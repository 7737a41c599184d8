"""The pay tables of a wager: the printed rows, the terms of each column, and its envy schedules."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from jackpots.rules import hands
from jackpots.rules.book import Award, Line, PayTable, Sharing, Sources, Validation
from jackpots.rules.paytables import envies, order, phrases
from jackpots.rules.paytables.section import BadRuleText, Section
from jackpots.rules.paytables.terms import Terms, no_terms, terms


@dataclass(frozen=True)
class Frame:
    """What a wager lays down for all its pay tables."""

    hand_kind: str | None
    has_meter: bool
    validations: tuple[Validation, ...]
    sources: Sources
    sharing: Sharing
    choice: Literal["highest-hand", "highest-payout"]

    @property
    def is_ranked(self) -> bool:
        """Whether the rows stand in the order in which hands are chosen, so that a row above is never the worse one to have."""
        return self.hand_kind is not None and self.choice == "highest-hand"

    def dressed(self, hand: str, award: Award) -> Award:
        """The award with who validates it, where it is paid and whether it is shared."""
        by = next((one.by for one in self.validations if one.covers(award)), None)
        return replace(award, is_shared=hand in self.sharing.hands, validation=by, paid_from=self.sources.of(award))


@dataclass(frozen=True)
class _Printed:
    """A table as it is printed: columns, and a row of cells for each hand."""

    columns: tuple[str, ...]
    cells: Mapping[str, tuple[str, ...]]
    paragraph: str
    is_minimum: bool
    place: str

    def paid(self, column: str) -> tuple[str, ...]:
        """The hands that a column pays, best first."""
        place = self.columns.index(column)
        return tuple(hand for hand, row in self.cells.items() if row[place] != phrases.NOT_PAID)


def pay_tables(frame: Frame, section: Section) -> Mapping[str, PayTable]:
    """Read the rows, then the terms of every column; each column has terms exactly once."""
    printed = _printed(frame, section)
    paid = {column: printed.paid(column) for column in printed.columns}
    schedules = envies.envies(section, paid, hand_kind=frame.hand_kind, is_ranked=frame.is_ranked)
    agreed = _agreed(frame, section, printed.columns)
    read: dict[str, PayTable] = {}
    for column in printed.columns:
        envy, (child, its_terms) = schedules.get(column, envies.Envy()), agreed[column]
        envies.complete(child, envy, its_terms.amounts_micros)
        read[column] = _table(frame, printed, column, envy, its_terms)
    return read


def _printed(frame: Frame, section: Section) -> _Printed:
    pays = section.section("pays")
    columns, rows = pays.texts("columns"), pays.section("rows")
    cells = {hand: rows.cells(hand, len(columns)) for hand in rows.keys()}  # noqa: SIM118
    printed = _Printed(columns, cells, pays.text("paragraph"), pays.flag("minimum", False), rows.place)
    pays.end()
    _check_order(frame, printed)
    return printed


def _check_order(frame: Frame, printed: _Printed) -> None:
    written = tuple(printed.cells)
    if not written or not printed.columns:
        raise BadRuleText(printed.place, "there is no row or no column")
    for hand in frame.sharing.hands:
        if hand not in written:
            raise BadRuleText(printed.place, f"{hand} is shared but has no row")
    if frame.hand_kind is None:
        return
    kind = hands.KINDS[frame.hand_kind]
    if impossible := [hand for hand in written if hand not in kind.rows]:
        raise BadRuleText(printed.place, f"{kind.name} cannot be {impossible[0]!r}")
    for higher, lower in pairwise(written):
        if kind.rows.index(higher) > kind.rows.index(lower):
            raise BadRuleText(printed.place, f"{lower} is written below {higher} but ranks above it")


def _agreed(frame: Frame, section: Section, columns: tuple[str, ...]) -> dict[str, tuple[Section, Terms]]:
    agreed: dict[str, tuple[Section, Terms]] = {}
    for child in section.sections("pay_table", "pay table", by="for"):
        names = child.texts("for")
        for name in names:
            if name not in columns or name in agreed:
                raise child.wrong(f"{name} is no column of the table, or has its terms already")
        read = terms(child, frame.has_meter, names)
        child.end()
        agreed |= {name: (child, replace(read, name=read.name or f"Pay table {name}")) for name in names}
    missing = [column for column in columns if column not in agreed]
    if not frame.has_meter:
        # Without a meter there is nothing to agree on, so a column may go without terms.
        agreed |= {name: (section, no_terms(f"Pay table {name}")) for name in missing}
    elif missing:
        raise section.wrong(f"no terms are given for pay table {', '.join(missing)}")
    return agreed


def _table(frame: Frame, printed: _Printed, column: str, envy: envies.Envy, its_terms: Terms) -> PayTable:
    awards = _awards(printed, column, its_terms)
    if frame.is_ranked:
        order.refuse_falling_short(awards, place=printed.place, column=column)
    return PayTable(
        id=column,
        lines=tuple(Line(hand, frame.dressed(hand, award), printed.paragraph) for hand, award in awards.items() if award),
        not_paid=tuple(hand for hand, award in awards.items() if award is None),
        paragraph=printed.paragraph,
        is_minimum=printed.is_minimum,
        envy=envy.schedules,
        envy_paragraph=envy.paragraph,
        is_envy_from_amount=envy.is_from_amount,
        **vars(its_terms),
    )


def _awards(printed: _Printed, column: str, its_terms: Terms) -> dict[str, Award | None]:
    place = printed.columns.index(column)
    awards: dict[str, Award | None] = {}
    for hand, row in printed.cells.items():
        try:
            awards[hand] = award = phrases.award(row[place])
        except ValueError as refusal:
            raise BadRuleText(printed.place, f"{hand}, column {column}: {refusal}") from refusal
        if award is not None and award.meter is not None and award.meter not in its_terms.levels:
            raise BadRuleText(printed.place, f"{hand}, column {column}: there is no {award.meter} meter")
    return awards
