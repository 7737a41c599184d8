"""What the worker does after the answer: sweep what is waiting, fold the meters. Every task is safe to run twice."""

from typing import Any

from celery import shared_task
from django.utils import timezone

from jackpots import meters, payouts


@shared_task(name="jackpots.sweep")
def sweep(**_: Any) -> int:
    """Make the payouts and slips of what has been approved."""
    return payouts.make_due(now=timezone.now())


@shared_task(name="jackpots.fold")
def fold(**_: Any) -> int:
    """Bring every meter's balance up to its last transfer."""
    return meters.fold_all(now=timezone.now())
