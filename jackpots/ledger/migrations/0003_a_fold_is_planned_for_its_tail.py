"""Connections plan once what every wager asks, without looking at the values. A fold must look: its tail is short, whatever came before."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("ledger", "0002_the_database_holds_the_invariants")]

    operations = [
        migrations.RunSQL(
            "ALTER FUNCTION ledger_fold(bigint) SET plan_cache_mode = auto",
            "ALTER FUNCTION ledger_fold(bigint) RESET plan_cache_mode",
        )
    ]
