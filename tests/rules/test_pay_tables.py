"""Every cell of every pay table with a meter, set out as the rule texts print it and dealt with real cards."""

import pytest

from jackpots.rules import awards, cards, money
from tests.rules import printed
from tests.rules.texts import wager

CARIBBEAN = [("caribbean-stud-massachusetts", "caribbean-stud"), ("table-games-massachusetts", "caribbean-stud")]
HAND_BONUS = [*CARIBBEAN, ("crazy-4-poker-massachusetts", "crazy-4-poker")]


@pytest.mark.parametrize(("text", "game"), CARIBBEAN)
@pytest.mark.parametrize("stake", ["1.00", "5.00"])
def test_caribbean_stud_progressive_section_11_d(text: str, game: str, stake: str) -> None:
    printed.assert_pays(
        wager(text, game, "progressive"),
        """
        Royal flush     | 100% of meter | 100% of meter | 100% of meter | 100% of meter | 100% of meter
        Straight flush  | 5,000 for 1   | 10% of meter  | 10% of meter  | 10% of meter  | 10% of meter
        Four-of-a-kind  | 500 for 1     | 500 for 1     | 200 for 1     | 300 for 1     | 500 for 1
        Full house      | 100 for 1     | 100 for 1     | 50 for 1      | 50 for 1      | 100 for 1
        Flush           | 50 for 1      | 50 for 1      | 40 for 1      | 40 for 1      | 50 for 1
        Straight        | 10 for 1      | 10 for 1      | 30 for 1      | 30 for 1      | N/A
        Three-of-a-kind | 3 for 1       | 3 for 1       | 9 for 1       | 9 for 1       | N/A
        Two pair        | 2 for 1       | 2 for 1       | N/A           | N/A           | N/A
        """,
        "A B C D E",
        printed.FIVE,
        stake,
    )


@pytest.mark.parametrize(("text", "game"), HAND_BONUS)
def test_five_card_hand_bonus_section_11_e_and_crazy_4_section_11_f(text: str, game: str) -> None:
    printed.assert_pays(
        wager(text, game, "five-card-hand-bonus"),
        """
        Royal flush    | 100% of meter
        Straight flush | 10% of meter
        Four-of-a-kind | 500 for 1
        Full house     | 100 for 1
        Flush          | 50 for 1
        """,
        "standard",
        printed.FIVE,
    )


@pytest.mark.parametrize(("text", "game"), [HAND_BONUS[0], HAND_BONUS[2]])
def test_magic_card_pays_20_for_1_and_lucky_bonus_5_for_1(text: str, game: str) -> None:
    bonus = wager(text, game, "five-card-hand-bonus")
    magic = awards.extra(wager=bonus, name="magic-card", amount_micros=money.parse("1.00"))
    lucky = awards.extra(wager=bonus, name="lucky-bonus", amount_micros=money.parse("5.00"))
    assert magic is not None
    assert lucky is not None
    assert (magic.amount_micros, lucky.amount_micros) == (money.parse("20.00"), money.parse("25.00"))
    assert (magic.award.paid_from, magic.award.validation, magic.meter) == ("game-account", None, None)


def test_chapter_15_prints_no_magic_card_table() -> None:
    bonus = wager("table-games-massachusetts", "caribbean-stud", "five-card-hand-bonus")
    assert awards.extra(wager=bonus, name="magic-card", amount_micros=money.DOLLAR) is None


def test_caribbean_stud_section_10_l_5_with_its_choice_for_the_straight_flush() -> None:
    printed.assert_pays(
        wager("caribbean-stud-section-10", "caribbean-stud", "progressive"),
        """
        Royal flush    | 100% of meter | 100% of meter
        Straight flush | 10% of meter  | $5,000
        Four-of-a-kind | $500.00       | $500.00
        Full house     | $100.00       | $100.00
        Flush          | $50.00        | $50.00
        Straight       | N/A           | N/A
        """,
        "ten-percent five-thousand",
        printed.FIVE,
    )


@pytest.mark.parametrize("stake", ["1.00", "5.00"])
def test_crazy_4_four_card_progressive_section_11_d_1(stake: str) -> None:
    printed.assert_pays(
        wager("crazy-4-poker-massachusetts", "crazy-4-poker", "four-card-progressive"),
        """
        Four aces       | 100% of meter | 100% of meter
        Four-of-a-kind  | 300 for 1     | 300 for 1
        Straight flush  | 100 for 1     | 100 for 1
        Three-of-a-kind | 9 for 1       | 15 for 1
        Flush           | N/A           | N/A
        """,
        "A B",
        printed.FOUR_OF_FIVE,
        stake,
    )


def test_crazy_4_five_card_progressive_section_11_e_1() -> None:
    printed.assert_pays(
        wager("crazy-4-poker-massachusetts", "crazy-4-poker", "five-card-progressive"),
        """
        Royal flush     | 100% of meter
        Straight flush  | 10% of meter
        Four-of-a-kind  | 300 for 1
        Full house      | 50 for 1
        Flush           | 40 for 1
        Straight        | 30 for 1
        Three-of-a-kind | 9 for 1
        Two pair        | N/A
        """,
        "standard",
        printed.FIVE,
    )


def test_high_card_flush_progressive_section_11_e() -> None:
    printed.assert_pays(
        wager("high-card-flush-massachusetts", "high-card-flush", "progressive"),
        """
        7 card straight flush | 100% of main meter | 100% of main meter | 100% of main meter | 100% of main meter
        6 card straight flush | 10% of main meter  | 10% of main meter  | 10% of main meter  | 10% of main meter
        5 card straight flush | $250               | $750               | $300               | $800
        4 card straight flush | $50                | $60                | $50                | $50
        3 card straight flush | $3                 | N/A                | $3                 | N/A
        """,
        "A B C D",
        printed.SEVEN,
    )


PAI_GOW = """
        Natural Royal Flush and Pair | 100% of meter | 100% of meter
        Five Aces and Pair           | 100% of meter | 100% of meter
        Natural Royal Flush          | 10% of meter  | 10% of meter
        Five Aces                    | 10% of meter  | 10% of meter
        Royal Flush and Pair         | $200.00       | $1,000
        Royal Flush                  | $100.00       | $500.00
        Straight Flush and Pair      | $50.00        | $250.00
        Straight Flush               | $25.00        | $125.00
        Four-of-a-Kind and Pair      | $40.00        | $200.00
        Four-of-a-Kind               | $20.00        | $100.00
        Full House and Pair          | $10.00        | $50.00
        Full House                   | $5.00         | $25.00
        Flush and Pair               | $6.00         | $30.00
        Flush                        | $3.00         | $15.00
        Straight and Pair            | $4.00         | $20.00
        Straight                     | $2.00         | $10.00
        Three-of-a-Kind              | $2.00         | $10.00
        """


def test_pai_gow_poker_progressive_section_14_d() -> None:
    progressive = wager("table-games-massachusetts", "pai-gow-poker", "progressive")
    printed.assert_pays(progressive, PAI_GOW, "one-dollar five-dollar", printed.PAI_GOW)


@pytest.mark.parametrize("column", ["one-dollar", "five-dollar"])
def test_pai_gow_poker_names_all_seventeen_hands_and_deducts_from_a_straight_flush_up(column: str) -> None:
    """Section 14(e): payouts of $50.00 ($250.00) or more, or for a straight flush, are deducted from the meter."""
    progressive = wager("table-games-massachusetts", "pai-gow-poker", "progressive")
    deducted = []
    for hand, _ in printed.table(PAI_GOW):
        settled = awards.settle(
            wager=progressive,
            pay_table=progressive.pay_tables[column],
            cards=cards.parse(printed.PAI_GOW[hand].split()),
            amount_micros=progressive.pay_tables[column].amounts_micros[0],
            meters={"main": printed.METER},
        )
        assert settled is not None
        assert settled.hand == hand.lower().replace(" ", "-")
        assert settled.award.validation == ("supervisor" if settled.meter else None)
        deducted += [hand] if settled.award.is_deducted else []
    assert deducted == ["Royal Flush and Pair", "Royal Flush", "Straight Flush and Pair", "Straight Flush"]
