"""Rows written many at a time: some statements in one trip to the database, where the trips are what costs.

An ordinary change goes through the models. This is for the door that every wager comes through.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import connection, models
from django.db.models.expressions import DatabaseDefault

Model = type[models.Model]


class Writing:
    """Statements that are gathered, and sent together in the order in which they were given."""

    def __init__(self) -> None:
        self._statements: list[bytes] = []

    def insert(self, rows: Sequence[models.Model]) -> None:
        """New rows of one model. A number that was not taken beforehand, and what the database fills in itself, are left to it."""
        if not rows:
            return
        columns = [column for column in _columns(type(rows[0])) if _is_given(rows[0], column[0])]
        names = ", ".join(name for _, name, _ in columns)
        values = ", ".join(["(" + ", ".join(["%s"] * len(columns)) + ")"] * len(rows))
        given = [prepare(getattr(row, attribute)) for row in rows for attribute, _, prepare in columns]
        self.add(f"INSERT INTO {rows[0]._meta.db_table} ({names}) VALUES {values}", given)  # noqa: S608  (names are the models' own)

    def update(self, rows: Sequence[models.Model], fields: Sequence[str]) -> None:
        """Rows that are there already, brought up to what the objects say now."""
        if not fields:
            return
        for row in rows:
            columns = [column for column in _columns(type(row)) if column[0] in fields]
            settings = ", ".join(f"{name} = %s" for _, name, _ in columns)
            given = [prepare(getattr(row, attribute)) for attribute, _, prepare in columns]
            self.add(f"UPDATE {row._meta.db_table} SET {settings} WHERE id = %s", [*given, row.pk])  # noqa: S608

    def add(self, statement: str, given: Sequence[Any] | Mapping[str, Any] = ()) -> None:
        with connection.cursor() as cursor:
            self._statements.append(cursor.mogrify(statement, given))

    def send(self) -> None:
        if self._statements:
            with connection.cursor() as cursor:
                cursor.execute(self._all())

    def ask(self, statement: str, given: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Send what was gathered with a last statement, and come back with the rows of that one."""
        self.add(statement, given)
        with connection.cursor() as cursor:
            cursor.execute(self._all())
            return list(cursor.fetchall())

    def _all(self) -> Any:
        """What was gathered, taken off the list. The driver takes it as the bytes that it has made of it itself."""
        gathered, self._statements = b";\n".join(self._statements), []
        return gathered


def numbers_of(wanted: Mapping[Model, int]) -> str:
    """Columns of a SELECT, one a model, each with as many new numbers as are wanted."""
    taken = "ARRAY(SELECT nextval('{table}_id_seq') FROM generate_series(1, {count}))"
    return ", ".join(taken.format(table=model._meta.db_table, count=count) for model, count in wanted.items())


@functools.cache
def _columns(model: Model) -> list[tuple[str, str, Callable[[Any], Any]]]:
    return [(field.attname, f'"{field.column}"', _preparer(field)) for field in model._meta.concrete_fields]


def _preparer(field: Any) -> Callable[[Any], Any]:
    if isinstance(field, models.JSONField):
        return lambda value: None if value is None else field.get_db_prep_value(value, connection)
    return _as_it_is


def _as_it_is(value: Any) -> Any:
    return value


def _is_given(row: models.Model, attribute: str) -> bool:
    value = getattr(row, attribute)
    return not isinstance(value, DatabaseDefault) and not (value is None and attribute == row._meta.pk.attname)
