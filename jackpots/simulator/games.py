"""The games as a dealer knows them: the deck, how many cards a hand has, which hand each wager is about, and who gives up.

What a table offers is told by the service; this is only what no controller is told, because every dealer knows it.
"""

import collections
import dataclasses
from collections.abc import Mapping

from jackpots.rules import cards as rule_cards
from jackpots.rules import hands as rule_hands

Cards = tuple[str, ...]

# Where a text names no amounts but a least one, players put down what they have in front of them.
USUAL_AMOUNTS = ("1.00", "2.00", "5.00", "10.00")


@dataclasses.dataclass(frozen=True)
class Side:
    """What a dealer knows of a wager: the kind of hand, whose hand it may be on, and whether folding gives it up."""

    kind: str
    on: tuple[str, ...] = ("player",)
    is_lost_by_folding: bool = True
    takes_coupons: bool = False


@dataclasses.dataclass(frozen=True)
class Game:
    """A deck, the size of a hand, the wagers, and the words for what goes wrong."""

    id: str
    hand_cards: int
    jokers: int
    sides: Mapping[str, Side]
    voids_round: str = "cards-face-up"
    voids_hand: str | None = None

    @property
    def deck(self) -> Cards:
        joker = (str(rule_cards.JOKER),) if self.jokers else ()
        return tuple(str(card) for card in rule_cards.deck()) + joker

    @property
    def most_hands(self) -> int:
        """How many players a deck can serve, the dealer's own hand left over."""
        return (52 + self.jokers) // self.hand_cards - 1


# What a wager is on where the game says nothing of it.
FIVE_CARD = Side("five-card")
_HAND_BONUS = Side("five-card", on=("player", "dealer"), is_lost_by_folding=False)

GAMES: dict[str, Game] = {
    game.id: game
    for game in (
        Game(
            "caribbean-stud",
            hand_cards=5,
            jokers=0,
            sides={"progressive": Side("five-card", takes_coupons=True), "five-card-hand-bonus": _HAND_BONUS},
            voids_hand="player-miscounted",
        ),
        Game(
            "crazy-4-poker",
            hand_cards=5,
            jokers=0,
            sides={
                "four-card-progressive": Side("four-of-five"),
                "five-card-progressive": Side("five-card"),
                "five-card-hand-bonus": _HAND_BONUS,
            },
        ),
        Game("high-card-flush", hand_cards=7, jokers=0, sides={"progressive": Side("straight-flush-of-seven")}),
        Game(
            "pai-gow-poker",
            hand_cards=7,
            jokers=1,
            sides={"progressive": Side("pai-gow", takes_coupons=True), "bonus": Side("pai-gow-bonus")},
            voids_hand="player-card-exposed",
        ),
    )
}


def forms(kind: str, cards: Cards) -> tuple[str, ...]:
    """Every name the cards can be claimed by, best first."""
    return rule_hands.forms(kind, rule_cards.parse(cards))


def gives_up(game: Game, cards: Cards) -> bool:
    """Whether a player with a little sense folds this hand. Nobody folds in pai gow."""
    if game.id == "caribbean-stud":
        return forms("five-card", cards)[0] == "high-card" and not {"A", "K"} <= {card[0] for card in cards}
    if game.id == "crazy-4-poker":
        return forms("four-of-five", cards)[0] == "high-card" and not {"K", "A"} & {card[0] for card in cards}
    if game.id == "high-card-flush":
        return max(collections.Counter(card[1] for card in cards).values()) < 3
    return False
