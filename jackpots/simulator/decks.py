"""Decks of cards, shuffled from a seed so that any round can be dealt again; and the demonstration's stacked ones."""

import random
from collections.abc import Sequence

from jackpots.rules import cards as rule_cards
from jackpots.simulator import games

HAND_CARDS = 5

# The demonstration's timetable at one table. A newcomer should soon have a hit to approve, and an honest deck gives
# a straight flush once in some 72,000 hands; so these rounds of a run are dealt from a stacked deck, and say so in the log.
FIRST_STRAIGHT_FLUSH_ROUND = 3
FIRST_ROYAL_FLUSH_ROUND = 25
ROUNDS_BETWEEN_STACKED = 30
ROUNDS_BETWEEN_ROYALS = 90

Cards = tuple[str, ...]

# The ranks that make each hand the demonstration shows, in one suit. The ace also stands below the two.
_UPWARD = "A" + rule_cards.RANKS
RUNS = {"royal-flush": ("TJQKA",), "straight-flush": tuple(_UPWARD[low : low + HAND_CARDS] for low in range(9))}


def shuffled(chance: random.Random, game: games.Game = games.GAMES["caribbean-stud"]) -> Cards:
    deck = list(game.deck)
    chance.shuffle(deck)
    return tuple(deck)


def demonstration_hand(nth_round: int) -> str | None:
    """Which hand the stacked demo deck brings in the table's nth round of this run; None: the deck is an honest one."""
    since_royal = nth_round - FIRST_ROYAL_FLUSH_ROUND
    if since_royal >= 0 and since_royal % ROUNDS_BETWEEN_ROYALS == 0:
        return "royal-flush"
    if nth_round == FIRST_STRAIGHT_FLUSH_ROUND or (since_royal > 0 and since_royal % ROUNDS_BETWEEN_STACKED == 0):
        return "straight-flush"
    return None


def stacked(chance: random.Random, *, hand: str, place: int) -> Cards:
    """A stacked demo deck: the named hand goes to the given place in the order of dealing, all else is shuffled."""
    wanted = _cards_of(chance, hand)
    rest = [card for card in shuffled(chance) if card not in wanted]
    before = place * HAND_CARDS
    return (*rest[:before], *wanted, *rest[before:])


def deal(deck: Cards, seats: Sequence[int], hand_cards: int = HAND_CARDS) -> dict[int, Cards]:
    """A hand to each seat in turn, as a dealing shoe gives them; the dealer's own comes after the last seat's."""
    return {seat: deck[place * hand_cards : (place + 1) * hand_cards] for place, seat in enumerate(seats)}


def _cards_of(chance: random.Random, hand: str) -> Cards:
    suit = chance.choice(rule_cards.SUITS)
    cards = [rank + suit for rank in chance.choice(RUNS[hand])]
    chance.shuffle(cards)
    return tuple(cards)
