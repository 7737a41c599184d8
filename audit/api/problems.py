"""The one place where a "no" becomes a problem document (RFC 9457): refusals, the framework's own errors, and whatever was not foreseen."""

import sys
from collections.abc import Iterator
from typing import Any

import structlog
from django.core import exceptions as django_errors
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views import csrf as django_csrf
from django.views import defaults as django_pages
from rest_framework import exceptions, serializers
from rest_framework.response import Response

from audit.refusals import Refusal

log = structlog.get_logger("linkmeter.problems")

MEDIA_TYPE = "application/problem+json"

STATUS = {
    "unknown": 401,
    "forbidden": 403,
    "missing": 404,
    "conflict": 409,
    "too-large": 413,
    "unreadable": 422,
    "too-fast": 429,
    "not-now": 503,
}

TITLES = {
    400: "The request is not a proper one",
    401: "Who are you?",
    403: "Not yours",
    404: "No such thing",
    405: "Not done this way",
    406: "Not to be had in that form",
    409: "It conflicts with what is there",
    413: "Too large",
    415: "Not in that form",
    422: "It cannot be read",
    429: "Too fast",
    500: "Something went wrong here",
    503: "Try again",
}

# What the framework raises by itself, in our words: code and sentence. None leaves the framework's own sentence standing.
FOREIGN: list[tuple[type[Exception], int, str, str | None]] = [
    (exceptions.NotAuthenticated, 401, "not-authenticated", "You have not said who you are."),
    (exceptions.AuthenticationFailed, 401, "authentication-failed", None),
    (exceptions.PermissionDenied, 403, "not-allowed", None),
    (exceptions.NotFound, 404, "no-such-thing", "There is no such thing here."),
    (exceptions.MethodNotAllowed, 405, "method-not-allowed", None),
    (exceptions.NotAcceptable, 406, "not-acceptable", None),
    (exceptions.UnsupportedMediaType, 415, "unsupported-media-type", None),
    (exceptions.ParseError, 422, "unreadable", "The body of the request is not readable JSON."),
    (exceptions.ValidationError, 422, "invalid", "Some of the fields cannot be accepted; see the errors."),
    (exceptions.Throttled, 429, "too-fast", None),
    (Http404, 404, "no-such-thing", "There is no such thing here."),
    (django_errors.PermissionDenied, 403, "not-allowed", "You may not do this."),
    (django_errors.RequestDataTooBig, 413, "too-large", "The body of the request is too large."),
    (django_errors.BadRequest, 400, "bad-request", "The request is not a proper one."),
    (django_errors.SuspiciousOperation, 400, "bad-request", "The request is not a proper one."),
    # A lock that could not be had, a deadlock, a statement cut short, a database that went away: never an answer about the business.
    (OperationalError, 503, "try-again", "The service could not finish this just now; try again."),
    (InterfaceError, 503, "try-again", "The service could not finish this just now; try again."),
]

# How the framework's own sentences begin, where they are left standing; and ours for what nobody foresaw.
SAID_BY_THE_FRAMEWORK = {
    "authentication-failed": "Incorrect authentication credentials.",
    "not-allowed": "Only a table controller may do this.",
    "method-not-allowed": 'Method "PUT" not allowed.',
    "not-acceptable": "Could not satisfy the request Accept header.",
    "unsupported-media-type": 'Unsupported media type "text/plain" in request.',
    "too-fast": "Request was throttled. Expected available in 1 second.",
    "unexpected": "Something went wrong here; it has been logged.",
}

SECONDS_UNTIL_RETRY = 1


class FieldError(serializers.Serializer[dict[str, str]]):
    field = serializers.CharField()
    detail = serializers.CharField()


class Problem(serializers.Serializer[dict[str, Any]]):
    """The shape of every error, for the published schema."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    retryable = serializers.BooleanField()
    errors = FieldError(many=True, required=False)  # type: ignore[assignment]  # a field, not the property of that name


def answer(exc: Exception, context: dict[str, Any]) -> Response:
    """The REST framework's exception handler."""
    body, headers = document(exc)
    response = Response(body, status=body["status"], content_type=MEDIA_TYPE, headers=headers)
    # The framework would otherwise turn a 401 into a 403 where the first way of proving oneself names no challenge.
    if body["status"] == 401:
        response["WWW-Authenticate"] = getattr(exc, "auth_header", None) or "Bearer"
    return response


def document(exc: BaseException) -> tuple[dict[str, Any], dict[str, str]]:
    """The problem document of an exception, and the headers that go with it."""
    if isinstance(exc, Refusal):
        return _of_refusal(exc)
    for kind, status, code, sentence in FOREIGN:
        if isinstance(exc, kind):
            return _of_foreign(exc, status=status, code=code, sentence=sentence)
    # The whole story goes to the log, under the request's id; the caller learns nothing of our insides.
    log.error("unexpected error", exc_info=exc)
    return of_code("unexpected", status=500), {}


def of_code(code: str, *, status: int) -> dict[str, Any]:
    """What the framework refuses by itself, as a problem document, without the occasion."""
    sentences = {(known, its): sentence for _, its, known, sentence in FOREIGN}
    detail = SAID_BY_THE_FRAMEWORK.get(code) or sentences[code, status] or ""
    errors = [{"field": "name", "detail": "There is no such field."}] if code == "invalid" else []
    return _body(status=status, code=code, detail=detail, retryable=status in {429, 503}, errors=errors)


def problem(
    *, status: int, code: str, detail: str, retryable: bool = False, errors: list[dict[str, str]] | None = None, **facts: Any
) -> HttpResponse:
    """A problem document as a plain Django response."""
    body = _body(status=status, code=code, detail=detail, retryable=retryable, errors=errors or [], **facts)
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _plain(Http404()) if _is_api(request) else django_pages.page_not_found(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _plain(django_errors.PermissionDenied()) if _is_api(request) else django_pages.permission_denied(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _plain(exception) if _is_api(request) else django_pages.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponseBase:
    # Django tells its handler only that something went wrong; what it was is still the exception being handled.
    return _plain(sys.exc_info()[1] or RuntimeError()) if _is_api(request) else django_pages.server_error(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    if not _is_api(request):
        return django_csrf.csrf_failure(request, reason=reason)
    return problem(status=403, code="csrf-failed", detail="The request did not carry the page's own token; load the page again.")


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _plain(exc: BaseException) -> HttpResponse:
    body, headers = document(exc)
    return JsonResponse(body, status=body["status"], content_type=MEDIA_TYPE, headers=headers)


def _of_refusal(refusal: Refusal) -> tuple[dict[str, Any], dict[str, str]]:
    status = STATUS[refusal.category]
    body = _body(
        status=status,
        code=refusal.code,
        detail=refusal.detail,
        retryable=refusal.retryable or refusal.category == "too-fast",
        errors=refusal.errors,
        **refusal.facts,
    )
    wait = refusal.facts.get("seconds", SECONDS_UNTIL_RETRY)
    return body, {"Retry-After": str(wait)} if status in {429, 503} else {}


def _of_foreign(exc: BaseException, *, status: int, code: str, sentence: str | None) -> tuple[dict[str, Any], dict[str, str]]:
    errors = list(_field_errors(exc.detail)) if isinstance(exc, exceptions.ValidationError) else []
    detail = sentence or str(getattr(exc, "detail", "")) or "That was refused."
    if status == 503:
        log.warning("try again", exc_info=exc)
    headers = {"Retry-After": str(_wait(exc))} if status in {429, 503} else {}
    return _body(status=status, code=code, detail=detail, retryable=status in {429, 503}, errors=errors), headers


def _wait(exc: BaseException) -> int:
    return max(SECONDS_UNTIL_RETRY, int(getattr(exc, "wait", None) or SECONDS_UNTIL_RETRY))


def _field_errors(detail: Any, field: str = "") -> Iterator[dict[str, str]]:
    """The framework nests field errors as deep as the fields are nested; here each has one line, with its path."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _field_errors(inner, _path(field, name))
    elif isinstance(detail, list | tuple):
        for place, inner in enumerate(detail):
            yield from _field_errors(inner, _path(field, place) if isinstance(inner, dict | list) else field)
    else:
        yield {"field": field, "detail": str(detail)}


def _path(field: str, name: str | int) -> str:
    if isinstance(name, int):
        return f"{field}[{name}]"
    return ".".join(part for part in (field, name) if part and part != "non_field_errors")


def _body(
    *, status: int, code: str, detail: str, retryable: bool, errors: list[dict[str, str]] | None = None, **facts: Any
) -> dict[str, Any]:
    known = {"type": f"/problems/{code}", "title": TITLES[status], "status": status, "detail": detail, "code": code}
    named = {"errors": errors} if errors else {}
    # A fact never hides one of the document's own members.
    return {**{name: _plain_fact(fact) for name, fact in facts.items()}, **known, "retryable": retryable, **named}


def _plain_fact(fact: Any) -> Any:
    return fact if fact is None or isinstance(fact, bool | int | str | list | dict) else str(fact)
