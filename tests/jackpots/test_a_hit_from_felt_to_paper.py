"""One hit, told in order: wagers, lock-out, claim, approval, slip, payment."""

import pytest

from audit.people import signing
from jackpots import hits, meters, payouts
from jackpots.ledger import book
from jackpots.models import Payout
from jackpots.rules import money
from tests import cast

pytestmark = pytest.mark.django_db


def main_of(slug: str) -> str:
    return money.exact(meters.reading(slug=slug, now=cast.NOW).amount_micros)


def test_a_royal_flush_takes_the_meter_and_the_link_plays_on() -> None:
    house = cast.house()
    first, second = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")

    locked = first.lock_out({1: "1.00", 3: "1.00", 5: "1.00"})
    assert locked["outcome"]["contributed"] == {"caribbean-link": "2.100000"}
    assert main_of("caribbean-link") == "10002.100000"

    hit = first.hit(5, cast.ROYAL, "royal-flush")
    assert hit["award"] == "10002.10"
    assert hit["meter_before"] == "10002.100000"
    assert hit["meter_after"] == "10000.000000"
    assert hit["cards_stay"]
    assert hit["payouts"] == [
        {"seat": 5, "kind": "jackpot", "amount": "10002.10", "paid_from": "cage"},
        {"seat": 3, "kind": "envy", "amount": "1000.00", "paid_from": "table"},
        {"seat": 1, "kind": "envy", "amount": "1000.00", "paid_from": "table"},
    ]
    assert meters.reading(slug="caribbean-link", now=cast.NOW).state == "award-pending"

    second.lock_out({2: "5.00"})
    assert main_of("caribbean-link") == "10003.500000"

    approved = hits.approve(number=hit["hit"], person=house.sam, pin=cast.PIN, award="10002.10", now=cast.NOW)
    assert approved.state == "approved"
    assert payouts.make_due(now=cast.NOW) == 1
    cage = Payout.objects.get(award__paid_from="cage")
    assert cage.slip.number == 1

    first.settle()
    assert Payout.objects.filter(award__kind="envy", state="paid").count() == 2
    payouts.pay(number=cage.number, person=house.carla, pin=cast.PIN, now=cast.NOW)
    assert hits.get(hit["hit"]).state == "paid"
    assert meters.reading(slug="caribbean-link", now=cast.NOW).state == "live"
    assert sum(standing.available["main"] for standing in book.standings().values()) > 0


def test_a_wrong_pin_signs_nothing() -> None:
    house = cast.house()
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00"})
    hit = dealer.hit(5, cast.ROYAL, "royal-flush")
    with pytest.raises(signing.PinWrong):
        hits.approve(number=hit["hit"], person=house.sam, pin="0000", award=hit["award"], now=cast.NOW)
    assert hits.get(hit["hit"]).state == "pending"
