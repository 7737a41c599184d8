"""All of it at once, as bin/run starts it: up, killed, up again with what it had, and stopped cleanly."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator

import pytest

from settings.embedded import runner, trouble
from tests.embedded_runner import waiting

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The test run has addresses of its own in the environment; the service under test must find its own instead.
NOT_PASSED_ON = {"DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE", "LINKMETER_VAR"}


class Site:
    """A folder, a port, and whatever was started on them."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.var = folder / "var"
        self.output = folder / "output"
        self.started: list[subprocess.Popen[bytes]] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        with self.output.open("wb") as output:
            command = [sys.executable, "-m", "settings.embedded", "--port", str(self.port), *options]
            self.started.append(subprocess.Popen(command, cwd=ROOT, env=self.environment(), stdout=output, stderr=subprocess.STDOUT))
        return self.started[-1]

    def environment(self) -> dict[str, str]:
        passed_on = {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}
        return {**passed_on, "LINKMETER_VAR": str(self.var)}

    def wait_until_running(self, started: subprocess.Popen[bytes]) -> None:
        waiting.until(lambda: "Linkmeter is running." in self.said() or started.poll() is not None, "the service runs")
        assert started.poll() is None, self.said()

    def said(self) -> str:
        return self.output.read_text()

    def living(self) -> list[str]:
        """The command lines of all processes that have to do with this folder."""
        return [line for line in map(self._command_line, pathlib.Path("/proc").glob("[0-9]*")) if line]

    def _command_line(self, process: pathlib.Path) -> str:
        try:
            command, environment = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except OSError:  # it has just ended, or is somebody else's
            return ""
        return command.replace(b"\0", b" ").decode() if os.fsencode(self.var) in command + environment else ""


@pytest.fixture
def site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="linkmeter-tests-site-") as folder:
        pathlib.Path(folder).chmod(0o711)
        here = Site(pathlib.Path(folder))
        yield here
        for left in here.started:  # by a test that failed half-way
            left.kill()
            left.wait()
        waiting.until(lambda: not here.living(), "nothing is left running")


@pytest.mark.worker
def test_killed_and_started_again_it_leaves_no_process_and_keeps_its_records(site: Site) -> None:
    first = site.start()
    site.wait_until_running(first)
    names = " ".join(site.living())
    assert all(part in names for part in ("postgres -D", "valkey-server", "granian", "celery -A settings worker", "beat", "simulate"))
    token = _first_token(site)
    first.send_signal(signal.SIGKILL)
    first.wait()
    waiting.until(lambda: not site.living(), "the killed runner's processes have ended")

    second = site.start("--no-simulator")
    site.wait_until_running(second)
    assert "Laying out the demonstration floor" not in site.said()
    assert _status_of_controller(site, token) == 200
    refused = subprocess.run([sys.executable, "-m", "settings.embedded"], cwd=ROOT, env=site.environment(), capture_output=True, text=True)
    assert (refused.returncode, refused.stdout) == (1, f"Linkmeter is already running here (process {second.pid}).\n")
    second.send_signal(signal.SIGINT)
    assert second.wait() == 0
    assert site.said().endswith("Stopping\nStopped\n")
    assert site.living() == []


@pytest.mark.worker
def test_whichever_process_is_killed_the_service_goes_on(site: Site) -> None:
    started = site.start("--no-simulator")
    site.wait_until_running(started)
    token = _first_token(site)
    for kin, sentence in (
        (("valkey-server",), "Valkey has ended by itself (signal 9)"),
        (("granian",), "The web process has ended (signal 9)"),
        (("granian", "granian"), "The web process has ended (exit code"),
        (("postgres -D",), "PostgreSQL has ended by itself (signal 9)"),
    ):
        os.kill(_descendant(started.pid, *kin), signal.SIGKILL)
        waiting.until(lambda sentence=sentence: sentence in site.said(), sentence)  # type: ignore[misc]
        waiting.until(
            lambda: _readiness(site) == "ok" or started.poll() is not None, f"the service is ready again after its {kin[-1]} was killed"
        )
        assert started.poll() is None, site.said()
        assert _status_of_controller(site, token) == 200
    started.send_signal(signal.SIGINT)
    assert started.wait() == 0
    assert site.said().endswith("Stopping\nStopped\n")


def test_a_taken_port_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKMETER_VAR", str(tmp_path / "var"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert runner.main(["--port", str(port)]) == 1
    assert capsys.readouterr().out == f"Port {port} is taken by another program; choose another with --port.\n"


def test_fresh_leaves_nothing_of_the_last_run(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL")
    for name in ("postgres", "valkey", "keys", "steps", "log"):
        (tmp_path / name).mkdir()
    for name in ("lock", "demo.json", "checkpoint.key", "checkpoint.key.last"):
        (tmp_path / name).touch()
    runner._throw_away(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "log"]


def test_fresh_never_touches_a_given_database(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://owner@127.0.0.1/theirs")
    with pytest.raises(trouble.Trouble, match="the one that DATABASE_URL names is yours to empty"):
        runner._throw_away(tmp_path)


def _descendant(process: int, *kin: str) -> int:
    """A child of a process by what its command line says, or a child of that, and so on."""
    for part in kin:
        children = [child for task in pathlib.Path(f"/proc/{process}/task").iterdir() for child in (task / "children").read_text().split()]
        process = next(int(child) for child in children if part in _command_line(child))
    return process


def _command_line(process: str) -> str:
    return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def _readiness(site: Site) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{site.port}/readyz") as answer:
            return str(json.load(answer)["status"])
    except OSError:
        return "down"


def _first_token(site: Site) -> str:
    return str(json.loads((site.var / "demo.json").read_text())["controllers"][0]["token"])


def _status_of_controller(site: Site, token: str) -> int:
    """The controller that the first run paired is known to the second only if the database is the same."""
    request = urllib.request.Request(f"http://127.0.0.1:{site.port}/api/v1/controllers/me/", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request) as answer:  # noqa: S310  (our own address)
        return int(answer.status)
