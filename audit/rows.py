"""Rows written many at a time: some statements in one trip to the database, where the trips are what costs.

An ordinary change goes through the models. This is for the door that every wager comes through.
"""

import functools
import hashlib
import re
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from django.db import connection, models
from django.db.models.base import ModelState
from django.db.models.expressions import DatabaseDefault

Model = type[models.Model]
Row = TypeVar("Row", bound=models.Model)
Given = Sequence[Any] | Mapping[str, Any]

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
        model, told = type(rows[0]), [vars(row) for row in rows]
        # Only what none of them says anything of: a column left out for one is left out for all.
        left = tuple(name for name in _may_be_left(model) if all(_is_left(values[name]) for values in told))
        insertion = _insertion(model, left)
        given = [{column: values[attribute] for attribute, column in insertion.columns} for values in told]
        self.add(insertion.statement, {"rows": msgspec.json.encode(given).decode()})

    def update(self, rows: Iterable[models.Model], fields: Sequence[str]) -> None:
        """Rows that are there already, brought up to what the objects say now."""
        if not fields:
            return
        for row in rows:
            self.add(_correction(type(row), tuple(fields)), {"id": row.pk, **{name: getattr(row, name) for name in fields}})

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


def new(model: type[Row], **given: Any) -> Row:
    """A new row, by the names of its columns' attributes, as the model itself would make it but without asking each field in turn."""
    row = model.__new__(model)
    row._state = ModelState()
    values = vars(row)
    for attribute, default in _defaults(model):
        values[attribute] = default() if callable(default) else default
    values.update(given)
    return row


def numbers_of(wanted: Iterable[Model]) -> str:
    """Columns of a SELECT, one a model, each with as many new numbers as the value called after the model's table says."""
    taken = "ARRAY(SELECT nextval('{table}_id_seq') FROM generate_series(1, %({table})s::int))"
    return ", ".join(taken.format(table=model._meta.db_table) for model in wanted)


def how_many(wanted: Mapping[Model, int]) -> dict[str, int]:
    """The values that such columns ask for."""
    return {model._meta.db_table: count for model, count in wanted.items()}


class _Insertion(NamedTuple):
    """How rows of a model are written: the statement, and each attribute with the column it goes to."""

    statement: Planned
    columns: list[tuple[str, str]]


@functools.cache
def _insertion(model: Model, left: tuple[str, ...]) -> _Insertion:
    """One plan for any number of rows, which come as one value: to quote each of theirs by itself costs more than writing them."""
    fields = [field for field in model._meta.concrete_fields if field.attname not in left]
    names = ", ".join(f'"{field.column}"' for field in fields)
    typed = ", ".join(f'"{field.column}" {field.db_type(connection)}' for field in fields)
    statement = Planned(
        f"INSERT INTO {model._meta.db_table} ({names}) SELECT {names} FROM json_to_recordset(%(rows)s::json) AS given({typed})"  # noqa: S608
    )
    return _Insertion(statement, [(field.attname, str(field.column)) for field in fields])


@functools.cache
def _defaults(model: Model) -> list[tuple[str, Any]]:
    """What each attribute is where nothing is said of it: a value, or what makes a new one."""
    return [(field.attname, field.default if _is_made(field) else field.get_default()) for field in model._meta.concrete_fields]


def _is_made(field: Any) -> bool:
    return callable(field.default) and field.default is not models.NOT_PROVIDED


@functools.cache
def _may_be_left(model: Model) -> list[str]:
    """What the database fills in itself where a row says nothing of it."""
    return [field.attname for field in model._meta.concrete_fields if field.primary_key or field.has_db_default()]


def _is_left(value: Any) -> bool:
    return value is None or isinstance(value, DatabaseDefault)


@functools.cache
def _correction(model: Model, names: tuple[str, ...]) -> Planned:
    columns = {field.attname: field.column for field in model._meta.concrete_fields}
    settings = ", ".join(f'"{columns[name]}" = %({name})s' for name in names)
    return Planned(f"UPDATE {model._meta.db_table} SET {settings} WHERE id = %(id)s")  # noqa: S608  (names are the models' own)
