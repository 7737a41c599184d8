"""The pay tables of a wager side by side: one column each, with the rows of the printed table, of its envy schedules and of its terms."""

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from jackpots import printed
from jackpots.pages.sentences import dollars
from jackpots.printed import Printed


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What stands in one column: a figure, its unit in smaller letters, and odds of its own where the columns differ."""

    figure: str
    unit: str = ""
    kind: str = ""
    one_in: str = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    label: str
    cells: tuple[Cell, ...]
    one_in: str = ""
    count: str = ""
    paragraph: str = ""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Rows that belong together."""

    title: str
    rows: tuple[Row, ...]
    paragraph: str = ""


NOT_PAID = Cell(figure="N/A", kind="none")
NOTHING = Cell(figure="–", kind="none")  # noqa: RUF001  (a dash in an empty cell)
NOT_BOUND = Cell(figure="any", kind="none")


def headings(wager: Printed) -> list[str]:
    """What stands over each column: its letter, or the name it has in the text."""
    tables = wager["pay_tables"]
    return ["Pays"] if [table["name"] for table in tables] == ["Pay table standard"] else [_heading(table) for table in tables]


def groups(wager: Printed) -> list[Group]:
    """What is paid, what envy pays, and what a configuration must keep to."""
    tables = wager["pay_tables"]
    title = "Pays at least" if tables[0]["is_minimum"] else "Pays"
    found = [Group(title=title, rows=_pays(tables), paragraph=tables[0]["paragraph"]), *_envy(tables)]
    if wager["has_meter"]:
        found.append(Group(title="A configuration keeps to", rows=tuple(_terms(tables))))
    return found


def _heading(table: Printed) -> str:
    if table["name"] != f"Pay table {table['pay_table']}":
        return str(table["name"])
    return printed.hand_name(table["pay_table"])


def _pays(tables: list[Printed]) -> tuple[Row, ...]:
    lines = [{line["hand"]: line for line in table["lines"]} for table in tables]
    never_paid = set.intersection(*(set(table["not_paid"]) for table in tables))
    listed = [*_merged(list(its) for its in lines), *sorted(never_paid)]
    return tuple(_pay_row(hand, [its.get(hand) for its in lines]) for hand in listed)


def _pay_row(hand: str, lines: list[Printed | None]) -> Row:
    chances = {f"{line['odds']['count']:,}": line["odds"]["one_in"] for line in lines if line and line["odds"]}
    count, one_in = next(iter(chances.items())) if len(chances) == 1 else ("", "")
    cells = tuple(_award(line, has_own_odds=len(chances) > 1) if line else NOT_PAID for line in lines)
    return Row(label=printed.hand_name(hand), cells=cells, one_in=one_in, count=count)


def _award(line: Printed, *, has_own_odds: bool) -> Cell:
    award = line["award"]
    figure, _, unit = award["text"].partition(" ")
    return Cell(figure=figure, unit=unit, kind="meter" if award["meter"] else "", one_in=line["odds"]["one_in"] if has_own_odds else "")


def _merged(listed: Iterator[list[str]]) -> list[str]:
    """The columns' rows as one list, in which each column keeps its order."""
    return functools.reduce(_merged_with, listed)


def _merged_with(merged: list[str], more: list[str]) -> list[str]:
    merged, at = list(merged), len(merged)
    for hand in reversed(more):
        if hand in merged:
            at = merged.index(hand)
        else:
            merged.insert(at, hand)
    return merged


def _envy(tables: list[Printed]) -> Iterator[Group]:
    schedules = [{one["wager"]: one["pays"] for one in table["envy"]["schedules"]} for table in tables]
    paragraph = next((table["envy"]["paragraph"] for table in tables if table["envy"]["schedules"]), "")
    more = " or more" if any(table["envy"]["is_from_amount"] for table in tables) else ""
    for amount in dict.fromkeys(amount for one in schedules for amount in one):
        title = f"Envy bonus on a wager of {dollars(amount)}{more}"
        yield Group(title=title, rows=_envy_rows([one.get(amount, []) for one in schedules]), paragraph=paragraph)


def _envy_rows(schedules: list[list[Printed]]) -> tuple[Row, ...]:
    due = [{one["hand"]: Cell(figure=dollars(one["amount"])) for one in schedule} for schedule in schedules]
    listed = _merged(list(column) for column in due)
    return tuple(_side_by_side(printed.hand_name(hand), [column.get(hand, NOTHING) for column in due]) for hand in listed)


def _terms(tables: list[Printed]) -> Iterator[Row]:
    yield _side_by_side("Wager", [_amounts(table) for table in tables])
    levels = list(dict.fromkeys(level for table in tables for level in table["levels"]))
    for level in levels:
        label = "Rate" if len(levels) == 1 else f"Rate, {level} meter"
        yield _bound_row(label, [_rate_of(table, level) for table in tables], lambda rate: f"{rate['percent']}%")
    yield _bound_row("Initial amount", [table["initial"] for table in tables], lambda initial: dollars(initial["amount"]))
    if any(table["resets_from"] == "secondary" for table in tables):
        yield _side_by_side("Reset to", [Cell(figure="secondary", unit="meter")] * len(tables), tables[0]["resets_paragraph"])
    else:
        yield _bound_row("Reset amount", [table["reset"] for table in tables], lambda reset: dollars(reset["amount"]))
    yield _side_by_side("May be linked", [_linking(table) for table in tables], tables[0]["linking"]["paragraph"])


def _amounts(table: Printed) -> Cell:
    offered = " or ".join(dollars(amount) for amount in table["amounts"])
    return Cell(figure=offered) if offered else NOT_BOUND


def _rate_of(table: Printed, level: str) -> Printed | None:
    return next((rate for rate in table["rates"] if rate["level"] == level), None)


def _bound_row(label: str, bounds: list[Printed | None], written: Callable[[Mapping[str, str]], str]) -> Row:
    asked = {"at-least": "or more", "exactly": "exactly"}
    cells = [Cell(figure=written(bound), unit=asked[bound["bound"]]) if bound else NOT_BOUND for bound in bounds]
    return _side_by_side(label, cells, next((bound["paragraph"] for bound in bounds if bound), ""))


def _linking(table: Printed) -> Cell:
    return Cell(figure="yes") if table["linking"]["is_allowed"] else Cell(figure="no", kind="no")


def _side_by_side(label: str, cells: list[Cell], paragraph: str = "") -> Row:
    return Row(label=label, cells=tuple(cells), paragraph=paragraph)
