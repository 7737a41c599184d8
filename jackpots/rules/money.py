"""Money in whole micros: one dollar is 1,000,000. Whole numbers only, and nothing is lost when an amount is cut."""

import re

DOLLAR = 1_000_000
CENT = 10_000
WHOLE_PPM = 1_000_000

_WRITTEN = re.compile(r"(0|[1-9][0-9]{0,11})(?:\.([0-9]{1,6}))?", re.ASCII)


class BadMoney(ValueError):
    """Not an amount of money that can be kept exactly."""


def parse(text: str) -> int:
    """Read a decimal string such as "1.00".

    >>> parse("18342.17")
    18342170000
    """
    if not isinstance(text, str):
        raise BadMoney(f"money is written as a decimal string, not as {text!r}")
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise BadMoney(f"{text!r} is not an amount of money: write digits, and at most six of them after the point")
    return int(match[1]) * DOLLAR + int((match[2] or "").ljust(6, "0"))


def cents(micros: int) -> str:
    """Write an amount to the cent, rounded down.

    >>> cents(18_342_178_800)
    '18342.17'
    """
    return _written(micros)[:-4]


def exact(micros: int) -> str:
    """Write an amount with all six decimals.

    >>> exact(18_342_178_800)
    '18342.178800'
    """
    return _written(micros)


def floor_cent(micros: int) -> int:
    """The whole cents of an amount; what is cut off stays where it was."""
    return _counted(micros) // CENT * CENT


def share(amount_micros: int, rate_ppm: int) -> int:
    """A rate's part of an amount, which must come to a whole micro.

    >>> share(1_000_000, 700_000)
    700000
    """
    if not 0 <= rate_ppm <= WHOLE_PPM:
        raise BadMoney(f"a rate lies between 0 and {WHOLE_PPM} parts per million, {rate_ppm} does not")
    part, remainder = divmod(_counted(amount_micros) * rate_ppm, WHOLE_PPM)
    if remainder:
        raise BadMoney(f"{rate_ppm} parts per million of {exact(amount_micros)} is not a whole micro")
    return part


def split(amount_micros: int, parts: int) -> tuple[int, int]:
    """Divide into equal parts of whole cents: each part, and what is left over.

    >>> split(100_000_000, 3)
    (33330000, 10000)
    """
    if parts < 1:
        raise BadMoney(f"an amount cannot be divided among {parts}")
    each = floor_cent(amount_micros) // CENT // parts * CENT
    return each, amount_micros - each * parts


def percent(amount_micros: int, percent_ppm: int) -> int:
    """What a percentage of a meter pays: rounded down to the cent."""
    return _counted(amount_micros) * percent_ppm // (WHOLE_PPM * CENT) * CENT


def _written(micros: int) -> str:
    sign = "-" if micros < 0 else ""
    whole, rest = divmod(abs(micros), DOLLAR)
    return f"{sign}{whole}.{rest:06d}"


def _counted(micros: int) -> int:
    if micros < 0:
        raise BadMoney(f"{exact(micros)} is below zero")
    return micros
