"""Controllers: pairing, their tokens, and what a heartbeat tells."""

import datetime
import hashlib
import secrets
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q

from audit import journal
from audit.people import posts
from audit.people.models import Person, Property
from audit.refusals import Refusal
from tables.models import Controller, Table, Token

# Said in front of every token, so that one found in the wrong place is known for what it is.
PREFIX = "lmc_"
# A clock further off than this was never set.
MOST_SKEW = datetime.timedelta(days=366)


def pair(*, property: Property, name: str, tables: Sequence[Table], person: Person, now: datetime.datetime) -> tuple[Controller, str]:
    """Put a controller to work at some tables. Its token is in the answer and nowhere else: only its hash is kept."""
    posts.require(person, property, "technician")
    with transaction.atomic():
        controller = Controller.objects.create(property=property, name=name)
        controller.tables.set(tables)
        token = _issue(controller, now)
        _journal("controller-paired", controller, person, now, {"tables": [table.name for table in tables]})
    return controller, token


def rotate(*, controller: Controller, person: Person, overlap: datetime.timedelta, now: datetime.datetime) -> str:
    """A new token; those before it go on working for the overlap, so that the controller can be changed over without a gap."""
    posts.require(person, controller.property, "technician")
    with transaction.atomic():
        live = controller.tokens.filter(revoked_at__isnull=True).exclude(expires_at__lt=now + overlap)
        live.update(expires_at=now + overlap)
        token = _issue(controller, now)
        _journal("controller-token-rotated", controller, person, now, {"overlap_seconds": int(overlap.total_seconds())})
    return token


def revoke(*, controller: Controller, person: Person, now: datetime.datetime) -> None:
    """Stop a controller's tokens at once."""
    posts.require(person, controller.property, "technician")
    with transaction.atomic():
        controller.tokens.filter(revoked_at__isnull=True).update(revoked_at=now)
        _journal("controller-revoked", controller, person, now, {})


def of_token(token: str, *, now: datetime.datetime) -> Controller | None:
    """The controller a token belongs to, while it is good."""
    if not token.startswith(PREFIX):
        return None
    live = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    found = Token.objects.filter(live, hash=_hash(token), revoked_at__isnull=True).select_related("controller").first()
    return found.controller if found else None


class ClockAbsurd(Refusal):
    """A controller's clock cannot stand {clock}; set it and send the heartbeat again."""

    category = "unreadable"


def note_heartbeat(*, controller: Controller, clock: datetime.datetime, version: str, now: datetime.datetime) -> int:
    """Remember how a controller's clock stands to ours, in milliseconds ahead."""
    if abs(clock - now) > MOST_SKEW:
        raise ClockAbsurd(clock=clock.isoformat())
    skew_ms = (clock - now) // datetime.timedelta(milliseconds=1)
    Controller.objects.filter(pk=controller.pk).update(skew_ms=skew_ms, version=version[:60], last_seen_at=now)
    return skew_ms


def _issue(controller: Controller, now: datetime.datetime) -> str:
    token = PREFIX + secrets.token_urlsafe(32)
    Token.objects.create(controller=controller, hash=_hash(token), made_at=now)
    return token


def _hash(token: str) -> str:
    # A token is 256 random bits, so a fast hash is as good as a slow one: there is nothing to guess.
    return hashlib.sha256(token.encode()).hexdigest()


def _journal(kind: str, controller: Controller, person: Person, now: datetime.datetime, facts: dict[str, object]) -> None:
    journal.append(
        kind=kind,
        now=now,
        actor=journal.Actor("person", person.username),
        facts=facts,
        property_id=controller.property_id,
        subject=f"controller:{controller.name}",
    )
