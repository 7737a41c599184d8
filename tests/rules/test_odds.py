from collections import Counter
from fractions import Fraction

import pytest

from jackpots.rules import figures, hands, money, odds
from tests.rules.figures import make
from tests.rules.texts import all_texts, wager


def texts_of(path: tuple[str, str, str], column: str) -> dict[str, str]:
    chosen = wager(*path)
    return {chance.hand: chance.text for chance in odds.chances(wager=chosen, pay_table=chosen.pay_tables[column])}


def test_the_odds_of_caribbean_stud_are_those_of_five_cards() -> None:
    assert texts_of(("caribbean-stud-massachusetts", "caribbean-stud", "progressive"), "A") == {
        "royal-flush": "649,740",
        "straight-flush": "72,193.33",
        "four-of-a-kind": "4,165",
        "full-house": "694.17",
        "flush": "508.80",
        "straight": "254.80",
        "three-of-a-kind": "47.33",
        "two-pair": "21.04",
    }


def test_a_finer_row_takes_its_hands_from_the_plainer_one() -> None:
    assert texts_of(("crazy-4-poker-massachusetts", "crazy-4-poker", "four-card-progressive"), "A")["four-aces"] == "54,145"
    queens = wager("crazy-4-poker-massachusetts", "crazy-4-poker", "queens-up")
    pay_table = queens.pay_tables["A"]
    assert odds.chances(wager=queens, pay_table=pay_table)[0].count == 624


def test_where_the_highest_payout_decides_the_meter_moves_the_odds() -> None:
    pai_gow = wager("table-games-massachusetts", "pai-gow-poker", "progressive")
    five_dollar = pai_gow.pay_tables["five-dollar"]
    counts = {
        main: {
            chance.hand: chance.count for chance in odds.chances(wager=pai_gow, pay_table=five_dollar, meters={"main": money.parse(main)})
        }
        for main in ("10000.00", "9999.99")
    }
    assert counts["10000.00"]["natural-royal-flush"] == 4_248
    assert counts["10000.00"]["natural-royal-flush"] - counts["9999.99"]["natural-royal-flush"] == 48
    assert counts["9999.99"]["royal-flush-and-pair"] - counts["10000.00"]["royal-flush-and-pair"] == 48


@pytest.mark.parametrize("text", all_texts(), ids=lambda text: text.id)
def test_every_row_of_every_ranked_table_can_be_dealt(text: object) -> None:
    for game in text.games.values():  # type: ignore[attr-defined]
        for one in (one for one in game.wagers.values() if one.hand_kind):
            for pay_table in one.pay_tables.values():
                chances = odds.chances(wager=one, pay_table=pay_table)
                assert [chance.hand for chance in chances] == [line.hand for line in pay_table.lines]
                assert sum(chance.count for chance in chances) <= chances[0].total


def test_a_wager_whose_hands_are_not_ranked_has_no_odds() -> None:
    dragon = wager("table-games-massachusetts", "minibaccarat", "dragon-bonus")
    assert odds.chances(wager=dragon, pay_table=dragon.pay_tables["A"]) == ()


def test_a_magic_card_comes_once_in_ten_and_two_fifths_hands_and_a_lucky_bonus_by_the_positions() -> None:
    bonus = wager("crazy-4-poker-massachusetts", "crazy-4-poker", "five-card-hand-bonus")
    assert odds.magic_card(wager=bonus) == Fraction(5, 52)
    assert odds.lucky_bonus(wager=bonus, positions=8) == Fraction(1, 8)
    progressive = wager("crazy-4-poker-massachusetts", "crazy-4-poker", "five-card-progressive")
    assert odds.magic_card(wager=progressive) is None
    assert odds.lucky_bonus(wager=progressive, positions=8) is None


def test_the_figures_are_written_as_the_script_writes_them() -> None:
    counted = {kind: Counter({tuple(forms.split()): count for forms, count in entries}) for kind, entries in figures.COUNTS.items()}
    body = "".join(make.written(kind, one) for kind, one in counted.items())
    assert make.TARGET.read_text(encoding="utf-8") == make.module(body)
    assert set(figures.COUNTS) == set(hands.KINDS)
