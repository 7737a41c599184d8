"""A nudge makes the worker look now instead of at its next sweep. It is sent by name, after the answer is certain, and may get lost."""

import celery
import structlog

log = structlog.get_logger("linkmeter.nudges")

PAYOUTS = "jackpots.sweep"


def nudge(task: str) -> None:
    """Ask for a task by its name. A broker that does not answer is no reason to fail: the sweep finds what is waiting."""
    try:
        celery.current_app.send_task(task, retry=False, expires=30)
    except Exception as fault:
        # Each broker has errors of its own for being away, refusing a password or missing a queue; after a verb has committed none of
        # them may turn its answer into a failure.
        log.warning("the broker did not take a nudge; the sweep will see to it", task=task, fault=str(fault))
