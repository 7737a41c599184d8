"""What an award takes from which account, to the cent."""

import pytest

from jackpots.rules import awards, cards, hands, money
from tests.rules import printed
from tests.rules.texts import wager

PAI_GOW = ("table-games-massachusetts", "pai-gow-poker", "progressive")
STUD = ("caribbean-stud-massachusetts", "caribbean-stud", "progressive")


def settle(path: tuple[str, str, str], column: str, shown: str, main: str, stake: str = "1.00") -> awards.Settlement:
    chosen = wager(*path)
    settled = awards.settle(
        wager=chosen,
        pay_table=chosen.pay_tables[column],
        cards=cards.parse(shown.split()),
        amount_micros=money.parse(stake),
        meters={"main": money.parse(main), "secondary": 0},
    )
    assert settled is not None
    return settled


def test_the_whole_meter_is_paid_to_the_cent_and_takes_all() -> None:
    settled = settle(STUD, "D", printed.FIVE["Royal flush"], "18342.1788")
    assert (settled.hand, money.cents(settled.amount_micros)) == ("royal-flush", "18342.17")
    assert settled.amount_micros == settled.from_meter_micros
    assert (settled.from_house_micros, settled.meter, settled.takes_all) == (0, "main", True)


def test_a_tenth_of_the_meter_rounds_down_and_does_not_take_all() -> None:
    settled = settle(STUD, "D", printed.FIVE["Straight flush"], "10000.099999")
    assert (money.cents(settled.amount_micros), settled.takes_all) == ("1000.00", False)


def test_an_award_at_odds_grows_with_the_wager_and_is_the_houses() -> None:
    settled = settle(STUD, "D", printed.FIVE["Full house"], "18342.17", stake="5.00")
    assert (money.cents(settled.amount_micros), settled.from_meter_micros, settled.meter) == ("250.00", 0, None)
    assert settled.from_house_micros == settled.amount_micros


def test_a_losing_hand_is_not_settled() -> None:
    stud = wager(*STUD)
    pair = cards.parse(["AS", "AH", "7D", "4C", "2D"])
    assert awards.settle(wager=stud, pay_table=stud.pay_tables["A"], cards=pair, amount_micros=money.DOLLAR, meters={"main": 0}) is None


def test_an_empty_meter_pays_a_percentage_of_nothing_and_still_takes_all() -> None:
    settled = settle(STUD, "D", printed.FIVE["Royal flush"], "0.009")
    assert (settled.amount_micros, settled.takes_all) == (0, True)


@pytest.mark.parametrize(
    ("main", "from_meter", "from_house"),
    [("10000.00", "200.00", "0.00"), ("200.00", "200.00", "0.00"), ("150.559", "150.55", "49.45"), ("0.001", "0.00", "200.00")],
)
def test_a_deducted_award_takes_the_whole_cents_the_meter_has_and_the_rest_from_the_house(
    main: str, from_meter: str, from_house: str
) -> None:
    settled = settle(PAI_GOW, "one-dollar", printed.PAI_GOW["Royal Flush and Pair"], main)
    assert money.cents(settled.amount_micros) == "200.00"
    assert (money.cents(settled.from_meter_micros), money.cents(settled.from_house_micros)) == (from_meter, from_house)
    assert settled.award.is_deducted


@pytest.mark.parametrize(
    ("shown", "hand"),
    [
        ("9S 8S 7S 6S 2S 2D 9H", "flush"),
        ("KS JS 9S 9H 9D 9C 2S", "four-of-a-kind"),
        ("KS JS 7S 5S 3S 2D 2C", "flush-and-pair"),
        ("KS JS 7S 5S KD KH JD", "full-house"),
        ("9S 8D 7H 6C 5S 5D 5H", "straight-and-pair"),
        ("9S 9D 9H 8C 7S 6D 5H", "straight-and-pair"),
        ("9S 9D 8C 7S 6D 5H 2C", "straight"),
        ("AS AH AD AC JK KH KD", "five-aces-and-pair"),
        ("AS AH AD JK 9S 9H 2D", "four-of-a-kind-and-pair"),
        ("AS KS QS JS TS JK AH", "natural-royal-flush-and-pair"),
        ("AS KS QS JS TS JK 2H", "natural-royal-flush"),
        ("JK AS QS JS TS 9S 2H", "royal-flush"),
        ("AS 2S 3S 4S JK 9H 9D", "straight-flush-and-pair"),
    ],
)
def test_pai_gow_pays_the_highest_payout_however_the_hand_was_set(shown: str, hand: str) -> None:
    assert settle(PAI_GOW, "one-dollar", shown, "20000.00").hand == hand


def test_a_flush_and_pair_is_paid_before_a_full_house_and_a_straight_and_pair_before_a_flush() -> None:
    """Sections 9(j) and 14(d): $6.00 before $5.00, and $4.00 before $3.00, from the same seven cards."""
    shown = "AS KS 9S 5S JK KD KH"
    assert {"flush-and-pair", "full-house"} < set(hands.forms("pai-gow", cards.parse(shown.split())))
    assert settle(PAI_GOW, "one-dollar", shown, "20000.00").hand == "flush-and-pair"
    shown = "9S 8S 7S 6S 5D 2S 5C"
    assert {"straight", "flush-and-pair"} < set(hands.forms("pai-gow", cards.parse(shown.split())))
    shown = "9S 8S 7S 6S 5D 2S 2C"
    assert {"straight-and-pair", "flush"} < set(hands.forms("pai-gow", cards.parse(shown.split())))
    assert settle(PAI_GOW, "one-dollar", shown, "20000.00").hand == "straight-and-pair"


def test_on_a_low_meter_a_royal_with_joker_and_a_pair_beats_the_natural_royal() -> None:
    shown = "AS KS QS JS TS JK KH"
    assert settle(PAI_GOW, "five-dollar", shown, "10000.00", "5.00").hand == "natural-royal-flush"
    assert settle(PAI_GOW, "five-dollar", shown, "9999.99", "5.00").hand == "royal-flush-and-pair"


def test_high_card_flush_pays_percentages_of_the_main_meter_only() -> None:
    path = ("high-card-flush-massachusetts", "high-card-flush", "progressive")
    settled = settle(path, "A", printed.SEVEN["6 card straight flush"], "12345.67")
    assert (money.cents(settled.amount_micros), settled.meter) == ("1234.56", "main")


def test_royals_at_one_table_share_equally_in_section_10_and_odd_cents_stay_on_the_meter() -> None:
    settled = settle(("caribbean-stud-section-10", "caribbean-stud", "progressive"), "ten-percent", printed.FIVE["Royal flush"], "10000.00")
    assert settled.award.is_shared
    shares = awards.divide(settlement=settled, seats=[6, 4, 1])
    assert {seat: money.cents(share.amount_micros) for seat, share in shares.items()} == dict.fromkeys((6, 4, 1), "3333.33")
    assert sum(share.from_meter_micros for share in shares.values()) == money.parse("9999.99")


def test_a_percentage_of_the_dealers_hand_is_divided_and_nothing_else_of_that_wager_is_shared() -> None:
    path = ("caribbean-stud-massachusetts", "caribbean-stud", "five-card-hand-bonus")
    assert wager(*path).sharing.is_dealer_award_divided
    settled = settle(path, "standard", printed.FIVE["Straight flush"], "10000.00")
    shares = awards.divide(settlement=settled, seats=[1, 2, 3])
    assert money.cents(shares[2].amount_micros) == "333.33"
    assert not settled.award.is_shared


def test_straight_flushes_of_section_10_are_not_shared() -> None:
    path = ("caribbean-stud-section-10", "caribbean-stud", "progressive")
    assert not settle(path, "ten-percent", printed.FIVE["Straight flush"], "10000.00").award.is_shared


@pytest.mark.parametrize(
    ("path", "column", "hand", "by", "where"),
    [
        (STUD, "D", "royal-flush", "floorperson", "cage"),
        (STUD, "D", "three-of-a-kind", "floorperson", "table"),
        ((*STUD[:2], "five-card-hand-bonus"), "standard", "royal-flush", "floorperson", "cage"),
        ((*STUD[:2], "five-card-hand-bonus"), "standard", "four-of-a-kind", "floorperson", "game-account"),
        ((*STUD[:2], "five-card-hand-bonus"), "standard", "full-house", None, "game-account"),
        (("caribbean-stud-section-10", "caribbean-stud", "progressive"), "ten-percent", "flush", "supervisor", "table"),
        (("crazy-4-poker-massachusetts", "crazy-4-poker", "four-card-progressive"), "A", "three-of-a-kind", "floorperson", "table"),
        (("high-card-flush-massachusetts", "high-card-flush", "progressive"), "A", "six-card-straight-flush", None, "cage"),
        (PAI_GOW, "one-dollar", "straight-flush", "supervisor", "table"),
        (PAI_GOW, "one-dollar", "four-of-a-kind-and-pair", None, "table"),
        (PAI_GOW, "one-dollar", "five-aces", "supervisor", "cage"),
    ],
)
def test_each_award_says_who_validates_it_and_where_it_is_paid(
    path: tuple[str, str, str], column: str, hand: str, by: str | None, where: str
) -> None:
    line = wager(*path).pay_tables[column].line(hand)
    assert line is not None
    assert (line.award.validation, line.award.paid_from) == (by, where)


@pytest.mark.parametrize(
    ("path", "forfeits", "keeps_envy"),
    [
        (STUD, True, True),
        ((*STUD[:2], "five-card-hand-bonus"), False, False),
        (("caribbean-stud-section-10", "caribbean-stud", "progressive"), True, False),
        (("crazy-4-poker-massachusetts", "crazy-4-poker", "four-card-progressive"), True, True),
        (("crazy-4-poker-massachusetts", "crazy-4-poker", "five-card-progressive"), True, True),
        (("crazy-4-poker-massachusetts", "crazy-4-poker", "five-card-hand-bonus"), False, False),
        (("high-card-flush-massachusetts", "high-card-flush", "progressive"), True, False),
        (("high-card-flush-massachusetts", "high-card-flush", "flush-bonus"), False, False),
    ],
)
def test_what_a_fold_does_to_each_wager(path: tuple[str, str, str], forfeits: bool, keeps_envy: bool) -> None:
    folded = wager(*path)
    assert (folded.fold_forfeits, folded.envy_survives_fold) == (forfeits, keeps_envy)
    assert folded.fold_paragraph


@pytest.mark.parametrize(
    ("path", "column", "shown", "names"),
    [
        (STUD, "D", printed.FIVE["Royal flush"], ("royal-flush",)),
        (STUD, "D", printed.FIVE["Two pair"], ()),
        (("crazy-4-poker-massachusetts", "crazy-4-poker", "four-card-progressive"), "A", printed.FOUR_OF_FIVE["Four aces"], ("four-aces",)),
        (PAI_GOW, "one-dollar", "9S 9D 9H 8C 7S 6D 5H", ("straight-and-pair", "straight", "three-of-a-kind")),
        (("table-games-massachusetts", "minibaccarat", "house-money"), "standard", "9S 9D", ()),
    ],
)
def test_a_hand_is_claimed_by_the_row_that_is_paid(path: tuple[str, str, str], column: str, shown: str, names: tuple[str, ...]) -> None:
    chosen = wager(*path)
    claimable = awards.claimable(wager=chosen, pay_table=chosen.pay_tables[column], cards=cards.parse(shown.split()))
    assert claimable == names
