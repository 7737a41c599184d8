"""The proof line: for any meter and any moment, what it began with, what came in, what went out, and that this is what it holds.

It is added up from the transfers alone, in one statement, and for the present moment held against the stored balance of the same
instant. Every line opens down to its transfers, and each of these to the event or the signature that caused it.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from audit.refusals import NoSuchThing, Refusal
from jackpots import hits
from jackpots.ledger import book, reading
from jackpots.models import Hit, Progressive

METERS = (book.MAIN, book.SECONDARY, book.OVERFLOW, book.RESERVE, book.CLEARING)
LAST_HIT = "last-hit"

# What goes between a meter and the house and is not funding: by hand, or the end of a progressive.
_MOVES = ("correction", "move", "overflow-released")
# To which line a transfer belongs: by whom the money came from or went to, not by what it was called.
SIDES = {
    "opening": [reading.Side(others=(book.HOUSE,), only=("opening",))],
    "contributions": [reading.Side(others=(book.PLAYERS,))],
    "funding": [reading.Side(others=(book.HOUSE,), excluded=("opening", *_MOVES))],
    "awards": [reading.Side(others=(book.PAYABLE, book.PAID))],
    "moves": [reading.Side(others=book.POOLS), reading.Side(others=(book.HOUSE,), only=_MOVES)],
}
LINES = tuple(SIDES)
_STANDING = (Hit.State.PENDING, Hit.State.HELD, Hit.State.APPROVED, Hit.State.PAID)


class NotYetOpen(NoSuchThing):
    """The progressive {slug} has not been opened; no money has moved on it."""


class NoSuchMeter(Refusal):
    """There is no meter {meter}; there are {known}."""

    category = "unreadable"


class NoSuchLine(Refusal):
    """There is no line {line}; there are {known}."""

    category = "unreadable"


class NotOnThisMeter(NoSuchThing):
    """No hit {hit} has taken anything from a meter of {slug}."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """Which meter, up to when, and from when on: the opening, or the last time the whole meter was won."""

    progressive: Progressive
    meter: str = book.MAIN
    # Up to a moment, or up to the claim of a hit; neither is now.
    at: datetime.datetime | None = None
    hit: Hit | None = None
    since_last_hit: bool = False


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the sum: how much, by how many transfers, and of which reasons it is made up."""

    name: str
    amount_micros: int
    count: int
    parts: Sequence[reading.Group]


@dataclass(frozen=True, kw_only=True)
class Proof:
    """The sum, and where it can be told, whether it is what the ledger keeps."""

    question: Question
    # The hit the sum begins at, and what the meter held when it was claimed.
    since: Hit | None
    forward_micros: int
    lines: Sequence[Line]
    stored_micros: int | None

    @property
    def balance_micros(self) -> int:
        return self.forward_micros + sum(line.amount_micros for line in self.lines)

    @property
    def verdict(self) -> str | None:
        """ "agrees" or "differs"; of a past moment nothing else is stored, so there is nothing to say."""
        if self.stored_micros is None:
            return None
        return "agrees" if self.stored_micros == self.balance_micros else "differs"


@dataclass(frozen=True, kw_only=True)
class Opened:
    """The transfers behind a line, newest first, each with its effect on the meter; and where to go on."""

    line: str
    transfers: Sequence[tuple[reading.Transfer, int]]
    next_before: int | None


def prove(*, question: Question, now: datetime.datetime) -> Proof:
    """Add up a meter from its transfers."""
    since, window = _window(question, now)
    found = reading.rebuilt(progressive_id=question.progressive.pk, account_id=_account(question), window=window)
    is_now = window.at is None and window.up_to is None
    return Proof(
        question=question,
        since=since,
        forward_micros=found.before_micros,
        lines=[_line(name, found.groups) for name in LINES],
        stored_micros=found.stored_micros if is_now else None,
    )


def open_line(*, question: Question, line: str, before: int | None, limit: int, now: datetime.datetime) -> Opened:
    """The transfers behind one line of a sum."""
    if line not in LINES:
        raise NoSuchLine(line=line, known=", ".join(LINES))
    _, window = _window(question, now)
    account = _account(question)
    progressive_id = question.progressive.pk
    found = reading.listed(
        progressive_id=progressive_id, account_id=account, window=window, sides=SIDES[line], before=before, limit=limit + 1
    )
    shown = found[:limit]
    return Opened(
        line=line,
        transfers=[(transfer, reading.effect(transfer, account)) for transfer in shown],
        next_before=shown[-1].pk if len(found) > limit else None,
    )


def hit_on(progressive: Progressive, number: str) -> Hit:
    """A hit by its number, if it was on a meter of this progressive."""
    try:
        hit = hits.get(number)
    except hits.NoSuchHit:
        raise NotOnThisMeter(hit=number, slug=progressive.slug) from None
    if hit.claimed_after is None or hit.terms is None or hit.terms.progressive_id != progressive.pk:
        raise NotOnThisMeter(hit=number, slug=progressive.slug)
    return hit


def line_of(other: str, reason: str) -> str:
    """To which line a transfer belongs; every one belongs to exactly one."""
    (line,) = (name for name, sides in SIDES.items() if any(side.holds(other, reason) for side in sides))
    return line


def last_whole_hit(progressive: Progressive, *, before: Hit | None = None, at: datetime.datetime | None = None) -> Hit | None:
    """The newest standing claim that took the whole meter."""
    won = Hit.objects.filter(terms__progressive=progressive, state__in=_STANDING, takes_all=True, claimed_after__isnull=False)
    if before is not None:
        won = won.filter(claimed_after__lt=before.claimed_after)
    if at is not None:
        won = won.filter(claimed_at__lte=at)
    return won.order_by("-claimed_after", "-pk").first()


def _line(name: str, groups: Sequence[reading.Group]) -> Line:
    parts = [group for group in groups if line_of(group.other, group.reason) == name]
    return Line(name=name, amount_micros=sum(one.amount_micros for one in parts), count=sum(one.count for one in parts), parts=parts)


def _window(question: Question, now: datetime.datetime) -> tuple[Hit | None, reading.Window]:
    hit = question.hit
    at = question.at if question.at is not None and question.at < now else None
    since = last_whole_hit(question.progressive, before=hit, at=at) if question.since_last_hit else None
    return since, reading.Window(after=since.claimed_after if since else None, up_to=hit.claimed_after if hit else None, at=at)


def _account(question: Question) -> int:
    if question.meter not in METERS:
        raise NoSuchMeter(meter=question.meter, known=", ".join(METERS))
    account = reading.pool(progressive_id=question.progressive.pk, code=question.meter)
    if account is None or question.progressive.opened_at is None:
        raise NotYetOpen(slug=question.progressive.slug)
    return account
