"""`bin/run` once everything is installed: start all of it, say where it is, keep it running, stop it cleanly."""

import argparse
import contextlib
import errno
import http.client
import os
import pathlib
import shutil
import signal
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import NoReturn

from settings.embedded import keys, lives, locks, places, screen, servers, steps, supervisor, trouble

DEFAULT_PORT = 8700
READY_SECONDS = 60
MOST_WEB_FAILURES = 5
# Settings of the person's own that a command run beside the service must share with it.
SHARED_SETTINGS = ("CHECKPOINT_KEY_FILE", "CHECKPOINT_ORIGIN", "ALLOWED_HOSTS")


class StopAsked(BaseException):
    """Ctrl-C, a closed terminal, or a polite kill."""


class Runner:
    """One start of the service, from the first check to the last process ended."""

    def __init__(self, *, var: pathlib.Path, port: int, is_simulated: bool, lock: int, tables: str = "") -> None:
        self.var = var
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.is_simulated = is_simulated
        self.lock = lock
        self.tables = tables
        self.is_stopping = False
        self.database = servers.database(var=var, environment=os.environ)
        self.broker = servers.broker(var=var, environment=os.environ)
        self.supervisor: supervisor.Supervisor | None = None

    def run(self) -> int:
        """Until somebody asks it to stop (0), or something that cannot be mended here happens (1)."""
        try:
            self._start()
            self._watch()
        except trouble.Trouble as error:
            screen.say(str(error))
            return 1
        except StopAsked:
            return 0
        finally:
            self._stop()

    def asked_to_stop(self, number: int, frame: FrameType | None) -> None:
        """The first time stops in order, the second time at once."""
        if not self.is_stopping:
            self.is_stopping = True
            raise StopAsked
        if self.supervisor is not None:
            self.supervisor.hurry()

    def _start(self) -> None:
        self.database.start()
        self.broker.start()
        told = self._environment()
        self._write_run_env(told)
        environment = {**{name: value for name, value in os.environ.items() if name != "DATABASE_OWNER_URL"}, **told}
        self._prepare(environment)
        self.supervisor = supervisor.Supervisor(root=steps.ROOT, logs=self.var / "log", environment=environment, lock=self.lock)
        self._start_parts(self.supervisor)

    def _environment(self) -> dict[str, str]:
        """What the service's processes are told. The owner's address is not among it: they have no use for its powers."""
        return {
            "DJANGO_SETTINGS_MODULE": "settings.base",
            "SECRET_KEY": os.environ.get("SECRET_KEY") or keys.kept(self.var / "keys", "secret.key"),
            "DATABASE_URL": self.database.application_url,
            "BROKER_URL": self.broker.url,
            "LINKMETER_VAR": str(self.var),
            # One machine, plain HTTP: a cookie marked secure would never come back.
            "COOKIES_ARE_SECURE": os.environ.get("COOKIES_ARE_SECURE") or "false",
            **{name: os.environ[name] for name in SHARED_SETTINGS if name in os.environ},
        }

    def _write_run_env(self, environment: dict[str, str]) -> None:
        lines = {**environment, "LINKMETER_URL": self.url, "LINKMETER_PSQL": self.database.psql}
        keys.write_private(self.var / "run.env", "\n".join(f"{name}={value}" for name, value in lines.items()))

    def _prepare(self, environment: dict[str, str]) -> None:
        owner = {**environment, "DATABASE_URL": self.database.owner_url}
        program = steps.program_digest()
        # A database that others look after may have been exchanged for another since the last start.
        is_always = not self.database.is_embedded
        role = self.database.application_role
        for step, is_sure in (
            # The rule texts of a site may change while the program does not, so they are looked at in every start.
            (steps.Step("check", "Checking the rule texts", ("check",), environment, program), "RULE_TEXT_FOLDER" in environment),
            (steps.Step("migrate", "Migrating the database", ("migrate", "--noinput"), owner, program), is_always),
            (steps.Step("guard", "Guarding the evidence", ("guard", "--role", role), owner, program), is_always),
            (steps.Step("static", "Gathering static files", ("collectstatic", "--noinput"), environment, steps.static_digest()), False),
            (steps.Step("demo", "Laying out the demonstration floor", self._demo(), environment, program), is_always),
        ):
            step.run(var=self.var, is_always=is_sure)

    def _demo(self) -> tuple[str, ...]:
        return ("demo", "--tables", self.tables) if self.tables else ("demo",)

    def _start_parts(self, held: supervisor.Supervisor) -> None:
        screen.say("Starting the service")
        python = (sys.executable, "-m")
        celery = (*python, "celery", "-A", "settings")
        worker = (*celery, "worker", "--concurrency", "2", "--loglevel", "info", "--without-gossip", "--without-mingle")
        web = self._web(python)
        # A worker asked politely waits for its tasks. Should we be killed there is nothing to wait for: its servers end as well.
        held.start(supervisor.Part("worker", worker, is_started_again=True, stop_seconds=20, ends_with_us_by=signal.SIGKILL))
        held.start(supervisor.Part("beat", (*celery, "beat", "--loglevel", "info", "--pidfile="), is_started_again=True))
        held.start(web)
        self._wait_until_ready(held, web)
        # One that never became ready has something wrong with it that a person must see; one that was ready may only have been killed.
        web.is_started_again = True
        if self.is_simulated:
            self._start_simulator(held)
        screen.welcome(url=self.url, demo=self.var / "demo.json", logs=self.var / "log")

    def _web(self, python: tuple[str, ...]) -> supervisor.Part:
        command = (*python, "granian", *self._granian_options(), "settings.asgi:one_port")
        return supervisor.Part("web", command, is_started_again=False, tries=lives.Lives(most_failures=MOST_WEB_FAILURES))

    def _start_simulator(self, held: supervisor.Supervisor) -> None:
        demo = self.var / "demo.json"
        if not demo.exists():
            screen.say(
                f"No simulated tables play: the demonstration's controllers were paired elsewhere, and their tokens are not in {demo}."
            )
            return
        simulate = (sys.executable, "manage.py", "simulate", "--demo", str(demo), "--url", self.url)
        held.start(supervisor.Part("simulator", simulate, is_started_again=True))

    def _granian_options(self) -> tuple[str, ...]:
        # A sign's stream never ends by itself, so the server is told how long it may wait for those who listen.
        return ("--interface", "asgi", "--host", "127.0.0.1", "--port", str(self.port), "--workers-kill-timeout", "2", "--no-ws")

    def _wait_until_ready(self, held: supervisor.Supervisor, web: supervisor.Part) -> None:
        give_up_at = time.monotonic() + READY_SECONDS
        while time.monotonic() < give_up_at:
            held.check(web)
            if is_ready(self.port):
                return
            time.sleep(0.1)
        raise trouble.Trouble(f"The service did not become ready within {READY_SECONDS} seconds; its log is {held.log(web)}.")

    def _watch(self) -> NoReturn:
        assert self.supervisor is not None
        self.supervisor.watch(look_below=self._look_after_servers)

    def _look_after_servers(self) -> None:
        self.database.look_after()
        self.broker.look_after()

    def _stop(self) -> None:
        # Everything above the servers first, so that nothing finds its database gone; the database last of all.
        self.is_stopping = True
        if self.supervisor is not None:
            screen.say("Stopping")
            self.supervisor.stop()
        self.broker.stop()
        self.database.stop()
        (self.var / "run.env").unlink(missing_ok=True)
        if self.supervisor is not None:
            screen.say("Stopped")


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    var = pathlib.Path(os.environ.get("LINKMETER_VAR") or steps.ROOT / "var").absolute()
    try:
        with _alone(var) as lock:
            _refuse_taken(options.port)
            if options.fresh:
                _throw_away(var)
            return _run(Runner(var=var, port=options.port, is_simulated=not options.no_simulator, lock=lock, tables=options.tables))
    except trouble.Trouble as error:
        screen.say(str(error))
        return 1
    except KeyboardInterrupt:
        return 0


def is_ready(port: int, path: str = "/readyz") -> bool:
    """Whether the service says of itself that it is ready."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _run(runner: Runner) -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, runner.asked_to_stop)
    return runner.run()


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bin/run", description="Run Linkmeter on this machine, with all it needs.")
    parser.add_argument("--fresh", action="store_true", help="throw away the records of earlier runs first")
    parser.add_argument("--port", type=_port, default=DEFAULT_PORT, help=f"where to serve ({DEFAULT_PORT})")
    parser.add_argument("--no-simulator", action="store_true", help="let no simulated tables play")
    parser.add_argument("--tables", default="", help="how many tables a fresh floor has beside the first three, such as 40")
    return parser.parse_args(arguments)


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; it must be a whole number from 1 to 65535")
    return int(text)


@contextlib.contextmanager
def _alone(var: pathlib.Path) -> Iterator[int]:
    try:
        if not var.exists():
            var.mkdir(parents=True)
            var.chmod(0o755)  # a strict umask would lock out the account that the servers run as; what is secret has modes of its own
        lock = locks.hold(path=var / "lock", what="Linkmeter")
    except OSError as error:
        raise trouble.Trouble(f"The folder {var} cannot be used: {error.strerror}.") from error
    try:
        yield lock
    finally:
        os.close(lock)


def _refuse_taken(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            reason = "is taken by another program" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
            raise trouble.Trouble(f"Port {port} {reason}; choose another with --port.") from error


def _throw_away(var: pathlib.Path) -> None:
    if os.environ.get("DATABASE_URL"):
        raise trouble.Trouble("--fresh empties the embedded database only; the one that DATABASE_URL names is yours to empty.")
    screen.say("Throwing away the records of earlier runs")
    for name in ("postgres", "valkey"):
        if (var / name).exists():
            os.close(locks.hold(path=var / name / "lock", what=f"The embedded {name}"))
            places.remove(var=var, name=name)
    for path in var.iterdir():
        if path.name not in {"lock", "log"}:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
