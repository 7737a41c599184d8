"""What a hand may be paid as. Each kind of hand is a value: the rows a pay table may have, best first, and how cards come to them."""

from collections.abc import Callable
from dataclasses import dataclass

from jackpots.rules import joker, poker, suited
from jackpots.rules.cards import ACE, JOKER, SUITS, BadCards, Card

Cards = tuple[Card, ...]


@dataclass(frozen=True)
class Kind:
    """One kind of hand: how many cards are dealt, from which deck, and the rows they can reach, best first."""

    id: str
    name: str
    cards: int
    jokers: int
    rows: tuple[str, ...]
    forms: Callable[[Cards], tuple[str, ...]]


def forms(kind: str, cards: Cards) -> tuple[str, ...]:
    """Every row the cards may be paid as, best first. The finer row stands before the plainer one it belongs to.

    >>> from jackpots.rules import cards
    >>> forms("five-card", cards.parse(["AS", "KS", "QS", "JS", "TS"]))
    ('royal-flush', 'straight-flush')
    """
    wanted = KINDS[kind]
    if len(cards) != wanted.cards or len(set(cards)) != wanted.cards:
        raise BadCards(f"{wanted.name} is {wanted.cards} different cards, not {len(set(cards))}")
    if JOKER in cards and not wanted.jokers:
        raise BadCards(f"{wanted.name} is dealt from a deck without a joker")
    return wanted.forms(cards)


_PLURALS = {14: "aces", 13: "kings", 12: "queens", 11: "jacks", 10: "tens", 9: "nines", 8: "eights", 7: "sevens"}
_PLURALS |= {6: "sixes", 5: "fives", 4: "fours", 3: "threes"}
_PAIR_ROWS = {rank: f"pair-of-{name}-or-better" for rank, name in _PLURALS.items()}
_PAIR_FORMS = {rank: (*(row for low, row in _PAIR_ROWS.items() if low <= rank), poker.PAIR) for rank in range(2, ACE + 1)}


def _refined(category: str, ranks: tuple[int, ...]) -> tuple[str, ...]:
    if category == poker.PAIR:
        return _PAIR_FORMS[ranks[0]]
    if category == poker.ROYAL_FLUSH:
        return (poker.ROYAL_FLUSH, poker.STRAIGHT_FLUSH)
    if category == poker.FOUR_OF_A_KIND and ranks[0] == ACE:
        return ("four-aces", poker.FOUR_OF_A_KIND)
    return (category,)


def _rows(categories: tuple[str, ...]) -> tuple[str, ...]:
    rows: list[str] = []
    for category in categories:
        if category == poker.FOUR_OF_A_KIND:
            rows.append("four-aces")
        if category == poker.PAIR:
            rows.extend(_PAIR_ROWS.values())
        rows.append(category)
    return tuple(rows)


def _five_card(cards: Cards) -> tuple[str, ...]:
    return _refined(*poker.five_card(cards))


def _four_of_five(cards: Cards) -> tuple[str, ...]:
    category, rank = poker.best_four(cards)
    return _refined(category, (rank,))


_MINI_ROYALS = ("mini-royal-of-spades", "mini-royal")


def _three_card(cards: Cards) -> tuple[str, ...]:
    category, ranks = poker.three_card(cards)
    if category != poker.STRAIGHT_FLUSH or ranks[0] != ACE:
        return _refined(category, ranks)
    return (*_MINI_ROYALS[0 if SUITS[cards[0].suit] == "S" else 1 :], category)


KINDS: dict[str, Kind] = {
    kind.id: kind
    for kind in (
        Kind("five-card", "a five-card hand", 5, 0, _rows(poker.FIVE_CARD), _five_card),
        Kind("four-of-five", "the best four of five cards", 5, 0, _rows(poker.FOUR_CARD), _four_of_five),
        Kind("three-card", "a three-card hand", 3, 0, _MINI_ROYALS + _rows(poker.THREE_CARD), _three_card),
        Kind("straight-flush-of-seven", "the longest straight flush of seven cards", 7, 0, suited.STRAIGHT_FLUSHES, suited.straight_flush),
        Kind("flush-of-seven", "the longest flush of seven cards", 7, 0, suited.FLUSHES, suited.flush),
        Kind("pai-gow", "a five-card hand and a pair of seven cards with the joker", 7, 1, joker.PROGRESSIVE, joker.progressive),
        Kind("pai-gow-bonus", "the best hand of seven cards with the joker", 7, 1, joker.BONUS, joker.bonus),
        Kind("pai-gow-seven-card", "the best five of seven cards with the joker", 7, 1, joker.SEVEN_CARD, joker.seven_card),
        Kind("pai-gow-three-card", "a three-card hand with the joker", 3, 1, joker.THREE_CARD, joker.three_card),
        Kind("pai-gow-insurance", "seven cards that form no hand", 7, 1, joker.INSURANCE, joker.insurance),
    )
}
