"""Evidence of the ledger cannot be changed by the database's owner either, though the owner has every right but this."""

import pytest
from django.db import DatabaseError, connection, transaction

from tests import cast
from tests.conftest import as_owner

CHANGES = [
    "UPDATE ledger_transfer SET amount_micros = amount_micros + 1",
    "DELETE FROM ledger_transfer",
    "TRUNCATE ledger_transfer CASCADE",
    "UPDATE ledger_account SET may_be_negative = true",
    "DELETE FROM ledger_account",
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_owner_may_not_change_evidence_either(committed: None, change: str) -> None:
    cast.house()
    with as_owner(), pytest.raises(DatabaseError, match="are evidence"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change)


def test_transfers_refuse_to_be_emptied_themselves(committed: None) -> None:
    """Other evidence that would be emptied along with them refuses as well, so it matters whose name is in the sentence."""
    cast.house()
    with (
        as_owner(),
        pytest.raises(DatabaseError, match="ledger_transfer are evidence"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("TRUNCATE ledger_transfer CASCADE")
