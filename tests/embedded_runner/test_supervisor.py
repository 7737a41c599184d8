"""The supervisor keeps its parts running and ends them in order."""

import os
import pathlib
import re
from collections.abc import Callable, Iterator

import pytest

from settings.embedded import lives, supervisor, trouble
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
    monkeypatch.setattr(lives, "PAUSES_SECONDS", (0,))
    worker = _part("worker", "echo worker starts >> story; [ $(wc -l < story) -ge 3 ] && exec sleep 600; exit 1")
    held.start(worker)
    with pytest.raises(Enough):
        held.watch(look_below=_until(lambda: len(_story(held)) == 3))
    assert worker.child is not None and worker.child.poll() is None


def test_a_part_that_keeps_failing_is_tried_ever_more_slowly(held: supervisor.Supervisor, capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []

    def is_said() -> bool:
        said.append(capsys.readouterr().out)
        return "The worker process has ended (exit code 3); it is started again in 2 s." in "".join(said)

    held.start(_part("worker", "exit 3"))
    with pytest.raises(Enough):
        held.watch(look_below=_until(is_said))
    assert re.findall(r"again in (\d+) s", "".join(said)) == ["1", "2"]


def test_the_death_of_the_web_server_is_reported(held: supervisor.Supervisor) -> None:
    held.start(_part("web", "exit 3", is_started_again=False))
    with pytest.raises(trouble.Trouble, match=r"The web process has ended \(exit code 3\); its log is .*web.log"):
        held.watch(look_below=lambda: None)


def test_a_part_that_does_not_stay_up_is_reported_in_the_end(
    held: supervisor.Supervisor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lives, "PAUSES_SECONDS", (0,))
    web = _part("web", "echo web starts >> story; exit 3")
    web.tries.most_failures = 2
    held.start(web)
    with pytest.raises(trouble.Trouble, match=r"The web process has ended \(exit code 3\), and does not stay up. Log: .*web.log"):
        held.watch(look_below=lambda: None)
    assert len(_story(held)) == 3
    assert capsys.readouterr().out.count("it is started again") == 2


def test_a_long_life_makes_up_for_the_short_ones_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = lives.Lives(most_failures=2)
    for _ in range(2):
        tries.begin()
        assert tries.end() is not None
    monkeypatch.setattr(lives, "LONG_LIFE_SECONDS", -1)
    assert tries.end() == lives.PAUSES_SECONDS[0]
    monkeypatch.undo()
    tries.begin()
    assert tries.end() == lives.PAUSES_SECONDS[1]
    tries.begin()
    assert tries.end() is None


def test_what_a_part_stands_on_may_end_it_all(held: supervisor.Supervisor) -> None:
    def is_broken() -> None:
        raise trouble.Trouble("PostgreSQL does not stay up.")

    with pytest.raises(trouble.Trouble, match="PostgreSQL does not stay up"):
        held.watch(look_below=is_broken)


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


def _until(is_seen: Callable[[], bool]) -> Callable[[], None]:
    """Looks on until the test has seen enough."""

    def look() -> None:
        if is_seen():
            raise Enough

    return look
