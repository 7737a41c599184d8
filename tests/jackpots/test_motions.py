"""What takes two signatures: items, corrections, overflow, the end of a progressive."""

import datetime

import pytest

from audit.people import posts
from audit.people.models import Person
from jackpots import corrections, endings, hits, items, links, meters, motions, payouts
from jackpots.ledger import book
from jackpots.models import Item, Motion, Payout, Progressive
from jackpots.rules import money
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> cast.House:
    return cast.house()


def main_of(progressive: Progressive) -> str:
    return money.exact(book.standings()[progressive.pk].available["main"])


def correct(house: cast.House, person: str, amount: str = "12.50", reason: str = "sign read short") -> Motion:
    return corrections.correct(
        slug="caribbean-link", level="main", amount=amount, reason=reason, person=house.people[person], pin=cast.PIN, now=cast.NOW
    )


def test_a_correction_is_carried_out_by_the_second_signature(house: cast.House) -> None:
    correct(house, "anna")
    assert main_of(house.link) == "10000.000000"
    correct(house, "piet")
    assert main_of(house.link) == "10012.500000"


def test_the_second_signature_is_another_persons(house: cast.House) -> None:
    correct(house, "shirin")
    with pytest.raises(motions.SecondIsAnothers):
        correct(house, "shirin")
    assert main_of(house.link) == "10000.000000"


def test_both_sign_the_same(house: cast.House) -> None:
    correct(house, "anna")
    with pytest.raises(motions.MotionDiffers):
        correct(house, "piet", amount="1250.00")


@pytest.mark.parametrize("name", ["sam", "flo", "carla", "tess", "otto", "zoe", "piet"])
def test_not_everybody_may_move(house: cast.House, name: str) -> None:
    with pytest.raises(posts.RoleNeeded):
        correct(house, name)


def test_a_meter_is_not_corrected_below_zero(house: cast.House) -> None:
    correct(house, "anna", amount="-10000.01")
    with pytest.raises(corrections.MeterTooLow):
        correct(house, "piet", amount="-10000.01")
    assert main_of(house.link) == "10000.000000"


def approved_royal_with_an_item(house: cast.House) -> Item:
    first, second = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    first.lock_out({5: "1.00"})
    second.lock_out({1: "1.00"})
    straight = first.hit(5, cast.STRAIGHT_FLUSH, "straight-flush")
    royal = second.hit(1, cast.ROYAL_HEARTS, "royal-flush")
    hits.approve(number=royal["hit"], person=house.sam, pin=cast.PIN, award=royal["award"], now=cast.NOW)
    hits.reject(number=straight["hit"], person=house.sam, pin=cast.PIN, reason="the deck was short", now=cast.NOW)
    return Item.objects.get()


def test_an_item_granted_is_paid_at_the_cage_with_a_slip_of_its_own(house: cast.House) -> None:
    item = approved_royal_with_an_item(house)
    for person in (house.anna, house.piet):
        items.grant(number=item.pk, person=person, pin=cast.PIN, now=cast.NOW)
    payouts.make_due(now=cast.NOW)
    due = Payout.objects.get(award__kind="difference")
    assert money.cents(due.award.amount_micros) == "1000.14"
    assert due.slip.number == 2
    assert main_of(house.link) == "10000.000000"
    with pytest.raises(items.ItemAnswered):
        items.grant(number=item.pk, person=house.anna, pin=cast.PIN, now=cast.NOW)


def test_an_item_let_go_returns_to_the_meter_and_later_settlements_know_it(house: cast.House) -> None:
    item = approved_royal_with_an_item(house)
    for person in (house.anna, house.piet):
        items.let_go(number=item.pk, person=person, pin=cast.PIN, now=cast.NOW)
    assert main_of(house.link) == "11000.140000"
    dealer = cast.Dealer(house, "CSP-01")
    dealer.round -= 1
    dealer.settle()
    dealer.lock_out({2: "1.00"})
    hit = dealer.hit(2, cast.ROYAL, "royal-flush")
    assert hit["award"] == "11000.84"
    hits.reject(number=hit["hit"], person=house.sam, pin=cast.PIN, reason="wrong", now=cast.NOW)
    assert main_of(house.link) == "11000.840000"


def test_what_a_cap_has_kept_is_released_by_two(house: cast.House) -> None:
    capped = cast.progressive(
        house,
        slug="capped",
        pay_table="B",
        tables=[],
        cap_micros=money.parse("10000.00"),
        rules=(cast.RULE_TEXT, "caribbean-stud", "progressive"),
    )
    cast.set_up(house, "CSP-09", rule_text=cast.RULE_TEXT, game="caribbean-stud")
    links.link(progressive=capped, table=house.tables["CSP-09"], person=house.anna, pin=cast.PIN, now=cast.NOW)
    dealer = cast.Dealer(house, "CSP-09")
    dealer.lock_out({1: "1.00"})
    meters.fold_all(now=cast.NOW)
    assert book.standings()[capped.pk].available["overflow"] == 700_000
    assert meters.reading(slug="capped", now=cast.NOW).amount_micros == money.parse("10000.00")
    for person in (house.anna, house.piet):
        corrections.release_overflow(slug="capped", amount="0.70", to="reserve", person=person, pin=cast.PIN, now=cast.NOW)
    assert book.standings()[capped.pk].available["reserve"] == 700_000


def test_a_discontinued_progressive_returns_the_houses_money_and_passes_on_the_players(house: cast.House) -> None:
    heir = cast.progressive(house, slug="heir", pay_table="D", tables=[])
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({1: "5.00", 2: "1.00"})

    def discontinue(person: Person) -> None:
        endings.discontinue(slug="caribbean-link", to="heir", person=person, pin=cast.PIN, now=cast.NOW)

    discontinue(house.anna)
    with pytest.raises(endings.StillPlayed):
        discontinue(house.piet)
    dealer.settle()
    discontinue(house.piet)
    assert main_of(house.link) == "0.000000"
    assert main_of(heir) == "10004.200000"
    assert sum(standing.available["clearing"] for standing in book.standings().values()) == 0
    assert meters.reading(slug="caribbean-link", now=cast.NOW).state == "closed"


def test_the_money_goes_on_only_to_a_progressive_like_it(house: cast.House) -> None:
    with pytest.raises(endings.NotAlike):
        endings.discontinue(slug="caribbean-link", to="caribbean-solo", person=house.anna, pin=cast.PIN, now=cast.NOW)


def test_a_round_told_of_after_the_end_plays_for_the_heir_and_its_claims_are_out_of_turn(house: cast.House) -> None:
    heir = cast.progressive(house, slug="heir", pay_table="D", tables=[])
    later = cast.NOW + datetime.timedelta(minutes=5)
    for person in (house.anna, house.piet):
        endings.discontinue(slug="caribbean-link", to="heir", person=person, pin=cast.PIN, now=later)
    dealer = cast.Dealer(house, "CSP-01")
    sent = dealer.event("lockout", wagers=[{"seat": 1, "wager": "progressive", "amount": "1.00"}], chips=1, at=(cast.NOW).isoformat())
    dealer.now = later
    assert dealer.resend(sent)["outcome"]["contributed"] == {"heir": "0.700000"}
    hit = dealer.hit(1, cast.ROYAL, "royal-flush")
    assert (hit["progressive"], hit["out_of_turn"], hit["award"]) == ("heir", True, "10000.70")
    assert main_of(heir) == "10000.000000"


def test_a_payment_marked_by_mistake_is_taken_back(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00"})
    royal = dealer.hit(5, cast.ROYAL, "royal-flush")
    hits.approve(number=royal["hit"], person=house.sam, pin=cast.PIN, award=royal["award"], now=cast.NOW)
    payouts.make_due(now=cast.NOW)
    paid = payouts.pay(number=Payout.objects.get().number, person=house.carla, pin=cast.PIN, now=cast.NOW)
    assert hits.get(royal["hit"]).state == "paid"
    with pytest.raises(posts.RoleNeeded):
        payouts.take_back(number=paid.number, person=house.carla, pin=cast.PIN, reason="wrong drawer", now=cast.NOW)
    back = payouts.take_back(number=paid.number, person=house.shirin, pin=cast.PIN, reason="wrong drawer", now=cast.NOW)
    assert (back.state, back.slip.number, hits.get(royal["hit"]).state) == ("due", 1, "approved")
    assert payouts.pay(number=paid.number, person=house.carla, pin=cast.PIN, now=cast.NOW).state == "paid"
