"""`manage.py simulate`: play rounds through the REST API; with faults and a reckoning; or check a server against the contract."""

import argparse
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from jackpots.simulator import account as accounts
from jackpots.simulator import conformance, faults, lives, reckoning
from jackpots.simulator import controller as controllers
from jackpots.simulator import floor as floors
from jackpots.simulator import pace as paces

ROUNDS_WITH_FAULTS = 20


def _above_zero(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("must be a number above zero")
    return number


def _faults(text: str) -> frozenset[str]:
    try:
        return faults.chosen(text)
    except faults.NoSuchFault as error:
        raise argparse.ArgumentTypeError(str(error)) from error


class Command(BaseCommand):
    help = "Play rounds at the demonstration's tables through the REST API, with real controller tokens, until stopped."
    # The simulator speaks to the service as a stranger does; it needs no database, no URLs and no checks of them.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--demo", type=pathlib.Path, help="the logins and controller tokens, as JSON")
        parser.add_argument("--url", help="where the service answers, such as http://127.0.0.1:8700")
        parser.add_argument("--pace", type=_above_zero, default=1.0, help="how many times faster than people the tables play (1)")
        parser.add_argument("--seed", type=int, help="shuffle the decks from this number, to see the same rounds again")
        parser.add_argument("--rounds", type=int, help="how many rounds each table plays (without end; 20 with faults)")
        parser.add_argument("--honest", action="store_true", help="never use the stacked demo deck")
        parser.add_argument("--tables", nargs="+", default=[], metavar="NAME", help="play only at these tables")
        parser.add_argument(
            "--faults",
            type=_faults,
            nargs="?",
            const=frozenset(faults.KINDS),
            default=frozenset(),
            metavar="KINDS",
            help=f"play on a bad line, all of it or some, such as drop,cut ({', '.join(faults.KINDS)}), and compare the figures at the end",
        )
        parser.add_argument("--notebooks", type=pathlib.Path, help="the folder where controllers keep what they sent")
        parser.add_argument("--check", metavar="URL", help="hold a server against the contract instead of playing")
        parser.add_argument("--token", help="with --check: the token of a controller whose table nobody else plays at")
        parser.add_argument(
            "--report", type=pathlib.Path, help="with --check: where the report goes, as Markdown, or as JSON if it ends so"
        )
        parser.add_argument("--life", type=int, help=argparse.SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            is_well = self._check(options) if options["check"] else self._play(options)
        except (OSError, ValueError, controllers.TurnedAway) as error:
            raise CommandError(str(error)) from error
        if not is_well:
            sys.exit(1)

    def _play(self, options: dict[str, Any]) -> bool:
        if options["demo"] is None or options["url"] is None:
            raise CommandError("--demo and --url are needed to play.")
        options["seed"] = secrets.randbelow(1_000_000) if options["seed"] is None else options["seed"]
        pace = paces.Pace(multiple=options["pace"])
        _close_on_signals(pace)
        cast = floors.Cast.read(options["demo"])
        if options["faults"] and options["life"] is None:
            return self._reckoned(cast, pace, options)
        return _floor(cast, pace, options).play(rounds=options["rounds"], only=options["tables"])

    def _check(self, options: dict[str, Any]) -> bool:
        url, findings = options["check"].rstrip("/"), []
        if not url.startswith(("http://", "https://")):
            raise CommandError("--check takes an address such as http://127.0.0.1:8700.")
        for finding in conformance.check(url=url, token=_token(options)):
            findings.append(finding)
            self.stdout.write(f"{finding.verdict:8} {finding.rule}" + (f": {finding.why}" if finding.why else ""))
        counted = {verdict: sum(one.verdict == verdict for one in findings) for verdict in ("passed", "failed", "skipped")}
        self.stdout.write(", ".join(f"{count} {verdict}" for verdict, count in counted.items()))
        if options["report"]:
            made = conformance.as_json if options["report"].suffix == ".json" else conformance.as_markdown
            options["report"].write_text(made(findings, url=url), encoding="utf-8")
        return not counted["failed"]

    def _reckoned(self, cast: floors.Cast, pace: paces.Pace, options: dict[str, Any]) -> bool:
        options["rounds"] = options["rounds"] or ROUNDS_WITH_FAULTS
        with tempfile.TemporaryDirectory(prefix="linkmeter-notebooks-") as kept:
            folder = options["notebooks"] = options["notebooks"] or pathlib.Path(kept)
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.glob("*.jsonl")):
                raise CommandError(f"{folder} has the notebooks of another run; name an empty folder.")
            run = lives.Run(cast=cast, url=options["url"], seed=options["seed"], only=options["tables"], folder=folder, pace=pace)
            named = ", ".join(kind for kind in faults.KINDS if kind in options["faults"])
            self.stdout.write(f"Playing {options['rounds']} rounds at each table with seed {options['seed']}, on a line with: {named}.")
            if "kill" in options["faults"]:
                rows = run.reckon(lambda: run.live_and_die(lambda life: _spawned(options, life)))
            else:
                rows = run.reckon(lambda: _played(_floor(cast, pace, options), options))
        self.stdout.write(reckoning.written(rows))
        return all(row.agrees for row in rows)


def _token(options: dict[str, Any]) -> str:
    """The token that was given, or that of the demonstration's first controller, or of the one whose table was named."""
    if options["token"]:
        return str(options["token"])
    if options["demo"] is None:
        raise CommandError("--check needs --token, or --demo with the file of the demonstration's tokens.")
    wanted = set(options["tables"])
    for entry in floors.Cast.read(options["demo"]).controllers:
        if not wanted or entry["table"] in wanted:
            return str(entry["token"])
    raise CommandError(f"No controller of the demonstration serves {', '.join(sorted(wanted))}.")


def _floor(cast: floors.Cast, pace: paces.Pace, options: dict[str, Any]) -> floors.Floor:
    return floors.Floor(
        cast=cast,
        url=options["url"],
        seed=options["seed"],
        pace=pace,
        is_demonstration=not (options["honest"] or options["faults"]),
        notebooks=options["notebooks"],
        faults=options["faults"],
        life=options["life"] or 1,
        is_attended=bool(options["faults"]),
    )


def _played(floor: floors.Floor, options: dict[str, Any]) -> tuple[accounts.Account, Sequence[str]]:
    is_well = floor.play(rounds=options["rounds"], only=options["tables"])
    return floor.account, [*floor.tally.complaints, *([] if is_well else [f"broken down: {', '.join(floor.broken)}"])]


def _spawned(options: dict[str, Any], life: int) -> "subprocess.Popen[bytes]":
    """The same command as a child of its own, that can be killed without taking the reckoning with it."""
    passed = {name: str(options[name]) for name in ("demo", "url", "pace", "seed", "rounds", "notebooks")}
    command = [sys.executable, sys.argv[0], "simulate", *(f"--{name}={value}" for name, value in passed.items()), f"--life={life}"]
    command.append(f"--faults={','.join(sorted(options['faults']))}")
    return subprocess.Popen([*command, *(["--tables", *options["tables"]] if options["tables"] else [])])  # noqa: S603  (our own command)


def _close_on_signals(pace: paces.Pace) -> None:
    def close(_number: int, _frame: FrameType | None) -> None:
        # A signal interrupts the main thread anywhere, perhaps inside the very lock that closing takes; another thread can wait for it.
        threading.Thread(target=pace.close, name="closing").start()

    signal.signal(signal.SIGTERM, close)
    signal.signal(signal.SIGINT, close)
