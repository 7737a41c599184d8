"""Cards: thirteen ranks in four suits, and the joker."""

from collections.abc import Sequence
from typing import NamedTuple

RANKS = "23456789TJQKA"
SUITS = "SHDC"
ACE = 14


class BadCards(ValueError):
    """Cards that do not exist or stand twice in one hand."""


class Card(NamedTuple):
    """One card: rank 2 to 14 (the ace), suit 0 to 3. The joker has rank 0 and suit -1."""

    rank: int
    suit: int

    def __str__(self) -> str:
        return "JK" if self.rank == 0 else RANKS[self.rank - 2] + SUITS[self.suit]


JOKER = Card(rank=0, suit=-1)
_STANDARD = tuple(Card(rank=rank, suit=suit) for suit in range(4) for rank in range(2, 15))
_BY_TEXT = {str(card): card for card in (*_STANDARD, JOKER)}


def parse(texts: Sequence[str]) -> tuple[Card, ...]:
    """Read cards such as "AS", "TD" and "JK"; an unknown or a repeated card is refused."""
    if isinstance(texts, str):
        raise BadCards("cards are a list of two-character texts")
    cards = tuple(_one(text) for text in texts)
    seen: set[Card] = set()
    for card in cards:
        if card in seen:
            raise BadCards(f"{card} stands twice")
        seen.add(card)
    return cards


def deck(jokers: int = 0) -> tuple[Card, ...]:
    """A whole deck, with one joker where the game has one."""
    if jokers not in (0, 1):
        raise BadCards("a deck has no joker or one")
    return _STANDARD + (JOKER,) * jokers


def _one(text: object) -> Card:
    card = _BY_TEXT.get(text) if isinstance(text, str) else None
    if card is None:
        raise BadCards(f"{text!r} is not a card: write rank and suit, as in AS, TD, 9C, or JK")
    return card
