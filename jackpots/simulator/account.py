"""The simulator's own account of what it wagered and what it was told, to be held against the service's figures."""

import collections
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from jackpots.rules import money
from jackpots.simulator import play


class Account:
    """Whole micros, kept by all tables together. Only what the service has acknowledged is counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._chips: collections.Counter[tuple[str, str]] = collections.Counter()
        self._wagered_micros: collections.Counter[tuple[str, str]] = collections.Counter()
        self._rounds: collections.Counter[str] = collections.Counter()
        self._refused: collections.Counter[str] = collections.Counter()
        self._hits: dict[str, dict[str, Any]] = {}

    def locked_out(self, *, table: str, bets: Iterable[play.Bet]) -> None:
        """The service took this list of wagers at lock-out, and the chip count agreed."""
        with self._lock:
            for bet in bets:
                self._chips[table, bet.progressive] += 1
                self._wagered_micros[table, bet.progressive] += money.parse(bet.amount)

    def settled(self, *, table: str) -> None:
        with self._lock:
            self._rounds[table] += 1

    def refused(self, *, code: str) -> None:
        with self._lock:
            self._refused[code] += 1

    def told(self, *, table: str, outcome: Mapping[str, Any]) -> None:
        """What a claim was answered, and what later claims of the round were said to have changed."""
        with self._lock:
            self._hits[outcome["hit"]] = {"table": table, **_kept(outcome)}
            for changed in outcome.get("resettled", []):
                if changed["hit"] in self._hits:
                    self._hits[changed["hit"]]["award_micros"] = money.parse(changed["award"])

    def became(self, *, outcome: Mapping[str, Any]) -> None:
        """What the service says now of a hit; one that an earlier run claimed is not in this account."""
        with self._lock:
            if outcome["hit"] in self._hits:
                self._hits[outcome["hit"]].update(_kept(outcome))

    def wagered_micros(self, *, progressive: str) -> int:
        with self._lock:
            return sum(micros for (_, name), micros in self._wagered_micros.items() if name == progressive)

    def hits(self) -> dict[str, dict[str, Any]]:
        with self._lock:
            return {hit: dict(known) for hit, known in self._hits.items()}

    def figures(self) -> dict[str, Any]:
        """The account as it stands, money as decimal text."""
        with self._lock:
            return {
                "rounds": dict(self._rounds),
                "wagers": [
                    {"table": table, "progressive": name, "chips": chips, "amount": money.cents(self._wagered_micros[table, name])}
                    for (table, name), chips in sorted(self._chips.items())
                ],
                "hits": len(self._hits),
                "awards": money.cents(sum(known["award_micros"] for known in self._hits.values() if known["state"] in STANDING)),
                "refused": dict(self._refused),
            }


# A refused, rejected or cancelled claim pays nobody.
STANDING = frozenset({"pending", "held", "approved", "paid"})


def _kept(outcome: Mapping[str, Any]) -> dict[str, Any]:
    return {"state": outcome["state"], "award_micros": money.parse(outcome.get("award") or "0.00")}
