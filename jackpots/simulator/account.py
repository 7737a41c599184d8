"""The simulator's own account of what it wagered and what it was told, to be held against the service's figures.

It is kept from answered events alone, one after the other, so that a killed controller's account can be read again from its notebook.
"""

import collections
import dataclasses
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from jackpots.rules import money

# A refused, rejected or cancelled claim pays nobody.
STANDING = frozenset({"pending", "held", "approved", "paid"})

Bets = dict[tuple[int, str, str], int]


@dataclasses.dataclass
class OpenRound:
    """A round that is not over: the wagers whose lights are on, and whether they have gone to the meters."""

    bets: Bets = dataclasses.field(default_factory=dict)
    is_contributed: bool = False


class Account:
    """Whole micros, kept by all tables together. Only what the service has acknowledged is counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._progressives: dict[tuple[str, str], str] = {}
        self._chips: collections.Counter[tuple[str, str]] = collections.Counter()
        self._wagered_micros: collections.Counter[tuple[str, str]] = collections.Counter()
        # How often each amount was wagered: what a rate takes of each is then worked out exactly.
        self._amounts: dict[str, collections.Counter[int]] = collections.defaultdict(collections.Counter)
        # The same at the moment of lock-out, voids not taken out, and what the lock-outs' answers said of them.
        self._locked: dict[str, collections.Counter[int]] = collections.defaultdict(collections.Counter)
        self._told_micros: collections.Counter[str] = collections.Counter()
        self._rounds: collections.Counter[str] = collections.Counter()
        self._voided: collections.Counter[str] = collections.Counter()
        self._refused: collections.Counter[str] = collections.Counter()
        self._open: dict[tuple[str, int], OpenRound] = {}
        self._hits: dict[str, dict[str, Any]] = {}

    def know(self, *, table: str, offers: Iterable[Mapping[str, Any]]) -> None:
        """Which progressive each wager of a table plays for."""
        with self._lock:
            self._progressives.update({(table, offer["wager"]): offer["progressive"] for offer in offers})

    def note(self, *, event: Mapping[str, Any], first: Mapping[str, Any]) -> None:
        """An event and the service's first answer to it."""
        with self._lock:
            if first.get("status") != "applied":
                self._refused[str(first.get("code"))] += 1
                return
            known = self._open.setdefault((event["table"], event["round"]), OpenRound())
            NOTING[event["type"]](self, known, event, first.get("outcome") or {})

    def became(self, *, outcome: Mapping[str, Any]) -> None:
        """What the service says now of a hit; one that an earlier run claimed is not in this account."""
        with self._lock:
            if outcome["hit"] in self._hits:
                self._hits[outcome["hit"]].update(_kept(outcome))

    def rounds(self, *, table: str) -> int:
        with self._lock:
            return self._rounds[table] + self._voided[table]

    def wagered_micros(self, *, progressive: str) -> int:
        with self._lock:
            return sum(micros for (_, name), micros in self._sums().items() if name == progressive)

    def amounts(self, *, progressive: str) -> dict[int, int]:
        """Amount in micros to how many wagers of it have contributed and were not voided."""
        with self._lock:
            counted = collections.Counter(self._amounts[progressive])
            for (table, _), known in self._open.items():
                for (_, wager, _), micros in known.bets.items() if known.is_contributed else ():
                    counted[micros] += self._progressives.get((table, wager)) == progressive
            return {micros: wagers for micros, wagers in counted.items() if wagers}

    def told_micros(self, *, progressive: str) -> int:
        """What the lock-outs were answered that they contributed, later voids not taken out."""
        with self._lock:
            return self._told_micros[progressive]

    def locked_amounts(self, *, progressive: str) -> dict[int, int]:
        """Amount in micros to how many wagers of it were locked out, later voids not taken out."""
        with self._lock:
            return dict(self._locked[progressive])

    def progressives(self) -> list[str]:
        with self._lock:
            return sorted(set(self._progressives.values()))

    def hits(self) -> dict[str, dict[str, Any]]:
        with self._lock:
            return {hit: dict(known) for hit, known in self._hits.items()}

    def plays_for(self, hit: str) -> str:
        """The progressive that one of our hits was claimed on."""
        with self._lock:
            return str(self._hits[hit].get("progressive", ""))

    def figures(self) -> dict[str, Any]:
        """The account as it stands, money as decimal text."""
        with self._lock:
            sums, chips = self._sums(), self._counts()
            return {
                "rounds": dict(self._rounds),
                "voided": dict(self._voided),
                "wagers": [
                    {"table": table, "progressive": name, "chips": chips[table, name], "amount": money.cents(micros)}
                    for (table, name), micros in sorted(sums.items())
                ],
                "hits": len(self._hits),
                "awards": money.cents(sum(known["award_micros"] for known in self._hits.values() if known["state"] in STANDING)),
                "refused": dict(self._refused),
            }

    def _sums(self) -> collections.Counter[tuple[str, str]]:
        return self._wagered_micros + self._live(by_amount=True)

    def _counts(self) -> collections.Counter[tuple[str, str]]:
        return self._chips + self._live(by_amount=False)

    def _live(self, *, by_amount: bool) -> collections.Counter[tuple[str, str]]:
        """What has gone to the meters in rounds that are not over."""
        found: collections.Counter[tuple[str, str]] = collections.Counter()
        for (table, _), known in self._open.items():
            for (_, wager, _), micros in known.bets.items() if known.is_contributed else ():
                found[table, self._progressives.get((table, wager), "")] += micros if by_amount else 1
        return found

    def _wager(self, known: OpenRound, event: Mapping[str, Any], _outcome: Mapping[str, Any]) -> None:
        known.bets.update([_bet(event)])

    def _lockout(self, known: OpenRound, event: Mapping[str, Any], outcome: Mapping[str, Any]) -> None:
        if event.get("wagers") is not None:
            known.bets = dict(map(_bet, event["wagers"]))
        known.is_contributed = outcome.get("count") == "agrees"
        for (_, wager, _), micros in known.bets.items() if known.is_contributed else ():
            self._locked[self._progressives.get((event["table"], wager), "")][micros] += 1
        self._told_micros.update({slug: money.parse(text) for slug, text in outcome.get("contributed", {}).items()})
        for drawn in outcome.get("draw", {}).values():
            for lucky in drawn["payouts"]:
                facts = {"state": "approved", "award_micros": money.parse(lucky["amount"]), "seat": lucky["seat"], "hand": "lucky-bonus"}
                self._hits[lucky["hit"]] = {"table": event["table"], "round": event["round"], **facts}

    def _fold(self, known: OpenRound, event: Mapping[str, Any], outcome: Mapping[str, Any]) -> None:
        """Folding moves no money."""

    def _hit(self, known: OpenRound, event: Mapping[str, Any], outcome: Mapping[str, Any]) -> None:
        where = {"table": event["table"], "round": event["round"], "seat": event["seat"]}
        bet_micros = known.bets.get((event["seat"], event["wager"], "player"))
        self._hits[outcome["hit"]] = {**where, "bet_micros": bet_micros, **_kept(outcome)}
        for changed in outcome.get("resettled", []):
            if changed["hit"] in self._hits:
                self._hits[changed["hit"]]["award_micros"] = money.parse(changed["award"])

    def _void(self, known: OpenRound, event: Mapping[str, Any], outcome: Mapping[str, Any]) -> None:
        seats = event.get("seats")
        for hit in self._hits.values():
            is_there = (hit["table"], hit["round"]) == (event["table"], event["round"])
            if is_there and hit["state"] in STANDING and (seats is None or hit["seat"] in seats):
                hit["state"] = "rejected"
        known.bets = {place: micros for place, micros in known.bets.items() if seats is not None and place[0] not in seats}
        if seats is None:
            self._voided[event["table"]] += 1
            del self._open[event["table"], event["round"]]

    def _settle(self, known: OpenRound, event: Mapping[str, Any], _outcome: Mapping[str, Any]) -> None:
        self._rounds[event["table"]] += 1
        for (_, wager, _), micros in known.bets.items() if known.is_contributed else ():
            slug = self._progressives.get((event["table"], wager), "")
            self._chips[event["table"], slug] += 1
            self._wagered_micros[event["table"], slug] += micros
            self._amounts[slug][micros] += 1
        del self._open[event["table"], event["round"]]


NOTING = {
    "wager": Account._wager,
    "lockout": Account._lockout,
    "fold": Account._fold,
    "hit": Account._hit,
    "void": Account._void,
    "settle": Account._settle,
}


def _bet(told: Mapping[str, Any]) -> tuple[tuple[int, str, str], int]:
    return (told["seat"], told["wager"], told.get("on", "player")), money.parse(told["amount"])


def _kept(outcome: Mapping[str, Any]) -> dict[str, Any]:
    award_micros = money.parse(outcome.get("award") or "0.00")
    told = {"hand": outcome.get("hand", ""), "progressive": outcome.get("progressive", "")}
    return {"state": outcome["state"], "award_micros": award_micros, **told}
