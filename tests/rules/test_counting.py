"""The ways of counting are sound: classes cover every hand once, and a hand ranks as its class does."""

import random
from collections import Counter
from itertools import combinations
from math import comb

import pytest

from jackpots.rules import cards, hands
from jackpots.rules.cards import JOKER, Card
from tests.rules.figures import counting


def test_suit_patterns_cover_every_hand_once() -> None:
    assert sum(weight for _, weight in counting.suit_patterns(5)) == comb(52, 5)
    assert sum(weight for _, weight in counting.suit_patterns(3)) == comb(52, 3)


def test_counting_by_pattern_and_one_by_one_agree() -> None:
    forms = hands.KINDS["three-card"].forms
    plain: Counter[str] = Counter()
    one_by_one = Counter(forms(hand)[-1] for hand in combinations(cards.deck(), 3))
    for form, count in counting.by_suit_pattern(forms, 3).items():
        plain[form[-1]] += count
    assert plain == one_by_one


def test_classes_with_the_joker_cover_every_hand_once() -> None:
    assert sum(weight for _, weight in counting.classes(has_joker=True)) == comb(52, 6)


@pytest.mark.parametrize("kind", ["pai-gow", "pai-gow-bonus", "pai-gow-seven-card", "pai-gow-insurance"])
def test_a_hand_ranks_as_the_hand_that_stands_for_its_class(kind: str) -> None:
    """Ranks, the ranks held in the flush's suit, and whether the rest share a suit: nothing else may matter."""
    deal = random.Random(kind)
    deck = cards.deck(jokers=1)
    flushes = 0
    for _ in range(1_500):
        suit = deal.randrange(4)
        same = deal.sample([card for card in deck if card.suit == suit], deal.choice((2, 4, 5)))
        others = deal.sample([card for card in deck if card not in same], 7 - len(same))
        hand = (*same, *others)
        stand_in = _stand_in(hand)
        flushes += len({card.suit for card in stand_in}) < 4
        assert hands.forms(kind, hand) == hands.forms(kind, stand_in)
    assert flushes > 100


def _stand_in(hand: tuple[Card, ...]) -> tuple[Card, ...]:
    held = [card for card in hand if card != JOKER]
    joker = (JOKER,) if len(held) < 7 else ()
    suit, number = Counter(card.suit for card in held).most_common(1)[0]
    if number < 5 - len(joker):
        ranks = sorted(card.rank for card in held)
        return tuple(Card(rank=rank, suit=place % 4) for place, rank in enumerate(ranks)) + joker
    flush = tuple(Card(rank=card.rank, suit=0) for card in held if card.suit == suit)
    rest = [card for card in held if card.suit != suit]
    second = 2 if len({card.suit for card in rest}) > 1 else 1
    return flush + tuple(Card(rank=card.rank, suit=place) for card, place in zip(rest, (1, second), strict=False)) + joker
