"""kill -9 of the worker between approval and payout, then a restart: one payout, one slip number."""

import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from audit import journal
from jackpots import hits, nudges
from jackpots.models import Hit, Payout, Slip
from tests import cast

pytestmark = pytest.mark.worker
ROOT = pathlib.Path(__file__).resolve().parents[2]

# The worker as it is, but stopping for good in the middle of making a payout: rows written, nothing committed.
STUCK_WORKER = """
import os, pathlib, sys, time, django
django.setup()
from jackpots import payouts
def stuck(hit):
    pathlib.Path(os.environ["STUCK_AT"]).touch()
    time.sleep(600)
payouts._finish = stuck
from settings.celery import app
app.worker_main(["worker", "--pool", "solo", "--loglevel", "warning"])
"""


def wait_for(condition: Callable[[], Any], *, seconds: float = 40) -> None:
    """Wait until something is so; running out of patience is a failure of the thing, not a measurement."""
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, "it did not happen"
        time.sleep(0.1)


@pytest.fixture
def start(committed: None, broker: str) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []

    def run(*command: str, **environment: str) -> subprocess.Popen[bytes]:
        full = {**os.environ, "DJANGO_SETTINGS_MODULE": "settings.test", "PYTHONPATH": str(ROOT), **environment}
        child = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=full, start_new_session=True)
        started.append(child)
        return child

    yield run
    for child in started:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def approved_hit() -> Hit:
    house = cast.house()
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00"})
    hit = dealer.hit(5, cast.ROYAL, "royal-flush")
    return hits.approve(number=hit["hit"], person=house.sam, pin=cast.PIN, award=hit["award"], now=cast.NOW)


def test_a_worker_killed_at_work_leaves_one_payout_and_one_slip(
    start: Callable[..., subprocess.Popen[bytes]], tmp_path: pathlib.Path
) -> None:
    hit = approved_hit()
    mark = tmp_path / "stuck"
    doomed = start("-c", STUCK_WORKER, STUCK_AT=str(mark))
    nudges.nudge(nudges.PAYOUTS)
    wait_for(mark.exists)
    os.killpg(doomed.pid, signal.SIGKILL)
    doomed.wait()
    assert not Payout.objects.exists()
    assert journal.waiting() == {"payout-due": 1}

    start("-m", "celery", "-A", "settings", "worker", "--pool", "solo", "--loglevel", "warning")
    nudges.nudge(nudges.PAYOUTS)
    wait_for(Slip.objects.exists)
    # The killed worker's message comes back too; give the second run every chance to pay twice.
    nudges.nudge(nudges.PAYOUTS)
    wait_for(lambda: journal.waiting() == {})
    payout = Payout.objects.get()
    assert (payout.award.hit_id, payout.slip.number) == (hit.pk, 1)


def test_with_nobody_to_nudge_the_sweep_finds_it(start: Callable[..., subprocess.Popen[bytes]], tmp_path: pathlib.Path) -> None:
    approved_hit()
    start("-m", "celery", "-A", "settings", "worker", "--pool", "solo", "--loglevel", "warning")
    start("-m", "celery", "-A", "settings", "beat", "--loglevel", "warning", "--schedule", str(tmp_path / "beat"))
    wait_for(Slip.objects.exists)
    assert Payout.objects.get().slip.number == 1
