"""A round in two hands at once: a table locks out while a supervisor closes it, opens one while its progressive is ended, and a
controller that is unsure sends again."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from jackpots import interventions
from jackpots.ledger import book
from jackpots.models import Hit, Progressive, Terms
from tables import inbox
from tables.models import Round
from tests import cast
from tests.races.conftest import Floor, Unlocked, faults, main_of

PATIENCE = 0.7


@pytest.fixture
def opened(linked: Floor) -> str:
    """The first table has opened its second round with a wager; the round's reference."""
    linked.first.settle()
    linked.first.send("wager", seat=5, wager="progressive", amount="1.00")
    return f"R-{Round.objects.get(table__name='CSP-01', number=2).pk:06d}"


def close_while_locking_out(
    linked: Floor, reference: str, together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> list[Any]:
    """The lock-out has found its round open, and goes on only when the supervisor is done or does not get any further."""
    entered, closed = threading.Event(), threading.Event()
    read = inbox.open

    def read_and_wait(**fields: Any) -> Any:
        found = read(**fields)
        entered.set()
        closed.wait(PATIENCE)
        return found

    def close() -> Any:
        entered.wait(30)
        try:
            return interventions.close(reference=reference, person=linked.house.sam, pin=cast.PIN, reason="abandoned", now=cast.NOW)
        finally:
            closed.set()

    monkeypatch.setattr(inbox, "open", read_and_wait)
    return together(lambda: linked.first.lock_out({5: "1.00"}), close)


def test_without_the_rounds_row_a_closed_round_is_played_on(
    linked: Floor, opened: str, together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "HOLD_ROUNDS", "SELECT 1")
    monkeypatch.setattr("django.db.models.query.QuerySet.select_for_update", lambda self, **how: self)
    _, closed = close_while_locking_out(linked, opened, together, monkeypatch)
    assert closed.state == "void"
    assert interventions.get(opened).state == "locked"


def test_with_the_rounds_row_one_waits_for_the_other(
    linked: Floor, opened: str, together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, closed = close_while_locking_out(linked, opened, together, monkeypatch)
    assert answer["status"] == "applied"
    # Contributed before it was closed, so it is settled and its contribution stands.
    assert closed.state == interventions.get(opened).state == "settled"
    assert main_of("caribbean-link") == "10002.100000"
    assert not faults()


def test_an_event_sent_twice_at_once_is_taken_once(linked: Floor, together: Callable[..., list[Any]]) -> None:
    event = linked.first.event("hit", seat=5, wager="progressive", cards=cast.ROYAL, hand="royal-flush")
    answers = together(lambda: linked.first.resend(event), lambda: linked.first.resend(event))
    first = next(answer for answer in answers if answer["status"] == "applied")
    assert {"status": "duplicate", "first": first} in answers
    assert Hit.objects.count() == 1
    assert not faults()


def open_while_the_progressive_ends(linked: Floor, together: Callable[..., list[Any]]) -> list[Any]:
    """Accounting has seen that nothing is in play, and ends the link; a wager opens a round meanwhile, or waits."""
    linked.first.settle()
    linked.second.settle()
    looked, opened = threading.Event(), threading.Event()

    def end() -> str:
        with transaction.atomic(), book.locked(progressive_ids=[linked.house.link.pk, linked.house.solo.pk], mode=book.Mode.EXCLUSIVE):
            in_play = Round.objects.filter(state__in=["open", "locked"]).count()
            looked.set()
            opened.wait(PATIENCE)
            Progressive.objects.filter(pk=linked.house.link.pk).update(closed_at=cast.NOW, heir=linked.house.solo)
        return f"{in_play} in play"

    def open_round() -> Any:
        looked.wait(30)
        try:
            return linked.first.send("wager", seat=1, wager="progressive", amount="1.00")
        finally:
            opened.set()

    return together(end, open_round)


def test_without_the_lock_a_round_is_opened_for_a_progressive_that_has_ended(
    linked: Floor, together: Callable[..., list[Any]], without: Unlocked
) -> None:
    without.contributions()
    ended, answer = open_while_the_progressive_ends(linked, together)
    assert (ended, answer["status"]) == ("0 in play", "applied")
    assert Terms.objects.get(round__number=2).progressive == linked.house.link


def test_with_it_the_round_waits_and_plays_for_the_heir(linked: Floor, together: Callable[..., list[Any]]) -> None:
    ended, answer = open_while_the_progressive_ends(linked, together)
    assert (ended, answer["status"]) == ("0 in play", "applied")
    assert Terms.objects.get(round__number=2).progressive == linked.house.solo
    assert linked.first.lock_out({1: "1.00"})["outcome"]["contributed"] == {"caribbean-solo": "0.700000"}
