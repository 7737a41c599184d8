"""The supervisor keeps its parts running and ends them in order."""

import os
import pathlib
import re
from collections.abc import Callable, Iterator

import pytest

from settings.embedded import supervisor, trouble
from tests.embedded_runner import waiting

# Writes its name when it starts and again when it is asked to end.
A_PART = "echo {name} starts >> story; trap 'echo {name} ends >> story; exit 0' TERM; while :; do sleep 0.05; done"


class Enough(Exception):
    """The test has seen what it wanted to see."""


@pytest.fixture
def held(tmp_path: pathlib.Path) -> Iterator[supervisor.Supervisor]:
    lock = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    supervised = supervisor.Supervisor(root=tmp_path, logs=tmp_path / "log", environment={"PATH": os.environ["PATH"]}, lock=lock)
    yield supervised
    supervised.stop()
    os.close(lock)


def test_what_was_started_last_ends_first(held: supervisor.Supervisor) -> None:
    for name in ("worker", "web", "simulator"):
        held.start(_part(name, A_PART.format(name=name)))
        waiting.until(lambda name=name: f"{name} starts" in _story(held), f"the {name} has started")  # type: ignore[misc]
    held.stop()
    assert _story(held)[3:] == ["simulator ends", "web ends", "worker ends"]


def test_a_worker_that_dies_is_started_again(held: supervisor.Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "PAUSES_SECONDS", (0,))
    worker = _part("worker", "echo worker starts >> story; [ $(wc -l < story) -ge 3 ] && exec sleep 600; exit 1")
    held.start(worker)
    with pytest.raises(Enough):
        held.watch(is_base_alive=_alive_until(lambda: len(_story(held)) == 3))
    assert worker.child is not None and worker.child.poll() is None


def test_a_part_that_keeps_failing_is_tried_ever_more_slowly(held: supervisor.Supervisor, capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []

    def is_said() -> bool:
        said.append(capsys.readouterr().out)
        return "The worker process has ended (exit code 3); it is started again in 2 s." in "".join(said)

    held.start(_part("worker", "exit 3"))
    with pytest.raises(Enough):
        held.watch(is_base_alive=_alive_until(is_said))
    assert re.findall(r"again in (\d+) s", "".join(said)) == ["1", "2"]


def test_the_death_of_the_web_server_is_reported(held: supervisor.Supervisor) -> None:
    held.start(_part("web", "exit 3", is_started_again=False))
    with pytest.raises(trouble.Trouble, match=r"The web process has ended \(exit code 3\); its log is .*web.log"):
        held.watch(is_base_alive=lambda: True)


def test_the_death_of_the_database_is_reported(held: supervisor.Supervisor) -> None:
    with pytest.raises(trouble.Trouble, match="PostgreSQL or Valkey has ended by itself"):
        held.watch(is_base_alive=lambda: False)


def test_a_log_does_not_grow_without_end(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "LARGEST_LOG_BYTES", 10)
    log = tmp_path / "web.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"eleven char")
        supervisor.shorten(log)
        writer.write(b"more")
    assert (log.read_bytes(), (tmp_path / "web.log.1").read_bytes()) == (b"more", b"eleven char")


def _part(name: str, script: str, *, is_started_again: bool = True) -> supervisor.Part:
    return supervisor.Part(name, ("sh", "-c", script), is_started_again=is_started_again, stop_seconds=waiting.PATIENCE_SECONDS)


def _story(held: supervisor.Supervisor) -> list[str]:
    path = held.root / "story"
    return path.read_text().splitlines() if path.exists() else []


def _alive_until(is_seen: Callable[[], bool]) -> Callable[[], bool]:
    """Servers that live until the test has seen enough."""

    def is_alive() -> bool:
        if is_seen():
            raise Enough
        return True

    return is_alive
