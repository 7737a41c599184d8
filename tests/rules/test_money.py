import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackpots.rules import money


@pytest.mark.parametrize(
    ("text", "micros"),
    [("0", 0), ("1.00", 1_000_000), ("1", 1_000_000), ("0.01", 10_000), ("0.000001", 1), ("18342.178800", 18_342_178_800)],
)
def test_a_decimal_string_is_read_exactly(text: str, micros: int) -> None:
    assert money.parse(text) == micros


@pytest.mark.parametrize(
    "text", ["", "-1", "+1", "1.", ".5", "1e3", "1,000", "01", "1.0000001", " 1", "1 ", "nan", "\u0661", "1\n", "9" * 13]
)
def test_what_is_not_an_amount_is_refused(text: str) -> None:
    with pytest.raises(money.BadMoney):
        money.parse(text)


@pytest.mark.parametrize("value", [1, 1.0, None, True])
def test_a_number_is_refused_where_a_string_belongs(value: object) -> None:
    with pytest.raises(money.BadMoney):
        money.parse(value)  # type: ignore[arg-type]


def test_an_amount_is_shown_to_the_cent_rounded_down_and_exactly_with_six_decimals() -> None:
    assert money.cents(18_342_178_800) == "18342.17"
    assert money.exact(18_342_178_800) == "18342.178800"
    assert money.floor_cent(18_342_178_800) == 18_342_170_000


def test_a_share_that_is_no_whole_micro_is_refused() -> None:
    assert money.share(1_000_000, 700_000) == 700_000
    with pytest.raises(money.BadMoney):
        money.share(1_500_001, 700_000)
    with pytest.raises(money.BadMoney):
        money.share(1_000_000, 1_000_001)


@given(st.integers(min_value=0, max_value=10**15))
def test_exact_text_reads_back_to_the_same_micros(micros: int) -> None:
    assert money.parse(money.exact(micros)) == micros


@given(st.integers(min_value=0, max_value=10**15), st.integers(min_value=1, max_value=14))
def test_a_division_loses_nothing_and_pays_whole_equal_cents(micros: int, parts: int) -> None:
    each, left = money.split(micros, parts)
    assert each * parts + left == micros
    assert each % money.CENT == 0
    assert 0 <= left < parts * money.CENT


@given(st.integers(min_value=0, max_value=10**15), st.integers(min_value=0, max_value=10**6))
def test_a_percentage_rounds_down_to_the_cent_and_never_exceeds_the_meter(micros: int, ppm: int) -> None:
    due = money.percent(micros, ppm)
    assert due % money.CENT == 0
    assert due * money.WHOLE_PPM <= micros * ppm < (due + money.CENT) * money.WHOLE_PPM


def test_money_cannot_be_divided_among_nobody_nor_be_below_zero() -> None:
    with pytest.raises(money.BadMoney):
        money.split(100, 0)
    with pytest.raises(money.BadMoney):
        money.floor_cent(-1)
