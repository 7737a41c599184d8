"""The Celery application, what beat starts, and how each kind of broker is made to keep what it is given."""

from typing import Any

import celery

app = celery.Celery("linkmeter")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# Sweeps, not timers: each finds whatever is waiting in the database, so a lost message or a missed beat costs seconds, never work.
BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "fold the meters": {"task": "jackpots.fold", "schedule": 1.0, "options": {"expires": 5}},
    "seal the records": {"task": "audit.seal", "schedule": 1.0, "options": {"expires": 5}},
    "watch the controllers": {"task": "tables.watch", "schedule": 5.0, "options": {"expires": 10}},
    "sweep the notices": {"task": "jackpots.sweep", "schedule": 2.0, "options": {"expires": 10}},
}


def broker_options(url: str) -> dict[str, Any]:
    if url.startswith("amqp"):
        return {"confirm_publish": True, "confirm_timeout": 2.0}
    # Without the two restore settings kombu looks for lost messages only every hundredth cycle of ten seconds.
    return {
        "visibility_timeout": 60,
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": 1.0,
        "socket_timeout": 5.0,
    }
