"""What a configuration may not do, each with the paragraph that says so."""

from dataclasses import replace

import pytest

from jackpots.rules import constraints, money
from jackpots.rules.paytables import phrases
from tests.rules.texts import wager

STUD = ("caribbean-stud-massachusetts", "caribbean-stud", "progressive")
HAND_BONUS = ("caribbean-stud-massachusetts", "caribbean-stud", "five-card-hand-bonus")
CHAPTER_15 = ("table-games-massachusetts", "caribbean-stud", "progressive")
SECTION_10 = ("caribbean-stud-section-10", "caribbean-stud", "progressive")
CRAZY = ("crazy-4-poker-massachusetts", "crazy-4-poker")
FLUSH = ("high-card-flush-massachusetts", "high-card-flush", "progressive")
PAI_GOW = ("table-games-massachusetts", "pai-gow-poker", "progressive")


def breaches(path: tuple[str, str, str], column: str, **changed: object) -> list[tuple[str, str]]:
    """A configuration that keeps every rule, but for what is changed."""
    chosen = wager(*path)
    table = chosen.pay_tables[column]
    exact = {level: bound.value for level, bound in table.rates.items()}
    kept = {
        "rates_ppm": exact or {"main": 700_000},
        "initial_micros": money.parse("10000"),
        "reset_micros": None if table.resets_from == "secondary" else money.parse("10000"),
        "cap_micros": None,
        "linked_tables": 1,
    }
    found = constraints.check(wager=chosen, pay_table=table, **(kept | changed))  # type: ignore[arg-type]
    return [(breach.code, breach.paragraph) for breach in found]


@pytest.mark.parametrize(
    ("path", "column"),
    [
        *[(STUD, column) for column in "ABCDE"],
        *[(SECTION_10, column) for column in ("ten-percent", "five-thousand")],
        *[((*CRAZY, "four-card-progressive"), column) for column in "AB"],
        ((*CRAZY, "five-card-progressive"), "standard"),
        (HAND_BONUS, "standard"),
        *[(FLUSH, column) for column in "ABCD"],
        *[(PAI_GOW, column) for column in ("one-dollar", "five-dollar")],
    ],
)
def test_a_configuration_that_keeps_the_text_passes(path: tuple[str, str, str], column: str) -> None:
    assert breaches(path, column) == []


@pytest.mark.parametrize("column", "ABCE")
def test_caribbean_stud_tables_a_b_c_and_e_may_not_be_linked(column: str) -> None:
    assert breaches(STUD, column, linked_tables=2) == [("linking-not-allowed", "section 11(d)(4)")]
    assert breaches(CHAPTER_15, column, linked_tables=2) == [("linking-not-allowed", "chapter 15 section 11(d)2")]


@pytest.mark.parametrize(
    ("path", "column"),
    [(STUD, "D"), (SECTION_10, "ten-percent"), ((*CRAZY, "four-card-progressive"), "A"), (FLUSH, "A"), (PAI_GOW, "one-dollar")],
)
def test_table_d_and_the_other_texts_may_be_linked(path: tuple[str, str, str], column: str) -> None:
    assert breaches(path, column, linked_tables=12) == []


@pytest.mark.parametrize(
    ("path", "column", "least", "paragraph"),
    [
        (STUD, "A", 700_000, "section 11(d)(5)"),
        (STUD, "D", 700_000, "section 11(d)(5)"),
        (CHAPTER_15, "D", 700_000, "chapter 15 section 11(d)3"),
        (SECTION_10, "five-thousand", 700_000, "(l)(6)"),
        (PAI_GOW, "one-dollar", 210_000, "chapter 11 section 14(e)"),
        (PAI_GOW, "five-dollar", 270_000, "chapter 11 section 14(e)"),
    ],
)
def test_a_rate_of_progression_below_the_minimum_is_refused(path: tuple[str, str, str], column: str, least: int, paragraph: str) -> None:
    assert breaches(path, column, rates_ppm={"main": least}) == []
    assert breaches(path, column, rates_ppm={"main": least - 1}) == [("rate-too-low", paragraph)]


@pytest.mark.parametrize(("column", "main", "secondary"), [("A", 24, 2), ("B", 23, 2), ("C", 21, 5), ("D", 25, 5)])
def test_high_card_flush_takes_exactly_its_own_rates(column: str, main: int, secondary: int) -> None:
    rates = {"main": main * 10_000, "secondary": secondary * 10_000}
    assert breaches(FLUSH, column, rates_ppm=rates) == []
    assert breaches(FLUSH, column, rates_ppm=rates | {"main": rates["main"] + 1}) == [("rate-not-the-tables", "section 11(f)")]
    assert breaches(FLUSH, column, rates_ppm=rates | {"secondary": 0}) == [("rate-not-the-tables", "section 11(f)")]
    assert breaches(FLUSH, column, rates_ppm={"main": rates["main"]}) == [("rate-missing", "section 11(f)")]


@pytest.mark.parametrize(
    ("path", "column", "least", "paragraph"),
    [
        (HAND_BONUS, "standard", "10000", "section 11(e)(4)"),
        ((*CRAZY, "four-card-progressive"), "A", "5000", "section 11(d)(3)"),
        ((*CRAZY, "four-card-progressive"), "B", "1000", "section 11(d)(3)"),
        ((*CRAZY, "five-card-progressive"), "standard", "10000", "section 11(e)(3)"),
        ((*CRAZY, "five-card-hand-bonus"), "standard", "10000", "section 11(f)(4)"),
        (PAI_GOW, "one-dollar", "10000", "chapter 11 section 14(f)"),
        (PAI_GOW, "five-dollar", "10000", "chapter 11 section 14(f)"),
    ],
)
def test_initial_and_reset_amounts_below_the_minimum_are_refused(
    path: tuple[str, str, str], column: str, least: str, paragraph: str
) -> None:
    enough = money.parse(least)
    assert breaches(path, column, initial_micros=enough, reset_micros=enough) == []
    assert breaches(path, column, initial_micros=enough - 1) == [("initial-too-low", paragraph)]
    assert breaches(path, column, reset_micros=enough - 1) == [("reset-too-low", paragraph)]


def test_the_caribbean_progressive_may_begin_with_any_amount() -> None:
    assert breaches(STUD, "D", initial_micros=0, reset_micros=0) == []
    assert breaches(STUD, "D", reset_micros=None) == [("reset-missing", "")]
    assert breaches(STUD, "D", initial_micros=-1) == [("initial-impossible", "")]


def test_high_card_flush_begins_with_exactly_10_000_and_resets_from_its_secondary_meter() -> None:
    assert breaches(FLUSH, "A", initial_micros=money.parse("10000.01")) == [("initial-not-the-tables", "section 11(f)")]
    assert breaches(FLUSH, "A", reset_micros=money.parse("5000")) == [("reset-not-configurable", "section 11(f)")]


def test_a_cap_below_the_reset_the_initial_or_the_present_amount_is_refused() -> None:
    assert breaches(STUD, "D", cap_micros=money.parse("10000"), main_micros=money.parse("10000")) == []
    assert breaches(STUD, "D", cap_micros=money.parse("9999.99"), initial_micros=0) == [("cap-below-reset", "")]
    assert breaches(STUD, "D", cap_micros=money.parse("9999.99"), reset_micros=0) == [("cap-below-initial", "")]
    assert breaches(FLUSH, "A", cap_micros=money.parse("9999.99")) == [("cap-below-initial", "")]
    assert breaches(STUD, "D", cap_micros=money.parse("15000"), main_micros=money.parse("15000.01")) == [("cap-below-amount", "")]


def test_a_meter_that_is_yet_to_be_opened_has_its_amount_said_once() -> None:
    initial = {"initial_micros": money.parse("20000"), "main_micros": money.parse("20000")}
    assert breaches(STUD, "D", cap_micros=money.parse("15000"), **initial) == [("cap-below-initial", "")]


@pytest.mark.parametrize("cap", [0, -1, -money.parse("10000")])
@pytest.mark.parametrize(("path", "column"), [(STUD, "D"), (FLUSH, "A")])
def test_a_cap_of_nothing_or_less_is_refused(path: tuple[str, str, str], column: str, cap: int) -> None:
    assert breaches(path, column, cap_micros=cap) == [("cap-impossible", "")]


def test_a_wager_without_a_meter_has_no_cap_either_not_even_one_of_nothing() -> None:
    nothing = {"rates_ppm": {}, "initial_micros": 0, "reset_micros": None}
    assert breaches((*STUD[:2], "bet"), "standard", **nothing) == []
    assert breaches((*STUD[:2], "bet"), "standard", **nothing, cap_micros=0)[0][0] == "no-meter"


def test_a_wager_amount_that_the_table_does_not_offer_is_refused() -> None:
    assert breaches(STUD, "D", amounts_micros=[money.parse("5")]) == []
    assert breaches(STUD, "A", amounts_micros=[money.parse("5")]) == [("amount-not-offered", "section 6(c)")]
    assert breaches(STUD, "D", amounts_micros=[]) == [("amount-missing", "section 6(c)")]
    assert breaches(PAI_GOW, "one-dollar", amounts_micros=[money.parse("5")])[0][0] == "amount-not-offered"


def test_unknown_levels_and_impossible_rates_are_refused() -> None:
    assert breaches(STUD, "D", rates_ppm={"main": 700_000, "reserve": 100_000}) == []
    assert breaches(STUD, "D", rates_ppm={"main": 700_000, "secondary": 1}) == [("level-unknown", "")]
    assert breaches(STUD, "D", rates_ppm={"main": 700_000, "reserve": 300_001}) == [("rates-impossible", "")]
    assert breaches(STUD, "D", rates_ppm={"main": 700_000, "reserve": -1}) == [("rates-impossible", "")]


def test_a_share_that_is_no_whole_micro_cannot_be_configured() -> None:
    found = breaches(STUD, "D", rates_ppm={"main": 700_001}, amounts_micros=[500_000])
    assert ("share-not-whole", "") in found


def test_awards_of_a_minimum_table_may_be_raised_and_of_an_exact_one_may_not() -> None:
    minimum, exact = wager(*SECTION_10).pay_tables["five-thousand"], wager(*STUD).pay_tables["A"]
    for printed, row, more, less in (
        (minimum, "straight-flush", "$5,001", "$4,999"),
        (exact, "straight-flush", "5,001 for 1", "4,999 for 1"),
    ):
        found = {}
        for text in (more, less, "10% of meter"):
            award = phrases.award(text)
            assert award is not None
            lines = tuple(replace(line, award=award) if line.hand == row else line for line in printed.lines)
            found[text] = [breach.code for breach in constraints.check_awards(printed=printed, offered=replace(printed, lines=lines))]
        raised = [] if printed.is_minimum else ["award-too-high"]
        assert list(found.values()) == [raised, ["award-too-low"], ["award-differs"]]
    assert constraints.check_awards(printed=exact, offered=exact) == []
    without_flush = replace(exact, lines=exact.lines[:4])
    assert {breach.code for breach in constraints.check_awards(printed=exact, offered=without_flush)} == {"award-differs"}


@pytest.mark.parametrize("path", [(*SECTION_10, "five-thousand"), (*STUD, "E")])
def test_a_hand_that_the_printed_table_does_not_pay_cannot_be_added(path: tuple[str, str, str, str]) -> None:
    printed = wager(*path[:3]).pay_tables[path[3]]
    added = replace(printed.lines[-1], hand="straight")
    found = constraints.check_awards(printed=printed, offered=replace(printed, lines=(*printed.lines, added)))
    assert [(breach.code, breach.paragraph) for breach in found] == [("award-unknown", printed.paragraph)]


def test_minimum_tables_are_those_the_texts_call_so() -> None:
    assert wager(*SECTION_10).pay_tables["ten-percent"].is_minimum
    assert wager(*PAI_GOW).pay_tables["one-dollar"].is_minimum
    assert not wager(*FLUSH).pay_tables["A"].is_minimum
    assert not wager(*STUD).pay_tables["D"].is_minimum
