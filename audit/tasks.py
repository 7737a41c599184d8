"""What the worker does for the cellar."""

import datetime
from typing import Any

from celery import shared_task

from audit import sealing


@shared_task(name="audit.seal")
def seal(**_others: Any) -> None:
    """Seal what is waiting. Safe to run twice, or twice at once: there is one sealer at a time."""
    sealing.seal(now=datetime.datetime.now(datetime.UTC))
