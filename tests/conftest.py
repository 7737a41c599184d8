"""The database for the tests: migrated by its owner, used by the application's role."""

import contextlib
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command, get_commands
from django.db import connection, connections

from settings import env
from settings.embedded import postgres, roles
from tests import embedded

# Made by migrations and never by a test, so they stay.
KEPT_TABLES = ["django_migrations", "django_content_type", "auth_permission"]


@contextlib.contextmanager
def as_owner() -> Iterator[None]:
    """Django's connection as the database's owner, for what only the owner may do."""
    application = {name: connection.settings_dict[name] for name in ("USER", "PASSWORD")}
    owner = env.database("DATABASE_OWNER_URL")
    connection.close()
    connection.settings_dict.update({name: owner[name] for name in application})
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(application)


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any) -> Iterator[None]:
    """Instead of pytest-django's, which would run tests and migrations as the same role."""
    embedded.database_server.start()
    embedded.database_server.prepare(database=embedded.DATABASE)
    with django_db_blocker.unblock():
        with as_owner():
            call_command("migrate", verbosity=0)
            if "guard" in get_commands():
                call_command("guard", role=roles.APPLICATION)
        yield
        connections.close_all()
    embedded.database_server.stop()


@pytest.fixture(scope="session")
def broker() -> Iterator[str]:
    """A running broker, at the address the settings name."""
    embedded.broker.start()
    yield embedded.broker.address()
    embedded.broker.stop()


@pytest.fixture
def committed(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """For tests that really commit, with several connections or processes. Afterwards every table is empty."""
    with django_db_blocker.unblock():
        try:
            yield
        finally:
            connections.close_all()
            empty_all_tables()
            # The sealer remembers what it signed last and would refuse a database that does not continue it.
            pathlib.Path(f"{settings.CHECKPOINT_KEY_FILE}.last").unlink(missing_ok=True)


def empty_all_tables() -> None:
    """Only the superuser can: evidence refuses everyone else."""
    with roles.connected(embedded.database_server.address(postgres.SUPERUSER, embedded.DATABASE)) as cursor:
        cursor.execute(
            "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = 'public' AND NOT tablename = ANY(%s)",
            [KEPT_TABLES],
        )
        tables = cursor.fetchone()[0]
        if tables:
            cursor.execute("SET session_replication_role = replica")
            cursor.execute(f"TRUNCATE {tables} RESTART IDENTITY")
