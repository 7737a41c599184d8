"""Every game on the real service, over a bad line, killed and started again: and every figure agrees, to the micro."""

import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone

from jackpots import demo
from jackpots.simulator import account as accounts
from jackpots.simulator import floor as floors
from jackpots.simulator import lives, reckoning
from jackpots.simulator import pace as paces
from tests import serving

pytestmark = pytest.mark.worker

FAST = 2000.0


@pytest.fixture
def running(committed: None, broker: str) -> Iterator[serving.Running]:
    made = serving.Running()
    made.start()
    yield made
    made.stop()


@pytest.fixture
def demo_file(running: serving.Running, tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "demo.json"
    path.write_text(json.dumps(demo.build(now=timezone.now())))
    return path


def simulated(running: serving.Running, demo_file: pathlib.Path, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "manage.py", "simulate", "--demo", str(demo_file), "--url", running.address, "--pace", str(FAST), *options]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "settings.test"}
    return subprocess.run(command, cwd=serving.ROOT, env=environment, capture_output=True, text=True, timeout=150, check=False)


def test_every_game_plays_over_a_bad_line_and_dies_and_every_figure_agrees(running: serving.Running, demo_file: pathlib.Path) -> None:
    done = simulated(running, demo_file, "--faults", "--seed", "7", "--rounds", "6")
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert "figures agree" in done.stdout
    assert done.stderr.count("the simulator was killed") == lives.KILLS
    for game in demo.LAYOUTS:
        counted = re.findall(rf"{game}-[\w-]+: wagers +(\d+)", done.stdout)
        assert counted and all(int(wagers) > 0 for wagers in counted), game
    # The lives ended in the middle of play: something was resumed, and every table came to its rounds all the same.
    closed = [json.loads(line) for line in done.stderr.splitlines() if '"the floor is closed"' in line]
    assert set(closed[-1]["account"]["rounds"]) == {entry["table"] for entry in json.loads(demo_file.read_text())["controllers"]}


def test_an_account_that_is_off_by_one_cent_is_found(running: serving.Running, demo_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    cast = floors.Cast.read(demo_file)
    run = lives.Run(cast=cast, url=running.address, seed=3, only=["CSP-01"], folder=tmp_path)
    floor = floors.Floor(cast=cast, url=running.address, seed=3, pace=paces.Pace(multiple=FAST), is_demonstration=False, is_attended=True)

    def played() -> tuple[accounts.Account, list[str]]:
        assert floor.play(rounds=3, only=["CSP-01"])
        return floor.account, []

    def falsified() -> tuple[accounts.Account, list[str]]:
        number, told = next_round(floor)
        assert told
        event = {"table": "CSP-01", "round": number, "type": "lockout", "chips": 1}
        floor.account.note(event={**event, "wagers": [{"seat": 1, "wager": "progressive", "amount": "0.01"}]}, first=AGREED)
        return floor.account, []

    assert [row for row in run.reckon(played) if not row.agrees] == []
    assert {row.what for row in run.reckon(lambda: (floor.account, [])) if not row.agrees} >= {"caribbean-link: wagers"}
    floor.account = accounts.Account()
    floor.account.know(table="CSP-01", offers=[{"wager": "progressive", "progressive": "caribbean-link"}])
    wrong = {row.what: (row.ours, row.theirs) for row in run.reckon(falsified) if not row.agrees}
    assert wrong["caribbean-link: wagered"] == ("0.01", "0.00")
    assert wrong["caribbean-link: to main"] == ("0.007000", "0.000000")


def next_round(floor: floors.Floor) -> tuple[int, Any]:
    return 1, floor.cast.controllers


AGREED = {"status": "applied", "outcome": {"count": "agrees"}}


def test_the_written_table_marks_what_differs() -> None:
    rows = [reckoning.Row("a: wagers", "3", "3"), reckoning.Row("a: wagered", "3.00", "3.01")]
    text = reckoning.written(rows)
    assert "!! a: wagered" in text
    assert "1 of 2 figures differ." in text


def run_in(folder: pathlib.Path, pace: paces.Pace) -> lives.Run:
    return lives.Run(cast=floors.Cast([], []), url="http://127.0.0.1:9", seed=3, only=[], folder=folder, pace=pace)


@pytest.mark.parametrize(("ends_with", "complaints"), [(0, []), (3, ["life 1 ended with 3"])])
def test_a_life_that_ends_by_itself_ends_the_run_and_is_not_forgotten(
    tmp_path: pathlib.Path, ends_with: int, complaints: list[str]
) -> None:
    run = run_in(tmp_path, paces.Pace())
    spawned: list[int] = []

    def spawn(life: int) -> "subprocess.Popen[bytes]":
        spawned.append(life)
        return subprocess.Popen([sys.executable, "-c", f"raise SystemExit({ends_with})"])

    assert run.live_and_die(spawn)[1] == complaints
    assert spawned == [1]


def test_whoever_stops_the_run_stops_the_life_under_way(tmp_path: pathlib.Path) -> None:
    pace = paces.Pace()
    pace.close()
    run = run_in(tmp_path, pace)
    complaints = run.live_and_die(lambda life: subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]))[1]
    assert complaints == ["life 1 ended with -15"]


def test_notebooks_of_another_run_are_not_mixed_with_this_one(
    demo_file: pathlib.Path, running: serving.Running, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "CTL-CSP-01.jsonl").write_text("{}\n")
    done = simulated(running, demo_file, "--faults", "drop", "--notebooks", str(tmp_path))
    assert done.returncode == 1
    assert "another run" in done.stderr
