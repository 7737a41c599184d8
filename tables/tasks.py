"""What the worker does for the floor. Every task is safe to run twice."""

import datetime
from typing import Any

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from tables import watching


@shared_task(name="tables.watch")
def watch(**_: Any) -> int:
    """Look whether a controller fell silent, or is heard again."""
    return watching.look(silence=datetime.timedelta(seconds=settings.CONTROLLER_SILENCE_SECONDS), now=timezone.now())
