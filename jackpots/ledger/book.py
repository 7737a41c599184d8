"""The only door to the ledger.

A meter is a hot account: every table of a link adds to it. So contributions only insert, under their progressive's *shared* lock,
and whatever needs a meter's exact amount, or takes money off it, holds the lock *exclusive*: then nothing is in flight, the tail of
new transfers is folded into the balances, and the amount read is the amount there is.

Posting is possible only through the :class:`Book` that :func:`locked` hands out, so no caller can forget the lock.
"""

import datetime
import enum
import functools
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection, transaction

from audit import rows
from audit.people.models import Property
from jackpots.ledger.models import Account, Folded, Transfer

__all__ = [
    "Account",
    "Book",
    "Cause",
    "ClosedMeanwhile",
    "Entry",
    "Kind",
    "Mode",
    "Movement",
    "Standing",
    "Transfer",
    "locked",
    "locked_for_many",
    "locked_if_free",
    "open_accounts",
    "standings",
]

# The first key of every advisory lock on a progressive. The two-key form is used everywhere: its space is separate from the one-key form's.
LOCK_CLASS = 7001

MAIN = "main"
SECONDARY = "secondary"
OVERFLOW = "overflow"
RESERVE = "reserve"
CLEARING = "clearing"
PLAYERS = "players"
HOUSE = "house"
PAYABLE = "payable"
PAID = "paid"

POOLS = (MAIN, SECONDARY, OVERFLOW, RESERVE, CLEARING)
# Players and the house stand outside the ledger, clearing is owed between progressives: all three may be below zero.
MAY_BE_NEGATIVE = (PLAYERS, HOUSE, CLEARING)
PROPERTY_ACCOUNTS = (PLAYERS, HOUSE, PAYABLE, PAID)

Kind = Transfer.Kind


class Mode(enum.Enum):
    SHARED = "pg_advisory_xact_lock_shared"
    EXCLUSIVE = "pg_advisory_xact_lock"


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Why transfers are made: the event or the signature behind them, and when and where they are booked."""

    property_id: int
    now: datetime.datetime
    event_id: uuid.UUID | None = None
    signature_id: int | None = None
    round_id: int | None = None


@dataclass(frozen=True, kw_only=True)
class Movement:
    """A transfer as the pools of its progressive saw it: where from, where to, how much, and why."""

    number: int
    reason: str
    kind: int
    source: str
    target: str
    amount_micros: int
    wager_id: int | None
    reverses: int | None


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A transfer about to be made."""

    debit: int
    credit: int
    amount_micros: int
    reason: str
    kind: Kind = Kind.POSTED
    resolves: int | None = None
    reverses: int | None = None
    wager_id: int | None = None


class Book:
    """The ledger as seen by one transaction that holds the locks of some progressives."""

    def __init__(self, *, progressive_ids: Sequence[int], mode: Mode, numbers: Iterable[int] = ()) -> None:
        self.progressive_ids = tuple(progressive_ids)
        self.mode = mode
        self._accounts: dict[tuple[int, str, int | None], int] = {}
        self._days: dict[int, datetime.date] = {}
        self._numbers = iter(numbers)

    def account(self, progressive_id: int, code: str, property_id: int | None = None) -> int:
        """The id of an account; accounts of a property are named with it, pools without."""
        key = (progressive_id, code, property_id if code in PROPERTY_ACCOUNTS else None)
        if key not in self._accounts:
            rows = Account.objects.filter(progressive_id=progressive_id).values_list("progressive_id", "code", "property_id", "id")
            self._accounts.update({(owner, name, place): account_id for owner, name, place, account_id in rows})
        return self._accounts[key]

    def fold(self, progressive_id: int) -> None:
        """Bring the balances up to the last transfer."""
        self._require(progressive_id, exclusive=True)
        with connection.cursor() as cursor:
            cursor.execute("SELECT ledger_fold(%s)", [progressive_id])

    def available(self, progressive_id: int) -> dict[str, int]:
        """What each pool of a progressive holds, to the micro, as of now."""
        self.fold(progressive_id)
        accounts = Account.objects.filter(progressive_id=progressive_id, property=None).select_related("balance")
        return {
            account.code: account.balance.credits_posted - account.balance.debits_posted - account.balance.debits_reserved
            for account in accounts
        }

    def post(self, *, progressive_id: int, cause: Cause, entries: Iterable[Entry]) -> list[Transfer]:
        """Write transfers, all or none, in the order given. The gaming day is the property's open one, read under the lock."""
        self._require(progressive_id, exclusive=False)
        day = self._gaming_day(cause.property_id)
        return Transfer.objects.bulk_create(_transfer(progressive_id, cause, day, entry) for entry in entries)

    def draft(self, *, progressive_id: int, cause: Cause, entries: Iterable[Entry]) -> list[Transfer]:
        """Transfers with numbers that were taken under the lock, for whoever writes those of many rounds together."""
        self._require(progressive_id, exclusive=False)
        drafted = [_transfer(progressive_id, cause, self._gaming_day(cause.property_id), entry) for entry in entries]
        for transfer in drafted:
            transfer.pk = next(self._numbers)
        return drafted

    def mark(self, progressive_id: int) -> int:
        """The number of the last transfer so far; everything after it happened later."""
        self.fold(progressive_id)
        return Folded.objects.values_list("folded_to", flat=True).get(progressive_id=progressive_id)

    def movements(self, progressive_id: int, *, after: int) -> list[Movement]:
        """What has moved since, in order."""
        self._require(progressive_id, exclusive=True)
        rows = Transfer.objects.filter(progressive_id=progressive_id, pk__gt=after).order_by("pk")
        return [
            Movement(
                number=number,
                reason=reason,
                kind=kind,
                source=source,
                target=target,
                amount_micros=amount,
                wager_id=wager_id,
                reverses=reverses,
            )
            for number, reason, kind, source, target, amount, wager_id, reverses in rows.values_list(
                "pk", "reason", "kind", "debit__code", "credit__code", "amount_micros", "wager_id", "reverses_id"
            )
        ]

    def pools_at(self, progressive_id: int, at: datetime.datetime) -> dict[str, int]:
        """What the pools held at a past moment, added up from the transfers recorded by then."""
        with connection.cursor() as cursor:
            cursor.execute(POOLS_AT, {"progressive": progressive_id, "at": at})
            return {code: int(amount) for code, amount in cursor.fetchall()}

    def void_reservation(self, transfer: Transfer, *, reason: str) -> Entry:
        return _resolution(transfer, kind=Kind.RESERVATION_VOIDED, reason=reason)

    def post_reservation(self, transfer: Transfer, *, reason: str) -> Entry:
        return _resolution(transfer, kind=Kind.RESERVATION_POSTED, reason=reason)

    def reversal(self, transfer: Transfer, *, reason: str) -> Entry:
        return Entry(
            debit=transfer.credit_id,
            credit=transfer.debit_id,
            amount_micros=transfer.amount_micros,
            reason=reason,
            reverses=transfer.pk,
            wager_id=transfer.wager_id,
        )

    def transfers(self, ids: Sequence[int]) -> list[Transfer]:
        return list(Transfer.objects.filter(pk__in=ids).order_by("pk"))

    def resolutions(self, ids: Sequence[int]) -> dict[int, Transfer]:
        """How reservations were resolved, by the reservation; those still open are not in it."""
        return {found.resolves_id: found for found in Transfer.objects.filter(resolves_id__in=ids) if found.resolves_id}

    def contributions_of(self, *, round_id: int, progressive_id: int) -> list[Transfer]:
        """The contributions of a round that have not been taken back."""
        reversed_ids = Transfer.objects.filter(round_id=round_id, reverses__isnull=False).values("reverses_id")
        own = Transfer.objects.filter(round_id=round_id, progressive_id=progressive_id, reason="contribution")
        return list(own.exclude(pk__in=reversed_ids).order_by("pk"))

    def know(self, *, days: Mapping[int, datetime.date], accounts: Iterable[tuple[int, str, int | None, int]]) -> None:
        """What was read under the lock already."""
        self._days.update(days)
        self._accounts.update({(owner, name, place): account_id for owner, name, place, account_id in accounts})

    def _require(self, progressive_id: int, *, exclusive: bool) -> None:
        assert progressive_id in self.progressive_ids, "the progressive is not among those this transaction has locked"
        assert not exclusive or self.mode is Mode.EXCLUSIVE, "an exact amount needs the exclusive lock"

    def _gaming_day(self, property_id: int) -> datetime.date:
        if property_id not in self._days:
            self._days[property_id] = Property.objects.values_list("gaming_day", flat=True).get(pk=property_id)
        return self._days[property_id]


@contextmanager
def locked(*, progressive_ids: Iterable[int], mode: Mode) -> Iterator[Book]:
    """Take the locks of all the progressives a transaction needs, in ascending order and in one mode. They last until it ends."""
    assert connection.in_atomic_block, "a lock outside a transaction would be gone at once"
    ordered = sorted(set(progressive_ids))
    with connection.cursor() as cursor:
        for progressive_id in ordered:
            cursor.execute(f"SELECT {mode.value}(%s, %s)", [LOCK_CLASS, progressive_id])
    yield Book(progressive_ids=ordered, mode=mode)


class ClosedMeanwhile(Exception):
    """One of the progressives was discontinued between the reading and the lock; whoever meets this reads again."""


def locked_for_many(
    *, progressive_ids: Iterable[int], property_ids: Iterable[int], transfers: int, also: Mapping[rows.Model, int]
) -> tuple[Book, dict[rows.Model, list[int]]]:
    """The shared locks, the accounts, the open days and the numbers of all that is about to be written, in one trip.

    Numbers of transfers are taken under the lock: the fold relies on none being smaller than those it has folded.
    """
    assert connection.in_atomic_block, "a lock outside a transaction would be gone at once"
    ordered = sorted(set(progressive_ids))
    writing = rows.Writing()
    for progressive_id in ordered:
        writing.add(HOLD_SHARED, {"lock_class": LOCK_CLASS, "progressive": progressive_id})
    wanted: dict[rows.Model, int] = {Transfer: transfers, **also}
    given = {"progressives": ordered, "properties": list(set(property_ids)), **rows.how_many(wanted)}
    found = writing.ask(_for_many(tuple(wanted)), given)[0]
    *taken, days, accounts, is_closed = found
    if is_closed:
        raise ClosedMeanwhile
    book = Book(progressive_ids=ordered, mode=Mode.SHARED, numbers=taken[0])
    book.know(days={place: datetime.date.fromisoformat(day) for place, day in days}, accounts=accounts or [])
    return book, dict(zip(also, taken[1:], strict=True))


HOLD_SHARED = rows.Planned(f"SELECT {Mode.SHARED.value}(%(lock_class)s, %(progressive)s)")
FOR_MANY = """
       (SELECT json_agg(json_build_array(id, gaming_day)) FROM people_property WHERE id = ANY(%(properties)s::bigint[])),
       (SELECT json_agg(json_build_array(progressive_id, code, property_id, id)) FROM ledger_account
         WHERE progressive_id = ANY(%(progressives)s::bigint[]) AND (property_id IS NULL OR property_id = ANY(%(properties)s::bigint[]))),
       EXISTS (SELECT 1 FROM jackpots_progressive WHERE id = ANY(%(progressives)s::bigint[]) AND closed_at IS NOT NULL)
"""


@functools.cache
def _for_many(numbered: tuple[rows.Model, ...]) -> rows.Planned:
    return rows.Planned(f"SELECT {rows.numbers_of(numbered)}, {FOR_MANY}")


@contextmanager
def locked_if_free(*, progressive_id: int) -> Iterator[Book | None]:
    """The exclusive lock if nobody holds it, else None: for work that comes round again anyway."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [LOCK_CLASS, progressive_id])
        (is_free,) = cursor.fetchone()
        yield Book(progressive_ids=[progressive_id], mode=Mode.EXCLUSIVE) if is_free else None


def open_accounts(*, progressive_id: int, property_id: int) -> list[Account]:
    """Open whatever accounts of a progressive, and of a property in it, are not open yet; the new ones are returned."""
    wanted: list[tuple[str, int | None]] = [(code, None) for code in POOLS]
    wanted += [(code, property_id) for code in PROPERTY_ACCOUNTS]
    known = set(Account.objects.filter(progressive_id=progressive_id).values_list("code", "property_id"))
    return Account.objects.bulk_create(
        Account(progressive_id=progressive_id, code=code, property_id=place, may_be_negative=code in MAY_BE_NEGATIVE)
        for code, place in wanted
        if (code, place) not in known
    )


@dataclass(frozen=True)
class Standing:
    """A progressive's pools as one statement saw them, and how many transfers that took in."""

    available: Mapping[str, int]
    transfers: int


# One statement, so that amount and count are of the same instant: what is folded, plus the tail nobody has folded yet.
STANDINGS = """
SELECT account.progressive_id, account.code,
       balance.credits_posted - balance.debits_posted - balance.debits_reserved + coalesce(tail.change, 0)::bigint,
       folded.folded_count + coalesce(tail.transfers, 0)
  FROM ledger_account account
  JOIN ledger_balance balance ON balance.account_id = account.id
  JOIN ledger_folded folded ON folded.progressive_id = account.progressive_id
  LEFT JOIN LATERAL (
       SELECT count(*) AS transfers,
              sum(CASE WHEN credit_id = account.id AND kind IN (1, 3) THEN amount_micros
                       WHEN debit_id = account.id AND kind IN (1, 2) THEN -amount_micros
                       WHEN debit_id = account.id AND kind = 4 THEN amount_micros
                       ELSE 0 END) AS change
         FROM ledger_transfer
        WHERE progressive_id = account.progressive_id AND id > folded.folded_to
       ) tail ON true
 WHERE account.property_id IS NULL
"""


POOLS_AT = """
SELECT account.code,
       coalesce(sum(CASE WHEN credit_id = account.id AND kind IN (1, 3) THEN amount_micros
                         WHEN debit_id = account.id AND kind IN (1, 2) THEN -amount_micros
                         WHEN debit_id = account.id AND kind = 4 THEN amount_micros
                         ELSE 0 END), 0)
  FROM ledger_account account
  LEFT JOIN ledger_transfer transfer
         ON transfer.progressive_id = account.progressive_id AND transfer.recorded_at <= %(at)s AND account.id IN (debit_id, credit_id)
 WHERE account.progressive_id = %(progressive)s AND account.property_id IS NULL
 GROUP BY account.code
"""


def standings() -> dict[int, Standing]:
    """Every progressive's pools, exact as of this statement's snapshot, without taking a lock."""
    found: dict[int, dict[str, int]] = {}
    counts: dict[int, int] = {}
    with connection.cursor() as cursor:
        cursor.execute(STANDINGS)
        for progressive_id, code, amount, transfers in cursor.fetchall():
            found.setdefault(progressive_id, {})[code] = amount
            counts[progressive_id] = transfers
    return {progressive_id: Standing(available=pools, transfers=counts[progressive_id]) for progressive_id, pools in found.items()}


def with_a_tail() -> list[int]:
    """The progressives that have transfers nobody has folded yet."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT progressive_id FROM ledger_folded folded WHERE EXISTS (SELECT 1 FROM ledger_transfer transfer"
            " WHERE transfer.progressive_id = folded.progressive_id AND transfer.id > folded.folded_to) ORDER BY 1"
        )
        return [progressive_id for (progressive_id,) in cursor.fetchall()]


def _resolution(transfer: Transfer, *, kind: Kind, reason: str) -> Entry:
    return Entry(
        debit=transfer.debit_id,
        credit=transfer.credit_id,
        amount_micros=transfer.amount_micros,
        reason=reason,
        kind=kind,
        resolves=transfer.pk,
    )


def _transfer(progressive_id: int, cause: Cause, day: datetime.date, entry: Entry) -> Transfer:
    return rows.new(
        Transfer,
        progressive_id=progressive_id,
        property_id=cause.property_id,
        gaming_day=day,
        reason=entry.reason,
        kind=entry.kind,
        debit_id=entry.debit,
        credit_id=entry.credit,
        amount_micros=entry.amount_micros,
        resolves_id=entry.resolves,
        reverses_id=entry.reverses,
        round_id=cause.round_id,
        wager_id=entry.wager_id,
        event_id=cause.event_id,
        signature_id=cause.signature_id,
        recorded_at=cause.now,
    )
