"""People decide while tables play on: an approval meets a rejection that changes its amount, a void meets a claim of the whole meter."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError

from audit.refusals import Refusal
from jackpots import hits
from jackpots.models import Hit
from jackpots.rules import money
from tests import cast
from tests.races.conftest import Floor, Unlocked, faults, main_of, shown


@pytest.fixture
def claimed(linked: Floor) -> tuple[str, str]:
    """A royal flush at one table and a straight flush on the reset meter at the other, nobody having signed."""
    royal = linked.first.hit(5, cast.ROYAL, "royal-flush")["hit"]
    return royal, linked.second.hit(2, cast.STRAIGHT_FLUSH, "straight-flush")["hit"]


def approve_one_reject_the_other(together: Callable[..., list[Any]], linked: Floor, claimed: tuple[str, str]) -> list[Any]:
    royal, straight = claimed
    return together(
        lambda: hits.approve(number=straight, person=linked.house.sam, pin=cast.PIN, award="1000.00", now=cast.NOW),
        lambda: hits.reject(number=royal, person=linked.house.shirin, pin=cast.PIN, reason="misread", now=cast.NOW),
    )


@pytest.fixture
def meet(claimed: tuple[str, str], read_before_anybody_writes: None) -> None:
    """Only once the claims stand: what is laid out before the race shall not wait for anybody."""


@pytest.mark.usefixtures("meet")
def test_without_the_lock_an_approval_and_a_rejection_resolve_the_same_reservation(
    together: Callable[..., list[Any]], linked: Floor, claimed: tuple[str, str], without: Unlocked
) -> None:
    without.entirely()
    outcomes = approve_one_reject_the_other(together, linked, claimed)
    # What keeps the money from being given twice is then the index alone, and somebody's decision comes to nothing.
    assert [type(outcome) for outcome in outcomes if not isinstance(outcome, Hit)] == [IntegrityError]


@pytest.mark.usefixtures("meet")
def test_with_the_lock_they_follow_each_other(together: Callable[..., list[Any]], linked: Floor, claimed: tuple[str, str]) -> None:
    approval, rejection = approve_one_reject_the_other(together, linked, claimed)
    assert isinstance(rejection, Hit)
    straight = hits.get(claimed[1])
    if isinstance(approval, Refusal):
        # The rejection was first: the straight flush is worth more now, and the signature named another amount.
        assert (approval.code, money.cents(straight.award_micros)) == ("amount-changed", "1000.14")
    else:
        # The approval was first: it stands, and what it is short of goes before accounting.
        assert (straight.state, money.cents(straight.award_micros)) == ("approved", "1000.00")
        assert money.cents(straight.items.get().difference_micros) == "0.14"
    assert main_of("caribbean-link") == "9001.260000"
    assert not faults()


def void_one_claim_at_the_other(together: Callable[..., list[Any]], linked: Floor) -> list[Any]:
    return together(linked.first.void, lambda: linked.second.hit(2, cast.ROYAL, "royal-flush"))


def test_without_the_lock_a_void_takes_from_the_reset_what_the_winner_has_taken(
    linked: Floor, together: Callable[..., list[Any]], without: Unlocked, read_before_anybody_writes: None
) -> None:
    without.entirely()
    _, claimed = void_one_claim_at_the_other(together, linked)
    assert claimed["award"] == "10001.40"
    assert shown("caribbean-link") == "9999.300000"


def test_with_the_lock_the_reset_is_whole_whichever_came_first(
    linked: Floor, together: Callable[..., list[Any]], read_before_anybody_writes: None
) -> None:
    voided, claimed = void_one_claim_at_the_other(together, linked)
    assert voided["status"] == "applied"
    assert claimed["award"] in ("10001.40", "10000.70")
    assert main_of("caribbean-link") == "10000.000000"
    assert not faults()
