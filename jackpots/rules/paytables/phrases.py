"""The few phrases for what is paid, read exactly: "100% of meter", "5,000 for 1", "3 to 2", "$250", "$25.00 off the meter"."""

import re

from jackpots.rules import money
from jackpots.rules.book import Award

_NUMBER = r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+"
_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,4})?)%", re.ASCII)
_DOLLARS = re.compile(rf"\$({_NUMBER})(\.[0-9]{{2}})?", re.ASCII)
_OF_METER = re.compile(r"(\S+) of (?:the )?(?:(main|secondary) )?meter", re.ASCII)
_ODDS = re.compile(rf"({_NUMBER}) (to|for) ({_NUMBER})", re.ASCII)
_OFF_METER = re.compile(r"(\S+) off the (?:(main|secondary) )?meter", re.ASCII)

NOT_PAID = "N/A"
DISCRETION = "Bonus"
PUSH = "Push"


def dollars(text: str) -> int:
    """Read an amount such as "$1,000" or "$25.00" into micros."""
    match = _DOLLARS.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not an amount in dollars, as in $1,000 or $25.00")
    return money.parse(match[1].replace(",", "") + (match[2] or ""))


def percent(text: str) -> int:
    """Read a percentage into parts per million; more than all is refused."""
    match = _PERCENT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a percentage, as in 70%")
    whole, _, decimals = match[1].partition(".")
    ppm = int(whole) * 10_000 + int(decimals.ljust(4, "0"))
    if ppm > money.WHOLE_PPM:
        raise ValueError(f"{text!r} is more than all of it")
    return ppm


def award(text: str) -> Award | None:
    """Read one cell of a pay table; N/A is not paid."""
    if text == NOT_PAID:
        return None
    if text in (DISCRETION, PUSH):
        return Award(kind="discretion" if text == DISCRETION else "push", text=text)
    if text.startswith("$"):
        return _amount(text)
    return _odds(text) if _ODDS.fullmatch(text) else _of_meter(text)


def _amount(text: str) -> Award:
    match = _OFF_METER.fullmatch(text)
    if match is None:
        return Award(kind="fixed", text=text, amount_micros=_more_than_nothing(dollars(text), text))
    amount = _more_than_nothing(dollars(match[1]), text)
    return Award(kind="fixed", text=text, amount_micros=amount, meter=match[2] or "main", is_deducted=True)


def _odds(text: str) -> Award:
    match = _ODDS.fullmatch(text)
    assert match is not None
    odds, against = (int(number.replace(",", "")) for number in match.group(1, 3))
    _more_than_nothing(odds * against, text)
    return Award(kind="for-one" if match[2] == "for" else "to-one", text=text, odds=odds, odds_to=against)


def _of_meter(text: str) -> Award:
    match = _OF_METER.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a payout: write 100% of meter, 500 for 1, 3 to 2, $250, $25.00 off the meter, Push or N/A")
    return Award(kind="percent", text=text, percent_ppm=_more_than_nothing(percent(match[1]), text), meter=match[2] or "main")


def _more_than_nothing(value: int, text: str) -> int:
    if value == 0:
        raise ValueError(f"{text!r} pays nothing; write {NOT_PAID}")
    return value


def written(amount_micros: int) -> str:
    """An amount as people write it."""
    return f"${int(money.cents(amount_micros)[:-3]):,}{money.cents(amount_micros)[-3:]}"
