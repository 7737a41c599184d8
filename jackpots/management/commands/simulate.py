"""`manage.py simulate`: play rounds on the demonstration floor through the REST API."""

import argparse
import pathlib
import secrets
import signal
import sys
import threading
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from jackpots.simulator import controller as controllers
from jackpots.simulator import floor as floors
from jackpots.simulator import pace as paces


def _above_zero(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("must be a number above zero")
    return number


class Command(BaseCommand):
    help = "Play rounds at the demonstration's tables through the REST API, with real controller tokens, until stopped."
    # The simulator speaks to the service as a stranger does; it needs no database, no URLs and no checks of them.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--demo", type=pathlib.Path, required=True, help="the demonstration's logins and controller tokens, as JSON")
        parser.add_argument("--url", required=True, help="where the service answers, such as http://127.0.0.1:8700")
        parser.add_argument("--pace", type=_above_zero, default=1.0, help="how many times faster than people the tables play (1)")
        parser.add_argument("--seed", type=int, help="shuffle the decks from this number, to see the same rounds again")
        parser.add_argument("--rounds", type=int, help="how many rounds each table plays (without end)")
        parser.add_argument("--honest", action="store_true", help="never use the stacked demo deck")
        parser.add_argument("--tables", nargs="+", default=[], metavar="NAME", help="play only at these tables")

    def handle(self, *args: Any, **options: Any) -> None:
        pace = paces.Pace(multiple=options["pace"])
        _close_on_signals(pace)
        seed = secrets.randbelow(1_000_000) if options["seed"] is None else options["seed"]
        try:
            cast = floors.Cast.read(options["demo"])
            floor = floors.Floor(cast=cast, url=options["url"], seed=seed, pace=pace, is_demonstration=not options["honest"])
            ended_well = floor.play(rounds=options["rounds"], only=options["tables"])
        except (OSError, ValueError, controllers.TurnedAway) as error:
            raise CommandError(str(error)) from error
        if not ended_well:
            sys.exit(1)


def _close_on_signals(pace: paces.Pace) -> None:
    def close(_number: int, _frame: FrameType | None) -> None:
        # A signal interrupts the main thread anywhere, perhaps inside the very lock that closing takes; another thread can wait for it.
        threading.Thread(target=pace.close, name="closing").start()

    signal.signal(signal.SIGTERM, close)
    signal.signal(signal.SIGINT, close)
