"""The floor console: the hits that wait, why each amount is what it is, and the signature."""

import hashlib
from collections.abc import Callable
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from audit.api.problems import STATUS
from audit.people.models import Person
from audit.refusals import NotNow, Refusal
from jackpots import hits, nudges, viewing
from jackpots.models import Hit, Progressive
from jackpots.pages import admission, alarms, shown

LISTED_AT_MOST = 40
RECENT = 8


class ActUnknown(Refusal):
    """Approve, hold or reject."""

    category = "unreadable"


@require_safe
@admission.admits(*admission.FLOOR)
def console(request: HttpRequest) -> HttpResponse:
    """The queue, with the most urgent hit beside it."""
    person = admission.person_of(request)
    queue = _queue(person)
    first = next(iter([*queue["on_meters"], *queue["from_house"]]), None)
    hit = shown.whole(viewing.hit_for(person, first["number"]), viewer=person) if first else None
    return admission.show(request, "jackpots/floor.html", {**queue, "hit": hit})


@require_safe
@admission.admits(*admission.FLOOR)
def one_hit(request: HttpRequest, number: str) -> HttpResponse:
    """The queue, with one chosen hit beside it."""
    person = admission.person_of(request)
    hit = shown.whole(_hit(person, number), viewer=person)
    return admission.show(request, "jackpots/floor.html", {**_queue(person), "hit": hit, "is_chosen": True})


@require_safe
@admission.admits(*admission.FLOOR)
def queue(request: HttpRequest) -> HttpResponse:
    """The queue by itself, for the page to ask after; nothing where nothing has changed."""
    listed = _queue(admission.person_of(request))
    if request.GET.get("seen") == listed["queue_seen"]:
        return HttpResponse(status=204)
    return render(request, "jackpots/parts/queue.html", listed)


@require_safe
@admission.admits(*admission.FLOOR)
def panel(request: HttpRequest, number: str) -> HttpResponse:
    """One hit by itself, for the page to ask after; nothing where nothing has changed."""
    person = admission.person_of(request)
    hit = _hit(person, number)
    if request.GET.get("seen") == shown.digest(hit):
        return HttpResponse(status=204)
    told = shown.whole(hit, viewer=person)
    notice = "This hit has changed. Look again before you sign." if told["is_waiting"] else ""
    return render(request, "jackpots/parts/hit.html", {"hit": told, "notice": notice})


@require_POST
@admission.admits(*admission.FLOOR)
def decide(request: HttpRequest, number: str) -> HttpResponse:
    """Approve, hold or reject; a "no" is said in place, beside the PIN."""
    person = admission.person_of(request)
    status, problem = 200, ""
    try:
        _verb(request.POST.get("act", ""))(request, number, person)
    except Refusal as no:
        status, problem = STATUS[no.category], no.detail
    except (OperationalError, InterfaceError):
        status, problem = STATUS[NotNow.category], NotNow().detail
    told = {"hit": shown.whole(_hit(person, number), viewer=person), "problem": problem}
    if getattr(request, "htmx", False):
        return render(request, "jackpots/parts/hit.html", told, status=status)
    return admission.show(request, "jackpots/floor.html", {**_queue(person), **told, "is_chosen": True}, status=status)


@require_safe
@admission.admits(*admission.METERS)
def meters(request: HttpRequest) -> HttpResponse:
    """All meters at a glance."""
    opened = Progressive.objects.filter(opened_at__isnull=False, has_meter=True).order_by("name")
    return admission.show(request, "jackpots/meters.html", {"progressives": opened})


def _verb(act: str) -> Callable[[HttpRequest, str, Person], None]:
    verbs = {"approve": _approve, "hold": _hold, "reject": _reject}
    if act not in verbs:
        raise ActUnknown
    return verbs[act]


def _approve(request: HttpRequest, number: str, person: Person) -> None:
    award, pin = request.POST.get("award", ""), request.POST.get("pin", "")
    hits.approve(number=number, person=person, pin=pin, award=award, now=timezone.now())
    nudges.nudge(nudges.PAYOUTS)


def _hold(request: HttpRequest, number: str, person: Person) -> None:
    pin, reason = request.POST.get("pin", ""), request.POST.get("reason", "")
    hits.hold(number=number, person=person, pin=pin, reason=reason, now=timezone.now())


def _reject(request: HttpRequest, number: str, person: Person) -> None:
    pin, reason = request.POST.get("pin", ""), request.POST.get("reason", "")
    hits.reject(number=number, person=person, pin=pin, reason=reason, now=timezone.now())


def _hit(person: Person, number: str) -> Hit:
    try:
        return viewing.hit_for(person, number)
    except hits.NoSuchHit as no:
        raise Http404(no.detail) from no


def _queue(person: Person) -> dict[str, Any]:
    waiting = [shown.line(hit) for state in ("pending", "held") for hit in viewing.hits_for(person, state=state)]
    settled = [shown.line(hit) for hit in viewing.hits_for(person) if hit.state not in (Hit.State.PENDING, Hit.State.HELD)]
    on_meters = [one for one in waiting if one["is_on_meter"]]
    from_house = [one for one in waiting if not one["is_on_meter"]]
    listed = {
        "on_meters": on_meters[:LISTED_AT_MOST],
        "from_house": from_house[:LISTED_AT_MOST],
        "unlisted": len(on_meters[LISTED_AT_MOST:]) + len(from_house[LISTED_AT_MOST:]),
        "waiting_count": len(waiting),
        "recent": settled[:RECENT],
        "alarms": alarms.told_to(person, *admission.FLOOR),
    }
    return {**listed, "queue_seen": hashlib.sha256(repr(listed).encode()).hexdigest()[:16]}
