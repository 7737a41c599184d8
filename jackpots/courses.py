"""What tables play for: links, suspensions and versions, kept in memory for as long as nothing about them has changed.

Every lock-out asks, and the answer changes a few times a month. So each process keeps it, with the revision it was read at; whoever
asks brings the revision that holds now, read under its locks. The database itself makes a new revision with every change.
"""

import datetime
import json
import threading
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from audit import rows
from jackpots.models import Configuration, Progressive

# A column for whoever reads something else under its locks: the revision that holds now.
REVISION = "(SELECT token FROM jackpots_revision)"


@dataclass(kw_only=True)
class Course:
    """What a table plays for, as far as it matters for rounds from some moment on: a link, when its progressive was suspended,
    and the versions that were in force."""

    table_id: int
    linked_at: datetime.datetime
    unlinked_at: datetime.datetime | None
    progressive: Progressive
    suspensions: list[tuple[datetime.datetime, datetime.datetime | None]]
    # By the moment from which each is in force, ascending.
    versions: list[tuple[datetime.datetime, Configuration]] = field(default_factory=list)

    def holds(self, at: datetime.datetime) -> bool:
        return self.linked_at <= at and (self.unlinked_at is None or self.unlinked_at > at)

    def is_suspended(self, at: datetime.datetime) -> bool:
        return any(began <= at and (ended is None or ended > at) for began, ended in self.suspensions)

    def in_force(self, at: datetime.datetime) -> Configuration | None:
        return next((version for effective_at, version in reversed(self.versions) if effective_at <= at), None)


PROGRESSIVE = ("id", "slug", "name", "property_id", "rule_text", "game", "wager", "has_meter", "opened_at", "closed_at", "heir_id")
CONFIGURATION = (
    "id",
    "number",
    "pay_table",
    "pay_table_digest",
    "rates_ppm",
    "awards",
    "amounts_micros",
    "initial_micros",
    "reset_micros",
    "cap_micros",
    "funded_by_id",
)
COURSES = rows.Planned(
    f"""
SELECT (SELECT token FROM jackpots_revision), link.table_id, link.linked_at, link.unlinked_at, link.id,
       ARRAY(SELECT suspended_at FROM jackpots_suspension stopped WHERE stopped.progressive_id = progressive.id
                AND (resumed_at IS NULL OR resumed_at > %(since)s::timestamptz) ORDER BY id),
       ARRAY(SELECT resumed_at FROM jackpots_suspension stopped WHERE stopped.progressive_id = progressive.id
                AND (resumed_at IS NULL OR resumed_at > %(since)s::timestamptz) ORDER BY id),
       {", ".join(f"progressive.{name}" for name in PROGRESSIVE)},
       version.effective_at, {", ".join(f"version.{name}" for name in CONFIGURATION)}
  FROM jackpots_link link
  JOIN jackpots_progressive progressive ON progressive.id = link.progressive_id
  LEFT JOIN LATERAL (
       SELECT configuration.*, approval.effective_at, approval.id AS approval_id
         FROM jackpots_approval approval JOIN jackpots_configuration configuration ON configuration.id = approval.configuration_id
        WHERE configuration.progressive_id = progressive.id
          AND approval.effective_at >= coalesce(
              (SELECT max(effective_at) FROM jackpots_approval earlier
                 JOIN jackpots_configuration its ON its.id = earlier.configuration_id
                WHERE its.progressive_id = progressive.id AND earlier.effective_at <= %(since)s::timestamptz), '-infinity')
       ) version ON true
 WHERE link.table_id = ANY(%(tables)s::bigint[]) AND (link.unlinked_at IS NULL OR link.unlinked_at > %(since)s::timestamptz)
 ORDER BY link.progressive_id, link.id, version.effective_at, version.approval_id
"""  # noqa: S608  (names of columns, from the tuples above)
)


@dataclass(frozen=True)
class _Kept:
    revision: uuid.UUID
    since: datetime.datetime
    courses: list[Course]


_kept: dict[int, _Kept] = {}
_keeping = threading.Lock()


def of_tables(*, table_ids: Collection[int], since: datetime.datetime, revision: uuid.UUID | None) -> list[Course]:
    """What these tables have played for from a moment on, as it stands at this revision; the progressives of each in their order."""
    known = {table_id: _kept.get(table_id) for table_id in table_ids}
    missing = [table_id for table_id, kept in known.items() if kept is None or kept.revision != revision or kept.since > since]
    found = {table_id: kept.courses for table_id, kept in known.items() if kept and table_id not in missing}
    for course in read(table_ids=missing, since=since) if missing else ():
        found.setdefault(course.table_id, []).append(course)
    return [course for courses in found.values() for course in courses]


def read(*, table_ids: Collection[int], since: datetime.datetime) -> list[Course]:
    """The same from the database, in one trip; it is kept for whoever asks next."""
    found: dict[int, Course] = {}
    answer = rows.Writing().ask(COURSES, {"tables": list(table_ids), "since": since})
    for _, *row in answer:
        table_id, linked_at, unlinked_at, link_id, began, ended = row[:6]
        progressive, version = row[6 : 6 + len(PROGRESSIVE)], row[6 + len(PROGRESSIVE) :]
        if link_id not in found:
            found[link_id] = Course(
                table_id=table_id,
                linked_at=linked_at,
                unlinked_at=unlinked_at,
                progressive=Progressive(**dict(zip(PROGRESSIVE, progressive, strict=True))),
                suspensions=list(zip(began, ended, strict=True)),
            )
        if version[0] is not None:
            found[link_id].versions.append((version[0], _configuration(found[link_id].progressive, version[1:])))
    if answer and answer[0][0] is not None:
        _keep(list(found.values()), answer[0][0], since)
    return list(found.values())


def forget() -> None:
    """Nothing is kept any more."""
    with _keeping:
        _kept.clear()


def _keep(courses: Sequence[Course], revision: uuid.UUID, since: datetime.datetime) -> None:
    by_table: dict[int, list[Course]] = {}
    for course in courses:
        by_table.setdefault(course.table_id, []).append(course)
    with _keeping:
        _kept.update({table_id: _Kept(revision, since, own) for table_id, own in by_table.items()})


def _configuration(progressive: Progressive, columns: Sequence[Any]) -> Configuration:
    fields = dict(zip(CONFIGURATION, columns, strict=True))
    for name in ("rates_ppm", "awards", "amounts_micros"):
        fields[name] = json.loads(fields[name])
    return Configuration(progressive=progressive, **fields)
