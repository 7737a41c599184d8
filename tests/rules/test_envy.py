"""Every cell of every envy schedule, and who receives it."""

import pytest

from jackpots.rules import awards, cards, money
from jackpots.rules.book import PayTable
from tests.rules import printed
from tests.rules.texts import all_texts, table, wager

ONE, FIVE = money.parse("1.00"), money.parse("5.00")
CRAZY = ("crazy-4-poker-massachusetts", "crazy-4-poker")


def received(pay_table: PayTable, hand: str, wager_micros: int) -> str:
    given = awards.envy(pay_table=pay_table, hand=hand, holder=5, wagers={5: wager_micros, 2: wager_micros})
    assert 5 not in given
    return money.cents(given.get(2, 0))


@pytest.mark.parametrize("text", ["caribbean-stud-massachusetts", "table-games-massachusetts"])
@pytest.mark.parametrize(
    ("hand", "for_1", "for_5"),
    [("royal-flush", "1000.00", "5000.00"), ("straight-flush", "300.00", "1500.00"), ("four-of-a-kind", "0.00", "0.00")],
)
def test_caribbean_stud_pay_table_d_section_11_d_7(text: str, hand: str, for_1: str, for_5: str) -> None:
    d = table(text, "caribbean-stud", "progressive", "D")
    assert (received(d, hand, ONE), received(d, hand, FIVE)) == (for_1, for_5)


@pytest.mark.parametrize(
    ("column", "hand", "for_1", "for_5"),
    [
        ("A", "four-aces", "100.00", "500.00"),
        ("A", "four-of-a-kind", "10.00", "50.00"),
        ("A", "straight-flush", "5.00", "25.00"),
        ("A", "three-of-a-kind", "0.00", "0.00"),
        ("B", "four-aces", "100.00", "500.00"),
        ("B", "four-of-a-kind", "25.00", "125.00"),
        ("B", "straight-flush", "0.00", "0.00"),
    ],
)
def test_crazy_4_four_card_section_11_d_5(column: str, hand: str, for_1: str, for_5: str) -> None:
    four_card = table(*CRAZY, "four-card-progressive", column)
    assert (received(four_card, hand, ONE), received(four_card, hand, FIVE)) == (for_1, for_5)


@pytest.mark.parametrize(("hand", "for_1", "for_5"), [("royal-flush", "1000.00", "5000.00"), ("straight-flush", "300.00", "1500.00")])
def test_crazy_4_five_card_section_11_e_5(hand: str, for_1: str, for_5: str) -> None:
    five_card = table(*CRAZY, "five-card-progressive", "standard")
    assert (received(five_card, hand, ONE), received(five_card, hand, FIVE)) == (for_1, for_5)


@pytest.mark.parametrize(("column", "match"), [("king-queen", "king-queen-match"), ("ace-king", "ace-king-match")])
def test_pai_gow_bonus_section_16_b_does_not_grow_with_the_wager_and_begins_at_5_dollars(column: str, match: str) -> None:
    bonus = table("table-games-massachusetts", "pai-gow-poker", "bonus", column)
    schedule = {
        "seven-card-straight-flush-no-joker": "5000.00",
        f"royal-flush-plus-{match}": "1000.00",
        "seven-card-straight-flush-with-joker": "500.00",
        "five-aces": "250.00",
        "royal-flush": "50.00",
        "straight-flush": "20.00",
        "four-of-a-kind": "5.00",
        "full-house": "0.00",
    }
    for hand, amount in schedule.items():
        assert received(bonus, hand, FIVE) == received(bonus, hand, money.parse("100.00")) == amount
        assert received(bonus, hand, money.parse("4.99")) == "0.00"


def test_only_these_tables_have_an_envy_bonus() -> None:
    found = [
        (text.id, game.id, one.id, pay_table.id)
        for text in all_texts()
        for game in text.games.values()
        for one in game.wagers.values()
        for pay_table in one.pay_tables.values()
        if pay_table.envy
    ]
    assert found == [
        ("caribbean-stud-massachusetts", "caribbean-stud", "progressive", "D"),
        (*CRAZY, "four-card-progressive", "A"),
        (*CRAZY, "four-card-progressive", "B"),
        (*CRAZY, "five-card-progressive", "standard"),
        ("table-games-massachusetts", "pai-gow-poker", "bonus", "king-queen"),
        ("table-games-massachusetts", "pai-gow-poker", "bonus", "ace-king"),
        ("table-games-massachusetts", "caribbean-stud", "progressive", "D"),
    ]


def test_everybody_else_receives_it_by_their_own_wager_and_the_holder_never() -> None:
    d = table("caribbean-stud-massachusetts", "caribbean-stud", "progressive", "D")
    given = awards.envy(pay_table=d, hand="royal-flush", holder=5, wagers={1: ONE, 3: FIVE, 5: FIVE, 6: ONE})
    assert {seat: money.cents(amount) for seat, amount in given.items()} == {1: "1000.00", 3: "5000.00", 6: "1000.00"}


def test_a_holder_without_a_wager_still_gives_envy() -> None:
    progressive = wager("caribbean-stud-massachusetts", "caribbean-stud", "progressive")
    d = progressive.pay_tables["D"]
    shown = cards.parse(printed.FIVE["Straight flush"].split())
    hand = awards.envy_hand(wager=progressive, pay_table=d, cards=shown)
    assert hand == "straight-flush"
    assert awards.envy(pay_table=d, hand=hand, holder=None, wagers={2: ONE}) == {2: money.parse("300.00")}


def test_a_hand_that_does_not_qualify_and_a_table_without_envy_give_none() -> None:
    progressive = wager("caribbean-stud-massachusetts", "caribbean-stud", "progressive")
    flush = cards.parse(printed.FIVE["Flush"].split())
    royal = cards.parse(printed.FIVE["Royal flush"].split())
    assert awards.envy_hand(wager=progressive, pay_table=progressive.pay_tables["D"], cards=flush) is None
    assert awards.envy_hand(wager=progressive, pay_table=progressive.pay_tables["A"], cards=royal) is None


def test_four_aces_give_the_envy_of_four_aces_and_other_fours_theirs() -> None:
    four_card = wager(*CRAZY, "four-card-progressive")
    b = four_card.pay_tables["B"]
    found = [
        awards.envy_hand(wager=four_card, pay_table=b, cards=cards.parse(printed.FOUR_OF_FIVE[hand].split()))
        for hand in printed.FOUR_OF_FIVE
    ]
    assert found == ["four-aces", "four-of-a-kind", *[None] * 6]
