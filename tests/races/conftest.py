"""Races are run for real: threads with connections of their own, transactions that commit."""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection, transaction

from jackpots import meters, progressives, settling, windows
from jackpots.ledger import book
from jackpots.models import Terms
from jackpots.rules import money
from tests import cast
from tests.bank import folding


class Meeting:
    """A point where two threads wait for each other, so that a race that can happen does happen.

    Where a lock keeps one of them from ever arriving, the other gives up waiting and goes on.
    """

    def __init__(self, parties: int = 2, patience: float = 0.7) -> None:
        self.barrier = threading.Barrier(parties)
        self.patience = patience

    def meet(self) -> None:
        try:
            self.barrier.wait(self.patience)
        except threading.BrokenBarrierError:
            return


@pytest.fixture
def meeting() -> Meeting:
    return Meeting()


@pytest.fixture
def together(committed: None) -> Callable[..., list[Any]]:
    """Run functions at the same time, each on its own connection; what each returned or raised, in order."""

    def run(*functions: Callable[[], Any]) -> list[Any]:
        def one(function: Callable[[], Any]) -> Any:
            try:
                return function()
            except Exception as raised:
                return raised
            finally:
                connection.close()

        with ThreadPoolExecutor(len(functions)) as pool:
            return [future.result() for future in [pool.submit(one, function) for function in functions]]

    return run


@dataclass
class Floor:
    """The cast's casino with its two linked tables being dealt at."""

    house: cast.House
    first: cast.Dealer
    second: cast.Dealer


@pytest.fixture
def linked(committed: None) -> Floor:
    """Both tables of the link have locked out a wager of a dollar."""
    house = cast.house()
    floor = Floor(house, cast.Dealer(house, "CSP-01"), cast.Dealer(house, "CSP-02"))
    floor.first.lock_out({5: "1.00"})
    floor.second.lock_out({2: "1.00"})
    meters.fold_all(now=cast.NOW)
    return floor


class Unlocked:
    """The service with a lock taken out of it, to show what the lock is for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch
        self.locked = book.locked

    def entirely(self) -> None:
        """No lock at all. The database itself refuses to fold then, so amounts are read as any display would read them."""

        @contextmanager
        def unlocked(*, progressive_ids: Iterable[int], mode: book.Mode) -> Iterator[book.Book]:
            yield book.Book(progressive_ids=list(progressive_ids), mode=mode)

        self.monkeypatch.setattr(book, "locked", unlocked)
        self.monkeypatch.setattr(book.Book, "fold", lambda self, progressive_id: None)
        self.monkeypatch.setattr(book.Book, "available", lambda self, progressive_id: dict(book.standings()[progressive_id].available))
        self.monkeypatch.setattr(book.Book, "mark", lambda self, progressive_id: newest(progressive_id))

    def places(self) -> None:
        """No order among the tables: the unique index over places on a meter would stop the second of two."""

        def take_any(*, ledger: book.Book, terms: Terms) -> None:
            terms.place, terms.position = terms.pk, ledger.mark(terms.progressive_id)
            terms.base = windows.pools_now(ledger, terms.progressive_id)
            terms.save()

        self.monkeypatch.setattr(settling, "take_place", take_any)

    def contributions(self) -> None:
        """Contributions without their shared lock; everybody else keeps the exclusive one."""
        self.monkeypatch.setattr(book, "HOLD_SHARED", "SELECT 1")


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Unlocked:
    return Unlocked(monkeypatch)


@pytest.fixture
def read_before_anybody_writes(linked: Floor, monkeypatch: pytest.MonkeyPatch, meeting: Meeting) -> None:
    """All stop between reading the meter and writing to it: the moment in which a race happens."""
    post = book.Book.post

    def meet_and_post(self: book.Book, *, entries: Iterable[book.Entry], **fields: Any) -> Any:
        written = list(entries)
        if written:
            meeting.meet()
        return post(self, entries=written, **fields)

    monkeypatch.setattr(book.Book, "post", meet_and_post)


def newest(progressive_id: int) -> int:
    last = book.Transfer.objects.filter(progressive_id=progressive_id).order_by("-pk").values_list("pk", flat=True).first()
    return last or 0


def main_of(slug: str) -> str:
    """What the meter holds, once everything is folded."""
    fold(slug)
    return shown(slug)


def shown(slug: str) -> str:
    """What a display would show of it."""
    return money.exact(book.standings()[progressives.get(slug).pk].available["main"])


def fold(slug: str) -> None:
    with transaction.atomic(), book.locked_if_free(progressive_id=progressives.get(slug).pk) as ledger:
        assert ledger is not None, "nobody holds the lock any more"
        ledger.fold(progressives.get(slug).pk)


def faults() -> list[str]:
    """What an independent fold of all transfers finds wrong with the ledger and its balances."""
    found = folding.Folding()
    found.go_on()
    zero = [] if found.sum_over_all_accounts() == (0, 0) else ["the sum over all accounts is not zero"]
    return [*found.broken, *zero, *found.wrong_balances()]
