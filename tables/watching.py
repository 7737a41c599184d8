"""The watch over controllers: when each was last heard, how its clock and its counts stand to ours, and what people should look at.

An alarm is raised once and ended when it is over; both are written down, and while it lasts a notice lies in the outbox.
"""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from audit import journal
from audit.refusals import Refusal
from tables import counts
from tables.counts import Tally
from tables.models import Alarm, Controller, Table, Watch

# A clock further off than this was never set.
MOST_SKEW = datetime.timedelta(days=366)
# Reading one's station is worth a write of its own only this often.
SEEN_EVERY = datetime.timedelta(seconds=5)
SYSTEM = journal.Actor("system", "watch")
ENDED = {Alarm.Kind.SILENT: "controller-missed-no-more", Alarm.Kind.COUNTS_DIFFER: "controller-counts-agree"}


class ClockAbsurd(Refusal):
    """A controller's clock cannot stand {clock}; set it and send the heartbeat again."""

    category = "unreadable"


class CountsBeginEarlier(Refusal):
    """Counts since sequence {told} were begun anew at sequence {since}; counts begin anew only at a later sequence."""


class CountsBeginLater(Refusal):
    """Counts since sequence {told} begin behind the last one taken, {taken}."""


class CountsOvertaken(Refusal):
    """Counts up to sequence {told} come too late; those up to {summed_to} have been compared."""


def note_heard(*, controller_id: int, now: datetime.datetime) -> None:
    """A controller asked something, or sent what is not its next, and so is alive."""
    long_ago = Q(last_seen_at__isnull=True) | Q(last_seen_at__lte=now - SEEN_EVERY)
    Controller.objects.filter(long_ago, pk=controller_id).update(last_seen_at=now)


def note_heartbeat(*, controller: Controller, clock: datetime.datetime, version: str, now: datetime.datetime) -> int:
    """Remember how a controller's clock stands to ours, in milliseconds ahead."""
    if abs(clock - now) > MOST_SKEW:
        raise ClockAbsurd(clock=clock.isoformat())
    skew_ms = (clock - now) // datetime.timedelta(milliseconds=1)
    Controller.objects.filter(pk=controller.pk).update(skew_ms=skew_ms, version=version[:60], last_seen_at=now)
    return skew_ms


@dataclass(frozen=True, kw_only=True)
class Beat:
    """What a heartbeat brought: how far the clock is ahead, and the counts beside ours where it told any."""

    skew_ms: int
    compared: "Comparison | None"


def beat(
    *,
    controller: Controller,
    clock: datetime.datetime,
    version: str,
    counted: Mapping[str, Tally],
    sequence: int | None,
    since_sequence: int,
    now: datetime.datetime,
) -> Beat:
    """A whole heartbeat. The clock is kept also where the counts are refused."""
    skew_ms = note_heartbeat(controller=controller, clock=clock, version=version, now=now)
    if not counted:
        return Beat(skew_ms=skew_ms, compared=None)
    compared = compare_counts(controller=controller, counted=counted, sequence=sequence, since_sequence=since_sequence, now=now)
    return Beat(skew_ms=skew_ms, compared=compared)


def note_gap(*, controller_id: int, expected: int, sent: int, now: datetime.datetime) -> None:
    """Remember that a controller sent a sequence beyond its next. For after the refusal, whose transaction keeps nothing."""
    gap = {"gap_expected": expected, "gap_sent": sent, "gap_at": now}
    Watch.objects.filter(pk=controller_id).update(gaps=F("gaps") + 1, **gap)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What a controller counted and what we booked, by table, over the same sequences."""

    since_sequence: int
    sequence: int
    counted: Mapping[str, Tally]
    booked: Mapping[str, Tally]

    @property
    def tables(self) -> list[str]:
        return sorted({*self.counted, *self.booked})

    def agrees_at(self, table: str) -> bool:
        return self.counted.get(table, counts.NOTHING) == self.booked.get(table, counts.NOTHING)

    @property
    def agrees(self) -> bool:
        return all(self.agrees_at(table) for table in self.tables)


def compare_counts(
    *, controller: Controller, counted: Mapping[str, Tally], sequence: int | None, since_sequence: int, now: datetime.datetime
) -> Comparison:
    """Lay a controller's own counts beside our books; a difference raises an alarm, agreement ends it.

    Counts are of the wagers in lock-outs behind ``since_sequence`` up to ``sequence``, the last it was answered; where it does not say,
    the last we took. Tables it does not name it counted nothing at.
    """
    with transaction.atomic():
        watch = Watch.objects.select_for_update(no_key=True).get(pk=controller.pk)
        # Read before the events are: whatever it says was taken, is committed and will be found.
        taken = Controller.objects.values_list("next_sequence", flat=True).get(pk=controller.pk) - 1
        if since_sequence > taken:
            raise CountsBeginLater(told=since_sequence, taken=taken)
        told = taken if sequence is None else sequence
        _sum_up(watch, since_sequence, told=told, to=min(told, taken))
        found = Comparison(since_sequence=since_sequence, sequence=told, counted=counted, booked=counts.read(watch.booked))
        watch.counted, watch.counted_at = counts.written(counted), now
        watch.save()
        _judge_counts(controller, found, now)
    return found


def look(*, silence: datetime.timedelta, now: datetime.datetime) -> int:
    """Raise an alarm for every controller that fell silent, and end those that are over: it is heard again, or was revoked.

    How many changed; twice changes nothing.
    """
    fallen = _missed().filter(last_seen_at__lt=now - silence).exclude(alarms__in=_open(Alarm.Kind.SILENT))
    raised = [_raise_silence(controller, silence, now) for controller in fallen.order_by("pk")]
    missed = _missed().filter(last_seen_at__lt=now - silence)
    over = _open(Alarm.Kind.SILENT).exclude(controller__in=missed) | _open(Alarm.Kind.COUNTS_DIFFER).exclude(controller__revoked_at=None)
    ended = [_end_over(alarm, now) for alarm in over.select_related("controller").order_by("pk")]
    return sum([*raised, *ended])


def open_alarms(*, property_ids: Iterable[int]) -> list[Alarm]:
    """What people should look at now, the oldest first."""
    found = Alarm.objects.filter(ended_at__isnull=True, controller__property__in=list(property_ids))
    return list(found.select_related("controller__property").prefetch_related("controller__tables").order_by("since", "pk"))


def _sum_up(watch: Watch, since: int, *, told: int, to: int) -> None:
    """Go on adding up what was booked, from where it was left; only behind a new beginning from there."""
    begun = watch.since_sequence
    if begun is not None and since < begun:
        raise CountsBeginEarlier(told=since, since=begun)
    if begun is None or since > begun:
        watch.since_sequence, watch.summed_to, watch.booked = since, since, {}
    if told < watch.summed_to:
        raise CountsOvertaken(told=told, summed_to=watch.summed_to)
    more = counts.booked(controller_id=watch.pk, since=watch.summed_to, to=to)
    watch.booked = counts.written(counts.added(counts.read(watch.booked), more))
    watch.summed_to = max(watch.summed_to, to)


def _judge_counts(controller: Controller, found: Comparison, now: datetime.datetime) -> None:
    alarm = _open(Alarm.Kind.COUNTS_DIFFER).filter(controller=controller).first()
    actor = journal.Actor("controller", controller.name)
    facts = {
        "since_sequence": found.since_sequence,
        "sequence": found.sequence,
        "counted": counts.written(found.counted),
        "booked": counts.written(found.booked),
    }
    if alarm is None and not found.agrees:
        _raise(controller, Alarm.Kind.COUNTS_DIFFER, since=now, facts=facts, actor=actor, now=now)
    elif alarm is not None and found.agrees:
        _end(alarm, controller, facts=facts, actor=actor, now=now)


def _missed() -> QuerySet[Controller]:
    """Those that would be missed: heard before, not revoked, and at an open table."""
    at_open_table = Table.objects.filter(controllers=OuterRef("pk"), is_open=True)
    return Controller.objects.filter(Exists(at_open_table), revoked_at__isnull=True, last_seen_at__isnull=False)


def _open(kind: Alarm.Kind) -> QuerySet[Alarm]:
    return Alarm.objects.filter(kind=kind, ended_at__isnull=True)


def _raise_silence(controller: Controller, silence: datetime.timedelta, now: datetime.datetime) -> bool:
    with transaction.atomic():
        # Two workers at once: the second waits here, and then finds the first one's alarm.
        Watch.objects.select_for_update(no_key=True).get(pk=controller.pk)
        still = _missed().filter(pk=controller.pk, last_seen_at__lt=now - silence).values_list("last_seen_at", flat=True).first()
        if still is None or _open(Alarm.Kind.SILENT).filter(controller=controller).exists():
            return False
        facts = {"last_seen_at": still, "seconds": int(silence.total_seconds()), "tables": [str(one) for one in controller.tables.all()]}
        _raise(controller, Alarm.Kind.SILENT, since=still, facts=facts, actor=SYSTEM, now=now)
    return True


def _end_over(alarm: Alarm, now: datetime.datetime) -> bool:
    with transaction.atomic():
        Watch.objects.select_for_update(no_key=True).get(pk=alarm.controller_id)
        held = Alarm.objects.select_related("controller").get(pk=alarm.pk)
        if held.ended_at is not None:
            return False
        _end(held, held.controller, facts={"last_seen_at": held.controller.last_seen_at}, actor=SYSTEM, now=now)
    return True


def _raise(
    controller: Controller,
    kind: Alarm.Kind,
    *,
    since: datetime.datetime,
    facts: Mapping[str, Any],
    actor: journal.Actor,
    now: datetime.datetime,
) -> None:
    Alarm.objects.create(controller=controller, kind=kind, since=since, raised_at=now, facts=journal.plain(facts))
    notices = [(f"controller-{kind}", _key(controller))]
    _write_down(f"controller-{kind}", controller, facts, actor, now, notices=notices)


def _end(alarm: Alarm, controller: Controller, *, facts: Mapping[str, Any], actor: journal.Actor, now: datetime.datetime) -> None:
    alarm.ended_at = now
    alarm.save(update_fields=["ended_at"])
    journal.Notice.objects.filter(topic=f"controller-{alarm.kind}", key=_key(controller)).delete()
    _write_down(ENDED[Alarm.Kind(alarm.kind)], controller, {**facts, "since": alarm.since}, actor, now)


def _key(controller: Controller) -> str:
    return f"{controller.property_id}:{controller.name}"


def _write_down(
    kind: str,
    controller: Controller,
    facts: Mapping[str, Any],
    actor: journal.Actor,
    now: datetime.datetime,
    notices: Iterable[tuple[str, str]] = (),
) -> None:
    journal.append(
        kind=kind,
        now=now,
        actor=actor,
        facts=facts,
        property_id=controller.property_id,
        subject=f"controller:{controller.name}",
        notices=list(notices),
    )
