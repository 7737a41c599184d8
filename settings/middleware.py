"""What every request passes on its way in and out."""

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse

log = structlog.get_logger("linkmeter.request")

# A caller may name its request, so that its log and ours can be laid side by side; anything odd is replaced, not echoed.
CALLERS_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestId:
    """Gives each request an id, writes it into every log line of the request, and answers with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        told = request.headers.get("X-Request-ID", "")
        request_id = told if CALLERS_ID.fullmatch(told) else uuid.uuid4().hex
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        began = time.monotonic()
        response = self.get_response(request)
        response["X-Request-ID"] = request_id
        if not request.path.startswith(("/healthz", "/readyz", "/static/")):
            milliseconds = round((time.monotonic() - began) * 1000, 1)
            log.info("answered", method=request.method, path=request.path, status=response.status_code, ms=milliseconds)
        return response
