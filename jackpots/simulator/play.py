"""What the players at one table do in one round, thought out before the first chip is down."""

import dataclasses
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jackpots.simulator import decks, games

CHANCE_SEAT_IS_TAKEN = 0.75
CHANCE_OF_A_WAGER = 0.85
CHANCE_OF_A_SIDE_WAGER = 0.5
CHANCE_OF_THE_SMALLEST_AMOUNT = 0.8
CHANCE_OF_THE_DEALERS_HAND = 0.3
CHANCE_OF_A_COUPON = 0.03
CHANCE_OF_WITHDRAWING = 0.02
CHANCE_OF_A_MISCOUNT = 0.03
CHANCE_OF_AN_IRREGULARITY = 0.015
# Below any seat: where the dealer's own hand lies among the dealt ones.
DEALER = 0


@dataclasses.dataclass(frozen=True)
class Offer:
    """One wager a table takes, as the service describes it and as a dealer knows it."""

    progressive: str
    wager: str
    amounts: tuple[str, ...]
    hands: frozenset[str]
    side: games.Side = games.FIVE_CARD

    @classmethod
    def read(cls, told: Mapping[str, Any], game: games.Game = games.GAMES["caribbean-stud"]) -> "Offer":
        amounts = tuple(told["amounts"]) or games.USUAL_AMOUNTS
        return cls(told["progressive"], told["wager"], amounts, frozenset(told["hands"]), game.sides[told["wager"]])


@dataclasses.dataclass(frozen=True)
class Bet:
    """A chip in an acceptor, or a coupon beside it."""

    seat: int
    wager: str
    amount: str
    progressive: str
    on: str = "player"
    is_coupon: bool = False

    def fields(self) -> dict[str, Any]:
        rarely: dict[str, Any] = {"on": self.on} if self.on != "player" else {}
        return {"seat": self.seat, "wager": self.wager, "amount": self.amount, **rarely, **({"coupon": True} if self.is_coupon else {})}


@dataclasses.dataclass(frozen=True)
class Mishap:
    """An irregularity after the cards are out: the word for it, and the seats whose hands it voids; none: the whole round."""

    reason: str
    seats: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class Play:
    """One round: the chips in the order their lights go on, who takes one back, the cards, who folds, what goes wrong."""

    bets: tuple[Bet, ...]
    withdrawn: frozenset[int]
    hands: Mapping[int, decks.Cards]
    folds: tuple[int, ...]
    stacked: str | None
    lucky_seat: int | None
    miscounted_by: int = 0
    mishap: Mishap | None = None


@dataclasses.dataclass(frozen=True)
class Claim:
    """A winning hand, as the dealer will post it when it is that player's turn."""

    seat: int | str
    wager: str
    cards: decks.Cards
    hand: str

    def fields(self) -> dict[str, Any]:
        return {"seat": self.seat, "wager": self.wager, "cards": list(self.cards), "hand": self.hand}


def think_out(
    chance: random.Random,
    *,
    seats: int,
    offers: Sequence[Offer],
    stacked: str | None = None,
    game: games.Game = games.GAMES["caribbean-stud"],
) -> Play:
    """Decide the whole round. With `stacked`, a seat that has wagered is dealt that hand from a stacked demo deck."""
    taken = [seat for seat in range(1, seats + 1) if chance.random() < CHANCE_SEAT_IS_TAKEN] or [chance.randint(1, seats)]
    taken = taken[: game.most_hands]
    bets = _bets(chance, taken, offers)
    lucky_seat = _lucky_seat(chance, bets, offers) if stacked else None
    withdrawn = frozenset(bet.seat for bet in bets if chance.random() < CHANCE_OF_WITHDRAWING) - {lucky_seat}
    if stacked and lucky_seat is not None:
        deck = decks.stacked(chance, hand=stacked, place=taken.index(lucky_seat))
    else:
        deck = decks.shuffled(chance, game)
    hands = decks.deal(deck, [*taken, DEALER], game.hand_cards)
    folds = tuple(seat for seat in taken if games.gives_up(game, hands[seat]))
    thought = Play(bets, withdrawn, hands, folds, stacked if lucky_seat is not None else None, lucky_seat)
    # What a visitor was promised by the timetable is not spoilt by a mishap.
    return thought if thought.stacked else _with_mishaps(chance, thought, taken, game)


def folds_by_basic_strategy(cards: decks.Cards) -> bool:
    """A player of Caribbean stud stays with a pair or better, or with an ace and a king; with less the hand is given up."""
    return games.gives_up(games.GAMES["caribbean-stud"], cards)


def claims(play: Play, *, accepted: Iterable[Bet], offers: Sequence[Offer], drawn: Mapping[str, str] | None = None) -> list[Claim]:
    """The winning hands among accepted wagers, in payment order: from the dealer's right, so in descending seats, the dealer's last.

    `drawn` has the magic card of each progressive that drew one at lock-out.
    """
    by_wager = {offer.wager: offer for offer in offers}
    void = set(play.mishap.seats) if play.mishap else set()
    found: dict[tuple[int, str, str], Claim] = {}
    for bet in accepted:
        offer, place = by_wager[bet.wager], DEALER if bet.on == "dealer" else bet.seat
        is_given_up = bet.seat in play.folds and offer.side.is_lost_by_folding
        if bet.seat not in void and not (place and is_given_up):
            magic = (drawn or {}).get(offer.progressive)
            for claim in _claims_on(offer, place, play.hands[place], magic):
                found[place, claim.wager, claim.hand] = claim
    return [found[key] for key in sorted(found, key=lambda key: (-key[0], key[1], key[2] == "magic-card"))]


def names(cards: decks.Cards) -> tuple[str, ...]:
    return games.forms("five-card", cards)


def _lucky_seat(chance: random.Random, bets: Sequence[Bet], offers: Sequence[Offer]) -> int | None:
    """Somebody who has wagered on the own hand, on the first of the table's progressives."""
    wanted = [bet for bet in bets if bet.on == "player" and bet.wager == offers[0].wager]
    return chance.choice(wanted).seat if wanted else None


def _with_mishaps(chance: random.Random, thought: Play, taken: Sequence[int], game: games.Game) -> Play:
    miscounted_by = chance.choice((-1, 1, 2)) if chance.random() < CHANCE_OF_A_MISCOUNT else 0
    mishap = None
    if chance.random() < CHANCE_OF_AN_IRREGULARITY:
        is_of_a_hand = game.voids_hand is not None and chance.random() < 0.5
        mishap = Mishap(game.voids_hand or "", (chance.choice(list(taken)),)) if is_of_a_hand else Mishap(game.voids_round)
    return dataclasses.replace(thought, miscounted_by=miscounted_by, mishap=mishap)


def _bets(chance: random.Random, taken: Sequence[int], offers: Sequence[Offer]) -> tuple[Bet, ...]:
    bets = [bet for seat in taken for place, offer in enumerate(offers) for bet in _bets_of(chance, seat, offer, is_first=place == 0)]
    if not bets and offers:
        bets = [Bet(taken[0], offers[0].wager, offers[0].amounts[0], offers[0].progressive)]
    # Players put their chips down in no particular order.
    chance.shuffle(bets)
    return tuple(bets)


def _bets_of(chance: random.Random, seat: int, offer: Offer, *, is_first: bool) -> list[Bet]:
    is_tempted = chance.random() < (CHANCE_OF_A_WAGER if is_first else CHANCE_OF_A_SIDE_WAGER)
    sides = ["player"] if is_tempted else []
    if "dealer" in offer.side.on and chance.random() < CHANCE_OF_THE_DEALERS_HAND:
        sides.append("dealer")
    return [_bet(chance, seat, offer, on) for on in sides]


def _bet(chance: random.Random, seat: int, offer: Offer, on: str) -> Bet:
    is_small = chance.random() < CHANCE_OF_THE_SMALLEST_AMOUNT
    amount = offer.amounts[0] if is_small else chance.choice(offer.amounts)
    is_coupon = offer.side.takes_coupons and chance.random() < CHANCE_OF_A_COUPON
    return Bet(seat, offer.wager, amount, offer.progressive, on, is_coupon)


def _claims_on(offer: Offer, place: int, cards: decks.Cards, magic: str | None) -> list[Claim]:
    """What one hand can be claimed as: the best row that pays, and the magic card besides."""
    seat: int | str = place or "dealer"
    paid_as = [name for name in games.forms(offer.side.kind, cards) if name in offer.hands][:1]
    if magic in cards:
        paid_as.append("magic-card")
    return [Claim(seat, offer.wager, cards, name) for name in paid_as]
