"""A progressive has a home, a configuration may pay more than a printed minimum, a draft can be withdrawn, and a cap is ruled on."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

TABLES = ["jackpots_withdrawal", "jackpots_capruling"]

FORWARD = "\n".join(
    f"CREATE TRIGGER {table}_is_evidence BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION evidence_refuses_change();"
    f"CREATE TRIGGER {table}_is_not_emptied BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION evidence_refuses_change();"
    for table in TABLES
)
BACKWARD = "\n".join(f"DROP TRIGGER {table}_is_evidence ON {table}; DROP TRIGGER {table}_is_not_emptied ON {table};" for table in TABLES)

# A progressive made before it had a home belongs where it is funded, else where its first table stands.
HOMES = """
UPDATE jackpots_progressive progressive SET property_id = coalesce(
  (SELECT funded_by_id FROM jackpots_configuration WHERE progressive_id = progressive.id ORDER BY number LIMIT 1),
  (SELECT t.property_id FROM jackpots_link l JOIN tables_table t ON t.id = l.table_id WHERE l.progressive_id = progressive.id ORDER BY l.id LIMIT 1),
  (SELECT min(id) FROM people_property));
SET CONSTRAINTS ALL IMMEDIATE;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("jackpots", "0003_the_bank_keeps_evidence"),
        ("people", "0002_signatures_are_evidence"),
        ("tables", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="progressive",
            name="property",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="progressives", to="people.property"
            ),
        ),
        migrations.RunSQL(HOMES, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="progressive",
            name="property",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="progressives", to="people.property"),
        ),
        migrations.AddField(model_name="configuration", name="awards", field=models.JSONField(default=dict)),
        migrations.AddField(model_name="configuration", name="amounts_micros", field=models.JSONField(default=list)),
        migrations.AlterField(model_name="configuration", name="reset_micros", field=models.BigIntegerField(null=True)),
        migrations.CreateModel(
            name="Withdrawal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=200)),
                ("withdrawn_at", models.DateTimeField()),
                (
                    "configuration",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="withdrawal", to="jackpots.configuration"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CapRuling",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("is_taken", models.BooleanField()),
                ("main_micros", models.BigIntegerField()),
                ("ruled_at", models.DateTimeField()),
                (
                    "approval",
                    models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="cap_ruling", to="jackpots.approval"),
                ),
            ],
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
