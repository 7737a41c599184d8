"""Folds run against everything at once: contributions, claims, decisions and voids at the linked tables, while somebody folds all the
time. Nothing is lost, nobody waits in a circle, and the balances are the fold of the transfers."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from audit.refusals import Refusal
from jackpots import hits, meters
from jackpots.models import Hit
from jackpots.rules import money
from tests import cast
from tests.races.conftest import Floor, faults, main_of

ROUNDS = 6
NINE_HIGH_HEARTS = ["9H", "8H", "7H", "6H", "5H"]


class Evening:
    """What each of those who are on the floor does until the tables have finished."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor
        self.tables_left = [floor.first, floor.second]
        self.is_over = threading.Event()

    def play(self, dealer: cast.Dealer, seat: int, cards: list[str]) -> int:
        """Every round has a claim; every second one is void, the others stand."""
        try:
            for number in range(ROUNDS):
                if number:
                    assert dealer.lock_out({seat: "1.00"})["status"] == "applied"
                dealer.hit(seat, cards, "straight-flush")
                self._end(dealer, is_void=bool(number % 2))
        finally:
            self.tables_left.remove(dealer)
            if not self.tables_left:
                self.is_over.set()
        return ROUNDS

    @staticmethod
    def _end(dealer: cast.Dealer, *, is_void: bool) -> None:
        answer = dealer.send("void", reason="cards-face-up") if is_void else dealer.send("settle")
        assert answer["status"] == "applied", answer
        dealer.round += 1

    def decide(self) -> int:
        decided = 0
        while not self.is_over.is_set():
            decided += sum(self.reject(hit) for hit in Hit.objects.filter(state="pending").order_by("pk"))
        return decided

    def reject(self, hit: Hit) -> bool:
        try:
            hits.reject(number=hit.number, person=self.floor.house.sam, pin=cast.PIN, reason="misread", now=cast.NOW)
        except Refusal:
            return False
        return True

    def fold(self) -> int:
        folded = 0
        while not self.is_over.is_set():
            folded += meters.fold_all(now=cast.NOW)
        return folded


@pytest.fixture
def evening(linked: Floor) -> Evening:
    return Evening(linked)


def test_folds_against_everything(evening: Evening, together: Callable[..., list[Any]]) -> None:
    floor = evening.floor
    outcomes = together(
        lambda: evening.play(floor.first, 5, cast.STRAIGHT_FLUSH),
        lambda: evening.play(floor.second, 2, NINE_HIGH_HEARTS),
        evening.decide,
        evening.fold,
    )
    assert [outcome for outcome in outcomes if not isinstance(outcome, int)] == []
    assert not faults()
    for hit in Hit.objects.filter(state="pending"):
        assert evening.reject(hit)
    # No claim is left; what stays on the meter are the contributions of the rounds that were settled, half of either table's.
    assert main_of("caribbean-link") == money.exact(10_000_000_000 + 700_000 * ROUNDS)
    assert not faults()
