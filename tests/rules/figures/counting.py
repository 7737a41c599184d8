"""Counting every hand of a deck exactly, class by class.

No deck is dealt card by card here. Hands that the rules cannot tell apart form a class; one hand of each class is ranked by the
service's own functions, and the class says how many hands it stands for.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, combinations_with_replacement, product
from math import comb, factorial, prod

from jackpots.rules import cards, poker, suited
from jackpots.rules.cards import ACE, JOKER, Card

Cards = tuple[Card, ...]
Forms = tuple[str, ...]
RANKS = range(2, ACE + 1)
HANDS_OF_SEVEN = comb(52, 7)
HANDS_OF_SEVEN_WITH_JOKER = comb(53, 7)


def one_by_one(forms: Callable[[Cards], Forms], size: int, jokers: int = 0) -> Counter[Forms]:
    """Rank every hand of a small number of cards."""
    return Counter(forms(hand) for hand in combinations(cards.deck(jokers=jokers), size))


def by_suit_pattern(forms: Callable[[Cards], Forms], size: int) -> Counter[Forms]:
    """Rank one hand of every class of hands that differ only in which suit is which."""
    counts: Counter[Forms] = Counter()
    for hand, weight in suit_patterns(size):
        counts[forms(hand)] += weight
    return counts


def suit_patterns(size: int) -> Iterator[tuple[Cards, int]]:
    """Four sets of ranks, one for each suit, without regard to their order, and the number of ways to name the suits."""
    sets = {count: [tuple(ranks) for ranks in combinations(RANKS, count)] for count in range(size + 1)}
    for shape in _shapes(size):
        groups = [combinations_with_replacement(sets[count], number) for count, number in Counter(shape).items()]
        for chosen in product(*groups):
            four = [ranks for group in chosen for ranks in group]
            hand = tuple(Card(rank=rank, suit=suit) for suit, ranks in enumerate(four) for rank in ranks)
            yield hand, 24 // prod(factorial(same) for same in Counter(four).values())


def by_suit(longest: Callable[[int], int], name: Callable[[int], Forms]) -> Counter[Forms]:
    """Count seven-card hands ranked by one suit alone: fold the four suits together by cards held and longest run so far."""
    one_suit: Counter[tuple[int, int]] = Counter()
    for ranks in (poker.mask(held) for count in range(8) for held in combinations(RANKS, count)):
        one_suit[ranks.bit_count(), longest(ranks)] += 1
    together: Counter[tuple[int, int]] = Counter({(0, 0): 1})
    for _ in range(4):
        together = _folded(together, one_suit)
    counts: Counter[Forms] = Counter()
    for (held, length), number in together.items():
        counts[name(length)] += number if held == 7 else 0
    return +counts


def by_ranks_and_flush(forms: Callable[[Cards], Forms], has_joker: bool) -> Counter[Forms]:
    """Count the seven-card hands of a deck with a joker, with the joker in the hand or without it.

    Only one suit can hold the five cards of a flush, or four beside the joker. So a hand is ranked by its ranks, by which of
    them lie in that suit, and by whether the cards left over share a suit.
    """
    counts: Counter[Forms] = Counter()
    for hand, weight in classes(has_joker):
        counts[forms(hand)] += weight
    return counts


def classes(has_joker: bool) -> Iterator[tuple[Cards, int]]:
    """A hand of every class, and how many hands the class has."""
    joker = (JOKER,) if has_joker else ()
    size, least = 7 - len(joker), 5 - len(joker)
    for ranks in combinations_with_replacement(RANKS, size):
        held = Counter(ranks)
        if max(held.values()) > 4:
            continue
        everything, flushes = _ways(held, 4), 0
        for hand, weight in _flushes(held, least):
            flushes += weight
            yield hand + joker, weight
        if everything > flushes:
            yield tuple(Card(rank=rank, suit=place % 4) for place, rank in enumerate(ranks)) + joker, everything - flushes


def _flushes(held: Counter[int], least: int) -> Iterator[tuple[Cards, int]]:
    for count in range(least, len(held) + 1):
        for suited_ranks in combinations(sorted(held), count):
            rest = sorted((held - Counter(suited_ranks)).elements())
            flush = tuple(Card(rank=rank, suit=0) for rank in suited_ranks)
            for suits, weight in _suits_of_the_rest(rest):
                yield flush + tuple(Card(rank=rank, suit=suit) for rank, suit in zip(rest, suits, strict=True)), 4 * weight


def _suits_of_the_rest(rest: list[int]) -> list[tuple[tuple[int, ...], int]]:
    if len(rest) < 2:
        return [((1,) * len(rest), 3 ** len(rest))]
    assert len(rest) == 2, "at most two cards lie outside the flush"
    return [((1, 2), 3)] if rest[0] == rest[1] else [((1, 1), 3), ((1, 2), 6)]


def _ways(held: Counter[int], suits: int) -> int:
    return prod(comb(suits, count) for count in held.values())


def _folded(together: Counter[tuple[int, int]], one_suit: Counter[tuple[int, int]]) -> Counter[tuple[int, int]]:
    folded: Counter[tuple[int, int]] = Counter()
    for (held, longest), number in together.items():
        for (more, run), ways in one_suit.items():
            if held + more <= 7:
                folded[held + more, max(longest, run)] += number * ways
    return folded


def _shapes(size: int) -> Iterator[tuple[int, ...]]:
    for shape in product(range(size, -1, -1), repeat=4):
        if sum(shape) == size and list(shape) == sorted(shape, reverse=True):
            yield shape


def straight_flush_name(length: int) -> Forms:
    word = suited.COUNTS.get(length)
    return (f"{word}-card-straight-flush",) if word else ()


def flush_name(length: int) -> Forms:
    return (f"{suited.COUNTS[length]}-card-flush",) if length > 3 else ()
