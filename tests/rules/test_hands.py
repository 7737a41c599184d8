"""How hands rank, in examples a dealer would name."""

import random
from itertools import permutations

import pytest

from jackpots.rules import cards, hands, poker
from jackpots.rules.cards import JOKER, BadCards, Card


def best(kind: str, shown: str) -> str | None:
    return next(iter(hands.forms(kind, cards.parse(shown.split()))), None)


@pytest.mark.parametrize(
    ("shown", "hand"),
    [
        ("TS JS QS KS AS", "royal-flush"),
        ("9S TS JS QS KS", "straight-flush"),
        ("AD 2D 3D 4D 5D", "straight-flush"),
        ("AD KD QD 2D 3D", "flush"),
        ("AD KD QH 2D 3D", "high-card"),
        ("AS 2D 3D 4D 5D", "straight"),
        ("TS JD QD KD AD", "straight"),
        ("8S 8D 8C 2H 2S", "full-house"),
        ("8S 8D 8C 3H 2S", "three-of-a-kind"),
        ("8S 8D 3C 3H 2S", "two-pair"),
    ],
)
def test_five_cards(shown: str, hand: str) -> None:
    assert best("five-card", shown) == hand


@pytest.mark.parametrize(
    ("shown", "hand"),
    [
        ("AS KS QS JS 2D", "straight-flush"),
        ("KS AS 2S 3S 9D", "flush"),
        ("KS AS 2D 3S 9D", "high-card"),
        ("9S 9H 9D 9C 8C", "four-of-a-kind"),
        ("AS AH AD AC 8C", "four-aces"),
        ("9S 9H 9D 8C 8S", "three-of-a-kind"),
        ("5S 4S 3S 2S AS", "straight-flush"),
        ("KD JD 8D 7D 6S", "flush"),
        ("AS 2H 3D 4C 4S", "straight"),
    ],
)
def test_the_best_four_of_five(shown: str, hand: str) -> None:
    assert best("four-of-five", shown) == hand


@pytest.mark.parametrize(
    ("shown", "hand"),
    [
        ("KS AS 2S 9D 7H 4C JH", None),
        ("AS 2S 3S 9D 7H 4C JH", "three-card-straight-flush"),
        ("QS KS AS 9D 7H 4C JH", "three-card-straight-flush"),
        ("AS 2S 3S 4S 5S 6S 7S", "seven-card-straight-flush"),
        ("8S 9S TS JS QS KS AS", "seven-card-straight-flush"),
        ("QS KS AS 2S 3S 4S 9D", "four-card-straight-flush"),
        ("2S 3S 4S 2H 3H 4H 5H", "four-card-straight-flush"),
    ],
)
def test_the_longest_straight_flush_of_seven(shown: str, hand: str | None) -> None:
    assert best("straight-flush-of-seven", shown) == hand


@pytest.mark.parametrize(
    ("shown", "wrong"),
    [("AS KS QS JS", "five-card"), ("AS KS QS JS JK", "five-card"), ("AS KS QS JS TS 9S", "straight-flush-of-seven")],
)
def test_a_wrong_number_of_cards_or_a_joker_out_of_place_is_refused(shown: str, wrong: str) -> None:
    with pytest.raises(BadCards):
        hands.forms(wrong, cards.parse(shown.split()))


def test_the_same_card_twice_is_refused() -> None:
    ace = Card(rank=14, suit=0)
    with pytest.raises(BadCards):
        hands.forms("five-card", (ace, ace, *cards.parse(["2S", "3S", "4S"])))


@pytest.mark.parametrize("kind", hands.KINDS)
def test_neither_the_order_of_the_cards_nor_the_names_of_the_suits_matter(kind: str) -> None:
    """The rows of a mini royal of spades apart, which name a suit."""
    deal = random.Random(kind)
    deck = cards.deck(jokers=hands.KINDS[kind].jokers)
    orders = list(permutations(range(4)))
    for _ in range(300):
        hand = tuple(deal.sample(deck, hands.KINDS[kind].cards))
        suits = deal.choice(orders)
        moved = [card if card == JOKER else Card(rank=card.rank, suit=suits[card.suit]) for card in hand]
        deal.shuffle(moved)
        expected = [form for form in hands.forms(kind, hand) if "spades" not in form]
        assert [form for form in hands.forms(kind, tuple(moved)) if "spades" not in form] == expected


@pytest.mark.parametrize("kind", hands.KINDS)
def test_forms_are_rows_of_the_kind_in_their_order(kind: str) -> None:
    deal = random.Random(f"rows of {kind}")
    rows = hands.KINDS[kind].rows
    deck = cards.deck(jokers=hands.KINDS[kind].jokers)
    for _ in range(300):
        places = [rows.index(form) for form in hands.forms(kind, tuple(deal.sample(deck, hands.KINDS[kind].cards)))]
        assert places == sorted(set(places))


def test_two_hands_compare_by_category_and_then_by_card() -> None:
    ladder = ["KS QH 9D 7C 2S", "AS KH QD JC 9S", "2S 2H 5D 4C 3S", "AS 2H 3D 4C 5S", "2S 3H 4D 5C 6S", "2S 2H 2D 3C 3S", "3S 3H 3D 2C 2S"]
    strengths = [poker.strength(cards.parse(shown.split())) for shown in ladder]
    assert strengths == sorted(strengths)
    assert len(set(strengths)) == len(ladder)


@pytest.mark.parametrize(
    ("kind", "shown", "hand"),
    [
        ("pai-gow-bonus", "AS KS QS JS TS KH QH", "royal-flush-plus-king-queen-match"),
        ("pai-gow-bonus", "AS KS QS JS TS AH JH", "royal-flush"),
        ("pai-gow-bonus", "AS KS QS JS TS KH QD", "royal-flush"),
        ("pai-gow-bonus", "AS KS QS JS JK AH KH", "royal-flush-plus-ace-king-match"),
        ("pai-gow-bonus", "AS KS QS JS TS JK KH", "royal-flush"),
        ("pai-gow-bonus", "JK 9S TS JS QS KS AS", "seven-card-straight-flush-with-joker"),
        ("pai-gow-seven-card", "AS AH AD AC JK 2D 3C", "five-aces"),
        ("pai-gow-seven-card", "KS KH KD KC JK 2D 3C", "four-of-a-kind"),
        ("pai-gow-seven-card", "KS KH JK 9C 7S 4D 2C", None),
        ("pai-gow-insurance", "JK KH QD JC TS 3H 2D", None),
        ("pai-gow-insurance", "AS KH QD JC 9S 3H 2D", "ace-high"),
        ("pai-gow-insurance", "JK KS QS JS 9S 3H 2D", "ace-high"),
        ("pai-gow-insurance", "JK AS QD JC 9S 3H 2D", None),
        ("pai-gow-three-card", "JK KS 2H", None),
        ("pai-gow-three-card", "9S 9H JK", "pair"),
    ],
)
def test_the_joker_is_an_ace_or_completes_a_straight_or_a_flush_and_is_nothing_else(kind: str, shown: str, hand: str | None) -> None:
    assert best(kind, shown) == hand
