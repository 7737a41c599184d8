"""What the players at one Caribbean stud table do in one round, thought out before the first chip is down."""

import dataclasses
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from jackpots.rules import cards as rule_cards
from jackpots.rules import hands as rule_hands
from jackpots.simulator import decks

CHANCE_SEAT_IS_TAKEN = 0.75
CHANCE_OF_A_WAGER = 0.85
CHANCE_OF_THE_SMALLEST_AMOUNT = 0.8
CHANCE_OF_WITHDRAWING = 0.02


@dataclasses.dataclass(frozen=True)
class Offer:
    """One wager a table takes, as the service describes it."""

    progressive: str
    wager: str
    amounts: tuple[str, ...]
    hands: frozenset[str]

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Offer":
        return cls(told["progressive"], told["wager"], tuple(told["amounts"]), frozenset(told["hands"]))


@dataclasses.dataclass(frozen=True)
class Bet:
    """A chip in an acceptor."""

    seat: int
    wager: str
    amount: str
    progressive: str

    def fields(self) -> dict[str, Any]:
        return {"seat": self.seat, "wager": self.wager, "amount": self.amount}


@dataclasses.dataclass(frozen=True)
class Play:
    """One round: the chips in the order their lights go on, who takes one back, the cards, who folds."""

    bets: tuple[Bet, ...]
    withdrawn: frozenset[int]
    hands: Mapping[int, decks.Cards]
    folds: tuple[int, ...]
    stacked: str | None
    lucky_seat: int | None


@dataclasses.dataclass(frozen=True)
class Claim:
    """A winning hand, as the dealer will post it when it is that player's turn."""

    seat: int
    wager: str
    cards: decks.Cards
    hand: str

    def fields(self) -> dict[str, Any]:
        return {"seat": self.seat, "wager": self.wager, "cards": list(self.cards), "hand": self.hand}


def think_out(chance: random.Random, *, seats: int, offers: Sequence[Offer], stacked: str | None = None) -> Play:
    """Decide the whole round. With `stacked`, a seat that has wagered is dealt that hand from a stacked demo deck."""
    taken = [seat for seat in range(1, seats + 1) if chance.random() < CHANCE_SEAT_IS_TAKEN] or [chance.randint(1, seats)]
    bets = _bets(chance, taken, offers)
    lucky_seat = chance.choice(bets).seat if stacked and bets else None
    withdrawn = frozenset(bet.seat for bet in bets if chance.random() < CHANCE_OF_WITHDRAWING) - {lucky_seat}
    if stacked and lucky_seat is not None:
        deck = decks.stacked(chance, hand=stacked, place=taken.index(lucky_seat))
    else:
        deck = decks.shuffled(chance)
    hands = decks.deal(deck, taken)
    folds = tuple(seat for seat, cards in hands.items() if folds_by_basic_strategy(cards))
    return Play(bets, withdrawn, hands, folds, stacked if lucky_seat is not None else None, lucky_seat)


def folds_by_basic_strategy(cards: decks.Cards) -> bool:
    """A player stays with a pair or better, or with an ace and a king; with less the hand is given up."""
    has_ace_and_king = {"A", "K"} <= {card[0] for card in cards}
    return names(cards)[0] == "high-card" and not has_ace_and_king


def claims(play: Play, *, accepted: Iterable[Bet], offers: Sequence[Offer]) -> list[Claim]:
    """The winning hands among accepted wagers, in payment order: from the dealer's right, so in descending seats."""
    paying = {offer.wager: offer.hands for offer in offers}
    standing = [bet for bet in accepted if bet.seat not in play.folds]
    found = [_claim(bet, play.hands[bet.seat], paying[bet.wager]) for bet in standing]
    return sorted((claim for claim in found if claim), key=lambda claim: claim.seat, reverse=True)


def names(cards: decks.Cards) -> tuple[str, ...]:
    return tuple(rule_hands.forms("five-card", rule_cards.parse(cards)))


def _bets(chance: random.Random, taken: Sequence[int], offers: Sequence[Offer]) -> tuple[Bet, ...]:
    bets = [_bet(chance, seat, offer) for seat in taken for offer in offers if chance.random() < CHANCE_OF_A_WAGER]
    if not bets and offers:
        bets = [_bet(chance, taken[0], offers[0])]
    # Players put their chips down in no particular order.
    chance.shuffle(bets)
    return tuple(bets)


def _bet(chance: random.Random, seat: int, offer: Offer) -> Bet:
    is_small = chance.random() < CHANCE_OF_THE_SMALLEST_AMOUNT
    amount = offer.amounts[0] if is_small else chance.choice(offer.amounts)
    return Bet(seat, offer.wager, amount, offer.progressive)


def _claim(bet: Bet, cards: decks.Cards, paying: Collection[str]) -> Claim | None:
    paid_as = [name for name in names(cards) if name in paying]
    return Claim(bet.seat, bet.wager, cards, paid_as[0]) if paid_as else None
