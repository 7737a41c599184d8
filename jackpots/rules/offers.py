"""What a licensee offers within a printed table: awards above its minimums, and which of its wager amounts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from jackpots.rules import constraints, money
from jackpots.rules.book import Award, Line, PayTable
from jackpots.rules.constraints import Breach


def offer(*, printed: PayTable, awards: Mapping[str, int], amounts_micros: Sequence[int] = ()) -> PayTable:
    """The table as it is played: the printed one with these awards in place of its own, for these amounts.

    An award is a whole number in the unit of the printed one: parts per million of the meter, micros, or odds.
    """
    lines = tuple(_line(line, awards[line.hand]) if line.hand in awards else line for line in printed.lines)
    return replace(printed, lines=lines, amounts_micros=tuple(amounts_micros) or printed.amounts_micros)


def check(*, printed: PayTable, awards: Mapping[str, int]) -> list[Breach]:
    """What is wrong with awards that depart from the printed ones; an empty list is a pass."""
    wrong = [breach for hand, value in awards.items() for breach in _own(printed, hand, value)]
    return wrong or constraints.check_awards(printed=printed, offered=offer(printed=printed, awards=awards))


def _own(printed: PayTable, hand: str, value: int) -> Iterator[Breach]:
    line = printed.line(hand)
    if line is None:
        yield Breach("award-unknown", f"pay table {printed.id} does not pay {hand}", printed.paragraph)
    elif line.award.kind == "percent" and value > money.WHOLE_PPM:
        yield Breach("award-impossible", f"{hand} cannot be paid more than the whole meter", line.paragraph)
    elif line.award.kind == "percent" and (value == money.WHOLE_PPM) != line.award.takes_all:
        # A row that takes the whole meter is followed by a reset: which rows do is the text's to say.
        yield Breach("award-impossible", f"{hand} must stay below the whole meter", line.paragraph)
    elif line.award.kind == "fixed" and value % money.CENT:
        yield Breach("award-impossible", f"{hand} must be paid in whole cents", line.paragraph)


def _line(line: Line, value: int) -> Line:
    award = line.award
    if award.kind == "percent":
        return replace(line, award=replace(award, percent_ppm=value, text=f"{_percent(value)} of meter"))
    if award.kind == "fixed":
        ending = " off the meter" if award.is_deducted else ""
        return replace(line, award=replace(award, amount_micros=value, text=f"{_dollars(value)}{ending}"))
    return replace(line, award=_odds(award, value))


def _odds(award: Award, value: int) -> Award:
    word = "for" if award.kind == "for-one" else "to"
    return replace(award, odds=value, text=f"{value:,} {word} {award.odds_to}")


def _percent(rate_ppm: int) -> str:
    whole, rest = divmod(rate_ppm, 10_000)
    return f"{whole}.{rest:04d}".rstrip("0").rstrip(".") + "%"


def _dollars(micros: int) -> str:
    whole, _, cents = money.cents(micros).partition(".")
    return f"${int(whole):,}.{cents}"
