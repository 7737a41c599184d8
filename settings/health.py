"""Whether the service is there, and whether it can work."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from settings.celery import app


def alive(request: HttpRequest) -> JsonResponse:
    """This process serves."""
    return JsonResponse({"status": "ok"})


def ready(request: HttpRequest) -> JsonResponse:
    """The database answers. A silent broker only makes the service degraded: events are still taken, and nothing is lost."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "unavailable", "database": "silent"}, status=503)
    broker = "ok" if _broker_answers() else "silent"
    return JsonResponse({"status": "ok" if broker == "ok" else "degraded", "database": "ok", "broker": broker})


def _broker_answers() -> bool:
    try:
        with app.connection_for_write(connect_timeout=1) as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=1)
    except Exception:
        # Whatever its own way of refusing is: a broker that does not work is silent to us, and the service is degraded, not down.
        return False
    return True
