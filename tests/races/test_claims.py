"""Two linked tables claim at once. Without the lock the same money is promised twice; with it, one takes the meter and the other the
reset, the order is on record, and every cent is there."""

from collections.abc import Callable
from typing import Any

import pytest

from jackpots import progressives
from jackpots.ledger import book
from jackpots.models import Hit, Terms
from jackpots.rules import money
from tests import cast
from tests.races.conftest import Floor, Unlocked, faults

pytestmark = pytest.mark.usefixtures("read_before_anybody_writes")


def two_royals(together: Callable[..., list[Any]], linked: Floor) -> list[Any]:
    return together(
        lambda: linked.first.hit(5, cast.ROYAL, "royal-flush"),
        lambda: linked.second.hit(2, cast.ROYAL_HEARTS, "royal-flush"),
    )


def test_without_the_lock_the_same_meter_is_promised_twice(together: Callable[..., list[Any]], linked: Floor, without: Unlocked) -> None:
    without.entirely()
    without.places()
    outcomes = two_royals(together, linked)
    assert [outcome["award"] for outcome in outcomes] == ["10001.40", "10001.40"]
    assert not is_right(outcomes)


def test_without_the_lock_the_index_over_places_still_refuses_the_second_which_is_then_taken_again(
    together: Callable[..., list[Any]], linked: Floor, without: Unlocked
) -> None:
    without.entirely()
    outcomes = two_royals(together, linked)
    assert sorted(outcome["award"] for outcome in outcomes) == ["10000.00", "10001.40"]
    assert set(Terms.objects.exclude(place=None).values_list("place", flat=True)) == {1, 2}


def test_with_the_lock_one_takes_the_meter_and_the_other_the_reset(together: Callable[..., list[Any]], linked: Floor) -> None:
    assert is_right(two_royals(together, linked))
    assert not faults()


def is_right(outcomes: list[Any]) -> bool:
    """Awards of the meter and of the reset, in the recorded order, and a meter that holds exactly what is left."""
    if not all(isinstance(outcome, dict) for outcome in outcomes):
        return False
    in_order = Hit.objects.order_by("terms__place")
    awards = [money.cents(hit.award_micros) for hit in in_order]
    places = [hit.terms.place for hit in in_order if hit.terms]
    main = book.standings()[progressives.get("caribbean-link").pk].available["main"]
    return awards == ["10001.40", "10000.00"] and places == [1, 2] and money.exact(main) == "10000.000000"
