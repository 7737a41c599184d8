"""Which controller is this."""

import time
from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from tables import controllers, rates
from tables.inbox import Sender
from tables.models import Controller


class ControllerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`. Whoever sends none may prove themselves in another way.

    A door that has ``proves_its_senders`` proves the token itself, in the transaction in which it takes what was sent, as `sender_of`
    tells it to. Most senders sent something a moment ago. To ask whose their token is takes a trip to the database, and so does taking
    the event; such a door makes one of the two.
    """

    def authenticate(self, request: Request) -> tuple[Controller, str | None] | None:
        scheme, _, told = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        token, now = told.decode("latin-1").strip(), timezone.now()
        unproven = controllers.hash_of(token) if getattr(request.parser_context["view"], "proves_its_senders", False) else None
        controller = controllers.remembered(unproven, now=now) if unproven else None
        controller = controller or controllers.of_token(token, now=now)
        if controller is None:
            raise controllers.TokenUnknown
        rates.spend(controller_id=controller.pk, rate=controller.rate, moment_ns=time.monotonic_ns())
        return controller, unproven

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class IsController(BasePermission):
    message = "Only a table controller may do this."

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.user, Controller)


def controller_of(request: Request) -> Controller:
    """The controller behind a request that only controllers may make."""
    assert request.auth is None, "this door does not prove its senders itself"
    return _caller(request)


def sender_of(request: Request) -> Sender:
    """The same for whoever takes its events, with what is still to be proven."""
    unproven: object = request.auth
    assert unproven is None or isinstance(unproven, str), "what ControllerAuthentication leaves to be proven"
    return Sender(controller_id=_caller(request).pk, unproven=unproven)


def _caller(request: Request) -> Controller:
    user: object = request.user
    assert isinstance(user, Controller), "the door is open to controllers only"
    return user


class ControllerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the published schema describes it."""

    target_class = ControllerAuthentication
    name = "controller"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
