"""The technician's pages: every controller at a glance, and one with all that can be done to it."""

import datetime
import hashlib
from collections.abc import Callable
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from audit.api.problems import STATUS
from audit.people import posts
from audit.people.models import Person, Property
from audit.refusals import NoSuchThing, NotNow, Refusal
from jackpots import overview, workshop
from jackpots.pages import admission, alarms, shown
from jackpots.pages.alarms import clock
from jackpots.rules import money
from tables import controllers
from tables.models import Controller, Table

REFUSED_AT_ONCE = 15
OVERLAPS = {"0": "none, it stops now", "900": "15 minutes", "3600": "an hour", "86400": "a day", "604800": "a week"}
STATES = {"alive": "alive", "silent": "silent", "never-heard": "never heard", "revoked": "revoked"}
# A clock this close is in step; the line alone takes some milliseconds.
IN_STEP_MS = 250


class ActUnclear(Refusal):
    """Move, rotate, set the rate, pass over or revoke."""

    category = "unreadable"


class NumberUnclear(Refusal):
    """{told} is not a whole number."""

    category = "unreadable"


@require_http_methods(["GET", "HEAD", "POST"])
@admission.admits(*admission.WORKSHOP)
def listing(request: HttpRequest) -> HttpResponse:
    """All controllers, and pairing one."""
    if request.method == "POST":
        return _pair(request)
    told = _listed(admission.person_of(request))
    if getattr(request, "htmx", False):
        return _changed(request, "jackpots/parts/controllers.html", told)
    return admission.show(request, "jackpots/controllers.html", {**told, **_pairing(admission.person_of(request))})


@require_http_methods(["GET", "HEAD"])
@admission.admits(*admission.WORKSHOP)
def one(request: HttpRequest, name: str) -> HttpResponse:
    """One controller; to the page that asks after it only how it is."""
    person = admission.person_of(request)
    controller = _found(request, person, name)
    if getattr(request, "htmx", False):
        return _changed(request, "jackpots/parts/controller.html", _condition(person, controller))
    return _page(request, person, controller)


@require_http_methods(["GET", "HEAD", "POST"])
@admission.admits(*admission.WORKSHOP)
def act(request: HttpRequest, name: str) -> HttpResponse:
    """Do one thing to a controller; a "no" is said in place, beside the PIN. Whoever comes back to the address is led to the page."""
    person = admission.person_of(request)
    controller = _found(request, person, name)
    if request.method != "POST":
        return redirect(f"{reverse('controller-page', args=[name])}?property={controller.property.slug}")
    asked = request.POST.get("act", "")
    status, told = _tried(lambda: ACTS.get(asked, _unclear)(request, person, controller))
    return _page(request, person, _found(request, person, name), status=status, act=asked, **told)


def _pair(request: HttpRequest) -> HttpResponse:
    person, name = admission.person_of(request), request.POST.get("controller", "").strip()
    status, told = _tried(lambda: {"token": _paired(request, person, name)})
    if told.get("problem"):
        typed = {"typed": {"controller": name, "tables": request.POST.getlist("tables")}}
        return admission.show(request, "jackpots/controllers.html", {**_listed(person), **_pairing(person), **told, **typed}, status=status)
    place = request.POST.get("property") or None
    return _page(request, person, workshop.controller_for(person, name, place), token=told["token"])


def _paired(request: HttpRequest, person: Person, name: str) -> str:
    place = overview.property_for(person, request.POST.get("property", ""))
    tables = workshop.tables_named(person, place, request.POST.getlist("tables"))
    pin = request.POST.get("pin", "")
    return controllers.pair(property=place, name=name, tables=tables, person=person, pin=pin, now=timezone.now())[1]


def _move(request: HttpRequest, person: Person, controller: Controller) -> dict[str, str]:
    tables = workshop.tables_named(person, controller.property, request.POST.getlist("tables"))
    controllers.move(controller=controller, tables=tables, person=person, pin=request.POST.get("pin", ""), now=timezone.now())
    return {"done": f"It speaks for {', '.join(table.name for table in tables)} from now on."}


def _rotate(request: HttpRequest, person: Person, controller: Controller) -> dict[str, str]:
    overlap = datetime.timedelta(seconds=_number(request, "overlap"))
    pin = request.POST.get("pin", "")
    return {"token": controllers.rotate(controller=controller, person=person, overlap=overlap, pin=pin, now=timezone.now())}


def _revoke(request: HttpRequest, person: Person, controller: Controller) -> dict[str, str]:
    controllers.revoke(controller=controller, person=person, pin=request.POST.get("pin", ""), now=timezone.now())
    return {"done": "Revoked. None of its tokens works any more."}


def _rate(request: HttpRequest, person: Person, controller: Controller) -> dict[str, str]:
    rate = _number(request, "rate") if request.POST.get("rate", "").strip() else None
    controllers.set_rate(controller=controller, rate=rate, person=person, pin=request.POST.get("pin", ""), now=timezone.now())
    return {"done": "It follows the site's rate." if rate is None else f"It may call {rate} times a second."}


def _pass_over(request: HttpRequest, person: Person, controller: Controller) -> dict[str, str]:
    sequence, reason = _number(request, "sequence"), request.POST.get("reason", "")[:200]
    pin = request.POST.get("pin", "")
    controllers.pass_over(controller=controller, sequence=sequence, reason=reason, person=person, pin=pin, now=timezone.now())
    return {"done": f"Sequence {sequence} was passed over; the next is {sequence + 1}."}


def _unclear(request: HttpRequest, person: Person, controller: Controller) -> dict[str, str]:
    raise ActUnclear


ACTS: dict[str, Callable[[HttpRequest, Person, Controller], dict[str, str]]] = {
    "move": _move,
    "rotate": _rotate,
    "revoke": _revoke,
    "rate": _rate,
    "pass-over": _pass_over,
}


def _tried(verb: Callable[[], dict[str, str]]) -> tuple[int, dict[str, str]]:
    try:
        return 200, verb()
    except Refusal as no:
        return STATUS[no.category], {"problem": no.detail}
    except (OperationalError, InterfaceError):
        return STATUS[NotNow.category], {"problem": NotNow().detail}


def _number(request: HttpRequest, name: str) -> int:
    told = request.POST.get(name, "").strip()
    if not (told.isascii() and told.isdigit() and len(told) <= 18):
        raise NumberUnclear(told=told or name)
    return int(told)


def _found(request: HttpRequest, person: Person, name: str) -> Controller:
    try:
        return workshop.controller_for(person, name, request.GET.get("property") or None)
    except NoSuchThing as no:
        raise Http404(no.detail) from no


def _page(request: HttpRequest, person: Person, controller: Controller, *, status: int = 200, **told: str) -> HttpResponse:
    before = request.GET.get("before", "")
    refused = workshop.refused_of(
        controller, before=int(before) if before.isascii() and before.isdigit() and len(before) <= 18 else None, limit=REFUSED_AT_ONCE + 1
    )
    context = {
        **_condition(person, controller),
        "refused": [{**one, "clock": clock(one["recorded_at"], controller.property)} for one in refused[:REFUSED_AT_ONCE]],
        "older": refused[REFUSED_AT_ONCE - 1]["sequence"] if len(refused) > REFUSED_AT_ONCE else None,
        "all_tables": Table.objects.filter(property=controller.property).order_by("name"),
        "overlaps": OVERLAPS,
        "try_address": request.build_absolute_uri(reverse("controller-me")),
        **told,
    }
    answer = admission.show(request, "jackpots/controller.html", context, status=status)
    if told.get("token"):
        answer["Cache-Control"] = "no-store"
    return answer


def _changed(request: HttpRequest, part: str, told: dict[str, Any]) -> HttpResponse:
    """A part by itself, for the page to ask after; nothing where nothing has changed."""
    if request.GET.get("seen") == told["seen"]:
        return HttpResponse(status=204)
    return render(request, part, told)


def _listed(person: Person) -> dict[str, Any]:
    now = timezone.now()
    places = {place.slug: place for place in Property.objects.filter(pk__in=posts.properties_of(person, *admission.WORKSHOP))}
    found = [_told(one, places[one["property"]], now) for one in workshop.controllers_for(person, now=now) if one["property"] in places]
    listed = {"controllers": found, "alarms": alarms.told_to(person, *admission.WORKSHOP), "is_one_house": len(places) == 1}
    return {**listed, "seen": _digest(listed)}


def _pairing(person: Person) -> dict[str, Any]:
    own = Property.objects.filter(pk__in=posts.properties_of(person, "technician")).order_by("slug")
    return {"houses": [{"place": place, "tables": place.tables.order_by("name")} for place in own]}


def _condition(person: Person, controller: Controller) -> dict[str, Any]:
    now, place = timezone.now(), controller.property
    own = [alarm for alarm in alarms.told_to(person) if (alarm["property"], alarm["controller"]) == (place.slug, controller.name)]
    told = {"controller": _told(workshop.one_shown(controller, now=now), place, now), "alarms": own}
    may_act = place.pk in posts.properties_of(person, "technician") and controller.revoked_at is None
    return {**told, "may_act": may_act, "seen": _digest(told)}


def _told(one: dict[str, Any], place: Property, now: datetime.datetime) -> dict[str, Any]:
    gap, counted = one["last_gap"], one["counts"]
    return {
        **one,
        "house": place.name,
        "address": f"{reverse('controller-page', args=[one['controller']])}?property={place.slug}",
        "state_word": STATES[one["state"]],
        "seen_ago": _ago(one["last_seen_at"], now),
        "seen_clock": clock(one["last_seen_at"], place) if one["last_seen_at"] else "",
        # Whoever has told neither a version nor an offset has sent no heartbeat yet.
        "skew": _skew(one["skew_ms"]) if one["version"] or one["skew_ms"] else "",
        "gap_clock": clock(gap["at"], place) if gap else "",
        "revoked_clock": clock(one["revoked_at"], place) if one["revoked_at"] else "",
        "live_tokens": [_token(token, place) for token in one["tokens"]],
        "compared": _compared(counted) if counted else [],
        "counted_clock": clock(counted["at"], place) if counted else "",
    }


def _token(token: dict[str, Any], place: Property) -> str:
    until = f", works until {clock(token['expires_at'], place)}" if token["expires_at"] else ""
    return f"made {clock(token['made_at'], place)}{until}"


def _compared(counted: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "table": table,
            "agrees": both["agrees"],
            **{side: f"{both[side]['wagers']:,}" for side in ("counted", "booked")},
            **{f"{side}_amount": shown.dollars(money.parse(both[side]["amount"])) for side in ("counted", "booked")},
        }
        for table, both in counted["tables"].items()
    ]


def _skew(skew_ms: int) -> str:
    if abs(skew_ms) < IN_STEP_MS:
        return "in step"
    way = "ahead" if skew_ms > 0 else "behind"
    return f"{_span(abs(skew_ms) // 1000)} {way}" if abs(skew_ms) >= 10_000 else f"{abs(skew_ms):,} ms {way}"


def _ago(at: datetime.datetime | None, now: datetime.datetime) -> str:
    if at is None:
        return "never"
    seconds = max(0, int((now - at).total_seconds()))
    return "just now" if seconds < 5 else f"{_span(seconds)} ago"


def _span(seconds: int) -> str:
    for size, word in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {word}"
    return f"{seconds} s"


def _digest(told: dict[str, Any]) -> str:
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]
