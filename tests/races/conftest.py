"""Races are run for real: threads with connections of their own, transactions that commit."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection


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
