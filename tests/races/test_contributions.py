"""A contribution that is not committed yet, met by whoever folds: a claim, or the fold that runs by itself.

Transfers are folded by number. A contribution that has its number and has not committed is jumped over by a fold that does not wait
for it, and is never counted again.
"""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from jackpots import meters
from jackpots.ledger import book
from tests import cast
from tests.races.conftest import Floor, Unlocked, faults, main_of

PATIENCE = 0.7


@pytest.fixture
def in_flight(together: Callable[..., list[Any]], linked: Floor, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """A contribution at the other table has its number, and commits only when the rival is done or does not get any further."""
    numbered, done = threading.Event(), threading.Event()
    linked.second.settle()
    draft = book.Book.draft

    def draft_and_wait(self: book.Book, **fields: Any) -> Any:
        drafted = draft(self, **fields)
        if threading.current_thread().name == "contributor":
            numbered.set()
            done.wait(PATIENCE)
        return drafted

    def contribute() -> Any:
        threading.current_thread().name = "contributor"
        return linked.second.lock_out({2: "5.00"})

    def run(rival: Callable[[], Any]) -> list[Any]:
        def then() -> Any:
            numbered.wait(30)
            try:
                return rival()
            finally:
                done.set()

        monkeypatch.setattr(book.Book, "draft", draft_and_wait)
        return together(contribute, then)

    return run


def claim(linked: Floor) -> Callable[[], Any]:
    return lambda: linked.first.hit(5, cast.STRAIGHT_FLUSH, "straight-flush")


def another_then_fold(linked: Floor) -> Callable[[], Any]:
    """Something newer has to be there, or the fold does not get past the number in question."""

    def run() -> Any:
        linked.first.settle()
        linked.first.lock_out({1: "1.00"})
        return meters.fold_all(now=cast.NOW)

    return run


def test_without_the_shared_lock_a_claim_loses_the_contribution_for_good(
    in_flight: Callable[..., list[Any]], linked: Floor, without: Unlocked
) -> None:
    without.contributions()
    _, outcome = in_flight(claim(linked))
    assert outcome["award"] == "1000.14"
    assert main_of("caribbean-link") == "9001.260000"
    assert faults()


def test_with_the_shared_lock_the_claim_waits_and_counts_it(in_flight: Callable[..., list[Any]], linked: Floor) -> None:
    _, outcome = in_flight(claim(linked))
    assert outcome["award"] == "1000.49"
    assert main_of("caribbean-link") == "9004.410000"
    assert not faults()


def test_without_the_shared_lock_the_fold_loses_the_contribution_for_good(
    in_flight: Callable[..., list[Any]], linked: Floor, without: Unlocked
) -> None:
    without.contributions()
    _, folded = in_flight(another_then_fold(linked))
    assert folded == 1
    assert main_of("caribbean-link") == "10002.100000"
    assert faults()


def test_with_the_shared_lock_the_fold_leaves_it_for_the_next_time(in_flight: Callable[..., list[Any]], linked: Floor) -> None:
    _, folded = in_flight(another_then_fold(linked))
    assert folded == 0
    assert main_of("caribbean-link") == "10005.600000"
    assert not faults()
