"""Playing cards as they are drawn: where the pips stand, and what a card is called."""

from dataclasses import dataclass

RANKS = {
    **{"2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine"},
    **{"T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace"},
}
SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
COURT = "JQK"

# Columns and rows of a card of 100 by 140 on which pips stand; those below the middle are upside down.
L, M, R = 32, 50, 68
ROWS = {
    "A": [(M, 70)],
    "2": [(M, 36), (M, 104)],
    "3": [(M, 36), (M, 70), (M, 104)],
    "4": [(L, 36), (R, 36), (L, 104), (R, 104)],
    "5": [(L, 36), (R, 36), (M, 70), (L, 104), (R, 104)],
    "6": [(L, 36), (R, 36), (L, 70), (R, 70), (L, 104), (R, 104)],
    "7": [(L, 36), (R, 36), (M, 53), (L, 70), (R, 70), (L, 104), (R, 104)],
    "8": [(L, 36), (R, 36), (M, 53), (L, 70), (R, 70), (M, 87), (L, 104), (R, 104)],
    "9": [(L, 32), (R, 32), (L, 57), (R, 57), (M, 70), (L, 83), (R, 83), (L, 108), (R, 108)],
    "T": [(L, 32), (R, 32), (M, 45), (L, 57), (R, 57), (L, 83), (R, 83), (M, 95), (L, 108), (R, 108)],
}


@dataclass(frozen=True)
class Face:
    """One card, ready to be drawn."""

    name: str
    suit: str
    rank: str
    pips: tuple[tuple[int, int, bool], ...]
    court: str

    @property
    def is_red(self) -> bool:
        return self.suit in ("hearts", "diamonds")

    @property
    def is_ace(self) -> bool:
        return self.rank == "A"


def face(card: str) -> Face:
    """The face of a card such as AS or TD; JK is the joker."""
    if card == "JK":
        return Face(name="joker", suit="joker", rank="", pips=(), court="")
    rank, suit = card[0], card[1]
    pips = tuple((x, y, y > 70) for x, y in ROWS.get(rank, []))
    court = RANKS[rank] if rank in COURT else ""
    return Face(name=f"{RANKS[rank]} of {SUITS[suit]}", suit=SUITS[suit], rank=rank.replace("T", "10"), pips=pips, court=court)


def faces(cards: str) -> list[Face]:
    """The faces of cards written with spaces between them."""
    return [face(card) for card in cards.split()]
