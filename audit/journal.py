"""The journal: one record for each happening, written in the transaction of what happened, with the notices it leaves behind."""

import datetime
import decimal
import functools
import hashlib
import itertools
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from django.db import connection, models

from audit.models import Notice, Record
from audit.rows import new as new_row

# Raised whenever the shape of a body or of a row's line changes, so that a verifier never has to guess.
VERSION = 1

JSON = Any
# The type in which each kind of column comes back from the database. A value of that type needs no reading before it is spelt.
KEPT_AS: tuple[tuple[type, type], ...] = (
    (models.IntegerField, int),
    (models.CharField, str),
    (models.TextField, str),
    (models.BooleanField, bool),
    (models.DateTimeField, datetime.datetime),
    (models.DateField, datetime.date),
    (models.UUIDField, uuid.UUID),
)
# The text of `tree.canonical`, six times as fast. It would write a float, and `plain` lets none through.
_canonical = msgspec.json.Encoder(order="sorted").encode

__all__ = [
    "Actor",
    "NotInTransaction",
    "Notice",
    "Record",
    "append",
    "claim_notices",
    "done",
    "draft",
    "line",
    "record",
    "records",
    "waiting",
]


class NotInTransaction(RuntimeError):
    """A record outside the transaction of its happening could be kept when the happening is not."""


@dataclass(frozen=True)
class Actor:
    """Who did it: a person by username, a controller or display by name, or the system itself."""

    kind: str
    name: str

    def __post_init__(self) -> None:
        if self.kind not in {"person", "controller", "system", "display"}:
            raise ValueError(f"{self.kind!r} is no kind of actor.")

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


def append(
    *,
    kind: str,
    now: datetime.datetime,
    actor: Actor,
    facts: Mapping[str, JSON],
    property_id: int | None = None,
    subject: str = "",
    told_at: datetime.datetime | None = None,
    rows: Sequence[models.Model] = (),
    notices: Sequence[tuple[str, str]] = (),
) -> Record:
    """Write down what happened, inside the caller's transaction.

    ``rows`` are the evidence rows which that transaction has inserted: the record carries a digest of them, so every evidence
    row must be handed to exactly one record. ``notices`` are (topic, key) pairs for whoever has to act on it afterwards.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction(f"The record {kind!r} must be written inside the transaction of what happened.")
    written = draft(kind=kind, now=now, actor=actor, facts=facts, property_id=property_id, subject=subject, told_at=told_at, rows=rows)
    written.save(force_insert=True)
    if notices:
        Notice.objects.bulk_create(Notice(topic=topic, key=key, record=written, left_at=now) for topic, key in notices)
    return written


def draft(
    *,
    kind: str,
    now: datetime.datetime,
    actor: Actor,
    facts: Mapping[str, JSON],
    property_id: int | None = None,
    subject: str = "",
    told_at: datetime.datetime | None = None,
    rows: Sequence[models.Model] = (),
) -> Record:
    """A record as it will be written, for whoever writes many happenings of one transaction together."""
    body = {
        "v": VERSION,
        "kind": kind,
        "actor": str(actor),
        "property": property_id,
        "subject": subject,
        "told_at": plain(told_at),
        "recorded_at": plain(now),
        "facts": plain(facts),
        "rows": _digests(rows),
    }
    return new_row(Record, kind=kind, property_id=property_id, subject=subject, recorded_at=now, body=_canonical(body).decode())


def claim_notices(*, topic: str, limit: int) -> list[Notice]:
    """The oldest waiting notices of a topic that nobody else is at; they are the caller's until its transaction ends."""
    waiting_notices = Notice.objects.filter(topic=topic).order_by("id")
    return list(waiting_notices.select_for_update(skip_locked=True)[:limit])


def done(notice: Notice) -> None:
    """Take a claimed notice off the list."""
    notice.delete()


def waiting() -> dict[str, int]:
    """How many notices wait, by topic."""
    return dict(Notice.objects.order_by("topic").values_list("topic").annotate(models.Count("id")))


def records(
    *,
    subject: str | None = None,
    kind: str | None = None,
    property_ids: Iterable[int] | None = None,
    before: int | None = None,
    limit: int = 50,
) -> list[Record]:
    """The newest records first, of a subject, of a kind, or of some properties and of none; ``before`` leads to older ones."""
    found = Record.objects.select_related("leaf").order_by("-id")
    if subject is not None:
        found = found.filter(subject=subject)
    if kind is not None:
        found = found.filter(kind=kind)
    if property_ids is not None:
        found = found.filter(models.Q(property_id__in=list(property_ids)) | models.Q(property_id=None))
    if before is not None:
        found = found.filter(id__lt=before)
    return list(found[:limit])


def record(*, number: int) -> Record | None:
    """The record of that number, where there is one."""
    return Record.objects.select_related("leaf").filter(id=number).first()


def line(row: models.Model, *, is_strict: bool = True) -> str:
    """One row as canonical JSON: column by column, as it stands in the database. Strictly, a number that is not whole is refused."""
    columns: dict[str, JSON] = {}
    for attribute, column, kept_as, spell, read in _columns(type(row)):
        told = getattr(row, attribute)
        if told is None:
            columns[column] = None
        elif type(told) is kept_as:
            columns[column] = told if spell is None else spell(told)
        else:
            # What the caller set may be looser than what the database keeps (a day as text, an amount as a choice).
            columns[column] = plain(read(told), is_strict=is_strict)
    return _canonical(columns).decode()


class _Column(NamedTuple):
    attribute: str
    name: str
    kept_as: type | None
    # How a value of that type is spelt, where JSON does not have it as it is; and how any other is read.
    spell: Callable[[Any], str] | None
    read: Callable[[Any], Any]


@functools.cache
def _columns(model: type[models.Model]) -> list[_Column]:
    kinds = [_kept_as(getattr(field, "target_field", field)) for field in model._meta.concrete_fields]
    return [
        _Column(field.attname, str(field.column), kind, SPELT.get(kind) if kind else None, field.to_python)
        for field, kind in zip(model._meta.concrete_fields, kinds, strict=True)
    ]


def _kept_as(field: Any) -> type | None:
    pointed_at = getattr(field, "target_field", field)
    return next((kept for kind, kept in KEPT_AS if isinstance(pointed_at, kind)), None)


def plain(value: JSON, *, is_strict: bool = True) -> JSON:
    """A value as JSON can say it without loss: times in UTC, bytes in hexadecimal, decimals as text. Floats are refused."""
    kind = type(value)
    if value is None or kind in (str, int, bool):
        return value
    if kind in SPELT:
        return SPELT[kind](value)
    if isinstance(value, Mapping):
        return {str(key): plain(inner, is_strict=is_strict) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner, is_strict=is_strict) for inner in value]
    if isinstance(value, float) and not is_strict:
        return f"not whole: {value!r}"
    return _scalar(value)


def _scalar(value: JSON) -> str | int:
    # Choices are text or numbers of a class of their own; evidence keeps what they are.
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    for kind, spell in SPELT.items():
        if isinstance(value, kind):
            return spell(value)
    raise TypeError(f"{type(value).__name__} has no place in evidence: {value!r}.")


def _utc(value: datetime.datetime) -> str:
    if value.tzinfo is None:
        raise TypeError(f"A time without its zone has no place in evidence: {value!r}.")
    return value.astimezone(datetime.UTC).isoformat(timespec="microseconds")[: -len("+00:00")] + "Z"


def _hexadecimal(value: bytes | memoryview) -> str:
    return bytes(value).hex()


# A moment is a day too, so it comes before.
SPELT: dict[type, Callable[[Any], str]] = {
    datetime.datetime: _utc,
    datetime.date: datetime.date.isoformat,
    datetime.time: datetime.time.isoformat,
    uuid.UUID: str,
    decimal.Decimal: str,
    bytes: _hexadecimal,
    memoryview: _hexadecimal,
}


def _digests(rows: Sequence[models.Model]) -> dict[str, JSON]:
    digests = {}
    for table, its_rows in itertools.groupby(sorted(rows, key=_place), key=lambda row: row._meta.db_table):
        listed = list(its_rows)
        lines = "".join(line(row) + "\n" for row in listed)
        digests[table] = {"keys": [plain(row.pk) for row in listed], "sha256": hashlib.sha256(lines.encode()).hexdigest()}
    return digests


def _place(row: models.Model) -> tuple[str, JSON]:
    if not getattr(row, "is_evidence", False):
        raise TypeError(f"{row._meta.label} is not evidence, so no record can answer for it.")
    return (row._meta.db_table, row.pk)
