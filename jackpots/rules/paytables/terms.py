"""The terms of a pay table: amounts, meters, rates of progression, initial and reset amounts, linking."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from jackpots.rules import money
from jackpots.rules.book import Bound
from jackpots.rules.paytables import phrases
from jackpots.rules.paytables.section import Section

_LEVELS = (("main",), ("main", "secondary"))


@dataclass(frozen=True)
class Terms:
    """What the text asks of a configuration that chooses the table."""

    name: str
    amounts_micros: tuple[int, ...]
    levels: tuple[str, ...]
    linkable: bool
    linking_paragraph: str
    rates: Mapping[str, Bound]
    initial: Bound | None
    reset: Bound | None
    resets_from: Literal["house", "secondary"]
    resets_paragraph: str


def terms(section: Section, has_meter: bool, columns: tuple[str, ...]) -> Terms:
    """Read the terms of one or more columns; only a single one can have a name of its own."""
    levels = section.texts("levels", ["main"] if has_meter else [])
    if levels not in (_LEVELS if has_meter else ((),)):
        raise section.wrong('levels must be ["main"] or ["main", "secondary"], and none where there is no meter')
    read = Terms(
        name=section.text("name", "") if len(columns) == 1 else "",
        amounts_micros=_amounts(section),
        levels=levels,
        linkable=section.flag("linkable", True) if has_meter else False,
        linking_paragraph=section.text("linking_paragraph", ""),
        rates=_rates(section, levels),
        initial=bound(section, "initial", phrases.dollars),
        reset=bound(section, "reset", phrases.dollars),
        resets_from=section.word("resets_from", ("house", "secondary"), "house"),  # type: ignore[arg-type]
        resets_paragraph=section.text("resets_paragraph", ""),
    )
    if read.resets_from == "secondary" and "secondary" not in levels:
        raise section.wrong("it resets from a secondary meter that it does not have")
    return read


def no_terms(name: str) -> Terms:
    """The terms of a table that has no meter."""
    return Terms(
        name=name,
        amounts_micros=(),
        levels=(),
        linkable=False,
        linking_paragraph="",
        rates={},
        initial=None,
        reset=None,
        resets_from="house",
        resets_paragraph="",
    )


def bound(section: Section, key: str, reader: Callable[[str], int]) -> Bound | None:
    """A figure the text bounds: at least, or exactly."""
    if not section.has(key):
        return None
    child = section.section(key)
    kind: Literal["at-least", "exactly"] = "at-least" if child.has("at_least") else "exactly"
    read = Bound(kind=kind, value=child.read(kind.replace("-", "_"), reader), paragraph=child.text("paragraph"))
    child.end()
    return read


def _amounts(section: Section) -> tuple[int, ...]:
    try:
        amounts = [phrases.dollars(text) for text in section.texts("amounts", [])]
    except ValueError as refusal:
        raise section.wrong(f"amounts: {refusal}") from refusal
    if amounts != sorted(set(amounts)) or 0 in amounts:
        raise section.wrong("amounts must rise, each once, from above zero")
    return tuple(amounts)


def _rates(section: Section, levels: tuple[str, ...]) -> Mapping[str, Bound]:
    rates = section.section("rate")
    read = {level: one for level in levels if (one := bound(rates, level, phrases.percent)) is not None}
    rates.end()
    if sum(one.value for one in read.values()) > money.WHOLE_PPM:
        raise rates.wrong("the rates together are over 100%")
    return read
