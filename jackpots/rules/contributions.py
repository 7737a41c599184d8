"""What a wager adds to the meters. No money moves here."""

from collections.abc import Mapping

from jackpots.rules import money


def contributions(*, amount_micros: int, rates_ppm: Mapping[str, int]) -> dict[str, int]:
    """Each level's share of one wager, exact to the micro.

    >>> contributions(amount_micros=1_000_000, rates_ppm={"main": 240_000, "secondary": 20_000})
    {'main': 240000, 'secondary': 20000}
    """
    if sum(rates_ppm.values()) > money.WHOLE_PPM:
        raise money.BadMoney("the rates together take more than the wager")
    return {level: money.share(amount_micros, rate) for level, rate in rates_ppm.items()}
