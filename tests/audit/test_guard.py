"""Evidence withstands the application's role, the owner, and every way Django has of changing rows."""

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, ProgrammingError, connection, models, transaction

from audit.management.commands import guard
from audit.models import Record
from settings.embedded import roles
from tests import conftest
from tests.audit import night

EVIDENCE = [model for model in apps.get_models() if getattr(model, "is_evidence", False)]
FOLDS = [model for model in apps.get_models() if getattr(model, "is_fold", False)]
ORDINARY = [model for model in apps.get_models(include_auto_created=True) if model not in EVIDENCE + FOLDS]
DELETABLE = {"audit.Notice", "people.Appointment", "tables.Controller_tables", "sessions.Session"}


def labels(model: type[models.Model]) -> str:
    return model._meta.label


def changes(model: type[models.Model]) -> list[str]:
    table, column = model._meta.db_table, model._meta.concrete_fields[0].column
    return [f'UPDATE {table} SET "{column}" = "{column}"', f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"]


def may(privilege: str, model: type[models.Model]) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege(%s, %s, %s)", [roles.APPLICATION, model._meta.db_table, privilege])
        return bool(cursor.fetchone()[0])


def test_there_is_evidence_of_each_kind() -> None:
    assert {"audit.Record", "audit.Checkpoint", "people.Signature", "ledger.Transfer", "tables.Event"} <= set(map(labels, EVIDENCE))


@pytest.mark.django_db
@pytest.mark.parametrize("model", EVIDENCE, ids=labels)
def test_the_application_may_only_read_and_add_evidence(model: type[models.Model]) -> None:
    for change in changes(model):
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(change)
    assert may("SELECT", model)
    assert may("INSERT", model)


@pytest.mark.django_db
@pytest.mark.parametrize("model", FOLDS, ids=labels)
def test_the_application_may_only_read_folds(model: type[models.Model]) -> None:
    assert may("SELECT", model)
    assert not any(may(privilege, model) for privilege in ("INSERT", "UPDATE", "DELETE", "TRUNCATE"))


@pytest.mark.django_db
@pytest.mark.parametrize("model", ORDINARY, ids=labels)
def test_the_application_may_keep_everything_else_and_take_away_only_what_it_must(model: type[models.Model]) -> None:
    assert all(may(privilege, model) for privilege in ("SELECT", "INSERT", "UPDATE"))
    assert may("DELETE", model) == (labels(model) in DELETABLE)
    assert not may("TRUNCATE", model)


def test_what_may_be_taken_away_is_still_among_the_tables() -> None:
    assert set(map(labels, ORDINARY)) >= DELETABLE
    assert {model._meta.db_table for model in ORDINARY if labels(model) in DELETABLE} == guard.DELETABLE


@pytest.mark.django_db
@pytest.mark.parametrize("model", ["jackpots.Hit", "jackpots.Award", "jackpots.Payout", "tables.Round", "tables.Wager"])
def test_the_application_cannot_delete_what_happened_at_a_table(model: str) -> None:
    table = apps.get_model(model)._meta.db_table
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table}")


@pytest.mark.django_db
def test_the_application_owns_nothing_and_makes_nothing() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, count(*) FROM pg_class WHERE pg_get_userbyid(relowner) = current_user")
        assert cursor.fetchone() == (roles.APPLICATION, 0)
    for attempt in (
        "CREATE TABLE own (id integer)",
        "ALTER TABLE audit_record DISABLE TRIGGER ALL",
        "DROP TRIGGER audit_record_is_evidence ON audit_record",
        "SET session_replication_role = replica",
        f"SET ROLE {roles.OWNER}",
        "CREATE OR REPLACE FUNCTION evidence_refuses_change() RETURNS trigger LANGUAGE sql AS ''",
    ):
        with pytest.raises(ProgrammingError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(attempt)


@pytest.mark.usefixtures("committed")
def test_the_owner_is_refused_by_the_database_too() -> None:
    """One night leaves a row in the cellar's, the people's and the ledger's tables; the owner may touch them, the triggers refuse."""
    night.play()
    played = [model for model in EVIDENCE if model._base_manager.exists()]
    assert {"audit.Record", "audit.Leaf", "audit.Node", "audit.Checkpoint", "people.Signature", "ledger.Transfer"} <= set(
        map(labels, played)
    )
    with conftest.as_owner():
        for model in EVIDENCE:
            for change in changes(model) if model in played else changes(model)[2:]:
                refused = pytest.raises(IntegrityError, match=r"are evidence: (UPDATE|DELETE|TRUNCATE) is refused")
                with refused, transaction.atomic(), connection.cursor() as cursor:
                    cursor.execute(change)


@pytest.mark.django_db
def test_every_way_django_has_of_changing_a_record_is_refused() -> None:
    record = Record.objects.create(kind="happened", recorded_at="2026-11-18T12:00:00Z", body="{}")
    record.kind = "other"
    for change in (
        record.save,
        record.delete,
        lambda: Record.objects.update(kind="other"),
        lambda: Record.objects.all().delete(),
        lambda: Record.objects.bulk_update([record], ["kind"]),
    ):
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            change()


@pytest.mark.usefixtures("committed")
def test_guarding_takes_away_what_was_given_by_mistake() -> None:
    with conftest.as_owner():
        with connection.cursor() as cursor:
            cursor.execute(f"GRANT ALL ON audit_record, ledger_balance TO {roles.APPLICATION}, PUBLIC")
        assert may("DELETE", Record)
        call_command("guard", role=roles.APPLICATION)
        assert not may("DELETE", Record)


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(("role", "sentence"), [("nobody_here", "There is no role"), (roles.OWNER, "nothing can be kept from it")])
def test_guarding_against_the_wrong_role_is_refused(role: str, sentence: str) -> None:
    with conftest.as_owner(), pytest.raises(CommandError, match=sentence):
        call_command("guard", role=role)
