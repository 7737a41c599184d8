import datetime

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Person",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                ("username", models.CharField(max_length=60, unique=True)),
                ("name", models.CharField(max_length=80)),
                ("pin", models.CharField(blank=True, max_length=128)),
                ("is_active", models.BooleanField(default=True)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("paused_until", models.DateTimeField(blank=True, null=True)),
                ("login_failures", models.PositiveIntegerField(default=0)),
                ("login_paused_until", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name_plural": "people",
            },
        ),
        migrations.CreateModel(
            name="Property",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=40, unique=True)),
                ("name", models.CharField(max_length=80)),
                ("time_zone", models.CharField(max_length=60)),
                ("day_boundary", models.TimeField(default=datetime.time(6, 0))),
                ("gaming_day", models.DateField()),
            ],
            options={
                "verbose_name_plural": "properties",
            },
        ),
        migrations.CreateModel(
            name="Appointment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("dealer", "Dealer"),
                            ("floorperson", "Floorperson"),
                            ("supervisor", "Supervisor"),
                            ("shift-supervisor", "Shift Supervisor"),
                            ("cashier", "Cashier"),
                            ("accounting", "Accounting"),
                            ("approver", "Approver"),
                            ("technician", "Technician"),
                            ("auditor", "Auditor"),
                            ("administrator", "Administrator"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="appointments", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "property",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="appointments", to="people.property"),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("person", "property", "role"), name="a_role_is_held_once")],
            },
        ),
        migrations.CreateModel(
            name="Signature",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("act", models.CharField(max_length=40)),
                ("subject", models.CharField(max_length=120)),
                ("facts", models.JSONField()),
                ("signed_at", models.DateTimeField()),
                (
                    "person",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="signatures", to=settings.AUTH_USER_MODEL),
                ),
                (
                    "property",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="signatures", to="people.property"),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["subject"], name="signatures_under_a_subject")],
            },
        ),
    ]
