"""The ledger folded a second time, transfer by transfer, by code that shares nothing with the database's."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

POSTED, RESERVED, RESERVATION_POSTED, RESERVATION_VOIDED = 1, 2, 3, 4
OUTSIDE = ("players", "house", "clearing")
# Why a meter may go down, and nothing else.
REASONS_DOWN = {
    "award",
    "deducted-award",
    "difference",
    "difference-made-good",
    "approval",
    "reset",
    "reset-returned",
    "void",
    "make-good-returned",
    "overflow",
    "rejection",
}

TRANSFERS = """
SELECT transfer.id, progressive.slug, transfer.kind, debit.code, credit.code, transfer.amount_micros, transfer.resolves_id,
       transfer.reverses_id, transfer.reason, transfer.event_id IS NOT NULL OR transfer.signature_id IS NOT NULL,
       debit.progressive_id = transfer.progressive_id AND credit.progressive_id = transfer.progressive_id
  FROM ledger_transfer transfer
  JOIN jackpots_progressive progressive ON progressive.id = transfer.progressive_id
  JOIN ledger_account debit ON debit.id = transfer.debit_id
  JOIN ledger_account credit ON credit.id = transfer.credit_id
 WHERE transfer.id > %s ORDER BY transfer.id
"""
BALANCES = """
SELECT progressive.slug, account.code, folded.folded_to,
       balance.credits_posted, balance.debits_posted, balance.credits_reserved, balance.debits_reserved
  FROM ledger_balance balance
  JOIN ledger_account account ON account.id = balance.account_id
  JOIN ledger_folded folded ON folded.progressive_id = account.progressive_id
  JOIN jackpots_progressive progressive ON progressive.id = account.progressive_id
"""


@dataclass
class Side:
    credits_posted: int = 0
    debits_posted: int = 0
    credits_reserved: int = 0
    debits_reserved: int = 0

    @property
    def available(self) -> int:
        return self.credits_posted - self.debits_posted - self.debits_reserved

    def as_row(self) -> tuple[int, int, int, int]:
        return (self.credits_posted, self.debits_posted, self.credits_reserved, self.debits_reserved)


@dataclass
class Folding:
    """All transfers so far, folded one after another; what must hold after each of them is asked after each of them."""

    sides: dict[tuple[str, str], Side] = field(default_factory=dict)
    last: int = 0
    count: int = 0
    resolved: Counter[int] = field(default_factory=Counter)
    undone: Counter[int] = field(default_factory=Counter)
    # What the sides were after each transfer of a progressive, to compare balances that are folded only so far.
    marks: dict[tuple[str, int], dict[str, tuple[int, int, int, int]]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def go_on(self) -> None:
        for row in rows(TRANSFERS, [self.last]):
            self._one(*row)

    def _one(
        self, number: int, slug: str, kind: int, source: str, target: str, amount: int, resolves: Any, reverses: Any, *rest: Any
    ) -> None:
        reason, has_cause, stays_inside = rest
        debit, credit = self._side(slug, source), self._side(slug, target)
        before = debit.available
        self._move(kind, debit, credit, amount)
        self.resolved.update([resolves] if resolves else [])
        self.undone.update([reverses] if reverses else [])
        self._ask(number, source not in OUTSIDE and debit.available < 0, f"{slug} {source} is below zero")
        self._ask(number, target not in OUTSIDE and credit.available < 0, f"{slug} {target} is below zero")
        is_down = source == "main" and debit.available < before
        self._ask(number, is_down and reason not in REASONS_DOWN, f"{slug} went down for {reason}")
        self._ask(number, not has_cause and reason != "overflow", "nobody caused it")
        self._ask(number, not stays_inside, "it crosses from one progressive to another")
        self._ask(number, bool(resolves) and self.resolved[resolves] > 1, f"reservation {resolves} is resolved twice")
        self._ask(number, bool(reverses) and self.undone[reverses] > 1, f"transfer {reverses} is reversed twice")
        self.last, self.count = number, self.count + 1
        self.marks[slug, number] = {code: side.as_row() for (owner, code), side in self.sides.items() if owner == slug}

    @staticmethod
    def _move(kind: int, debit: Side, credit: Side, amount: int) -> None:
        if kind in (POSTED, RESERVATION_POSTED):
            debit.debits_posted += amount
            credit.credits_posted += amount
        if kind in (RESERVED, RESERVATION_POSTED, RESERVATION_VOIDED):
            sign = 1 if kind == RESERVED else -1
            debit.debits_reserved += sign * amount
            credit.credits_reserved += sign * amount

    def _ask(self, number: int, is_wrong: bool, what: str) -> None:
        if is_wrong:
            self.broken.append(f"after transfer {number}: {what}")

    def _side(self, slug: str, code: str) -> Side:
        return self.sides.setdefault((slug, code), Side())

    def of(self, slug: str, code: str) -> Side:
        return self.sides.get((slug, code), Side())

    def sum_over_all_accounts(self) -> tuple[int, int]:
        posted = sum(side.credits_posted - side.debits_posted for side in self.sides.values())
        reserved = sum(side.credits_reserved - side.debits_reserved for side in self.sides.values())
        return posted, reserved

    def wrong_balances(self) -> list[str]:
        """Stored balances that are not the fold of the transfers they say they have folded."""
        wrong = []
        for slug, code, folded_to, *row in rows(BALANCES, []):
            expected = self.marks.get((slug, folded_to), {}).get(code, (0, 0, 0, 0))
            if tuple(row) != expected:
                wrong.append(f"{slug} {code} up to {folded_to}: {tuple(row)}, not {expected}")
        return wrong


def rows(query: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
