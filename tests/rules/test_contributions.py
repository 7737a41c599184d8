import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackpots.rules import money
from jackpots.rules.contributions import contributions


def test_a_dollar_gives_each_level_its_rate_exactly() -> None:
    assert contributions(amount_micros=1_000_000, rates_ppm={"main": 700_000}) == {"main": 700_000}
    assert contributions(amount_micros=1_000_000, rates_ppm={"main": 240_000, "secondary": 20_000}) == {
        "main": 240_000,
        "secondary": 20_000,
    }
    assert contributions(amount_micros=5_000_000, rates_ppm={"main": 270_001}) == {"main": 1_350_005}


def test_a_share_that_is_no_whole_micro_or_more_than_the_wager_is_refused() -> None:
    with pytest.raises(money.BadMoney):
        contributions(amount_micros=1, rates_ppm={"main": 700_000})
    with pytest.raises(money.BadMoney):
        contributions(amount_micros=1_000_000, rates_ppm={"main": 900_000, "secondary": 100_001})


@given(st.integers(min_value=1, max_value=1000), st.integers(min_value=0, max_value=500_000), st.integers(min_value=0, max_value=500_000))
def test_whole_dollars_never_round_and_never_give_more_than_the_wager(dollars: int, main: int, secondary: int) -> None:
    amount = dollars * money.DOLLAR
    given_away = contributions(amount_micros=amount, rates_ppm={"main": main, "secondary": secondary})
    assert given_away == {"main": dollars * main, "secondary": dollars * secondary}
    assert sum(given_away.values()) <= amount
