"""How three, four and five cards rank at poker. The categories stand best first, as in the rule texts."""

from collections.abc import Iterable, Mapping, Sequence

from jackpots.rules.cards import ACE, Card

ROYAL_FLUSH = "royal-flush"
STRAIGHT_FLUSH = "straight-flush"
FOUR_OF_A_KIND = "four-of-a-kind"
FULL_HOUSE = "full-house"
FLUSH = "flush"
STRAIGHT = "straight"
THREE_OF_A_KIND = "three-of-a-kind"
TWO_PAIR = "two-pair"
PAIR = "pair"
HIGH_CARD = "high-card"

FIVE_CARD = (ROYAL_FLUSH, STRAIGHT_FLUSH, FOUR_OF_A_KIND, FULL_HOUSE, FLUSH, STRAIGHT, THREE_OF_A_KIND, TWO_PAIR, PAIR, HIGH_CARD)
THREE_CARD = (STRAIGHT_FLUSH, THREE_OF_A_KIND, STRAIGHT, FLUSH, PAIR, HIGH_CARD)
FOUR_CARD = (FOUR_OF_A_KIND, STRAIGHT_FLUSH, THREE_OF_A_KIND, FLUSH, STRAIGHT, TWO_PAIR, PAIR, HIGH_CARD)


def sequences(length: int) -> dict[int, int]:
    """Every run of so many ranks as a bit mask, with its highest rank; the ace also stands below the two."""
    runs = {mask(range(high - length + 1, high + 1)): high for high in range(length + 1, ACE + 1)}
    runs[mask([ACE, *range(2, length + 1)])] = length
    return runs


def mask(ranks: Iterable[int]) -> int:
    """The set of ranks as bits."""
    bits = 0
    for rank in ranks:
        bits |= 1 << rank
    return bits


_RUNS = {length: sequences(length) for length in range(3, 8)}


def five_card(cards: Sequence[Card]) -> tuple[str, tuple[int, ...]]:
    """The category of five cards, and the ranks that decide between two hands of it."""
    a, b, c, d, e = cards
    ranks = (a.rank, b.rank, c.rank, d.rank, e.rank)
    bits = 1 << ranks[0] | 1 << ranks[1] | 1 << ranks[2] | 1 << ranks[3] | 1 << ranks[4]
    if bits.bit_count() < 5:
        return _grouped(ranks, bits.bit_count())
    is_flush = a.suit == b.suit == c.suit == d.suit == e.suit
    high = _RUNS[5].get(bits, 0)
    if high:
        return _straight(is_flush, high), (high,)
    return FLUSH if is_flush else HIGH_CARD, tuple(sorted(ranks, reverse=True))


def _straight(is_flush: bool, high: int) -> str:
    if not is_flush:
        return STRAIGHT
    return ROYAL_FLUSH if high == ACE else STRAIGHT_FLUSH


def _grouped(ranks: tuple[int, ...], distinct: int) -> tuple[str, tuple[int, ...]]:
    counted = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    largest = counted[0][0]
    if distinct == 4:
        category = PAIR
    elif distinct == 3:
        category = THREE_OF_A_KIND if largest == 3 else TWO_PAIR
    else:
        category = FOUR_OF_A_KIND if largest == 4 else FULL_HOUSE
    return category, tuple(rank for _, rank in counted)


def four_card(cards: Sequence[Card]) -> tuple[str, tuple[int, ...]]:
    """The category of four cards, where four of a kind stands above a straight flush."""
    return _few(cards, {4: FOUR_OF_A_KIND, 3: THREE_OF_A_KIND, 2: TWO_PAIR})


def best_four(cards: Sequence[Card]) -> tuple[str, int]:
    """The category of the best four of five cards, and the rank of its largest group, or 0 where it has none."""
    ranks = [card.rank for card in cards]
    counted = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    largest, rank = counted[0]
    suited = _four_of_a_suit(cards)
    if largest == 4:
        return FOUR_OF_A_KIND, rank
    if suited and _has_run_of_four(suited):
        return STRAIGHT_FLUSH, 0
    if largest == 3:
        return THREE_OF_A_KIND, rank
    if suited or _has_run_of_four(mask(ranks)):
        return FLUSH if suited else STRAIGHT, 0
    return {3: TWO_PAIR, 4: PAIR, 5: HIGH_CARD}[len(counted)], rank if largest == 2 else 0


def _four_of_a_suit(cards: Sequence[Card]) -> int:
    """The ranks of the suit that holds four of five cards or more, as bits. The second card or the first is of that suit."""
    for one in cards[:2]:
        held = [card.rank for card in cards if card.suit == one.suit]
        if len(held) >= 4:
            return mask(held)
    return 0


def _has_run_of_four(ranks: int) -> bool:
    bits = ranks | (ranks >> ACE & 1) << 1
    return bool(bits & bits << 1 & bits << 2 & bits << 3)


def three_card(cards: Sequence[Card]) -> tuple[str, tuple[int, ...]]:
    """The category of three cards, where a straight stands above a flush."""
    return _few(cards, {3: THREE_OF_A_KIND})


def _few(cards: Sequence[Card], groups: Mapping[int, str]) -> tuple[str, tuple[int, ...]]:
    ranks = tuple(card.rank for card in cards)
    distinct = len(set(ranks))
    if distinct < len(ranks):
        counted = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
        category = PAIR if distinct == len(ranks) - 1 else groups[counted[0][0]]
        return category, tuple(rank for _, rank in counted)
    is_flush = len({card.suit for card in cards}) == 1
    high = _RUNS[len(ranks)].get(mask(ranks), 0)
    if high:
        return STRAIGHT_FLUSH if is_flush else STRAIGHT, (high,)
    return FLUSH if is_flush else HIGH_CARD, tuple(sorted(ranks, reverse=True))


_ORDER = {category: place for place, category in enumerate(reversed(FIVE_CARD))}


def strength(cards: Sequence[Card]) -> tuple[int, ...]:
    """A value by which two five-card hands compare: equal values are a tie."""
    category, ranks = five_card(cards)
    return (_ORDER[category], *ranks)
