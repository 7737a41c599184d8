"""What must hold for any cards and any meter."""

from collections.abc import Iterator
from itertools import islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackpots.rules import awards, cards, hands, money
from jackpots.rules.book import PayTable, Wager
from jackpots.rules.cards import ACE, Card
from tests.rules.figures import counting
from tests.rules.texts import all_texts, wager

PAI_GOW = wager("table-games-massachusetts", "pai-gow-poker", "progressive")


def ranked() -> Iterator[tuple[Wager, PayTable]]:
    for text in all_texts():
        for game in text.games.values():
            for one in game.wagers.values():
                if one.hand_kind:
                    yield from ((one, table) for table in one.pay_tables.values())


def dealt(size: int, jokers: int) -> st.SearchStrategy[tuple[Card, ...]]:
    return st.lists(st.sampled_from(cards.deck(jokers=jokers)), min_size=size, max_size=size, unique=True).map(tuple)


def paid(one: Wager, table: PayTable, hand: tuple[Card, ...], meters: dict[str, int]) -> awards.Settlement | None:
    stake = table.amounts_micros[0] if table.amounts_micros else money.DOLLAR
    return awards.settle(wager=one, pay_table=table, cards=hand, amount_micros=stake, meters=meters)


def test_outside_pai_gow_a_better_hand_never_pays_less_within_the_fixed_lines() -> None:
    checked = 0
    for one, table in ranked():
        if one.choice == "highest-payout":
            continue
        lines = [line for line in table.lines if line.award.kind not in ("percent", "push", "discretion")]
        amounts = [awards.work_out(line=line, amount_micros=money.DOLLAR, meters={"main": 0}).amount_micros for line in lines]
        assert amounts == sorted(amounts, reverse=True), (one.id, table.id)
        checked += len(amounts)
    assert checked > 200


def test_envy_never_falls_with_a_better_hand_nor_with_a_higher_wager() -> None:
    for _, table in ranked():
        schedules = [list(table.envy[amount].values()) for amount in sorted(table.envy)]
        for schedule in schedules:
            assert schedule == sorted(schedule, reverse=True)
        for lower, higher in pairwise(schedules):
            assert all(less <= more for less, more in zip(lower, higher, strict=True))


@settings(max_examples=60)
@given(st.data(), st.sampled_from(sorted(hands.KINDS)), st.integers(min_value=0, max_value=10**12))
def test_an_award_does_not_depend_on_the_order_of_the_cards(data: st.DataObject, kind: str, main: int) -> None:
    hand = data.draw(dealt(hands.KINDS[kind].cards, hands.KINDS[kind].jokers))
    other = tuple(data.draw(st.permutations(hand)))
    for one, table in ranked():
        if one.hand_kind == kind:
            meters = {"main": main, "secondary": 0}
            assert paid(one, table, hand, meters) == paid(one, table, other, meters)


@settings(max_examples=60)
@given(st.data(), st.sampled_from(sorted(hands.KINDS)), st.integers(min_value=0, max_value=10**12))
def test_an_award_is_whole_cents_and_no_meter_gives_more_than_it_holds(data: st.DataObject, kind: str, main: int) -> None:
    hand = data.draw(dealt(hands.KINDS[kind].cards, hands.KINDS[kind].jokers))
    for one, table in ranked():
        settled = paid(one, table, hand, {"main": main, "secondary": 0}) if one.hand_kind == kind else None
        if settled is not None:
            assert settled.amount_micros % money.CENT == 0
            assert settled.from_meter_micros + settled.from_house_micros == settled.amount_micros
            assert 0 <= settled.from_meter_micros <= main
            assert settled.from_house_micros >= 0
            assert (settled.meter is not None) or settled.from_meter_micros == 0


@pytest.mark.parametrize("column", ["one-dollar", "five-dollar"])
@pytest.mark.parametrize("main", ["0.00", "150.00", "10000.00"])
def test_the_joker_never_pays_less_than_an_ace_in_its_place_natural_royals_apart(column: str, main: str) -> None:
    """Over every fiftieth class of hands that hold the joker, flushes and straight flushes among them."""
    table, meters, checked = PAI_GOW.pay_tables[column], {"main": money.parse(main)}, 0
    for hand, _ in islice(counting.classes(has_joker=True), 0, None, 50):
        with_joker = paid(PAI_GOW, table, hand, meters)
        for ace in (Card(rank=ACE, suit=suit) for suit in range(4)):
            natural = None if ace in hand else paid(PAI_GOW, table, (*hand[:-1], ace), meters)
            if natural is not None and "natural-royal" not in natural.hand:
                checked += 1
                assert with_joker is not None, hand
                assert with_joker.amount_micros >= natural.amount_micros, hand
    assert checked > 1_000


@settings(max_examples=200)
@given(dealt(7, 1), st.integers(min_value=0, max_value=10**11), st.integers(min_value=0, max_value=10**9))
def test_a_fuller_meter_never_pays_a_pai_gow_hand_less(hand: tuple[Card, ...], main: int, more: int) -> None:
    table = PAI_GOW.pay_tables["one-dollar"]
    before, after = (paid(PAI_GOW, table, hand, {"main": amount}) for amount in (main, main + more))
    assert (before is None) == (after is None)
    if before is not None and after is not None:
        assert before.amount_micros <= after.amount_micros
