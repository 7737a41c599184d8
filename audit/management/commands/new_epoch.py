from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection

# Read and set in one step, so that the default can only go up.
RAISE = """
DO $$
DECLARE
    next_epoch integer := coalesce((SELECT max(epoch) FROM audit_record), 0) + 1;
BEGIN
    EXECUTE format('ALTER TABLE audit_record ALTER COLUMN epoch SET DEFAULT %s', next_epoch);
END
$$
"""


class Command(BaseCommand):
    help = (
        "Begin a new epoch of records. Run as the owner, after restoring the database into another cluster and before starting the "
        "service there: transaction numbers begin again, and the epoch keeps records in order."
    )

    def handle(self, **_options: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(RAISE)
            cursor.execute(
                "SELECT column_default FROM information_schema.columns WHERE table_name = 'audit_record' AND column_name = 'epoch'"
            )
            self.stdout.write(f"New records are of epoch {cursor.fetchone()[0]}.")
