"""Within a table that pays the highest hand, no hand is paid less than one below it."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from jackpots.rules.book import Award
from jackpots.rules.paytables.section import BadRuleText


def refuse_falling_short(awards: Mapping[str, Award | None], *, place: str, column: str) -> None:
    """Refuse a column in which a better hand is paid less than a worse one. Awards are compared where that needs no meter
    and no wager: percentages of one meter with each other, odds with odds, and amounts with amounts."""
    least: dict[str, tuple[str, Award]] = {}
    for hand, award in _paid(awards):
        above = least.get(_measure(award))
        if above is not None and _worth(above[1]) < _worth(award):
            complaint = f"it is paid {above[1].text}, less than the {award.text} of {hand} below it"
            raise BadRuleText(place, f"{above[0]}, column {column}: {complaint}")
        least[_measure(award)] = hand, award


def _paid(awards: Mapping[str, Award | None]) -> Iterator[tuple[str, Award]]:
    # What the licensee pays at its discretion cannot be compared with anything.
    return ((hand, award) for hand, award in awards.items() if award is not None and award.kind != "discretion")


def _measure(award: Award) -> str:
    if award.kind == "percent":
        return f"percent of {award.meter}"
    return "amount" if award.kind == "fixed" else "odds"


def _worth(award: Award) -> Fraction:
    """In the award's own measure. Odds are counted with the wager in them: 3 to 1 is 4 for 1, and a push is 1 for 1."""
    stake = 1 if award.kind in ("to-one", "push") else 0
    return Fraction(award.percent_ppm + award.amount_micros) + Fraction(award.odds, award.odds_to) + stake
