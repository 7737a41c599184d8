"""How long it takes to rank a hand of each kind."""

import random
import time
from collections.abc import Iterator

from jackpots.rules import cards, hands

HANDS = 5_000


def measure() -> Iterator[str]:
    """Microseconds to rank one hand, kind by kind: the best of five runs over the same random hands."""
    yield f"{'kind':<26}{'cards':>6}{'µs a hand':>12}"
    for kind in hands.KINDS.values():
        deal = random.Random(kind.id)
        deck = cards.deck(jokers=kind.jokers)
        dealt = [tuple(deal.sample(deck, kind.cards)) for _ in range(HANDS)]
        yield f"{kind.id:<26}{kind.cards:>6}{min(_microseconds(kind.id, dealt) for _ in range(5)):>12.1f}"


def _microseconds(kind: str, dealt: list[tuple[cards.Card, ...]]) -> float:
    started = time.perf_counter()
    for hand in dealt:
        hands.forms(kind, hand)
    return (time.perf_counter() - started) / len(dealt) * 1e6
