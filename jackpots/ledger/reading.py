"""Reading the ledger without a lock: what moved on one pool of a progressive, added up and one by one. Nothing is written here."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection, models

from jackpots.ledger.models import Account, Transfer

__all__ = ["Group", "Rebuilt", "Side", "Transfer", "Window", "effect", "listed", "pool", "rebuilt"]

# How a transfer changes what a pool has to give: a reservation takes at once, so posting it takes nothing more; voiding it gives back.
_EFFECT = """CASE WHEN credit_id = %(account)s AND kind IN (1, 3) THEN amount_micros
                  WHEN debit_id = %(account)s AND kind IN (1, 2) THEN -amount_micros
                  WHEN debit_id = %(account)s AND kind = 4 THEN amount_micros END"""

# The kinds of transfer that give to the account they credit.
GIVEN = (Transfer.Kind.POSTED, Transfer.Kind.RESERVATION_POSTED)

# One statement, so that what is rebuilt and what is stored are of the same instant.
_REBUILT = f"""
WITH moved AS (
  SELECT CASE WHEN credit_id = %(account)s THEN debit_id ELSE credit_id END AS other_id, reason,
         coalesce(id <= %(after)s, false) AS is_before, sum({_EFFECT})::bigint AS amount, count(*) AS transfers
    FROM ledger_transfer
   WHERE progressive_id = %(progressive)s AND (debit_id = %(account)s OR credit_id = %(account)s)
     AND ({_EFFECT}) IS NOT NULL
     AND (%(up_to)s::bigint IS NULL OR id <= %(up_to)s) AND (%(at)s::timestamptz IS NULL OR recorded_at <= %(at)s)
   GROUP BY 1, 2, 3),
stored AS (
  SELECT balance.credits_posted - balance.debits_posted - balance.debits_reserved
         + coalesce((SELECT sum({_EFFECT}) FROM ledger_transfer
                      WHERE progressive_id = %(progressive)s AND id > folded.folded_to), 0)::bigint AS amount
    FROM ledger_balance balance, ledger_folded folded
   WHERE balance.account_id = %(account)s AND folded.progressive_id = %(progressive)s)
SELECT other.code, moved.reason, moved.is_before, moved.amount, moved.transfers, stored.amount
  FROM stored LEFT JOIN moved ON true LEFT JOIN ledger_account other ON other.id = moved.other_id
"""  # noqa: S608  (put together of our own constants only)


@dataclass(frozen=True, kw_only=True)
class Window:
    """From after which transfer, up to which, and up to which moment; None is no bound."""

    after: int | None = None
    up_to: int | None = None
    at: datetime.datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Side:
    """Transfers told apart by who stands on their other side and, where that is not enough, by their reason."""

    others: tuple[str, ...]
    only: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def holds(self, other: str, reason: str) -> bool:
        return other in self.others and (not self.only or reason in self.only) and reason not in self.excluded


@dataclass(frozen=True, kw_only=True)
class Group:
    """Transfers of one pool that have the same reason and the same other side, added up."""

    other: str
    reason: str
    amount_micros: int
    count: int


@dataclass(frozen=True, kw_only=True)
class Rebuilt:
    """A pool added up from its transfers alone, and what the balances say of it in the same instant."""

    before_micros: int
    before_count: int
    groups: list[Group]
    stored_micros: int


def pool(*, progressive_id: int, code: str) -> int | None:
    """The id of a pool's account, once it is open."""
    return Account.objects.filter(progressive_id=progressive_id, code=code, property=None).values_list("pk", flat=True).first()


def rebuilt(*, progressive_id: int, account_id: int, window: Window) -> Rebuilt:
    """What moved on a pool, by reason and other side, in one statement whatever the number of transfers."""
    asked = {"progressive": progressive_id, "account": account_id, "after": window.after, "up_to": window.up_to, "at": window.at}
    with connection.cursor() as cursor:
        cursor.execute(_REBUILT, asked)
        rows = cursor.fetchall()
    before = [row for row in rows if row[2]]
    return Rebuilt(
        before_micros=sum(row[3] for row in before),
        before_count=sum(row[4] for row in before),
        groups=_groups([row for row in rows if row[0] is not None and not row[2]]),
        stored_micros=rows[0][5],
    )


def listed(
    *, progressive_id: int, account_id: int, window: Window, sides: Sequence[Side], before: int | None, limit: int
) -> list[Transfer]:
    """The transfers of a pool with some other sides, newest first, each with the event or signature that caused it."""
    wanted = models.Q()
    for side in sides:
        wanted |= _between(progressive_id, account_id, side)
    bounds = {"pk__gt": window.after, "pk__lte": window.up_to, "recorded_at__lte": window.at, "pk__lt": before}
    found = Transfer.objects.filter(wanted, progressive_id=progressive_id)
    found = found.filter(**{name: bound for name, bound in bounds.items() if bound is not None})
    # The numbers first, along the index of the progressive's tail; only then the few rows with all that belongs to them.
    numbers = list(found.order_by("-pk").values_list("pk", flat=True)[:limit])
    related = Transfer.objects.select_related(
        "debit", "credit", "property", "round__table", "wager", "event__controller", "signature__person"
    )
    return list(related.filter(pk__in=numbers).order_by("-pk"))


def _between(progressive_id: int, account_id: int, side: Side) -> models.Q:
    others = list(Account.objects.filter(progressive_id=progressive_id, code__in=side.others).values_list("pk", flat=True))
    taken = models.Q(debit_id=account_id, credit_id__in=others) & ~models.Q(kind=Transfer.Kind.RESERVATION_POSTED)
    between = taken | models.Q(credit_id=account_id, debit_id__in=others, kind__in=GIVEN)
    if side.only:
        between &= models.Q(reason__in=side.only)
    return between & ~models.Q(reason__in=side.excluded) if side.excluded else between


def effect(transfer: Transfer, account_id: int) -> int:
    """How a transfer changed what a pool has to give."""
    is_given = transfer.credit_id == account_id or transfer.kind == Transfer.Kind.RESERVATION_VOIDED
    return transfer.amount_micros if is_given else -transfer.amount_micros


def _groups(rows: list[tuple[str, str, bool, int, int, int]]) -> list[Group]:
    """The same code may stand for several properties' accounts; to a pool they are one other side."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for other, reason, _, amount, count, _ in rows:
        had = found.get((other, reason), (0, 0))
        found[other, reason] = (had[0] + amount, had[1] + count)
    return [Group(other=key[0], reason=key[1], amount_micros=value[0], count=value[1]) for key, value in sorted(found.items())]
