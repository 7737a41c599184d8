"""What a configuration may not do. Every breach is a sentence with the paragraph it breaks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jackpots.rules import money
from jackpots.rules.book import Award, Bound, Line, PayTable, Wager

RESERVE = "reserve"


@dataclass(frozen=True)
class Breach:
    """One thing wrong: a word for machines, a sentence for people, the paragraph where the text says so."""

    code: str
    detail: str
    paragraph: str = ""


def check(
    *,
    wager: Wager,
    pay_table: PayTable,
    rates_ppm: Mapping[str, int],
    initial_micros: int,
    reset_micros: int | None,
    cap_micros: int | None,
    linked_tables: int,
    amounts_micros: Sequence[int] | None = None,
    main_micros: int | None = None,
) -> list[Breach]:
    """Everything in a configuration that breaks the rule text, or that cannot be counted exactly; an empty list is a pass."""
    if not wager.has_meter:
        is_asked = bool(rates_ppm or initial_micros or reset_micros) or cap_micros is not None
        return [Breach("no-meter", f"{wager.name} has no meter", wager.paragraph)] if is_asked else []
    offered = pay_table.amounts_micros if amounts_micros is None else tuple(amounts_micros)
    return [
        *_rates(pay_table, rates_ppm),
        *_initial(pay_table, initial_micros),
        *_reset(pay_table, reset_micros),
        *_cap(cap_micros, initial_micros, reset_micros, main_micros),
        *_linking(pay_table, linked_tables),
        *_amounts(wager, pay_table, offered),
        *_shares(rates_ppm, offered),
    ]


def check_awards(*, printed: PayTable, offered: PayTable) -> list[Breach]:
    """What is wrong with awards that depart from a printed table: never less, and more only where the text prints minimums.

    A hand that the text does not pay is paid by nobody's choice, minimums or not.
    """
    added = [line.hand for line in offered.lines if printed.line(line.hand) is None]
    return [
        *(Breach("award-unknown", f"pay table {printed.id} does not pay {hand}", printed.paragraph) for hand in added),
        *(breach for line in printed.lines for breach in _award(printed, line, offered.line(line.hand))),
    ]


def _award(printed: PayTable, line: Line, other: Line | None) -> Iterator[Breach]:
    asked, given = line.award, other.award if other else None
    if given is None or _terms_of(asked) != _terms_of(given):
        yield Breach("award-differs", f"{line.hand} must be paid as the text says: {asked.text}", line.paragraph)
    elif _worth(given) < _worth(asked):
        yield Breach("award-too-low", f"{line.hand} is paid {given.text}; it must be no less than {asked.text}", line.paragraph)
    elif _worth(given) > _worth(asked) and not printed.is_minimum:
        yield Breach("award-too-high", f"{line.hand} is paid {given.text}; it must be {asked.text}", line.paragraph)


def _terms_of(award: Award) -> tuple[object, ...]:
    return award.kind, award.odds_to, award.meter


def _worth(award: Award) -> int:
    return award.percent_ppm + award.odds + award.amount_micros


def _rates(pay_table: PayTable, rates_ppm: Mapping[str, int]) -> Iterator[Breach]:
    for level in rates_ppm:
        if level not in (*pay_table.levels, RESERVE):
            yield Breach("level-unknown", f"pay table {pay_table.id} has no {level} meter")
    if any(rate < 0 for rate in rates_ppm.values()) or sum(rates_ppm.values()) > money.WHOLE_PPM:
        yield Breach("rates-impossible", "the rates together must lie between 0% and 100% of the wager, and none below zero")
    for level in pay_table.levels:
        bound, rate = pay_table.rates.get(level), rates_ppm.get(level)
        if rate is None:
            yield Breach("rate-missing", f"no rate is given for the {level} meter", bound.paragraph if bound else "")
        elif bound is not None and not bound.allows(rate):
            yield _rate_breach(pay_table, level, bound, rate)


def _rate_breach(pay_table: PayTable, level: str, bound: Bound, rate: int) -> Breach:
    if bound.kind == "at-least":
        detail = f"the rate of progression of the {level} meter is {_percent(rate)}; it must be no less than {_percent(bound.value)}"
        return Breach("rate-too-low", detail, bound.paragraph)
    detail = f"the {level} meter of pay table {pay_table.id} takes exactly {_percent(bound.value)}, not {_percent(rate)}"
    return Breach("rate-not-the-tables", detail, bound.paragraph)


def _initial(pay_table: PayTable, initial_micros: int) -> Iterator[Breach]:
    bound = pay_table.initial
    if initial_micros < 0:
        yield Breach("initial-impossible", "the initial amount cannot be below zero")
    elif bound is not None and not bound.allows(initial_micros):
        code = "initial-too-low" if bound.kind == "at-least" else "initial-not-the-tables"
        yield Breach(code, f"the initial amount is {_dollars(initial_micros)}; it must be {_asked(bound)}", bound.paragraph)


def _reset(pay_table: PayTable, reset_micros: int | None) -> Iterator[Breach]:
    bound = pay_table.reset
    if pay_table.resets_from == "secondary":
        if reset_micros is not None:
            detail = "the main meter is reset to what the secondary meter holds; no reset amount can be set"
            yield Breach("reset-not-configurable", detail, pay_table.resets_paragraph)
    elif reset_micros is None or reset_micros < 0:
        yield Breach("reset-missing", "a reset amount of zero or more must be given", bound.paragraph if bound else "")
    elif bound is not None and not bound.allows(reset_micros):
        yield Breach("reset-too-low", f"the reset amount is {_dollars(reset_micros)}; it must be {_asked(bound)}", bound.paragraph)


def _cap(cap_micros: int | None, initial_micros: int, reset_micros: int | None, main_micros: int | None) -> Iterator[Breach]:
    if cap_micros is None:
        return
    if cap_micros <= 0:
        yield Breach("cap-impossible", "the cap must be above zero; a meter without a cap has none given")
        return
    # A meter that is yet to be opened stands at its initial amount, which is then said once.
    present = None if main_micros == initial_micros else main_micros
    for name, least in (("reset", reset_micros), ("initial", initial_micros), ("present", present)):
        if least is not None and cap_micros < least:
            code = "cap-below-amount" if name == "present" else f"cap-below-{name}"
            yield Breach(code, f"the cap of {_dollars(cap_micros)} is below the {name} amount of {_dollars(least)}")


def _linking(pay_table: PayTable, linked_tables: int) -> Iterator[Breach]:
    if linked_tables > 1 and not pay_table.linkable:
        detail = f"pay table {pay_table.id} may not be selected where linked games share a progressive jackpot"
        yield Breach("linking-not-allowed", detail, pay_table.linking_paragraph)


def _amounts(wager: Wager, pay_table: PayTable, offered: tuple[int, ...]) -> Iterator[Breach]:
    known = pay_table.amounts_micros
    if not offered:
        yield Breach("amount-missing", "a wager amount must be offered", wager.paragraph)
    for amount in offered:
        if amount <= 0 or (known and amount not in known) or amount < wager.minimum_micros:
            detail = f"a wager of {_dollars(amount)} is not offered with pay table {pay_table.id}"
            yield Breach("amount-not-offered", detail, wager.paragraph)


def _shares(rates_ppm: Mapping[str, int], offered: tuple[int, ...]) -> Iterator[Breach]:
    for level, rate in rates_ppm.items():
        for amount in offered:
            if amount * rate % money.WHOLE_PPM:
                yield Breach("share-not-whole", f"{_percent(rate)} of {_dollars(amount)} for {level} is not a whole micro")


def _percent(rate_ppm: int) -> str:
    whole, rest = divmod(rate_ppm, 10_000)
    return f"{whole}.{rest:04d}".rstrip("0").rstrip(".") + "%"


def _dollars(micros: int) -> str:
    return f"${money.cents(micros)}"


def _asked(bound: Bound) -> str:
    return f"{'at least ' if bound.kind == 'at-least' else 'exactly '}{_dollars(bound.value)}"
