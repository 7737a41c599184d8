"""Pay tables as the rule texts print them, and a hand of cards for every row of them."""

from collections.abc import Iterator

from jackpots.rules import awards, cards, money
from jackpots.rules.book import Wager

METER = money.parse("20000.00")
SECONDARY = money.parse("750.00")
METERS = {"main": METER, "secondary": SECONDARY}

FIVE = {
    "Royal flush": "AS KS QS JS TS",
    "Straight flush": "9H 8H 7H 6H 5H",
    "Four aces": "AS AH AD AC 2D",
    "Four-of-a-kind": "7S 7H 7D 7C 2D",
    "Full house": "7S 7H 7D 2C 2D",
    "Flush": "KD JD 9D 4D 2D",
    "Straight": "AS 2H 3D 4C 5S",
    "Three-of-a-kind": "7S 7H 7D KC 2D",
    "Two pair": "7S 7H 4D 4C 2D",
    "A pair of 10s or better": "TS TH 7D 4C 2D",
    "Pair of tens, jacks, queens, kings or aces": "TS TH 7D 4C 2D",
    "Pair of jacks, queens, kings or aces": "JS JH 7D 4C 2D",
    "Pair of sixes, sevens, eights, nines or tens": "TS TH 7D 4C 2D",
    "Pair of fives or less": "5S 5H 7D 4C 2D",
    "A pair or less": "2S 2H 7D 4C 9D",
}
FOUR_OF_FIVE = {
    "Four aces": "AS AH AD AC 2D",
    "Four-of-a-kind": "7S 7H 7D 7C 2D",
    "Straight flush": "AS 2S 3S 4S KD",
    "Three-of-a-kind": "7S 7H 7D 2C 2D",
    "Flush": "KD JD 9D 4D 2C",
    "Straight": "AS KH QD JC 2S",
    "Two pair": "7S 7H 4D 4C 2D",
    "Pair of queens or better": "QS QH 7D 4C 2D",
}
THREE = {
    "Mini royal flush of spades": "AS KS QS",
    "Mini-royal": "AH KH QH",
    "Straight flush": "AS 2S 3S",
    "Three-of-a-kind": "7S 7H 7D",
    "Straight": "QS KH AD",
    "Flush": "KD JD 2D",
    "Pair": "2S 2D KH",
}
SEVEN = {
    "7 card straight flush": "AS 2S 3S 4S 5S 6S 7S",
    "6 card straight flush": "AS KS QS JS TS 9S 2D",
    "5 card straight flush": "9H 8H 7H 6H 5H KD 2C",
    "4 card straight flush": "9H 8H 7H 6H KD 2C AS",
    "3 card straight flush": "AH KH QH 2D 4C 6S 8D",
    "7 card flush": "KS JS 9S 7S 5S 4S 2S",
    "6 card flush": "KS JS 9S 7S 5S 4S 2D",
    "5 card flush": "KS JS 9S 7S 5S 4D 2D",
    "4 card flush": "KS JS 9S 7S 5D 4D 2C",
}
PAI_GOW = {
    "Natural Royal Flush and Pair": "AS KS QS JS TS 4H 4D",
    "Five Aces and Pair": "AS AH AD AC JK 4H 4D",
    "Natural Royal Flush": "AS KS QS JS TS 4H 3D",
    "Five Aces": "AS AH AD AC JK 4H 3D",
    "Royal Flush and Pair": "JK KS QS JS TS 4H 4D",
    "Royal Flush": "JK KS QS JS TS 4H 3D",
    "Straight Flush and Pair": "8S 7S 6S 5S 4S KH KD",
    "Straight Flush": "8S 7S JK 5S 4S KH 3D",
    "Four-of-a-Kind and Pair": "9S 9H 9D 9C 4S 4H 2D",
    "Four-of-a-Kind": "JK AH AD AC 4S 3H 2D",
    "Full House and Pair": "9S 9H 9D 4S 4H 2D 2C",
    "Full House": "9S 9H 9D 4S 4H 2D 7C",
    "Flush and Pair": "KS JS 9S 7S 5S 2D 2C",
    "Flush": "KS JS 9S 7S 5S 2D 3C",
    "Straight and Pair": "9S 8D 7S 6H 5C KS KH",
    "Straight": "9S 8D 7S JK 5C KS 2H",
    "Three-of-a-Kind": "9S 9H 9D JS 7C 5H 2D",
}
PAI_GOW_BONUS = {
    "Seven-card straight flush with no joker": "AS 2S 3S 4S 5S 6S 7S",
    "Seven-card straight flush with joker": "JK 2S 3S 4S 5S 6S 7S",
    "Five aces": "AS AH AD AC JK 4H 4D",
    "Royal flush": "AS KS QS JS TS KH QD",
    "Straight flush": "8S 7S JK 5S 4S KH 3D",
    "Straight flush without joker": "8S 7S 6S 5S 4S KH JK",
    "Straight flush with joker": "8S 7S JK 5S 4S KH 3D",
    "Four-of-a-kind": "9S 9H 9D 9C 4S 4H 2D",
    "Full house": "9S 9H 9D 4S 4H 2D 7C",
    "Flush": "KS JS 9S 7S 5S 2D 3C",
    "Three-of-a-kind": "9S 9H 9D JS 7C 5H 2D",
    "Straight": "9S 8D 7S JK 5C KS 2H",
}


def table(printed: str) -> Iterator[tuple[str, list[str]]]:
    """The rows of a table: the hand, and its cells."""
    for row in printed.strip().splitlines():
        hand, *cells = [cell.strip() for cell in row.split("|")]
        yield hand, cells


def dollars(cell: str, wager_micros: int) -> int:
    """What a cell comes to, worked out here by hand on a main meter of $20,000.00."""
    by_hand = {"100% of meter": "20000", "100% of main meter": "20000", "10% of meter": "2000", "10% of main meter": "2000"}
    if cell.startswith("$"):
        return money.parse(cell.strip("$").replace(",", ""))
    if cell in by_hand:
        return money.parse(by_hand[cell])
    odds, _, against = cell.replace(",", "").replace(" for ", " to ").partition(" to ")
    return wager_micros * int(odds) // int(against)


def assert_pays(wager: Wager, printed: str, columns: str, examples: dict[str, str], stake: str = "1.00") -> None:
    """Deal every row's hand on every column, and compare what is paid with what is printed; every row must be printed."""
    names, stake_micros = columns.split(), money.parse(stake)
    assert tuple(wager.pay_tables) == tuple(names)
    rows = list(table(printed))
    for hand, cells in rows:
        for name, cell in zip(names, cells, strict=True):
            settled = awards.settle(
                wager=wager,
                pay_table=wager.pay_tables[name],
                cards=cards.parse(examples[hand].split()),
                amount_micros=stake_micros,
                meters=METERS,
            )
            if cell in ("N/A", "Lose"):
                assert settled is None, f"{hand} in {name} pays {settled}"
            else:
                assert settled is not None, f"{hand} in {name} pays nothing"
                assert settled.amount_micros == dollars(cell, stake_micros), f"{hand} in {name}"
    for place, name in enumerate(names):
        paid = [cells[place] for _, cells in rows if cells[place] not in ("N/A", "Lose")]
        assert len(wager.pay_tables[name].lines) == len(paid)
