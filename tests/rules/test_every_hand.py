"""All hands of the deck, against counts that anybody can look up and against an evaluator that is not ours."""

import json
from collections import Counter
from itertools import combinations

import pytest
from treys import Card as TreysCard
from treys import Evaluator

from jackpots.rules import cards, figures, hands, joker, poker, suited
from tests.rules.figures import counting, make

FIVE_CARD = {
    "royal-flush": 4,
    "straight-flush": 36,
    "four-of-a-kind": 624,
    "full-house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three-of-a-kind": 54_912,
    "two-pair": 123_552,
    "pair": 1_098_240,
    "high-card": 1_302_540,
}


def test_every_five_card_hand_ranks_as_published_and_as_another_evaluator_ranks_it() -> None:
    """The other evaluator numbers 7,462 classes of equal hands from the best down; ours must be the same classes in the same order."""
    deck = cards.deck()
    rank_elsewhere = Evaluator()._five
    theirs = [TreysCard.new(str(card)[0] + str(card)[1].lower()) for card in deck]
    pairs: set[tuple[int, tuple[int, ...]]] = set()
    counts: Counter[str] = Counter()
    for ours, others in zip(combinations(deck, 5), combinations(theirs, 5), strict=True):
        category, ranks = poker.five_card(ours)
        counts[category] += 1
        pairs.add((rank_elsewhere(others), (-poker.FIVE_CARD.index(category), *ranks)))
    assert counts == FIVE_CARD
    ordered = sorted(pairs)
    assert len(ordered) == len({number for number, _ in pairs}) == len({strength for _, strength in pairs}) == 7_462
    assert [strength for _, strength in ordered] == sorted((strength for _, strength in ordered), reverse=True)


def test_strength_is_the_place_of_the_category_and_then_the_ranks() -> None:
    for shown in ("AS KS QS JS TS", "2S 2H 3D 4C 5S", "9S 8H 5D 3C 2S"):
        hand = cards.parse(shown.split())
        category, ranks = poker.five_card(hand)
        assert poker.strength(hand) == (len(poker.FIVE_CARD) - 1 - poker.FIVE_CARD.index(category), *ranks)


@pytest.mark.parametrize("kind", ["five-card", "four-of-five"])
def test_every_hand_of_five_cards_takes_the_forms_written_down(kind: str) -> None:
    counted = counting.by_suit_pattern(hands.KINDS[kind].forms, 5)
    assert {" ".join(forms): count for forms, count in counted.items()} == dict(figures.COUNTS[kind])


def test_the_best_four_of_every_five_cards_is_the_highest_of_the_five_ways_to_choose_them() -> None:
    order = {category: place for place, category in enumerate(reversed(poker.FOUR_CARD))}
    for hand, _ in counting.suit_patterns(5):
        category, ranks = max(map(poker.four_card, combinations(hand, 4)), key=lambda four: (order[four[0]], four[1]))
        has_group = category in ("four-of-a-kind", "three-of-a-kind", "two-pair", "pair")
        assert poker.best_four(hand) == (category, ranks[0] if has_group else 0)


def test_the_best_four_of_all_five_card_hands_is_counted_as_published() -> None:
    counts = Counter[str]()
    for forms, count in figures.COUNTS["four-of-five"]:
        counts[forms.split()[-1]] += count
    published = {"four-of-a-kind": 624, "straight-flush": 2_072, "three-of-a-kind": 58_656, "flush": 114_616, "straight": 101_808}
    assert {hand: counts[hand] for hand in published} == published
    assert sum(counts.values()) == 2_598_960


def test_every_three_card_hand_is_counted_as_published() -> None:
    counted = counting.one_by_one(hands.KINDS["three-card"].forms, 3)
    assert {" ".join(forms): count for forms, count in counted.items()} == dict(figures.COUNTS["three-card"])
    plain = Counter[str]()
    for forms, count in counted.items():
        plain[forms[-1]] += count
    assert plain == {"straight-flush": 48, "three-of-a-kind": 52, "straight": 720, "flush": 1_096, "pair": 3_744, "high-card": 16_440}


def test_all_133_784_560_hands_of_high_card_flush() -> None:
    counted = counting.by_suit(suited.longest_run, counting.straight_flush_name)
    assert {" ".join(forms): count for forms, count in counted.items()} == dict(figures.COUNTS["straight-flush-of-seven"])
    published = {"seven": 32, "six": 1_592, "five": 39_960, "four": 676_196, "three": 8_642_932}
    assert {word: counted[(f"{word}-card-straight-flush",)] for word in published} == published
    assert sum(counted.values()) == 133_784_560


def test_all_flushes_of_seven_cards() -> None:
    counted = counting.by_suit(int.bit_count, counting.flush_name)
    assert {" ".join(forms): count for forms, count in counted.items()} == dict(figures.COUNTS["flush-of-seven"])
    assert counted[("seven-card-flush",)] == 4 * 1_716


def test_all_20_358_520_pai_gow_hands_that_hold_the_joker() -> None:
    """The joker's part of the figures, counted anew; the part without it takes twice as long and is left to the script."""
    counted = counting.by_ranks_and_flush(joker.progressive, has_joker=True)
    assert sum(counted.values()) == 20_358_520
    assert {" ".join(forms): count for forms, count in counted.items()} == json.loads(make.WITH_JOKER.read_text(encoding="utf-8"))
    assert sum(count for forms, count in counted.items() if "five-aces" in forms) == 1_128


def test_the_jokers_part_lies_within_the_figures_and_is_all_of_those_that_need_the_joker() -> None:
    written = dict(figures.COUNTS["pai-gow"])
    with_joker = json.loads(make.WITH_JOKER.read_text(encoding="utf-8"))
    assert all(count <= written[forms] for forms, count in with_joker.items())
    needing = [forms for forms in written if _needs_the_joker(forms.split())]
    assert {forms: with_joker[forms] for forms in needing} == {forms: written[forms] for forms in needing}
    assert len(needing) > 20


def _needs_the_joker(forms: list[str]) -> bool:
    return "five-aces" in forms or ("royal-flush" in forms and "natural-royal-flush" not in forms)


@pytest.mark.parametrize("kind", ["pai-gow", "pai-gow-bonus", "pai-gow-seven-card", "pai-gow-insurance"])
def test_the_figures_of_a_deck_with_joker_are_of_all_154_143_080_hands(kind: str) -> None:
    assert sum(count for _, count in figures.COUNTS[kind]) == 154_143_080


def test_the_best_five_of_seven_with_joker_are_counted_as_published() -> None:
    order = (joker.FIVE_ACES, *poker.FIVE_CARD)
    counts = Counter[str]()
    for forms, count in figures.COUNTS["pai-gow-seven-card"]:
        reached = [order.index(form) for form in forms.split() if form in order]
        counts[order[min(reached)] if reached else "less"] += count
    del counts["less"]
    assert counts == {
        "five-aces": 1_128,
        "royal-flush": 26_132,
        "straight-flush": 184_832,
        "four-of-a-kind": 307_472,
        "full-house": 4_188_528,
        "flush": 6_172_088,
        "straight": 11_236_028,
        "three-of-a-kind": 7_470_676,
    }
