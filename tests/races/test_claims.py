"""Two linked tables claim at once. Without the lock the same money is promised twice; with it, one takes the meter and the other the
reset, the order is on record, and every cent is there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import IntegrityError

from jackpots import claims
from jackpots.ledger import book
from jackpots.models import Hit, Terms
from jackpots.rules import money
from tests import cast
from tests.races.conftest import Meeting


def two_royals(together: Callable[..., list[Any]]) -> list[Any]:
    house = cast.house()
    first, second = cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02")
    first.lock_out({5: "1.00"})
    second.lock_out({2: "1.00"})
    return together(
        lambda: first.hit(5, cast.ROYAL, "royal-flush"),
        lambda: second.hit(2, cast.ROYAL_HEARTS, "royal-flush"),
    )


def pause_after_reading(monkeypatch: pytest.MonkeyPatch, meeting: Meeting) -> None:
    """Both claims stop between reading the meter and taking from it: the moment in which the race happens."""
    judge = claims._judge

    def judge_and_meet(*args: Any) -> Any:
        judged = judge(*args)
        meeting.meet()
        return judged

    monkeypatch.setattr(claims, "_judge", judge_and_meet)


def remove_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def unlocked(*, progressive_ids: Any, mode: book.Mode) -> Iterator[book.Book]:
        yield book.Book(progressive_ids=list(progressive_ids), mode=mode)

    monkeypatch.setattr(book, "locked", unlocked)
    # The database itself refuses to fold without the lock, so the unlocked claim reads the meter as any display would.
    monkeypatch.setattr(book.Book, "available", lambda self, progressive_id: dict(book.standings()[progressive_id].available))


def test_without_the_lock_the_same_meter_is_promised_twice(
    together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch, meeting: Meeting
) -> None:
    remove_the_lock(monkeypatch)
    # So would the unique index over the places on a meter; with both guards gone, nothing stands between two tables and one jackpot.
    monkeypatch.setattr(claims, "_take_place", lambda terms, held: None)
    pause_after_reading(monkeypatch, meeting)
    outcomes = two_royals(together)
    assert [outcome["award"] for outcome in outcomes] == ["10001.40", "10001.40"]
    assert not is_right(outcomes)


def test_without_the_lock_the_index_over_places_still_refuses_the_second(
    together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch, meeting: Meeting
) -> None:
    remove_the_lock(monkeypatch)
    pause_after_reading(monkeypatch, meeting)
    outcomes = two_royals(together)
    assert [type(outcome) for outcome in outcomes if not isinstance(outcome, dict)] == [IntegrityError]
    assert Terms.objects.exclude(place=None).count() == 1


def test_with_the_lock_one_takes_the_meter_and_the_other_the_reset(
    together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch, meeting: Meeting
) -> None:
    pause_after_reading(monkeypatch, meeting)
    assert is_right(two_royals(together))


def is_right(outcomes: list[Any]) -> bool:
    """Awards of the meter and of the reset, in the recorded order, and a meter that holds exactly what is left."""
    if not all(isinstance(outcome, dict) for outcome in outcomes):
        return False
    in_order = Hit.objects.order_by("terms__place")
    awards = [money.cents(hit.award_micros) for hit in in_order]
    places = [hit.terms.place for hit in in_order if hit.terms]
    main = book.standings()[cast.progressives.get("caribbean-link").pk].available["main"]
    return awards == ["10001.40", "10000.00"] and places == [1, 2] and money.exact(main) == "10000.000000"
