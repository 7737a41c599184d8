import django.db.models.deletion
from django.db import migrations, models

import audit.models

# One function for every evidence table of every app: whoever asks, owner included, is refused in a sentence that names the table.
FUNCTION = """
CREATE FUNCTION evidence_refuses_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The rows of % are evidence: % is refused.', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$$;
"""

TABLES = ["audit_record", "audit_leaf", "audit_node", "audit_checkpoint"]

TRIGGERS = "".join(
    f"""
CREATE TRIGGER {table}_is_evidence BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION evidence_refuses_change();
CREATE TRIGGER {table}_is_not_emptied BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION evidence_refuses_change();
"""
    for table in TABLES
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("people", "0001_initial"),
    ]

    operations = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION evidence_refuses_change()"),
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                ("size", models.BigIntegerField(primary_key=True, serialize=False)),
                ("root", models.BinaryField()),
                ("note", models.TextField()),
                ("made_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Node",
            fields=[
                ("pk", models.CompositePrimaryKey("level", "index", blank=True, editable=False, primary_key=True, serialize=False)),
                ("level", models.PositiveSmallIntegerField()),
                ("index", models.BigIntegerField()),
                ("hash", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="Record",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("epoch", models.IntegerField(db_default=1)),
                ("xid", models.BigIntegerField(db_default=audit.models.CurrentTransaction())),
                ("kind", models.CharField(max_length=40)),
                ("subject", models.CharField(blank=True, max_length=120)),
                ("recorded_at", models.DateTimeField()),
                ("body", models.TextField()),
                (
                    "property",
                    models.ForeignKey(
                        db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="people.property"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("topic", models.CharField(max_length=40)),
                ("key", models.CharField(max_length=120)),
                ("left_at", models.DateTimeField()),
                (
                    "record",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="notices", to="audit.record"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Leaf",
            fields=[
                ("index", models.BigIntegerField(primary_key=True, serialize=False)),
                ("hash", models.BinaryField()),
                ("record", models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="leaf", to="audit.record")),
            ],
        ),
        migrations.AddIndex(
            model_name="record",
            index=models.Index(fields=["epoch", "xid", "id"], name="records_in_sealing_order"),
        ),
        migrations.AddIndex(
            model_name="record",
            index=models.Index(fields=["subject", "id"], name="records_of_a_subject"),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(fields=["topic", "id"], name="notices_of_a_topic"),
        ),
        # The tables take their triggers with them when they go.
        migrations.RunSQL(TRIGGERS, migrations.RunSQL.noop),
    ]
