from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from jackpots.rules import badbeat, cards, money
from tests.rules.texts import text

FUND = text("table-games-massachusetts").games["poker"].funds["bad-beat"]


def test_the_fund_is_verified_by_a_shift_supervisor_and_names_its_paragraphs() -> None:
    assert (FUND.verified_by, FUND.paid_from, FUND.paragraph) == ("shift-supervisor", "cage", "chapter 14 section 19")
    named = " ".join(note.paragraph for note in FUND.notes)
    assert [letter for letter in "abcdfghi" if f"section 19({letter})" not in named] == []
    assert sum(FUND.shares_ppm.values()) == money.WHOLE_PPM


def test_a_pot_gives_a_percentage_up_to_a_limit_and_nothing_below_the_minimum_pot() -> None:
    given_by = {pot: money.cents(badbeat.contribution(fund=FUND, pot_micros=money.parse(pot))) for pot in ("19.99", "20.00", "500.00")}
    assert given_by == {"19.99": "0.00", "20.00": "1.00", "500.00": "1.00"}


def test_a_contribution_is_rounded_down_to_the_cent() -> None:
    loose = replace(FUND, minimum_pot_micros=0)
    assert money.cents(badbeat.contribution(fund=loose, pot_micros=money.parse("5.99"))) == "0.59"


def test_only_a_high_hand_that_truly_lost_is_a_bad_beat() -> None:
    fours, higher_fours = cards.parse(["9S", "9H", "9D", "9C", "2S"]), cards.parse(["KS", "KH", "KD", "KC", "2D"])
    full = cards.parse(["AS", "AH", "AD", "QC", "QS"])
    assert badbeat.is_bad_beat(fund=FUND, losing=fours, winning=higher_fours)
    assert not badbeat.is_bad_beat(fund=FUND, losing=higher_fours, winning=fours)
    assert not badbeat.is_bad_beat(fund=FUND, losing=full, winning=fours)
    aces, straight_flush = cards.parse(["AS", "AH", "AD", "AC", "QS"]), cards.parse(["5S", "6S", "7S", "8S", "9S"])
    assert badbeat.is_bad_beat(fund=FUND, losing=aces, winning=straight_flush)


def test_the_fund_is_shared_among_loser_winner_table_and_the_next_fund() -> None:
    paid, left = badbeat.shares(fund=FUND, amount_micros=money.parse("10000.00"), loser=3, winners=[7], others=[1, 2, 9])
    assert {seat: money.cents(amount) for seat, amount in paid.items()} == {
        3: "5000.00",
        7: "2500.00",
        1: "500.00",
        2: "500.00",
        9: "500.00",
    }
    assert money.cents(left) == "1000.00"


@given(st.integers(min_value=0, max_value=10**13), st.integers(min_value=1, max_value=3), st.integers(min_value=0, max_value=7))
def test_sharing_loses_nothing(amount: int, winners: int, others: int) -> None:
    seats = list(range(2, 2 + winners)), list(range(20, 20 + others))
    paid, left = badbeat.shares(fund=FUND, amount_micros=amount, loser=1, winners=seats[0], others=seats[1])
    assert sum(paid.values()) + left == amount
    assert left >= 0
    assert all(part % money.CENT == 0 for part in paid.values())
