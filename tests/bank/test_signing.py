"""Who signs what under a hit: the amount as it is, once each, and anew when it changes."""

from typing import Any

import pytest
from django.db import IntegrityError

from audit.people import signing
from jackpots import hits
from jackpots.models import Award, Hit, HitSignature, Tier
from jackpots.rules import money
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> cast.House:
    """A casino where every jackpot takes two signatures."""
    made = cast.house()
    Tier.objects.update_or_create(property=made.place, kind=Award.Kind.JACKPOT, from_micros=0, defaults={"signatures": 2, "has_slip": True})
    return made


@pytest.fixture
def royal(house: cast.House) -> dict[str, Any]:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00"})
    return dealer.hit(5, cast.ROYAL, "royal-flush")


def approve(house: cast.House, hit: dict[str, Any], name: str, award: str = "10000.70") -> Hit:
    return hits.approve(number=hit["hit"], person=house.people[name], pin=cast.PIN, award=award, now=cast.NOW)


def test_nobody_signs_an_amount_that_is_not_so(house: cast.House, royal: dict[str, Any]) -> None:
    with pytest.raises(hits.AmountChanged, match=r"10000\.70"):
        approve(house, royal, "sam", award="10000.71")
    assert not HitSignature.objects.exists()


def test_nobody_signs_a_hit_twice(house: cast.House, royal: dict[str, Any]) -> None:
    approve(house, royal, "shirin")
    with pytest.raises(hits.SecondSignatureIsAnothers):
        approve(house, royal, "shirin")
    assert Hit.objects.get().state == "pending"
    assert approve(house, royal, "sam").state == "approved"


def test_the_database_takes_one_signature_of_a_person_under_a_hit(house: cast.House, royal: dict[str, Any]) -> None:
    hit = approve(house, royal, "sam")
    other = signing.sign(
        person=house.sam,
        pin=signing.check_pin(person=house.sam, pin=cast.PIN, now=cast.NOW),
        property=house.place,
        act="approve-hit",
        subject=f"hit:{hit.number}",
        facts={},
        now=cast.NOW,
    )
    with pytest.raises(IntegrityError, match="a_second_signature_is_anothers"):
        HitSignature.objects.create(hit=hit, signature=other, person=house.sam)


def test_a_signature_under_another_amount_is_lost(house: cast.House) -> None:
    first, second = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    first.lock_out({5: "1.00"})
    second.lock_out({1: "1.00"})
    royal = first.hit(5, cast.ROYAL, "royal-flush")
    straight = second.hit(1, cast.STRAIGHT_FLUSH, "straight-flush")
    approve(house, straight, "sam", award="1000.00")
    hits.reject(number=royal["hit"], person=house.sam, pin=cast.PIN, reason="misdeal", now=cast.NOW)
    after = hits.get(straight["hit"])
    assert money.cents(after.award_micros) == "1000.14"
    assert approve(house, straight, "shirin", award="1000.14").state == "pending"
    assert approve(house, straight, "sam", award="1000.14").state == "approved"
