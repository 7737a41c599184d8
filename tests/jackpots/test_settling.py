"""Several claims on one meter: keyed in any order, taken away again, approved in between. Worked examples to the cent."""

import pytest

from jackpots import corrections, hits
from jackpots.ledger import book
from jackpots.models import Hit, Item
from jackpots.rules import money
from tests import cast

pytestmark = pytest.mark.django_db


def main_of(house: cast.House) -> str:
    return money.exact(book.standings()[house.link.pk].available["main"])


def award_of(number: str) -> str:
    return money.cents(hits.get(number).award_micros)


def approve(house: cast.House, number: str) -> Hit:
    return hits.approve(number=number, person=house.sam, pin=cast.PIN, award=award_of(number), now=cast.NOW)


def reject(house: cast.House, number: str) -> Hit:
    return hits.reject(number=number, person=house.sam, pin=cast.PIN, reason="the deck was short", now=cast.NOW)


@pytest.fixture
def house() -> cast.House:
    return cast.house()


def test_a_royal_then_a_straight_flush_takes_ten_percent_of_the_reset(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00", 2: "1.00"})
    assert dealer.hit(5, cast.ROYAL, "royal-flush")["award"] == "10001.40"
    assert dealer.hit(2, cast.STRAIGHT_FLUSH, "straight-flush")["award"] == "1000.00"
    assert main_of(house) == "9000.000000"


def test_keyed_the_other_way_round_it_is_the_same_money(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00", 2: "1.00"})
    first = dealer.hit(2, cast.STRAIGHT_FLUSH, "straight-flush")
    assert first["award"] == "1000.14"
    second = dealer.hit(5, cast.ROYAL, "royal-flush")
    assert second["award"] == "10001.40"
    assert second["resettled"] == [{"hit": first["hit"], "award": "1000.00"}]
    assert main_of(house) == "9000.000000"
    assert hits.get(first["hit"]).is_reduced


def test_a_claim_that_went_down_needs_a_shift_supervisor(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00", 2: "1.00"})
    first = dealer.hit(2, cast.STRAIGHT_FLUSH, "straight-flush")
    dealer.hit(5, cast.ROYAL, "royal-flush")
    with pytest.raises(hits.ShiftSupervisorNeeded):
        approve(house, first["hit"])
    hits.approve(number=first["hit"], person=house.shirin, pin=cast.PIN, award="1000.00", now=cast.NOW)


def test_contributions_since_the_base_stay_on_the_meter(house: cast.House) -> None:
    dealer, other = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    dealer.lock_out({5: "1.00", 2: "1.00"})
    dealer.hit(2, cast.STRAIGHT_FLUSH, "straight-flush")
    other.lock_out({1: "5.00"})
    assert dealer.hit(5, cast.ROYAL, "royal-flush")["award"] == "10001.40"
    assert main_of(house) == "9003.500000"


def test_after_another_round_has_claimed_a_claim_out_of_order_is_out_of_turn(house: cast.House) -> None:
    dealer, other = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    dealer.lock_out({5: "1.00", 2: "1.00"})
    other.lock_out({1: "1.00"})
    dealer.hit(2, cast.STRAIGHT_FLUSH, "straight-flush")
    other.hit(1, ["9H", "8H", "7H", "6H", "5H"], "straight-flush")
    late = dealer.hit(5, cast.ROYAL, "royal-flush")
    assert late["out_of_turn"]
    # 10002.10 less 10 % twice, to the cent: 1000.21 and 900.18.
    assert late["award"] == "8101.71"
    item = Item.objects.get()
    assert (money.cents(item.told_micros), money.cents(item.due_micros)) == ("8101.71", "10002.10")


def test_after_another_round_has_claimed_the_next_in_order_has_simply_its_turn(house: cast.House) -> None:
    dealer, other = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    dealer.lock_out({5: "1.00", 2: "1.00"})
    other.lock_out({1: "1.00"})
    dealer.hit(5, cast.STRAIGHT_FLUSH, "straight-flush")
    other.hit(1, ["9H", "8H", "7H", "6H", "5H"], "straight-flush")
    last = dealer.hit(2, cast.ROYAL, "royal-flush")
    assert not last["out_of_turn"]
    assert last["award"] == "8101.71"
    assert not Item.objects.exists()


def test_rejected_it_is_as_if_it_had_never_been_claimed(house: cast.House) -> None:
    dealer, other = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    dealer.lock_out({5: "1.00"})
    other.lock_out({1: "1.00"})
    royal = dealer.hit(5, cast.ROYAL, "royal-flush")
    straight = other.hit(1, cast.STRAIGHT_FLUSH, "straight-flush")
    assert straight["award"] == "1000.00"
    reject(house, royal["hit"])
    assert award_of(straight["hit"]) == "1000.14"
    assert main_of(house) == "9001.260000"


def test_an_approved_claim_stands_and_its_difference_is_an_item(house: cast.House) -> None:
    dealer, other = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    dealer.lock_out({5: "1.00"})
    other.lock_out({1: "1.00"})
    straight = dealer.hit(5, cast.STRAIGHT_FLUSH, "straight-flush")
    royal = other.hit(1, cast.ROYAL_HEARTS, "royal-flush")
    assert royal["award"] == "9001.26"
    approve(house, royal["hit"])
    reject(house, straight["hit"])
    assert award_of(royal["hit"]) == "9001.26"
    item = Item.objects.get()
    assert (item.kind, money.cents(item.difference_micros)) == ("difference", "1000.14")
    assert main_of(house) == "10000.000000"


def test_told_too_much_the_house_puts_the_meter_right(house: cast.House) -> None:
    for person in (house.anna, house.piet):
        corrections.correct(
            slug="caribbean-link", level="main", amount="-5000.00", reason="a trial", person=person, pin=cast.PIN, now=cast.NOW
        )
    first, second = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    first.lock_out({5: "1.00"})
    second.lock_out({1: "1.00"})
    royal = first.hit(5, cast.ROYAL, "royal-flush")
    assert royal["award"] == "5001.40"
    # The reset brought more than the royal took, so ten percent of it is more than was ever due.
    straight = second.hit(1, cast.STRAIGHT_FLUSH, "straight-flush")
    assert straight["award"] == "1000.00"
    approve(house, straight["hit"])
    reject(house, royal["hit"])
    item = Item.objects.get()
    assert (money.cents(item.told_micros), money.cents(item.due_micros)) == ("1000.00", "500.14")
    assert award_of(straight["hit"]) == "1000.00"
    # 5001.40 less the 500.14 that were due: the house has made up the 499.86 that were told too much.
    assert main_of(house) == "4501.260000"


def test_a_claim_on_the_twice_reset_meter_is_not_touched_by_a_rejection_before_it(house: cast.House) -> None:
    first, second = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    first.lock_out({5: "1.00"})
    second.lock_out({1: "1.00"})
    royal = first.hit(5, cast.ROYAL, "royal-flush")
    again = second.hit(1, cast.ROYAL_HEARTS, "royal-flush")
    assert again["award"] == "10000.00"
    # A second table's straight flush on the twice reset meter, approved, then the first royal is rejected: nothing changes for it.
    second.settle()
    second.lock_out({1: "1.00"})
    straight = second.hit(1, cast.STRAIGHT_FLUSH, "straight-flush")
    assert straight["award"] == "1000.07"
    approve(house, straight["hit"])
    reject(house, royal["hit"])
    assert award_of(again["hit"]) == "10001.40"
    assert main_of(house) == "9000.630000"
    assert not Item.objects.exists()


def test_a_rejection_of_a_rejection_leaves_the_opening_amount_and_the_contributions(house: cast.House) -> None:
    dealer, other = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    dealer.lock_out({5: "1.00", 2: "1.00"})
    other.lock_out({1: "5.00"})
    numbers = [
        dealer.hit(2, cast.STRAIGHT_FLUSH, "straight-flush")["hit"],
        dealer.hit(5, cast.ROYAL, "royal-flush")["hit"],
        other.hit(1, cast.ROYAL_HEARTS, "royal-flush")["hit"],
    ]
    for number in numbers:
        reject(house, number)
    assert main_of(house) == "10004.900000"


def test_a_void_gives_back_what_the_meter_holds(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00", 2: "5.00"})
    dealer.hit(2, cast.STRAIGHT_FLUSH, "straight-flush")
    assert dealer.void()["status"] == "applied"
    assert main_of(house) == "10000.000000"
    assert not Hit.objects.exclude(state="rejected").exists()


def test_a_void_after_the_meter_was_taken_is_made_good_by_the_house(house: cast.House) -> None:
    dealer, other = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    dealer.lock_out({5: "1.00"})
    other.lock_out({1: "5.00"})
    royal = dealer.hit(5, cast.ROYAL, "royal-flush")
    assert royal["award"] == "10004.20"
    assert other.void()["status"] == "applied"
    assert main_of(house) == "10000.000000"
    assert award_of(royal["hit"]) == "10004.20"
    # Once the royal is rejected nobody has taken the voided contribution, so the house gets back what it had made good.
    reject(house, royal["hit"])
    assert main_of(house) == "10000.700000"
