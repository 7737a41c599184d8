"""Which controller is this."""

import time
from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from audit.refusals import Refusal
from tables import controllers, rates
from tables.models import Controller


class TokenUnknown(Refusal):
    """That token is not known here, has expired or was revoked."""

    category = "unknown"


class ControllerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`. Whoever sends none may prove themselves in another way."""

    def authenticate(self, request: Request) -> tuple[Controller, None] | None:
        scheme, _, token = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        controller = controllers.of_token(token.decode("latin-1").strip(), now=timezone.now())
        if controller is None:
            raise TokenUnknown
        rates.spend(controller_id=controller.pk, rate=controller.rate, moment_ns=time.monotonic_ns())
        return controller, None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class IsController(BasePermission):
    message = "Only a table controller may do this."

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.user, Controller)


def controller_of(request: Request) -> Controller:
    """The controller behind a request that only controllers may make."""
    user: object = request.user
    assert isinstance(user, Controller), "the door is open to controllers only"
    return user


class ControllerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the published schema describes it."""

    target_class = ControllerAuthentication
    name = "controller"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
