"""The database's two roles: the owner, who migrates, and the application's, which owns nothing."""

import contextlib
import urllib.parse
from collections.abc import Iterator
from typing import Any

import psycopg2
import psycopg2.sql

OWNER = "linkmeter_owner"
APPLICATION = "linkmeter_app"


def address(*, user: str, password: str, host: str, database: str, port: str = "") -> str:
    """A postgresql:// address; a socket folder stands in its query, because it cannot stand in a URL's host part."""
    query = urllib.parse.urlencode({"host": host, **({"port": port} if port else {})})
    return f"postgresql://{urllib.parse.quote(user, safe='')}:{urllib.parse.quote(password, safe='')}@/{database}?{query}"


@contextlib.contextmanager
def connected(url: str) -> Iterator[Any]:
    """A cursor at that address, each statement on its own."""
    connection = psycopg2.connect(url, connect_timeout=5)
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            yield cursor
    finally:
        connection.close()


def answers(url: str) -> bool:
    """Whether a server lets us in at that address."""
    try:
        psycopg2.connect(url, connect_timeout=5).close()
    except psycopg2.OperationalError:
        return False
    return True


def ensure_role(cursor: Any, *, name: str, password: str) -> None:
    """A role that can log in and nothing else, with this password, whatever was there before."""
    cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
    verb = "ALTER" if cursor.fetchone() else "CREATE"
    statement = psycopg2.sql.SQL("{verb} ROLE {name} LOGIN NOCREATEDB NOCREATEROLE PASSWORD {password}")
    cursor.execute(
        statement.format(verb=psycopg2.sql.SQL(verb), name=psycopg2.sql.Identifier(name), password=psycopg2.sql.Literal(password))
    )


def is_restricted(cursor: Any, *, name: str) -> bool:
    """Whether the role is there and has no power beyond logging in."""
    cursor.execute(
        "SELECT rolcanlogin AND NOT (rolsuper OR rolcreatedb OR rolcreaterole OR rolbypassrls) FROM pg_roles WHERE rolname = %s", [name]
    )
    row = cursor.fetchone()
    return bool(row and row[0])


def current_database(cursor: Any) -> str:
    cursor.execute("SELECT current_database()")
    return str(cursor.fetchone()[0])


def ensure_database(cursor: Any, *, name: str, owner: str) -> None:
    """A database of the owner's."""
    cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
    if cursor.fetchone() is None:
        statement = psycopg2.sql.SQL("CREATE DATABASE {name} OWNER {owner}")
        cursor.execute(statement.format(name=psycopg2.sql.Identifier(name), owner=psycopg2.sql.Identifier(owner)))


def open_to_application(cursor: Any, *, database: str, role: str = APPLICATION) -> None:
    """Let the application's role in, and nobody who was not named."""
    for statement in (
        "REVOKE ALL ON DATABASE {database} FROM PUBLIC",
        "GRANT CONNECT ON DATABASE {database} TO {role}",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        "REVOKE CREATE ON SCHEMA public FROM {role}",
        "GRANT USAGE ON SCHEMA public TO {role}",
    ):
        names = {"database": psycopg2.sql.Identifier(database), "role": psycopg2.sql.Identifier(role)}
        cursor.execute(psycopg2.sql.SQL(statement).format(**names))
