"""No process is left behind, whoever dies first."""

import pathlib
import signal
import subprocess
import sys

import pytest

from settings.embedded import children, locks, trouble
from tests.embedded_runner import waiting

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
A_RUNNER = """
import pathlib, sys, time
from settings.embedded import children, locks
folder = pathlib.Path(sys.argv[1])
lock = locks.hold(path=folder / "lock", what="The runner")
child = children.spawn(["sleep", "600"], log=folder / "log", folder=folder, keeps_open=[lock])
(folder / "child").write_text(str(child.pid))
time.sleep(600)
"""
# It starts a process of its own and takes no notice of a polite signal.
A_STUBBORN_FAMILY = "trap '' TERM; sleep 600 & echo $! > grandchild; wait; sleep 600"


@pytest.fixture
def runner(tmp_path: pathlib.Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", A_RUNNER, str(tmp_path)], cwd=ROOT)
    waiting.until(lambda: _number(tmp_path / "child") is not None, "the runner has started its child")
    return process


def test_killing_the_runner_takes_its_child_along(runner: subprocess.Popen[bytes], tmp_path: pathlib.Path) -> None:
    child = _number(tmp_path / "child")
    assert child is not None and not waiting.is_gone(child)
    runner.kill()
    runner.wait()
    waiting.until(lambda: waiting.is_gone(child), "the child has ended")


def test_a_second_runner_is_refused_while_the_first_lives(runner: subprocess.Popen[bytes], tmp_path: pathlib.Path) -> None:
    with pytest.raises(trouble.Trouble, match=f"The runner is already running here \\(process {runner.pid}\\)"):
        locks.hold(path=tmp_path / "lock", what="The runner")
    runner.kill()
    runner.wait()


def test_what_a_killed_runner_left_is_waited_for(runner: subprocess.Popen[bytes], tmp_path: pathlib.Path) -> None:
    child = _number(tmp_path / "child")
    assert child is not None
    runner.kill()
    runner.wait()
    locks.hold(path=tmp_path / "lock", what="The runner", seconds=waiting.PATIENCE_SECONDS)
    assert waiting.is_gone(child)


def test_what_a_killed_runner_left_is_not_waited_for_without_end(tmp_path: pathlib.Path) -> None:
    lock = locks.hold(path=tmp_path / "lock", what="The runner")
    a_process_that_has_ended = subprocess.Popen(["true"])
    a_process_that_has_ended.wait()
    (tmp_path / "lock").write_text(str(a_process_that_has_ended.pid))
    with pytest.raises(trouble.Trouble, match="what it left behind is still ending"):
        locks.hold(path=tmp_path / "lock", what="The runner", seconds=0.2)
    assert lock > 0


def test_a_family_that_does_not_listen_is_ended_whole(tmp_path: pathlib.Path) -> None:
    child = children.spawn(["sh", "-c", A_STUBBORN_FAMILY], log=tmp_path / "log", folder=tmp_path)
    waiting.until(lambda: _number(tmp_path / "grandchild") is not None, "the family is there")
    grandchild = _number(tmp_path / "grandchild")
    assert grandchild is not None
    assert children.end(child, seconds=0.2) == -signal.SIGKILL
    waiting.until(lambda: waiting.is_gone(grandchild), "the grandchild has ended")


def test_a_child_that_listens_ends_by_itself(tmp_path: pathlib.Path) -> None:
    child = children.spawn(
        ["sh", "-c", "trap 'exit 7' TERM; touch listens; while :; do sleep 0.05; done"], log=tmp_path / "log", folder=tmp_path
    )
    waiting.until((tmp_path / "listens").exists, "the child listens")
    assert children.end(child, seconds=waiting.PATIENCE_SECONDS) == 7


def _number(path: pathlib.Path) -> int | None:
    text = path.read_text().strip() if path.exists() else ""
    return int(text) if text else None
