"""The whole service on servers of its own: PostgreSQL that flushes every commit, the web server as production starts it, the broker,
and where a row asks for them the live process and the worker. Only sockets and loopback; nothing is left running."""

import contextlib
import json
import os
import pathlib
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from settings.embedded import children, keys, places, postgres, roles, runner, valkey
from tests.bench import disk
from tests.bench.door.events import Controller
from tests.bench.door.floor import STRANGERS
from tests.bench.door.plain import sql as plain

ROOT = pathlib.Path(__file__).resolve().parents[3]
# What is measured is what people are told to start.
SERVERS = ROOT / "docs" / "operating" / "servers.md"
SETTINGS = {"synchronous_commit": "on", "fsync": "on", "max_connections": "200"}
READY_SECONDS = 60


@dataclass
class Floor:
    """A database with its floor: who plays, and who only sends to the endpoints the product is compared with."""

    database: str
    controllers: list[Controller]
    strangers: list[Controller]


@dataclass(frozen=True)
class Server:
    """A running web server."""

    port: int
    child: subprocess.Popen[bytes]

    def memory_mb(self) -> list[float]:
        """Resident memory of each of its working processes; the one that only watches over them is left out."""
        return [_resident_mb(pid) for pid in _offspring(self.child.pid)] or [_resident_mb(self.child.pid)]


class Site:
    """The servers below, and how the parts above them are started."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.var = folder / "var"
        self.var.mkdir()
        self.postgres = postgres.Postgres(var=self.var, settings=SETTINGS)
        self.broker = valkey.Valkey(var=self.var)

    def start(self) -> None:
        self.postgres.start()
        self.broker.start()

    def stop(self) -> None:
        self.broker.stop()
        self.postgres.stop()

    @contextlib.contextmanager
    def slower_disk(self, library: pathlib.Path) -> Iterator[None]:
        """The same database on a disk that takes a millisecond longer for each flush."""
        self.postgres.stop()
        with disk.preloaded(library):
            self.postgres.start()
        try:
            yield
        finally:
            self.postgres.stop()
            self.postgres.start()

    def lay_out(self, database: str, *, controllers: int, tables: int) -> Floor:
        """A database, migrated and guarded as at a real site, with the floor and the tables of the plain endpoint."""
        self.postgres.prepare(database=database)
        for command in (("migrate", "--verbosity", "0"), ("guard", "--role", roles.APPLICATION)):
            self._run("manage.py", *command, role=roles.OWNER, database=database)
        with self.superuser(database) as cursor:
            cursor.execute(plain.TABLES)
            cursor.execute(f"GRANT SELECT, INSERT, UPDATE ON {plain.NAMES} TO {roles.APPLICATION}")
            cursor.execute(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {roles.APPLICATION}")
        told = self._run("-m", "tests.bench.door.floor", str(controllers), str(tables), role=roles.APPLICATION, database=database)
        made = [Controller(**one) for one in json.loads(told)]
        players = [one for one in made if not one.name.startswith(STRANGERS)]
        return Floor(database=database, controllers=players, strangers=[one for one in made if one not in players])

    @contextlib.contextmanager
    def superuser(self, database: str) -> Iterator[Any]:
        """A cursor with every right, for what the bench prepares and never for what it measures."""
        with roles.connected(self.postgres.address(postgres.SUPERUSER, database)) as cursor:
            yield cursor

    @contextlib.contextmanager
    def doors(self, database: str) -> Iterator[Server]:
        """The doors and pages, with production's own command."""
        with self._server("wsgi", database, "/readyz") as server:
            yield server

    @contextlib.contextmanager
    def live(self, database: str) -> Iterator[Server]:
        """The live process, with production's own command."""
        with self._server("asgi", database, "/healthz") as server:
            yield server

    @contextlib.contextmanager
    def worker(self, database: str) -> Iterator[None]:
        """Worker and beat: they fold the meters and seal the records every second."""
        commands = [told("celery -A settings worker"), told("celery -A settings beat")]
        started = [self._spawn(f"celery-{number}", command, database) for number, command in enumerate(commands)]
        try:
            # Until the first folds have run, what is measured would be measured without them.
            time.sleep(6)
            yield
        finally:
            for child in started:
                children.end(child, seconds=15)

    @contextlib.contextmanager
    def _server(self, interface: str, database: str, path: str) -> Iterator[Server]:
        port = _free_port()
        command = [*told(f"granian --interface {interface}")]
        command[command.index("--port") + 1] = str(port)
        child = self._spawn(f"{interface}-{database}", command, database)
        try:
            _wait_until_ready(port, path, child, self.var / "log" / f"{interface}-{database}.log")
            yield Server(port=port, child=child)
        finally:
            children.end(child, seconds=15)

    def _spawn(self, name: str, command: list[str], database: str) -> subprocess.Popen[bytes]:
        environment = self.environment(database)
        return children.spawn(command, log=self.var / "log" / f"{name}.log", folder=ROOT, environment=environment)

    def environment(self, database: str, *, role: str = roles.APPLICATION) -> dict[str, str]:
        """What a part of the service is told, as `bin/run` tells it, with the settings of the bench."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "DJANGO_SETTINGS_MODULE": "tests.bench.door.settings",
            "SECRET_KEY": keys.kept(self.var / "keys", "secret.key"),
            "DATABASE_URL": self.postgres.address(role, database),
            "BROKER_URL": self.broker.address(),
            "LINKMETER_VAR": str(self.var),
            "COOKIES_ARE_SECURE": "false",
            # Requests are counted as at any site; but the limit, made to stop a device that has run wild, must not be what is measured.
            "CONTROLLER_REQUESTS_PER_SECOND": "100000",
        }

    def _run(self, *words: str, role: str, database: str) -> str:
        environment = self.environment(database, role=role)
        done = subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)} failed: {done.stderr.strip()[-2000:]}")
        return done.stdout


@contextlib.contextmanager
def opened() -> Iterator[Site]:
    """A site in a folder that goes away with it."""
    with tempfile.TemporaryDirectory(prefix="linkmeter-bench-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)  # PostgreSQL runs under a lent account where we are root
        site = Site(folder)
        try:
            site.start()
            yield site
        finally:
            site.stop()
            for part in ("postgres", "valkey"):
                places.remove(var=site.var, name=part)


def told(beginning: str) -> list[str]:
    """The command that the operators' documents give for a part, with this environment's programs."""
    found = re.search(rf"`\.venv/bin/({re.escape(beginning)}[^`]*)`", SERVERS.read_text(encoding="utf-8"))
    assert found, f"{SERVERS.name} tells no command that begins with {beginning}"
    program, *words = shlex.split(found[1])
    return [sys.executable, "-m", program, *words]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(port: int, path: str, child: subprocess.Popen[bytes], log: pathlib.Path) -> None:
    give_up_at = time.monotonic() + READY_SECONDS
    while time.monotonic() < give_up_at and child.poll() is None:
        if runner.is_ready(port, path):
            return
        time.sleep(0.1)
    sys.exit(f"The web server did not become ready: {log.read_text(errors='replace')[-2000:]}")


def _offspring(pid: int) -> list[int]:
    found = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in found.read_text().split()] if found.exists() else []


def _resident_mb(pid: int) -> float:
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"^VmRSS:\s+(\d+) kB", status, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0
