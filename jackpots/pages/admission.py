"""Who may come in at a page's door, and the doors that stand open to a person."""

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, cast

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django_htmx.http import HttpResponseClientRedirect

from audit.people import posts
from audit.people.models import Appointment, Person
from jackpots.hits import VALIDATORS

LOOKING = ("accounting", "auditor")
FLOOR = (*VALIDATORS, *LOOKING)
CAGE = ("cashier", *LOOKING)
METERS = (*FLOOR, "cashier", "technician")
WORKSHOP = ("technician", "auditor")
BOOKS = ("supervisor", "shift-supervisor", *LOOKING, "approver")

# In the order in which a person who logs in is shown to the first that is theirs.
DOORS = (
    ("floor", "Floor", FLOOR),
    ("cage", "Cage", CAGE),
    ("controllers-page", "Controllers", WORKSHOP),
    ("meters", "Meters", METERS),
    ("proof-lines", "Accounting", BOOKS),
)

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def admits(*roles: str) -> Callable[[View[P]], View[P]]:
    """Let in only people who hold one of the roles at some property."""

    def for_view(view: View[P]) -> View[P]:
        @functools.wraps(view)
        def admitted(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if not request.user.is_authenticated:
                return _to_login(request)
            if not posts.properties_of(person_of(request), *roles):
                raise PermissionDenied(f"This page is for {' or '.join(roles)}.")
            return view(request, *args, **kwargs)

        return cast(View[P], admitted)

    return for_view


def person_of(request: HttpRequest) -> Person:
    assert isinstance(request.user, Person), "the door has asked who this is"
    return request.user


def doors_of(person: Person) -> list[tuple[str, str]]:
    """The consoles a person may enter: the address's name, and its title."""
    held = set(Appointment.objects.filter(person=person).values_list("role", flat=True))
    return [(name, title) for name, title, roles in DOORS if held & set(roles)]


def show(request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    """A page with the way to the person's other doors."""
    doors = doors_of(request.user) if isinstance(request.user, Person) else []
    return render(request, template, {"doors": doors, **context}, status=status)


def _to_login(request: HttpRequest) -> HttpResponse:
    # A part of a page cannot show the login inside itself: the whole page goes there.
    if getattr(request, "htmx", False):
        return HttpResponseClientRedirect(resolve_url(settings.LOGIN_URL))
    return redirect_to_login(request.get_full_path())
