"""Rows written many at a time: some statements in one trip to the database, where the trips are what costs.

An ordinary change goes through the models. This is for the door that every wager comes through.
"""

import dataclasses
import functools
import hashlib
import re
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection, models
from django.db.models.expressions import DatabaseDefault

Model = type[models.Model]
Given = Sequence[Any] | Mapping[str, Any]

# More rows than this are written by a statement made for them: there, planning it is little beside the writing.
MOST_PLANNED_ROWS = 8
NAMED = re.compile(r"%\((\w+)\)s")

# Which statements each connection has planned. A connection that is gone takes its plans with it.
_planned_on: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()


class Planned:
    """A statement that each connection plans once. To plan those that every wager asks costs more than to run them.

    Its values are named as usual, and typed by the statement itself where the columns do not tell: ``%(tables)s::text[]``.
    """

    def __init__(self, statement: str) -> None:
        names = list(dict.fromkeys(NAMED.findall(statement)))
        text = NAMED.sub(lambda named: f"${names.index(named[1]) + 1}", statement)
        self.name = f"planned_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        self.preparation = f"PREPARE {self.name} AS {text}"
        self.call = f"EXECUTE {self.name}({', '.join(f'%({name})s' for name in names)})"


class Writing:
    """Statements that are gathered, and sent together in the order in which they were given."""

    def __init__(self) -> None:
        self._statements: list[tuple[str | Planned, Given]] = []

    def insert(self, rows: Sequence[models.Model]) -> None:
        """New rows of one model. A number that was not taken beforehand, and what the database fills in itself, are left to it."""
        if not rows:
            return
        columns = [column for column in _columns(type(rows[0])) if column.is_given(rows)]
        given = [column.of(row) for row in rows for column in columns]
        self._add_filled(_insertion(type(rows[0]), tuple(column.name for column in columns), len(rows)), given)

    def update(self, rows: Iterable[models.Model], fields: Sequence[str]) -> None:
        """Rows that are there already, brought up to what the objects say now."""
        if not fields:
            return
        for row in rows:
            columns = [column for column in _columns(type(row)) if column.attribute in fields]
            given = [column.of(row) for column in columns]
            self._add_filled(_correction(type(row), tuple(column.name for column in columns)), [*given, row.pk])

    def add(self, statement: str | Planned, given: Given = ()) -> None:
        self._statements.append((statement, given))

    def send(self) -> None:
        if self._statements:
            with connection.cursor() as cursor:
                cursor.execute(self._all(cursor))

    def ask(self, statement: str | Planned, given: Given = ()) -> list[tuple[Any, ...]]:
        """Send what was gathered with a last statement, and come back with the rows of that one."""
        self.add(statement, given)
        with connection.cursor() as cursor:
            cursor.execute(self._all(cursor))
            return list(cursor.fetchall())

    def _add_filled(self, statement: str | Planned, given: Sequence[Any]) -> None:
        self.add(statement, {f"v{place}": value for place, value in enumerate(given)})

    def _all(self, cursor: Any) -> Any:
        """What was gathered, taken off the list. The driver takes it as the bytes that it has made of it itself."""
        gathered, self._statements = self._statements, []
        known, put = _planned_on.setdefault(connection.connection, set()), cursor.mogrify
        for one, _ in gathered:
            if isinstance(one, Planned) and one.name not in known:
                # It outlives a transaction that is rolled back.
                cursor.execute(one.preparation)
                known.add(one.name)
        return b";\n".join(put(one.call if isinstance(one, Planned) else one, given) for one, given in gathered)


def numbers_of(wanted: Iterable[Model]) -> str:
    """Columns of a SELECT, one a model, each with as many new numbers as the value called after the model's table says."""
    taken = "ARRAY(SELECT nextval('{table}_id_seq') FROM generate_series(1, %({table})s::int))"
    return ", ".join(taken.format(table=model._meta.db_table) for model in wanted)


def how_many(wanted: Mapping[Model, int]) -> dict[str, int]:
    """The values that such columns ask for."""
    return {model._meta.db_table: count for model, count in wanted.items()}


@functools.cache
def _insertion(model: Model, names: tuple[str, ...], rows: int) -> str | Planned:
    places = iter(range(len(names) * rows))
    values = ", ".join("(" + ", ".join(f"%(v{next(places)})s" for _ in names) + ")" for _ in range(rows))
    statement = f"INSERT INTO {model._meta.db_table} ({', '.join(names)}) VALUES {values}"  # noqa: S608  (names are the models' own)
    return Planned(statement) if rows <= MOST_PLANNED_ROWS else statement


@functools.cache
def _correction(model: Model, names: tuple[str, ...]) -> Planned:
    settings = ", ".join(f"{name} = %(v{place})s" for place, name in enumerate(names))
    return Planned(f"UPDATE {model._meta.db_table} SET {settings} WHERE id = %(v{len(names)})s")  # noqa: S608


@dataclasses.dataclass(frozen=True)
class _Column:
    attribute: str
    name: str
    # Where it may be left out of a new row that says nothing of it, because the database fills in just that.
    may_be_left: bool
    is_json: bool
    field: Any

    def is_given(self, rows: Sequence[models.Model]) -> bool:
        return not self.may_be_left or any(self._says_something(getattr(row, self.attribute)) for row in rows)

    def of(self, row: models.Model) -> Any:
        value = getattr(row, self.attribute)
        return self.field.get_db_prep_value(value, connection) if self.is_json and value is not None else value

    def _says_something(self, value: Any) -> bool:
        return not isinstance(value, DatabaseDefault) and (value is not None or (self.field.has_db_default() and self.field.null))


@functools.cache
def _columns(model: Model) -> list[_Column]:
    return [
        _Column(
            attribute=field.attname,
            name=f'"{field.column}"',
            may_be_left=field.null or field.primary_key or field.has_db_default(),
            is_json=isinstance(field, models.JSONField),
            field=field,
        )
        for field in model._meta.concrete_fields
    ]
