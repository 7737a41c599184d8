"""Migrations say what the models say, and every step can be taken back."""

import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator

import pytest

from settings.embedded import postgres, roles
from tests import embedded
from tests.house import files

SCRATCH = "scratch_migrations"
APPS = ("jackpots", "ledger", "tables", "audit", "people", "sessions", "auth", "contenttypes")

LEFT = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'S')
UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""


@pytest.fixture
def scratch(django_db_setup: None) -> Iterator[str]:
    """An empty database of the owner's; its address."""
    server = embedded.database_server
    server.prepare(database=SCRATCH)
    yield server.address(roles.OWNER, SCRATCH)
    with roles.connected(server.address(postgres.SUPERUSER, "postgres")) as cursor:
        cursor.execute(f"DROP DATABASE {SCRATCH} WITH (FORCE)")


@pytest.mark.django_db
def test_the_models_have_no_change_without_a_migration() -> None:
    manage("makemigrations", "--check", "--dry-run", "--noinput", url=os.environ["DATABASE_URL"])


def test_every_migration_goes_forward_back_to_nothing_and_forward_again(scratch: str) -> None:
    manage("migrate", url=scratch)
    assert "ledger_transfer" in what_is_left(scratch)
    for app in APPS:
        manage("migrate", app, "zero", url=scratch)
    assert what_is_left(scratch) == {"django_migrations", "django_migrations_id_seq"}
    manage("migrate", url=scratch)
    assert "ledger_transfer" in what_is_left(scratch)


def what_is_left(url: str) -> set[str]:
    with roles.connected(url) as cursor:
        cursor.execute(LEFT)
        return {name for (name,) in cursor.fetchall()}


def manage(*words: str, url: str) -> None:
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "settings.test"}
    command = [sys.executable, str(pathlib.Path(files.ROOT, "manage.py")), *words]
    done = subprocess.run(command, cwd=files.ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
