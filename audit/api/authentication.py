"""Which person is this: the web session, with its protection against forged requests."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import exceptions
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request

from audit.people.models import Person
from audit.refusals import NotAllowed


class CsrfFailed(NotAllowed):
    """The request did not carry the page's own token; load the page again."""


class PersonAuthentication(SessionAuthentication):
    """A person who has logged in. Whatever changes something must carry the page's token as well."""

    def authenticate(self, request: Request) -> tuple[Person, None] | None:
        person = getattr(request._request, "user", None)
        if not isinstance(person, Person) or not person.is_active:
            return None
        self.enforce_csrf(request)
        return person, None

    def enforce_csrf(self, request: Request) -> None:
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied:
            raise CsrfFailed from None

    def authenticate_header(self, request: Request) -> str:
        # With a challenge the framework answers 401 to whoever has not said who they are, and not 403.
        return "Session"


class PersonScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the published schema describes it."""

    target_class = PersonAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}
