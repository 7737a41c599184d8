"""Terms: what a round is played under, fixed when it begins, so that a new version never reaches into a round in play."""

import datetime
from collections.abc import Sequence

from audit import rows
from audit.refusals import Refusal
from jackpots import configurations
from jackpots import courses as playing_for
from jackpots.courses import Course
from jackpots.models import Progressive, Terms
from jackpots.rules import money
from tables.models import Round

# A million dollars. What it is paid, at the longest odds, still is a number that the ledger keeps.
MOST_WAGERED_MICROS = 10**12


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


def bind(*, round: Round, courses: Sequence[Course], now: datetime.datetime) -> list[Terms]:
    """What a round is to be played under, for each progressive its table plays for at the round's own time.

    A round told of late may belong to a progressive that was discontinued since; then it plays for the heir, as that stands now.
    """
    bound: list[Terms] = []
    # A table that plays for the heir itself is bound to it once, so its own come first.
    for course in sorted(_held_at(courses, round), key=lambda course: course.progressive.heir_id is not None):
        progressive, configuration = course.progressive, course.in_force(round.bound_at)
        is_inherited = progressive.heir_id is not None
        if is_inherited:
            progressive = _still_there(progressive)
            configuration = configurations.in_force(progressive, now)
        is_bound = any(one.progressive_id == progressive.pk for one in bound)
        if configuration and not is_bound and not course.is_suspended(round.bound_at):
            one = rows.new(Terms, is_inherited=is_inherited)
            one.round, one.progressive, one.configuration = round, progressive, configuration
            bound.append(one)
    return sorted(bound, key=lambda one: one.progressive_id)


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
        courses = playing_for.read(table_ids=[round.table_id], since=round.bound_at)
    for course in _held_at(courses, round):
        if course.progressive.wager == wager and course.is_suspended(round.bound_at):
            raise Suspended(progressive=course.progressive.slug)
    raise WagerNotOffered(table=round.table.name, wager=wager)


def check_wager(*, terms: Terms, on: str, amount_micros: int, is_coupon: bool) -> None:
    """Refuse a wager the pay table in force does not offer."""
    wager, table = configurations.rules_of(terms.configuration)
    # Where the text names no amounts, there is only a least one; and the most that any table has chips for.
    is_between = wager.minimum_micros <= amount_micros <= MOST_WAGERED_MICROS
    is_offered = amount_micros in table.amounts_micros if table.amounts_micros else is_between
    if not is_offered:
        offered = " or ".join(f"${money.cents(amount)}" for amount in table.amounts_micros)
        offered = offered or f"${money.cents(wager.minimum_micros)} to ${money.cents(MOST_WAGERED_MICROS)}"
        raise AmountNotOffered(wager=wager.id, offered=offered, amount=f"${money.exact(amount_micros)}")
    if on not in wager.on:
        raise HandNotWageredOn(wager=wager.id, on=on)
    if is_coupon and not wager.coupon:
        raise CouponNotTaken(wager=wager.id)
