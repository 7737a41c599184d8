"""Every cell of the tables that have no meter, set out as the rule texts print them."""

import pytest

from jackpots.rules import awards, cards, constraints, money
from jackpots.rules.book import Wager
from tests.rules import printed
from tests.rules.texts import all_texts, wager

TABLE_GAMES = "table-games-massachusetts"
CARIBBEAN = ["caribbean-stud-massachusetts", TABLE_GAMES]


def assert_reads(read: Wager, table: str, columns: str) -> None:
    """Tables whose hands are not ranked here can only be compared as they are written."""
    assert read.hand_kind is None
    names = columns.split()
    rows = list(printed.table(table))
    assert tuple(read.pay_tables) == tuple(names)
    for place, name in enumerate(names):
        expected = {hand: cells[place] for hand, cells in rows if cells[place] != "N/A"}
        assert {line.hand: line.award.text for line in read.pay_tables[name].lines} == expected


def test_every_wager_without_a_meter_says_so_and_takes_no_rate() -> None:
    found = 0
    for text in all_texts():
        for game in text.games.values():
            for one in (one for one in game.wagers.values() if not one.has_meter):
                found += 1
                for table in one.pay_tables.values():
                    assert not any(line.award.meter for line in table.lines)
                    breaches = constraints.check(
                        wager=one,
                        pay_table=table,
                        rates_ppm={"main": 1},
                        initial_micros=0,
                        reset_micros=None,
                        cap_micros=None,
                        linked_tables=1,
                    )
                    assert [breach.code for breach in breaches] == ["no-meter"]
    assert found == 26


@pytest.mark.parametrize("text", CARIBBEAN)
def test_caribbean_stud_bonus_section_11_c(text: str) -> None:
    printed.assert_pays(
        wager(text, "caribbean-stud", "caribbean-stud-bonus"),
        """
        Royal flush             | 1,000 to 1 | 1,000 to 1 | 1,000 to 1
        Straight flush          | 200 to 1   | 200 to 1   | 200 to 1
        Four-of-a-kind          | 100 to 1   | 100 to 1   | 100 to 1
        Full house              | 50 to 1    | 50 to 1    | 50 to 1
        Flush                   | 40 to 1    | 40 to 1    | 40 to 1
        Straight                | 25 to 1    | 25 to 1    | 20 to 1
        Three-of-a-kind         | 7 to 1     | 6 to 1     | 6 to 1
        Two pair                | 3 to 1     | 3 to 1     | 3 to 1
        A pair of 10s or better | 1 to 1     | 1 to 1     | 1 to 1
        """,
        "A B C",
        printed.FIVE,
    )


@pytest.mark.parametrize("text", [*CARIBBEAN, "caribbean-stud-section-10"])
def test_caribbean_stud_bet_wager_section_11_b(text: str) -> None:
    bet = wager(text, "caribbean-stud", "bet")
    table = """
        Royal flush     | 100 to 1
        Straight flush  | 50 to 1
        Four-of-a-kind  | 20 to 1
        Full house      | 7 to 1
        Flush           | 5 to 1
        Straight        | 4 to 1
        Three-of-a-kind | 3 to 1
        Two pair        | 2 to 1
        A pair or less  | 1 to 1
        High card       | 1 to 1
        """
    printed.assert_pays(bet, table, "standard", printed.FIVE | {"High card": "AS KH 7D 4C 2D"})


def test_crazy_4_super_bonus_section_11_b_pays_a_flush_3_to_2() -> None:
    printed.assert_pays(
        wager("crazy-4-poker-massachusetts", "crazy-4-poker", "super-bonus"),
        """
        Four aces       | 200 to 1
        Four-of-a-kind  | 30 to 1
        Straight flush  | 15 to 1
        Three-of-a-kind | 2 to 1
        Flush           | 3 to 2
        Straight        | 1 to 1
        """,
        "standard",
        printed.FOUR_OF_FIVE,
        "5.00",
    )


def test_crazy_4_queens_up_section_11_c() -> None:
    printed.assert_pays(
        wager("crazy-4-poker-massachusetts", "crazy-4-poker", "queens-up"),
        """
        Four-of-a-kind           | 50 to 1 | 50 to 1 | 50 to 1 | 50 to 1
        Straight flush           | 30 to 1 | 40 to 1 | 30 to 1 | 40 to 1
        Three-of-a-kind          | 9 to 1  | 8 to 1  | 8 to 1  | 7 to 1
        Flush                    | 4 to 1  | 4 to 1  | 4 to 1  | 4 to 1
        Straight                 | 3 to 1  | 3 to 1  | 3 to 1  | 3 to 1
        Two pair                 | 2 to 1  | 2 to 1  | 2 to 1  | 2 to 1
        Pair of queens or better | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1
        """,
        "A B C D",
        printed.FOUR_OF_FIVE,
    )


def test_high_card_flush_bonus_section_11_c() -> None:
    to_one = """
        7 card flush | 300 | 100 | 200 | 300 | 200 | 500 | 400 | 1000 | 150 | 150 | 400 | 300 | 500 | 500
        6 card flush | 100 | 20  | 20  | 75  | 60  | 50  | 60  | 50   | 20  | 25  | 100 | 80  | 80  | 100
        5 card flush | 10  | 10  | 10  | 5   | 12  | 12  | 12  | 10   | 10  | 10  | 10  | 11  | 11  | 10
        4 card flush | 1   | 1   | 2   | 2   | 2   | 1   | 1   | 1    | 1   | 2   | 2   | 1   | 1   | 1
        """
    table = "\n".join(f"{hand} | " + " | ".join(f"{cell} to 1" for cell in cells) for hand, cells in printed.table(to_one))
    bonus = wager("high-card-flush-massachusetts", "high-card-flush", "flush-bonus")
    printed.assert_pays(bonus, table, "A B C D E F G H I J K L M N", printed.SEVEN)
    assert not bonus.fold_forfeits


def test_high_card_flush_straight_flush_bonus_section_11_d_leaves_table_g_to_the_licensee() -> None:
    bonus = wager("high-card-flush-massachusetts", "high-card-flush", "straight-flush-bonus")
    table = """
        seven-card-straight-flush | 8000 to 1 | 500 to 1 | 500 to 1 | 1000 to 1 | 500 to 1 | 1000 to 1 | Bonus
        six-card-straight-flush   | 1000 to 1 | 200 to 1 | 200 to 1 | 500 to 1  | 200 to 1 | 500 to 1  | Bonus
        five-card-straight-flush  | 100 to 1  | 100 to 1 | 100 to 1 | 100 to 1  | 100 to 1 | 100 to 1  | Bonus
        four-card-straight-flush  | 60 to 1   | 50 to 1  | 75 to 1  | 75 to 1   | 60 to 1  | 60 to 1   | Bonus
        three-card-straight-flush | 7 to 1    | 9 to 1   | 7 to 1   | 7 to 1    | 8 to 1   | 8 to 1    | Bonus
        """
    rows = dict(printed.table(table))
    for place, name in enumerate("ABCDEFG"):
        assert {line.hand: line.award.text for line in bonus.pay_tables[name].lines} == {hand: cells[place] for hand, cells in rows.items()}
    assert {line.award.kind for line in bonus.pay_tables["G"].lines} == {"discretion"}


@pytest.mark.parametrize(
    ("column", "match", "cards_of_it"),
    [
        ("king-queen", "royal-flush-plus-king-queen-match", "AS KS JK JS TS KH QH"),
        ("ace-king", "royal-flush-plus-ace-king-match", "AS KS QS JS TS AH KH"),
    ],
)
def test_pai_gow_bonus_section_16_a(column: str, match: str, cards_of_it: str) -> None:
    bonus = wager(TABLE_GAMES, "pai-gow-poker", "bonus")
    table = f"""
        Seven-card straight flush with no joker | 8,000 to 1
        {match} | 2,000 to 1
        Seven-card straight flush with joker | 1,000 to 1
        Five aces | 400 to 1
        Royal flush | 150 to 1
        Straight flush | 50 to 1
        Four-of-a-kind | 25 to 1
        Full house | 5 to 1
        Flush | 4 to 1
        Three-of-a-kind | 3 to 1
        Straight | 2 to 1
        """
    examples = printed.PAI_GOW_BONUS | {match: cards_of_it}
    for hand, (cell,) in printed.table(table):
        settled = awards.settle(
            wager=bonus,
            pay_table=bonus.pay_tables[column],
            cards=cards.parse(examples[hand].split()),
            amount_micros=money.parse("5.00"),
            meters={},
        )
        assert settled is not None
        assert settled.amount_micros == printed.dollars(cell, money.parse("5.00")), hand
    assert len(bonus.pay_tables[column].lines) == 11


def test_pai_gow_insurance_section_16_c() -> None:
    examples = {
        "Nine high": "9S 8H 7D 5C 4S 3H 2D",
        "Ten high": "TS 8H 7D 5C 4S 3H 2D",
        "Jack high": "JS 8H 7D 5C 4S 3H 2D",
        "Queen high": "QS 8H 7D 5C 4S 3H 2D",
        "King high": "KS 8H 7D 5C 4S 3H 2D",
        "Ace high": "JK 9H 8D 7C 5S 4H 2D",
    }
    table = """
        Nine high  | 400 to 1 | 250 to 1 | 100 to 1 | 100 to 1 | 100 to 1
        Ten high   | 40 to 1  | 75 to 1  | 50 to 1  | 25 to 1  | 25 to 1
        Jack high  | 20 to 1  | 25 to 1  | 25 to 1  | 15 to 1  | 15 to 1
        Queen high | 5 to 1   | 5 to 1   | 10 to 1  | 6 to 1   | 7 to 1
        King high  | 3 to 1   | 3 to 1   | 5 to 1   | 5 to 1   | 5 to 1
        Ace high   | 2 to 1   | 2 to 1   | 1 to 1   | 3 to 1   | 3 to 1
        """
    printed.assert_pays(wager(TABLE_GAMES, "pai-gow-poker", "insurance"), table, "A B C D E", examples)


def test_pai_gow_three_card_bonus_section_18_b() -> None:
    examples = {
        "Three-card straight flush, with no joker": "4S 3S 2S",
        "Three-of-a-kind": "JK AS AH",
        "Three-card straight flush": "JK KS AS",
        "Three-card straight": "JK 9S 7H",
        "Three-card flush": "JK 9S 2S",
        "One pair": "JK AS 9H",
    }
    table = """
        Three-card straight flush, with no joker | 40 to 1
        Three-of-a-kind                          | 25 to 1
        Three-card straight flush                | 5 to 1
        Three-card straight                      | 4 to 1
        Three-card flush                         | 3 to 1
        One pair                                 | 1 to 1
        """
    printed.assert_pays(wager(TABLE_GAMES, "pai-gow-poker", "three-card-bonus"), table, "standard", examples)


def test_pai_gow_seven_card_bonus_section_18_c() -> None:
    bonus = wager(TABLE_GAMES, "pai-gow-poker", "seven-card-bonus")
    table = """
        Five aces                    | 500 to 1 | 500 to 1
        Royal flush                  | 250 to 1 | 200 to 1
        Straight flush without joker | 50 to 1  | 50 to 1
        Straight flush with joker    | 50 to 1  | 30 to 1
        Four-of-a-kind               | 25 to 1  | 25 to 1
        Full house                   | 5 to 1   | 5 to 1
        Flush                        | 4 to 1   | 4 to 1
        Three-of-a-kind              | 3 to 1   | 3 to 1
        Straight                     | 2 to 1   | 2 to 1
        """
    for hand, cells in printed.table(table):
        for name, cell in zip("AB", cells, strict=True):
            shown = cards.parse(printed.PAI_GOW_BONUS[hand].split())
            settled = awards.settle(wager=bonus, pay_table=bonus.pay_tables[name], cards=shown, amount_micros=money.DOLLAR, meters={})
            assert settled is not None
            assert settled.amount_micros == printed.dollars(cell, money.DOLLAR), hand
    assert [len(bonus.pay_tables[name].lines) for name in "AB"] == [8, 9]


def test_double_down_stud_section_10_b() -> None:
    main = wager(TABLE_GAMES, "double-down-stud", "main")
    table = """
        royal-flush             | 1,000 to 1
        straight-flush          | 100 to 1
        four-of-a-kind          | 25 to 1
        full-house              | 10 to 1
        flush                   | 8 to 1
        straight                | 5 to 1
        three-of-a-kind         | 3 to 1
        two-pair                | 2 to 1
        pair-of-jacks-or-better | 1 to 1
        pair-of-sixes-or-better | Push
        """
    assert [(line.hand, [line.award.text]) for line in main.pay_tables["standard"].lines] == list(printed.table(table))
    assert main.pay_tables["standard"].not_paid == ("pair",)


def test_a_pair_of_tens_is_a_push_at_double_down_stud_and_a_pair_of_fives_loses() -> None:
    main = wager(TABLE_GAMES, "double-down-stud", "main")
    paid = {}
    for hand in ("Pair of sixes, sevens, eights, nines or tens", "Pair of fives or less", "Pair of jacks, queens, kings or aces"):
        shown = cards.parse(printed.FIVE[hand].split())
        settled = awards.settle(wager=main, pay_table=main.pay_tables["standard"], cards=shown, amount_micros=money.DOLLAR, meters={})
        paid[hand] = settled and settled.award.text
    assert list(paid.values()) == ["Push", None, "1 to 1"]


def test_let_it_ride_section_11_b() -> None:
    printed.assert_pays(
        wager(TABLE_GAMES, "let-it-ride", "main"),
        """
        Royal flush     | 1,000 to 1
        Straight flush  | 200 to 1
        Four-of-a-kind  | 50 to 1
        Full house      | 11 to 1
        Flush           | 8 to 1
        Straight        | 5 to 1
        Three-of-a-kind | 3 to 1
        Two pair        | 2 to 1
        Pair of tens, jacks, queens, kings or aces | 1 to 1
        """,
        "standard",
        printed.FIVE,
    )


def test_let_it_ride_bonus_section_11_d() -> None:
    printed.assert_pays(
        wager(TABLE_GAMES, "let-it-ride", "bonus"),
        """
        Royal flush     | $25,000
        Straight flush  | $2,500
        Four-of-a-kind  | $400.00
        Full house      | $200.00
        Flush           | $50.00
        Straight        | $25.00
        Three-of-a-kind | $5.00
        """,
        "standard",
        printed.FIVE,
    )


def test_let_it_ride_three_card_bonus_section_11_e_pays_a_mini_royal_as_a_straight_flush_in_a_to_c() -> None:
    bonus = wager(TABLE_GAMES, "let-it-ride", "three-card-bonus")
    table = """
        Mini-royal      | 40 to 1 | 40 to 1 | 40 to 1 | 50 to 1 | 50 to 1 | 50 to 1
        Straight flush  | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1
        Three-of-a-kind | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1
        Straight        | 6 to 1  | 5 to 1  | 6 to 1  | 6 to 1  | 5 to 1  | 6 to 1
        Flush           | 4 to 1  | 4 to 1  | 3 to 1  | 4 to 1  | 4 to 1  | 3 to 1
        Pair            | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1
        """
    for hand, cells in printed.table(table):
        for name, cell in zip("ABCDEF", cells, strict=True):
            shown = cards.parse(printed.THREE[hand].split())
            settled = awards.settle(wager=bonus, pay_table=bonus.pay_tables[name], cards=shown, amount_micros=money.DOLLAR, meters={})
            assert settled is not None
            assert settled.amount_micros == printed.dollars(cell, money.DOLLAR), hand
    assert [bonus.pay_tables[name].not_paid for name in "ABCDEF"] == [("mini-royal",)] * 3 + [()] * 3


def test_three_card_poker_pair_plus_and_ante_bonus_section_11_a() -> None:
    printed.assert_pays(
        wager(TABLE_GAMES, "three-card-poker", "pair-plus"),
        """
        Mini-royal      | 35 to 1
        Straight flush  | 35 to 1
        Three-of-a-kind | 25 to 1
        Straight        | 5 to 1
        Flush           | 3 to 1
        Pair            | 1 to 1
        """,
        "standard",
        printed.THREE,
    )
    bonus = wager(TABLE_GAMES, "three-card-poker", "ante-bonus")
    table = """
        Mini royal flush of spades | 5 to 1 | 50 to 1 | 50 to 1 | 50 to 1
        Mini-royal                 | 5 to 1 | 5 to 1  | 50 to 1 | 10 to 1
        Straight flush             | 5 to 1 | 4 to 1  | 8 to 1  | 4 to 1
        Three-of-a-kind            | 4 to 1 | 3 to 1  | 6 to 1  | 3 to 1
        Straight                   | 1 to 1 | 1 to 1  | 1 to 1  | 1 to 1
        """
    for hand, cells in printed.table(table):
        for name, cell in zip(("standard", "A", "B", "C"), cells, strict=True):
            shown = cards.parse(printed.THREE[hand].split())
            settled = awards.settle(wager=bonus, pay_table=bonus.pay_tables[name], cards=shown, amount_micros=money.DOLLAR, meters={})
            assert settled is not None
            assert settled.amount_micros == printed.dollars(cell, money.DOLLAR), hand


def test_colorado_hold_em_sections_12_and_13() -> None:
    table = """
        royal-flush                              | 500 to 1 | 500 to 1
        straight-flush                           | 100 to 1 | 100 to 1
        four-of-a-kind                           | 40 to 1  | 25 to 1
        full-house                               | 11 to 1  | 10 to 1
        flush                                    | 8 to 1   | 8 to 1
        straight                                 | 5 to 1   | 5 to 1
        three-card-straight-flush-instant-winner | 5 to 1   | 5 to 1
        three-of-a-kind-instant-winner           | 5 to 1   | 5 to 1
        three-of-a-kind                          | 3 to 1   | 3 to 1
        two-pair                                 | 2 to 1   | 2 to 1
        pair-of-jacks-or-better                  | 1 to 1   | 1 to 1
        pair-of-tens                             | 1 to 1   | N/A
        """
    assert_reads(wager(TABLE_GAMES, "colorado-hold-em", "main"), table, "required-bet permissible-bet")
    table = """
        royal-flush                              | 10,000 to 1
        straight-flush                           | 1000 to 1
        four-of-a-kind                           | 100 to 1
        full-house                               | 50 to 1
        flush                                    | 25 to 1
        straight                                 | 15 to 1
        three-card-straight-flush-instant-winner | 5 to 1
        three-of-a-kind-instant-winner           | 5 to 1
        three-of-a-kind                          | 3 to 1
        two-pair                                 | 1 to 1
        pair-of-jacks-or-better                  | Push
        """
    assert_reads(wager(TABLE_GAMES, "colorado-hold-em", "bonus"), table, "standard")


def test_spanish_21_sections_5_and_6() -> None:
    table = """
        six-seven-eight-of-spades       | 3 to 1
        three-sevens-of-spades          | 3 to 1
        seven-or-more-cards-totaling-21 | 3 to 1
        six-seven-eight-of-one-suit     | 2 to 1
        three-sevens-of-one-suit        | 2 to 1
        six-cards-totaling-21           | 2 to 1
        six-seven-eight-of-mixed-suits  | 3 to 2
        three-sevens-of-mixed-suits     | 3 to 2
        five-cards-totaling-21          | 3 to 2
        two-cards-totaling-21           | 3 to 2
        other-winning-hand              | 1 to 1
        """
    assert_reads(wager(TABLE_GAMES, "spanish-21", "main"), table, "standard")
    table = """
        matching-card-of-the-same-suit    | 9 to 1 | 12 to 1
        matching-card-of-a-different-suit | 4 to 1 | 3 to 1
        """
    assert_reads(wager(TABLE_GAMES, "spanish-21", "match-the-dealer"), table, "six-decks eight-decks")


def test_minibaccarat_section_12() -> None:
    table = """
        win-by-nine-points  | 30 to 1 | 20 to 1 | 30 to 1
        win-by-eight-points | 10 to 1 | 8 to 1  | 10 to 1
        win-by-seven-points | 6 to 1  | 7 to 1  | 4 to 1
        win-by-six-points   | 4 to 1  | 4 to 1  | 4 to 1
        win-by-five-points  | 2 to 1  | 3 to 1  | 2 to 1
        win-by-four-points  | 1 to 1  | 1 to 1  | 2 to 1
        natural-winner      | 1 to 1  | 1 to 1  | 1 to 1
        natural-tie         | Push    | Push    | Push
        """
    assert_reads(wager(TABLE_GAMES, "minibaccarat", "dragon-bonus"), table, "A B C")
    assert_reads(wager(TABLE_GAMES, "minibaccarat", "ez-insurance"), "dragon-seven | 40 to 1\npanda-eight | 25 to 1", "standard")
    house = "player-and-banker-pair | 15 to 1\nplayer-or-banker-pair | 3 to 1"
    assert_reads(wager(TABLE_GAMES, "minibaccarat", "house-money"), house, "standard")
