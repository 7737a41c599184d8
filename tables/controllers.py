"""Controllers, as a technician sets them up: pairing, tables, tokens, rate. Each act is written down with what was before and after."""

import datetime
import functools
import hashlib
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q

from audit import journal, rows
from audit.people import posts, signing
from audit.people.models import Person, Property
from audit.refusals import NoSuchThing, Refusal
from tables.models import Controller, Table, Token, Watch

# Said in front of every token, so that one found in the wrong place is known for what it is.
PREFIX = "lmc_"
# A name stands in addresses, where "me" is the controller that asks.
NAME = re.compile(r"(?!me$)[A-Za-z0-9][A-Za-z0-9._-]{0,39}", re.ASCII)
# A rate that a technician has set holds in every web process after this long.
REMEMBERED_FOR = datetime.timedelta(seconds=10)
MOST_REMEMBERED = 10_000
LONGEST_OVERLAP = datetime.timedelta(days=7)
FASTEST = 10_000


class NoSuchController(NoSuchThing):
    """There is no controller {controller} here."""


class NameUnusable(Refusal):
    """A controller's name has 1 to 40 letters, digits, dots, dashes or underscores, begins with a letter or a digit, and is not "me"."""

    category = "unreadable"


class NameTaken(Refusal):
    """There is a controller {controller} already; only one that was revoked can be paired again."""


class TablesMissing(Refusal):
    """A controller speaks for at least one table."""

    category = "unreadable"


class TableElsewhere(Refusal):
    """Table {table} belongs to another property than the controller."""


class ControllerRevoked(Refusal):
    """Controller {controller} was revoked; pair it again under its name to put it back to work."""


class OverlapTooLong(Refusal):
    """Two tokens work side by side for at most {days} days."""

    category = "unreadable"


class RateOutOfBounds(Refusal):
    """A rate lies between 1 and {most} requests a second."""

    category = "unreadable"


class PassingNeedsReason(Refusal):
    """To pass over a sequence needs a reason, in a few words."""

    category = "unreadable"


class SequenceMovedOn(Refusal):
    """The next sequence of controller {controller} is {expected}, not {sequence}; look again before you pass it over."""


def pair(
    *, property: Property, name: str, tables: Sequence[Table], person: Person, now: datetime.datetime, pin: str | None = None
) -> tuple[Controller, str]:
    """Put a controller to work at some tables. Its token is in the answer and nowhere else: only its hash is kept.

    One that was revoked is taken back under its name, and its sequence goes on. Here and in every verb below, doors hand over the
    person's PIN; who installs a property from a script has none to give.
    """
    checked = _check(person, property, pin, now)
    if not NAME.fullmatch(name):
        raise NameUnusable
    _require_tables(property, tables)
    with transaction.atomic():
        controller = _new_or_revoked(property, name)
        before = _names(controller.tables.all())
        controller.tables.set(tables)
        token = _issue(controller, now)
        facts = {"before": {"tables": before}, "tables": _names(tables), "next_sequence": controller.next_sequence}
        _write_down("controller-paired", controller, person, checked, now, facts)
    return controller, token


def move(*, controller: Controller, tables: Sequence[Table], person: Person, now: datetime.datetime, pin: str | None = None) -> Controller:
    """Let a controller speak for these tables, and for no others from now on."""
    checked = _check(person, controller.property, pin, now)
    _require_tables(controller.property, tables)
    with transaction.atomic():
        held = _hold(controller)
        before = _names(held.tables.all())
        held.tables.set(tables)
        _write_down("controller-moved", held, person, checked, now, {"before": before, "after": _names(tables)})
    return held


def rotate(*, controller: Controller, person: Person, overlap: datetime.timedelta, now: datetime.datetime, pin: str | None = None) -> str:
    """A new token; those before it go on working for the overlap, so that the controller can be changed over without a gap."""
    checked = _check(person, controller.property, pin, now)
    if not datetime.timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise OverlapTooLong(days=LONGEST_OVERLAP.days)
    with transaction.atomic():
        held = _hold(controller)
        before = live_tokens(held, now=now).count()
        live_tokens(held, now=now).exclude(expires_at__lt=now + overlap).update(expires_at=now + overlap)
        token = _issue(held, now)
        facts = {"overlap_seconds": int(overlap.total_seconds()), "before": {"live": before}, "after": {"newest_made_at": now}}
        _write_down("controller-token-rotated", held, person, checked, now, facts)
    return token


def revoke(*, controller: Controller, person: Person, now: datetime.datetime, pin: str | None = None) -> None:
    """Stop a controller's tokens at once. What it sent before stays; what it sends from now on is not known here."""
    checked = _check(person, controller.property, pin, now)
    with transaction.atomic():
        held = _hold(controller)
        stopped = held.tokens.filter(revoked_at__isnull=True).update(revoked_at=now)
        held.revoked_at = now
        held.save(update_fields=["revoked_at"])
        facts = {"tokens": stopped, "before": {"revoked_at": None}, "after": {"revoked_at": now}}
        _write_down("controller-revoked", held, person, checked, now, facts)


def set_rate(*, controller: Controller, rate: int | None, person: Person, now: datetime.datetime, pin: str | None = None) -> Controller:
    """How many requests a second a controller may make; None leaves it to the site's setting."""
    checked = _check(person, controller.property, pin, now)
    if rate is not None and not 1 <= rate <= FASTEST:
        raise RateOutOfBounds(most=FASTEST)
    with transaction.atomic():
        held = _hold(controller)
        before, held.rate = held.rate, rate
        held.save(update_fields=["rate"])
        _write_down("controller-rate-set", held, person, checked, now, {"before": before, "after": rate})
    return held


def pass_over(
    *, controller: Controller, sequence: int, reason: str, person: Person, now: datetime.datetime, pin: str | None = None
) -> Controller:
    """Let a controller go on behind a sequence that will never come. The one who signs names it, so that none is passed over unseen."""
    checked = _check(person, controller.property, pin, now)
    if not reason.strip():
        raise PassingNeedsReason
    with transaction.atomic():
        held = _hold(controller)
        if sequence != held.next_sequence:
            raise SequenceMovedOn(controller=held.name, expected=held.next_sequence, sequence=sequence)
        held.next_sequence = sequence + 1
        held.save(update_fields=["next_sequence"])
        facts = {"sequence": sequence, "reason": reason.strip(), "before": sequence, "after": held.next_sequence}
        _write_down("sequence-passed-over", held, person, checked, now, facts)
    return held


class TokenUnknown(Refusal):
    """That token is not known here, has expired or was revoked."""

    category = "unknown"


# Which tokens work now, for whoever asks with every request and so by a planned statement. A test compares it with `_live`.
LIVE = "token.revoked_at IS NULL AND (token.expires_at IS NULL OR token.expires_at > %(now)s::timestamptz)"

# By the hash of a token: whose it was when that was last asked, and when.
_remembered: dict[str, tuple[Controller, datetime.datetime]] = {}


def of_token(token: str, *, now: datetime.datetime) -> Controller | None:
    """The controller a token belongs to, while it is good."""
    return of_hash(hash_of(token), now=now) if token.startswith(PREFIX) else None


def of_hash(token_hash: str, *, now: datetime.datetime) -> Controller | None:
    """The same by its hash, which is all that is remembered of a token."""
    found = rows.Writing().ask(_of_token(), {"hash": token_hash, "now": now})
    if not found:
        return None
    controller = Controller.from_db("default", _columns(), found[0])
    if len(_remembered) >= MOST_REMEMBERED:
        _remembered.clear()
    _remembered[token_hash] = controller, now
    return controller


def remembered(token_hash: str, *, now: datetime.datetime) -> Controller | None:
    """Whose a token was a moment ago, without asking the database: who it says it is, and no proof of it.

    For whoever proves it later, in the transaction in which it acts.
    """
    controller, asked_at = _remembered.get(token_hash, (None, now))
    # A clock that was set back must not lengthen that.
    return controller if datetime.timedelta(0) <= now - asked_at < REMEMBERED_FOR else None


def forget(token_hash: str | None) -> None:
    """It is asked again whose this token is."""
    if token_hash is not None:
        _remembered.pop(token_hash, None)


def live_tokens(controller: Controller, *, now: datetime.datetime) -> Any:
    """The tokens that work now."""
    return controller.tokens.filter(_live(now))


@functools.cache
def _of_token() -> rows.Planned:
    """Asked with every request of every controller, so it is planned once."""
    columns = ", ".join(f"controller.{name}" for name in _columns())
    return rows.Planned(
        f"SELECT {columns} FROM tables_token token JOIN tables_controller controller ON controller.id = token.controller_id"  # noqa: S608
        f" WHERE token.hash = %(hash)s AND {LIVE}"
    )


@functools.cache
def _columns() -> tuple[str, ...]:
    return tuple(field.attname for field in Controller._meta.concrete_fields)


def _live(now: datetime.datetime) -> Q:
    return Q(revoked_at__isnull=True) & (Q(expires_at__isnull=True) | Q(expires_at__gt=now))


def _check(person: Person, property: Property, pin: str | None, now: datetime.datetime) -> signing.CheckedPin | None:
    posts.require(person, property, "technician")
    return None if pin is None else signing.check_pin(person=person, pin=pin, now=now)


def _require_tables(property: Property, tables: Sequence[Table]) -> None:
    if not tables:
        raise TablesMissing
    for table in tables:
        if table.property_id != property.pk:
            raise TableElsewhere(table=table.name)


def _new_or_revoked(property: Property, name: str) -> Controller:
    # Two technicians who pair the same name at once: the second waits for the first one's row and then finds it taken.
    Controller.objects.bulk_create([Controller(property=property, name=name)], ignore_conflicts=True)
    controller = Controller.objects.select_for_update(no_key=True).get(property=property, name=name)
    _, is_new = Watch.objects.get_or_create(controller=controller)
    if not is_new and controller.revoked_at is None:
        raise NameTaken(controller=name)
    # A device that was never heard is not missed, whatever stood here before it.
    controller.revoked_at = controller.last_seen_at = None
    controller.save(update_fields=["revoked_at", "last_seen_at"])
    return controller


def _hold(controller: Controller) -> Controller:
    """The controller with its row held, as the events door holds it: no event is judged meanwhile."""
    held = Controller.objects.select_for_update(no_key=True).get(pk=controller.pk)
    if held.revoked_at is not None:
        raise ControllerRevoked(controller=held.name)
    return held


def _issue(controller: Controller, now: datetime.datetime) -> str:
    token = PREFIX + secrets.token_urlsafe(32)
    Token.objects.create(controller=controller, hash=hash_of(token), made_at=now)
    return token


def hash_of(token: str) -> str:
    """What is kept of a token."""
    # A token is 256 random bits, so a fast hash is as good as a slow one: there is nothing to guess.
    return hashlib.sha256(token.encode()).hexdigest()


def _names(tables: Iterable[Table]) -> list[str]:
    return sorted(table.name for table in tables)


def _write_down(
    kind: str, controller: Controller, person: Person, checked: signing.CheckedPin | None, now: datetime.datetime, facts: Mapping[str, Any]
) -> None:
    subject = f"controller:{controller.name}"
    plain: dict[str, Any] = journal.plain(facts)
    signed = []
    if checked is not None:
        signed = [signing.sign(person=person, pin=checked, property=controller.property, act=kind, subject=subject, facts=plain, now=now)]
    actor = journal.Actor("person", person.username)
    journal.append(kind=kind, now=now, actor=actor, facts=plain, property_id=controller.property_id, subject=subject, rows=signed)
