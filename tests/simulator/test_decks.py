"""Decks: whole, repeatable, and stacked only where the timetable says."""

import random

import pytest

from jackpots.simulator import decks, play


def test_a_shuffled_deck_holds_each_card_once() -> None:
    deck = decks.shuffled(random.Random(1))
    assert len(deck) == len(set(deck)) == 52


def test_the_same_seed_deals_the_same_deck_and_another_seed_another() -> None:
    assert decks.shuffled(random.Random("7/CSP-01/3")) == decks.shuffled(random.Random("7/CSP-01/3"))
    assert decks.shuffled(random.Random("7/CSP-01/3")) != decks.shuffled(random.Random("8/CSP-01/3"))


@pytest.mark.parametrize("hand", ["straight-flush", "royal-flush"])
@pytest.mark.parametrize("place", range(7))
def test_a_stacked_demo_deck_is_whole_and_brings_its_hand_to_its_place(hand: str, place: int) -> None:
    for seed in range(30):
        deck = decks.stacked(random.Random(seed), hand=hand, place=place)
        assert len(deck) == len(set(deck)) == 52
        assert play.names(decks.deal(deck, range(7))[place])[0] == hand


def test_no_card_is_dealt_twice_in_a_round() -> None:
    dealt = decks.deal(decks.shuffled(random.Random(4)), range(1, 8))
    assert len({card for hand in dealt.values() for card in hand}) == 35


def test_the_timetable_stacks_the_third_round_then_a_royal_and_few_after() -> None:
    stacked = {nth: decks.demonstration_hand(nth) for nth in range(1, 120) if decks.demonstration_hand(nth)}
    assert stacked == {3: "straight-flush", 25: "royal-flush", 55: "straight-flush", 85: "straight-flush", 115: "royal-flush"}
