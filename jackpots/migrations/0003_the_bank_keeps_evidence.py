"""Configurations, approvals, withdrawals, rulings on caps and slips are only ever added; the database refuses everything else."""

from django.db import migrations

TABLES = ["jackpots_configuration", "jackpots_approval", "jackpots_slip", "jackpots_withdrawal", "jackpots_capruling"]

FORWARD = "\n".join(
    f"CREATE TRIGGER {table}_is_evidence BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION evidence_refuses_change();"
    f"CREATE TRIGGER {table}_is_not_emptied BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION evidence_refuses_change();"
    for table in TABLES
)
BACKWARD = "\n".join(f"DROP TRIGGER {table}_is_evidence ON {table}; DROP TRIGGER {table}_is_not_emptied ON {table};" for table in TABLES)


class Migration(migrations.Migration):
    dependencies = [("jackpots", "0002_initial"), ("audit", "0001_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
