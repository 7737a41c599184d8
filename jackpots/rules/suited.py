"""Hands that look at one suit only: the longest flush, and the longest straight flush, of seven cards."""

from collections.abc import Sequence

from jackpots.rules import poker
from jackpots.rules.cards import ACE, Card

COUNTS = {7: "seven", 6: "six", 5: "five", 4: "four", 3: "three"}
STRAIGHT_FLUSHES = tuple(f"{word}-card-straight-flush" for word in COUNTS.values())
FLUSHES = tuple(f"{word}-card-flush" for length, word in COUNTS.items() if length > 3)


def longest_run(ranks: int) -> int:
    """How many ranks of the set follow one another, the ace standing below the two as well as above the king."""
    bits = ranks | (ranks >> ACE & 1) << 1
    length = 0
    while bits:
        bits &= bits << 1
        length += 1
    return length


def suits(cards: Sequence[Card]) -> list[int]:
    """The ranks held in each suit, as bit masks."""
    return [poker.mask(card.rank for card in cards if card.suit == suit) for suit in range(4)]


def straight_flush(cards: tuple[Card, ...]) -> tuple[str, ...]:
    """The longest straight flush of three cards or more."""
    word = COUNTS.get(max(map(longest_run, suits(cards))))
    return (f"{word}-card-straight-flush",) if word else ()


def flush(cards: tuple[Card, ...]) -> tuple[str, ...]:
    """The longest flush of four cards or more."""
    length = max(ranks.bit_count() for ranks in suits(cards))
    return (f"{COUNTS[length]}-card-flush",) if length > 3 else ()
