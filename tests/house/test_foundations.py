"""What the house stands on."""

import psycopg2
from django.db import connection
from django.db.backends.postgresql.psycopg_any import is_psycopg3


def test_django_speaks_to_postgresql_through_psycopg2() -> None:
    """Django changes over to psycopg 3 by itself where that can be imported, and its transactions behave otherwise."""
    assert not is_psycopg3
    assert connection.Database is psycopg2  # type: ignore[attr-defined]
