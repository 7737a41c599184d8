"""The database that the tests themselves run on."""

import pytest
from django.db import connection
from django.db.backends.postgresql.psycopg_any import is_psycopg3

from settings.embedded import roles


def test_django_is_on_psycopg2() -> None:
    # Django changes to psycopg 3 without a word where that is importable; our locks and connections were measured on psycopg2.
    assert is_psycopg3 is False


@pytest.mark.django_db
def test_tests_run_as_the_role_that_owns_nothing() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, (SELECT count(*) FROM pg_class WHERE relowner = current_user::regrole)")
        assert cursor.fetchone() == (roles.APPLICATION, 0)
