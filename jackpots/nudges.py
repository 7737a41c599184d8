"""A nudge makes the worker look now instead of at its next sweep. It is sent by name, after the answer is certain, and may get lost."""

import celery
import structlog
from kombu.exceptions import OperationalError

log = structlog.get_logger("linkmeter.nudges")

PAYOUTS = "jackpots.sweep"


def nudge(task: str) -> None:
    """Ask for a task by its name. A broker that does not answer is no reason to fail: the sweep finds what is waiting."""
    try:
        celery.current_app.send_task(task, retry=False, expires=30)
    except (OperationalError, OSError) as fault:
        log.warning("the broker did not take a nudge; the sweep will see to it", task=task, fault=str(fault))
