"""The technician's workshop: who may see which controllers, and how they are shown."""

import datetime
import json
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db.models import Count, QuerySet

from audit.people import posts
from audit.people.models import Person, Property
from jackpots import overview
from jackpots.rules import money
from tables import controllers, counts, rates, watching
from tables.models import REFUSED, Alarm, Controller, Event, Table


def controllers_for(reader: Person, *, now: datetime.datetime) -> list[dict[str, Any]]:
    """The controllers of a person's properties."""
    found = _seen_by(reader).prefetch_related("tables", "tokens", "alarms").order_by("property__slug", "name")
    refused = dict(_refused().filter(controller__in=found).order_by().values_list("controller_id").annotate(Count("id")))
    return [shown(one, refused=refused.get(one.pk, 0), now=now) for one in found]


def controller_for(reader: Person, name: str, property_slug: str | None = None) -> Controller:
    """A controller by its name; names are a property's own, so where it may be several properties' the property is named too."""
    found = _seen_by(reader).filter(name=name).order_by("property__slug")
    controller = (found.filter(property__slug=property_slug) if property_slug else found).first()
    if controller is None:
        raise controllers.NoSuchController(controller=name)
    return controller


def tables_named(reader: Person, property: Property, names: Iterable[str]) -> list[Table]:
    """Tables of a property by their names, each once; one that is not there is refused."""
    return [overview.table_for(reader, property.slug, name) for name in dict.fromkeys(names)]


def alarms_for(reader: Person, *roles: str) -> list[Alarm]:
    """What should be looked at now where the person holds one of the roles."""
    return watching.open_alarms(property_ids=posts.properties_of(reader, *(roles or overview.READERS)))


def one_shown(controller: Controller, *, now: datetime.datetime) -> dict[str, Any]:
    return shown(controller, refused=_refused().filter(controller=controller).count(), now=now)


def shown(controller: Controller, *, refused: int, now: datetime.datetime) -> dict[str, Any]:
    watch = controller.watch
    gap = {"expected": watch.gap_expected, "sent": watch.gap_sent, "at": watch.gap_at} if watch.gap_at else None
    return {
        "controller": controller.name,
        "property": controller.property.slug,
        "tables": sorted(table.name for table in controller.tables.all()),
        "next_sequence": controller.next_sequence,
        "last_seen_at": controller.last_seen_at,
        "version": controller.version,
        "skew_ms": controller.skew_ms,
        "state": state_of(controller, now=now),
        "revoked_at": controller.revoked_at,
        "rate": rates.of(controller.rate),
        "own_rate": controller.rate,
        "tokens": [{"made_at": one.made_at, "expires_at": one.expires_at} for one in _live_tokens(controller, now)],
        "gaps": watch.gaps,
        "last_gap": gap,
        "refused": refused,
        "counts": counts_shown(controller),
        "alarms": [{"kind": one.kind, "since": one.since} for one in controller.alarms.all() if one.ended_at is None],
    }


def state_of(controller: Controller, *, now: datetime.datetime) -> str:
    """Judged by the clock and not by its alarms, so that a page is right also while the worker is down."""
    if controller.revoked_at is not None:
        return "revoked"
    if controller.last_seen_at is None:
        return "never-heard"
    return "silent" if (now - controller.last_seen_at).total_seconds() > settings.CONTROLLER_SILENCE_SECONDS else "alive"


def counts_shown(controller: Controller) -> dict[str, Any] | None:
    """What the controller counted last beside what we had booked then; None where it has told no counts."""
    watch = controller.watch
    if watch.counted_at is None or watch.since_sequence is None:
        return None
    counted, booked = counts.read(watch.counted), counts.read(watch.booked)
    compared = watching.Comparison(since_sequence=watch.since_sequence, sequence=watch.summed_to, counted=counted, booked=booked)
    return {"at": watch.counted_at, **comparison_shown(compared)}


def comparison_shown(found: watching.Comparison) -> dict[str, Any]:
    tables = {
        table: {
            "counted": _tally_shown(found.counted.get(table, counts.NOTHING)),
            "booked": _tally_shown(found.booked.get(table, counts.NOTHING)),
            "agrees": found.agrees_at(table),
        }
        for table in found.tables
    }
    return {"since_sequence": found.since_sequence, "sequence": found.sequence, "agrees": found.agrees, "tables": tables}


def refused_of(controller: Controller, *, before: int | None = None, limit: int = 25) -> list[dict[str, Any]]:
    """Events that were refused, newest first; ``before`` is a sequence that leads to older ones."""
    found = _refused().filter(controller=controller).order_by("-sequence")
    if before is not None:
        found = found.filter(sequence__lt=before)
    return [_refused_shown(event) for event in found[:limit]]


def _seen_by(reader: Person) -> QuerySet[Controller]:
    own = posts.properties_of(reader, *overview.READERS)
    return Controller.objects.filter(property__in=own).select_related("property", "watch")


def _refused() -> QuerySet[Event]:
    return Event.objects.filter(answer__contains=REFUSED)


def _refused_shown(event: Event) -> dict[str, Any]:
    answer = json.loads(event.answer)
    return {
        "id": str(event.told_id),
        "sequence": event.sequence,
        "type": event.type,
        "code": answer["code"],
        "detail": answer["detail"],
        "recorded_at": event.recorded_at,
    }


def _live_tokens(controller: Controller, now: datetime.datetime) -> list[Any]:
    live = [one for one in controller.tokens.all() if one.revoked_at is None and (one.expires_at is None or one.expires_at > now)]
    return sorted(live, key=lambda one: one.made_at)


def _tally_shown(tally: counts.Tally) -> dict[str, Any]:
    return {"wagers": tally.wagers, "amount": money.cents(tally.amount_micros)}
