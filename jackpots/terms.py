"""Terms: what a round is played under, fixed when it begins, so that a new version never reaches into a round in play."""

import datetime
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from audit import rows
from audit.refusals import Refusal
from jackpots import configurations
from jackpots.models import Configuration, Progressive, Terms
from jackpots.rules import money
from tables.models import Round


class WagerNotOffered(Refusal):
    """Table {table} offers no {wager} wager."""


class Suspended(Refusal):
    """The {progressive} progressive is suspended; it takes no wagers."""


class AmountNotOffered(Refusal):
    """The {wager} wager is {offered}, not {amount}."""


class CouponNotTaken(Refusal):
    """The {wager} wager is not made with a coupon."""


class HandNotWageredOn(Refusal):
    """The {wager} wager cannot be made on the {on}'s hand."""


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
COURSES = f"""
SELECT link.table_id, link.linked_at, link.unlinked_at, link.id,
       ARRAY(SELECT suspended_at FROM jackpots_suspension stopped WHERE stopped.progressive_id = progressive.id
                AND (resumed_at IS NULL OR resumed_at > %(since)s) ORDER BY id),
       ARRAY(SELECT resumed_at FROM jackpots_suspension stopped WHERE stopped.progressive_id = progressive.id
                AND (resumed_at IS NULL OR resumed_at > %(since)s) ORDER BY id),
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
                WHERE its.progressive_id = progressive.id AND earlier.effective_at <= %(since)s), '-infinity')
       ) version ON true
 WHERE link.table_id = ANY(%(tables)s) AND (link.unlinked_at IS NULL OR link.unlinked_at > %(since)s)
 ORDER BY link.progressive_id, link.id, version.effective_at, version.approval_id
"""  # noqa: S608  (names of columns, from the tuples above)


def courses(*, table_ids: Collection[int], since: datetime.datetime) -> list[Course]:
    """What these tables have played for from a moment on, in the order of the progressives, in one trip."""
    found: dict[int, Course] = {}
    for row in rows.Writing().ask(COURSES, {"tables": list(table_ids), "since": since}):
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
    return list(found.values())


def _configuration(progressive: Progressive, columns: Sequence[Any]) -> Configuration:
    fields = dict(zip(CONFIGURATION, columns, strict=True))
    for name in ("rates_ppm", "awards", "amounts_micros"):
        fields[name] = json.loads(fields[name])
    return Configuration(progressive=progressive, **fields)


def bind(*, round: Round, courses: Sequence[Course], now: datetime.datetime) -> list[Terms]:
    """What a round is to be played under, for each progressive its table plays for at the round's own time.

    A round told of late may belong to a progressive that was discontinued since; then it plays for the heir, as that stands now.
    """
    bound = []
    for course in _held_at(courses, round):
        progressive, configuration = course.progressive, course.in_force(round.bound_at)
        is_inherited = progressive.heir_id is not None
        if is_inherited:
            progressive = _still_there(progressive)
            configuration = configurations.in_force(progressive, now)
        if configuration and not course.is_suspended(round.bound_at):
            bound.append(Terms(round=round, progressive=progressive, configuration=configuration, is_inherited=is_inherited))
    return bound


def _held_at(courses: Sequence[Course], round: Round) -> list[Course]:
    return [course for course in courses if course.table_id == round.table_id and course.holds(round.bound_at)]


def _still_there(progressive: Progressive) -> Progressive:
    while progressive.heir is not None:
        progressive = progressive.heir
    return progressive


def of(*rounds: Round) -> list[Terms]:
    """The terms of rounds that have begun, in the order of the progressives."""
    bound = Terms.objects.filter(round__in=rounds).select_related("progressive", "configuration__funded_by", "configuration__progressive")
    return list(bound.order_by("progressive_id", "pk"))


def for_wager(*, round: Round, terms: Sequence[Terms], wager: str, courses: Sequence[Course] | None = None) -> Terms:
    """The terms a wager of this round is made under."""
    for one in terms:
        if one.progressive.wager == wager:
            return one
    if courses is None:
        courses = courses_of(round)
    for course in _held_at(courses, round):
        if course.progressive.wager == wager and course.is_suspended(round.bound_at):
            raise Suspended(progressive=course.progressive.slug)
    raise WagerNotOffered(table=round.table.name, wager=wager)


def courses_of(round: Round) -> list[Course]:
    return courses(table_ids=[round.table_id], since=round.bound_at)


def check_wager(*, terms: Terms, on: str, amount_micros: int, is_coupon: bool) -> None:
    """Refuse a wager the pay table in force does not offer."""
    wager, table = configurations.rules_of(terms.configuration)
    # Where the text names no amounts, there is only a least one.
    is_offered = amount_micros in table.amounts_micros if table.amounts_micros else amount_micros >= wager.minimum_micros
    if not is_offered:
        offered = " or ".join(f"${money.cents(amount)}" for amount in table.amounts_micros)
        offered = offered or f"${money.cents(wager.minimum_micros)} or more"
        raise AmountNotOffered(wager=wager.id, offered=offered, amount=f"${money.exact(amount_micros)}")
    if on not in wager.on:
        raise HandNotWageredOn(wager=wager.id, on=on)
    if is_coupon and not wager.coupon:
        raise CouponNotTaken(wager=wager.id)
