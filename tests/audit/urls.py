"""A site of the cellar's own doors, with one more door that raises whatever it is asked to."""

from collections.abc import Callable
from typing import Any

from django.core import exceptions as django_errors
from django.db import InterfaceError, OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import include, path
from rest_framework import exceptions, serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from audit import refusals

handler400 = "audit.api.problems.bad_request"
handler403 = "audit.api.problems.forbidden"
handler404 = "audit.api.problems.not_found"
handler500 = "audit.api.problems.server_error"


class SequenceGap(refusals.Refusal):
    """Sequence {got} came where {expected} was expected."""


class Paused(refusals.Refusal):
    """Try again in {seconds} seconds."""

    category = "too-fast"


class TooManyEvents(refusals.Refusal):
    """At most {most} events at once."""

    category = "too-large"


class NotReadable(refusals.Refusal):
    """Fields are wrong."""

    category = "unreadable"


class WhoAreYou(refusals.Refusal):
    """Who are you?"""

    category = "unknown"


class Wager(serializers.Serializer[dict[str, Any]]):
    seat = serializers.IntegerField()


class Lockout(serializers.Serializer[dict[str, Any]]):
    chips = serializers.IntegerField()
    wagers = Wager(many=True)


def _invalid() -> None:
    Lockout(data={"wagers": [{"seat": 1}, {"seat": "x"}]}).is_valid(raise_exception=True)


def _a_query_that_is_cut_short() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 1")
        cursor.execute("SELECT pg_sleep(60), 'the secret of the query'")


def _a_programming_error() -> None:
    raise ZeroDivisionError("the secret of the house")


def raising(error: Exception) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


TROUBLES: dict[str, Callable[[], None]] = {
    "gap": raising(SequenceGap(got=7, expected=5)),
    "paused": raising(Paused(seconds=42)),
    "too-large": raising(TooManyEvents(most=1000)),
    "fields": raising(NotReadable(errors=[{"field": "pin", "detail": "It is missing."}])),
    "who": raising(WhoAreYou()),
    "not-now": raising(refusals.NotNow()),
    "not-allowed": raising(refusals.NotAllowed()),
    "missing": raising(refusals.NoSuchThing()),
    "invalid": _invalid,
    "throttled": raising(exceptions.Throttled(wait=30)),
    "denied": raising(exceptions.PermissionDenied("Only a table controller may do this.")),
    "failed": raising(exceptions.AuthenticationFailed("That token has expired.")),
    "http404": raising(Http404("SELECT * FROM secrets")),
    "django-denied": raising(django_errors.PermissionDenied("secret")),
    "too-big": raising(django_errors.RequestDataTooBig("secret")),
    "suspicious": raising(django_errors.SuspiciousOperation("secret")),
    "lock": raising(OperationalError("canceling statement due to lock timeout: secret")),
    "interface": raising(InterfaceError("connection already closed: secret")),
    "cut-short": _a_query_that_is_cut_short,
    "unexpected": _a_programming_error,
}


@api_view(["GET", "POST"])
@permission_classes([AllowAny])
def trouble(request: Request, name: str) -> Response:
    assert request.data is not None
    TROUBLES[name]()
    return Response({})


@api_view(["POST"])
def for_people(request: Request) -> Response:
    return Response({"you": str(request.user)})


def plain_trouble(request: HttpRequest, name: str) -> HttpResponse:
    TROUBLES[name]()
    return HttpResponse()


urlpatterns = [
    path("api/v1/", include("audit.api.urls")),
    path("api/trouble/<str:name>/", trouble),
    path("api/for-people/", for_people),
    path("api/plain/<str:name>/", plain_trouble),
    path("page/<str:name>/", plain_trouble),
]
