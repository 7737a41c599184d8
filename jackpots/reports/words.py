"""Amounts in words, as cheques and slips have them."""

ONES = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
THOUSANDS = ((1_000_000_000, "billion"), (1_000_000, "million"), (1_000, "thousand"))


def amount_in_words(amount: str) -> str:
    """Write out an amount given to the cent.

    >>> amount_in_words("18342.17")
    'Eighteen thousand three hundred forty-two dollars and 17 cents'
    """
    whole, _, cents = amount.partition(".")
    dollars = "dollar" if int(whole) == 1 else "dollars"
    written = f"{number_in_words(int(whole))} {dollars} and {cents or '00'} {'cent' if cents == '01' else 'cents'}"
    return written[0].upper() + written[1:]


def number_in_words(number: int) -> str:
    """
    >>> number_in_words(1_000_412)
    'one million four hundred twelve'
    """
    if number == 0:
        return ONES[0]
    parts = []
    for size, name in THOUSANDS:
        count, number = divmod(number, size)
        if count:
            parts.append(f"{_below_a_thousand(count)} {name}")
    return " ".join([*parts, _below_a_thousand(number)] if number else parts)


def _below_a_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    parts = [f"{ONES[hundreds]} hundred"] if hundreds else []
    if rest:
        parts.append(_below_a_hundred(rest))
    return " ".join(parts)


def _below_a_hundred(number: int) -> str:
    if number < 20:
        return ONES[number]
    tens, ones = divmod(number, 10)
    return TENS[tens] + (f"-{ONES[ones]}" if ones else "")
