"""A rate and a revocation for each controller, the watch kept over it, its alarms, and a way to its refused events."""

import django.db.models.deletion
from django.db import migrations, models

# Every controller is watched from now on; one whose tokens had all been revoked counts as revoked itself.
FORWARD = """
INSERT INTO tables_watch (controller_id, gaps, summed_to, booked, counted) SELECT id, 0, 0, '{}', '{}' FROM tables_controller;
UPDATE tables_controller SET revoked_at = tokens.last
  FROM (SELECT controller_id, max(revoked_at) AS last FROM tables_token GROUP BY controller_id HAVING count(*) = count(revoked_at)) tokens
  WHERE tokens.controller_id = tables_controller.id;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0002_events_are_evidence"),
    ]

    operations = [
        migrations.CreateModel(
            name="Alarm",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("silent", "Silent"), ("counts-differ", "Counts Differ")], max_length=20)),
                ("since", models.DateTimeField()),
                ("raised_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("facts", models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name="Watch",
            fields=[
                (
                    "controller",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="watch",
                        serialize=False,
                        to="tables.controller",
                    ),
                ),
                ("gaps", models.BigIntegerField(default=0)),
                ("gap_expected", models.BigIntegerField(null=True)),
                ("gap_sent", models.BigIntegerField(null=True)),
                ("gap_at", models.DateTimeField(null=True)),
                ("since_sequence", models.BigIntegerField(null=True)),
                ("summed_to", models.BigIntegerField(default=0)),
                ("booked", models.JSONField(default=dict)),
                ("counted", models.JSONField(default=dict)),
                ("counted_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name="controller",
            name="rate",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="controller",
            name="revoked_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                condition=models.Q(("answer__contains", '"status":"refused"')),
                fields=["controller", "-sequence"],
                name="events_that_were_refused",
            ),
        ),
        migrations.AddField(
            model_name="alarm",
            name="controller",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="alarms", to="tables.controller"),
        ),
        migrations.AddConstraint(
            model_name="alarm",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at__isnull", True)), fields=("controller", "kind"), name="one_alarm_of_a_kind_at_a_time"
            ),
        ),
        migrations.RunSQL(FORWARD, migrations.RunSQL.noop),
    ]
