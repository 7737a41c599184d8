"""What the database refuses, whoever asks: each line of the ledger's constraints, triggers and rights, met on purpose."""

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from jackpots.ledger import book
from tables.models import Wager
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> cast.House:
    return cast.house()


@pytest.fixture
def post(house: cast.House) -> Callable[..., book.Transfer]:
    """Write one transfer of the link, as wrong as the test wants it."""

    def write(source: str, target: str, **wrong: Any) -> book.Transfer:
        link = wrong.pop("progressive", house.link)
        fields: dict[str, Any] = {
            "progressive": house.link,
            "property": house.place,
            "gaming_day": datetime.date(2026, 1, 15),
            "reason": "test",
            "amount_micros": 1_000_000,
            "debit": _account(house, house.link, source),
            "credit": _account(house, link, target),
            "recorded_at": cast.NOW,
        }
        with transaction.atomic():
            return book.Transfer.objects.create(**{**fields, **wrong})

    return write


def _account(house: cast.House, link: Any, code: str) -> book.Account:
    place = house.place if code in book.PROPERTY_ACCOUNTS else None
    return book.Account.objects.get(progressive=link, code=code, property=place)


def fold(house: cast.House) -> None:
    with transaction.atomic(), book.locked(progressive_ids=[house.link.pk], mode=book.Mode.EXCLUSIVE) as ledger:
        ledger.fold(house.link.pk)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.parametrize("amount", [0, -1])
def test_a_transfer_moves_something(post: Callable[..., book.Transfer], amount: int) -> None:
    with pytest.raises(IntegrityError, match="a_transfer_moves_something"):
        post("house", "main", amount_micros=amount)


def test_a_transfer_has_two_sides(post: Callable[..., book.Transfer]) -> None:
    with pytest.raises(IntegrityError, match="a_transfer_has_two_sides"):
        post("main", "main")


def test_no_transfer_crosses_progressives(house: cast.House, post: Callable[..., book.Transfer]) -> None:
    with pytest.raises(IntegrityError, match="credit_is_of_the_progressive"):
        post("main", "main", progressive=house.solo)


def test_a_reservation_is_resolved_once(post: Callable[..., book.Transfer]) -> None:
    reserved = post("main", "payable", kind=book.Kind.RESERVED)
    post("main", "payable", kind=book.Kind.RESERVATION_VOIDED, resolves=reserved)
    with pytest.raises(IntegrityError, match="a_reservation_is_resolved_once"):
        post("main", "payable", kind=book.Kind.RESERVATION_POSTED, resolves=reserved)


def test_a_resolution_fits_its_reservation(post: Callable[..., book.Transfer]) -> None:
    reserved = post("main", "payable", kind=book.Kind.RESERVED)
    with pytest.raises(DatabaseError, match="does not fit the reservation"):
        post("main", "payable", kind=book.Kind.RESERVATION_POSTED, resolves=reserved, amount_micros=1_000_001)


def test_only_a_resolution_resolves(post: Callable[..., book.Transfer]) -> None:
    reserved = post("main", "payable", kind=book.Kind.RESERVED)
    with pytest.raises(IntegrityError, match="only_a_resolution_resolves"):
        post("main", "payable", kind=book.Kind.POSTED, resolves=reserved)


def test_a_transfer_is_reversed_once(post: Callable[..., book.Transfer]) -> None:
    posted = post("house", "main")
    post("main", "house", reverses=posted)
    with pytest.raises(IntegrityError, match="a_transfer_is_reversed_once"):
        post("main", "house", reverses=posted)


def test_a_reversal_mirrors_its_transfer(post: Callable[..., book.Transfer]) -> None:
    posted = post("house", "main")
    with pytest.raises(DatabaseError, match="does not mirror the transfer"):
        post("main", "house", reverses=posted, amount_micros=999_999)


def test_a_wager_contributes_once_to_a_meter(house: cast.House, post: Callable[..., book.Transfer]) -> None:
    cast.Dealer(house, "CSP-01").lock_out({5: "1.00"})
    with pytest.raises(IntegrityError, match="a_wager_contributes_once"):
        post("players", "main", reason="contribution", wager=Wager.objects.get())


def test_a_meter_never_passes_below_zero(house: cast.House, post: Callable[..., book.Transfer]) -> None:
    post("main", "payable", kind=book.Kind.RESERVED, amount_micros=10_000_000_001)
    with pytest.raises(IntegrityError, match="a_meter_never_passes_below_zero"):
        fold(house)


@pytest.mark.parametrize("lock", ["SELECT %s, %s", "SELECT pg_advisory_xact_lock_shared(%s, %s)"])
def test_nothing_is_folded_without_the_exclusive_lock(house: cast.House, lock: str) -> None:
    # A progressive that nobody has opened: opening one takes its lock, in this very transaction.
    nobodys = max(house.link.pk, house.solo.pk) + 1_000
    with pytest.raises(DatabaseError, match="only under its exclusive lock"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(lock, [book.LOCK_CLASS, nobodys])
        cursor.execute("SELECT ledger_fold(%s)", [nobodys])


CHANGES = [
    "UPDATE ledger_transfer SET amount_micros = amount_micros + 1",
    "DELETE FROM ledger_transfer",
    "UPDATE ledger_account SET may_be_negative = true",
    "UPDATE ledger_balance SET credits_posted = credits_posted + 1",
    "UPDATE ledger_folded SET folded_to = 0",
    "DELETE FROM ledger_balance",
    "TRUNCATE ledger_transfer CASCADE",
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_application_may_not_change_the_ledger(house: cast.House, change: str) -> None:
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change)
