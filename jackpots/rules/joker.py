"""Hands of the pai gow poker deck. The joker is an ace, or any card that completes a straight, a flush or a straight flush."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations

from jackpots.rules import poker
from jackpots.rules.cards import ACE, JOKER, Card

Cards = tuple[Card, ...]

NATURAL_ROYAL = "natural-royal-flush"
FIVE_ACES = "five-aces"
# The suit of a joker that is read as an ace. It is no real suit, so that such an ace never makes a flush.
NO_SUIT = -1
_JOKER_AS_ACE = Card(rank=ACE, suit=NO_SUIT)
_ROYAL = poker.mask(range(10, ACE + 1))
_SPLITS = tuple((high, tuple(place for place in range(7) if place not in high)) for high in combinations(range(7), 5))

_AND_PAIR = "-and-pair"
PROGRESSIVE = (
    "natural-royal-flush-and-pair",
    "five-aces-and-pair",
    "natural-royal-flush",
    "five-aces",
    "royal-flush-and-pair",
    "royal-flush",
    "straight-flush-and-pair",
    "straight-flush",
    "four-of-a-kind-and-pair",
    "four-of-a-kind",
    "full-house-and-pair",
    "full-house",
    "flush-and-pair",
    "flush",
    "straight-and-pair",
    "straight",
    "three-of-a-kind",
)
SEVEN_NATURAL = "seven-card-straight-flush-no-joker"
SEVEN_WITH_JOKER = "seven-card-straight-flush-with-joker"
MATCH_KING_QUEEN = "royal-flush-plus-king-queen-match"
MATCH_ACE_KING = "royal-flush-plus-ace-king-match"
_MATCHES = {frozenset({13, 12}): MATCH_KING_QUEEN, frozenset({ACE, 13}): MATCH_ACE_KING}
# The schedules print three of a kind above the straight, because it pays more.
_FIVE_OF_SEVEN = ("royal-flush", "straight-flush", "four-of-a-kind", "full-house", "flush", "three-of-a-kind", "straight")
BONUS = (SEVEN_NATURAL, MATCH_KING_QUEEN, MATCH_ACE_KING, SEVEN_WITH_JOKER, FIVE_ACES, *_FIVE_OF_SEVEN)
SEVEN_CARD = (FIVE_ACES, "royal-flush", "straight-flush-without-joker", "straight-flush-with-joker", *_FIVE_OF_SEVEN[1:])
THREE_CARD = ("straight-flush-without-joker", "three-of-a-kind", "straight-flush", "straight", "flush", "pair")
INSURANCE = ("nine-high", "ten-high", "jack-high", "queen-high", "king-high", "ace-high")


def progressive(cards: Cards) -> tuple[str, ...]:
    """Every row of the progressive table that some way of setting the seven cards reaches."""
    reached: set[str] = set()
    for five, low in splits(cards):
        names = categories(five)
        reached |= names
        if is_pair(low):
            reached.update(name + _AND_PAIR for name in names)
    return _listed(reached, PROGRESSIVE)


def seven_card(cards: Cards) -> tuple[str, ...]:
    """Every row of the seven-card bonus that five of the seven cards reach."""
    reached: set[str] = set()
    for five, _ in splits(cards):
        names = categories(five)
        reached |= names
        if "straight-flush" in names:
            reached.add("straight-flush-with-joker" if JOKER in five else "straight-flush-without-joker")
    return _listed(reached, SEVEN_CARD)


def bonus(cards: Cards) -> tuple[str, ...]:
    """Every row of the bonus wager that the seven cards reach, the hands of all seven cards included."""
    reached = set(_of_all_seven(cards))
    for five, low in splits(cards):
        names = categories(five)
        reached |= names
        if "royal-flush" in names and low[0].suit == low[1].suit:
            reached.add(_MATCHES.get(frozenset(card.rank for card in low), ""))
    return _listed(reached, BONUS)


def three_card(cards: Cards) -> tuple[str, ...]:
    """Every row of the three-card bonus that the cards reach."""
    reached = {_three(read) for read in _readings(cards)}
    if "straight-flush" in reached and JOKER not in cards:
        reached.add("straight-flush-without-joker")
    return _listed(reached, THREE_CARD)


def insurance(cards: Cards) -> tuple[str, ...]:
    """The highest card of seven that form no hand at all, the joker being an ace and nothing else."""
    seven = tuple(_JOKER_AS_ACE if card == JOKER else card for card in cards)
    if any(poker.five_card(five)[0] != poker.HIGH_CARD for five in combinations(seven, 5)):
        return ()
    return (INSURANCE[max(card.rank for card in seven) - 9],)


def splits(cards: Cards) -> Iterator[tuple[Cards, Cards]]:
    """The twenty-one ways to set seven cards as five and two."""
    for high, low in _SPLITS:
        yield tuple(cards[place] for place in high), (cards[low[0]], cards[low[1]])


def categories(five: Cards) -> set[str]:
    """What five cards are, and what the joker among them can make of them."""
    if JOKER not in five:
        category = poker.five_card(five)[0]
        return {NATURAL_ROYAL, poker.ROYAL_FLUSH} if category == poker.ROYAL_FLUSH else {category}
    four = tuple(card for card in five if card != JOKER)
    ranks = poker.mask(card.rank for card in four)
    found = {FIVE_ACES if ranks == 1 << ACE else poker.five_card((*four, _JOKER_AS_ACE))[0]}
    completes = _completes(ranks)
    if completes:
        found.add(poker.STRAIGHT)
    if four[0].suit == four[1].suit == four[2].suit == four[3].suit:
        found.add(poker.FLUSH)
        found |= completes
    return found


def is_pair(two: Cards) -> bool:
    """Whether two cards are of one rank; the joker is an ace."""
    first, second = two
    return (first.rank or ACE) == (second.rank or ACE)


@cache
def _completes(ranks: int) -> frozenset[str]:
    """What one more card makes of four cards of one suit: nothing where no straight can be completed."""
    if ranks.bit_count() < 4:
        return frozenset()
    runs = [run for run in poker.sequences(5) if ranks & run == ranks]
    return frozenset(poker.ROYAL_FLUSH if run == _ROYAL else poker.STRAIGHT_FLUSH for run in runs)


def _of_all_seven(cards: Cards) -> Iterator[str]:
    held = [card for card in cards if card != JOKER]
    if len({card.suit for card in held}) > 1:
        return
    ranks = poker.mask(card.rank for card in held)
    if any(ranks & run == ranks for run in poker.sequences(7)):
        yield SEVEN_NATURAL if len(held) == 7 else SEVEN_WITH_JOKER


def _readings(cards: Cards) -> Iterable[Cards]:
    """The cards with the joker as an ace of no suit, and as any card that completes a straight, a flush or both."""
    if JOKER not in cards:
        return [cards]
    held = tuple(card for card in cards if card != JOKER)
    standing_in = (Card(rank=rank, suit=suit) for rank in range(2, ACE + 1) for suit in range(4))
    completed = ((*held, card) for card in standing_in if card not in held)
    return [(*held, _JOKER_AS_ACE), *(three for three in completed if _three(three) in ("straight-flush", "straight", "flush"))]


def _three(cards: Cards) -> str:
    return poker.three_card(cards)[0]


def _listed(reached: set[str], rows: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(row for row in rows if row in reached)
