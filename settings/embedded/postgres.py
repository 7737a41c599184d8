"""An embedded PostgreSQL: made once, started in a moment, stopped cleanly, gone when its runner is."""

import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping

from settings.embedded import accounts, children, keys, locks, places, roles, trouble, wheels

SUPERUSER = "postgres"
SOCKET_NAME = ".s.PGSQL.5432"
# Crash recovery after a power cut may take a while; a start that takes longer than this is stuck.
START_SECONDS = 60


class Postgres:
    """A PostgreSQL server whose files, passwords and log are all in one folder. It listens on a private socket only."""

    name = "PostgreSQL"

    def __init__(self, *, var: pathlib.Path, settings: Mapping[str, str] | None = None) -> None:
        self.var = var
        self.account = accounts.for_servers()
        self.folder = places.for_server(var=var, name="postgres", account=self.account)
        self.socket_folder = places.for_socket(folder=self.folder, name=SOCKET_NAME, account=self.account)
        self.log = var / "log" / "postgres.log"
        self.settings = dict(settings or {})
        self.child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server, making its files first where there are none, and wait until it answers."""
        programs = wheels.postgres_programs(account=self.account, beside=self.folder)
        # The server inherits the lock. So nobody starts a second one while the first still runs, even if its runner was killed.
        lock = locks.hold(path=self.folder / "lock", what="The embedded PostgreSQL")
        try:
            self._make_files(programs)
            self.child = children.spawn(
                [programs / "postgres", "-D", self.folder / "data", *self._options()],
                log=self.log,
                folder=self.folder,
                environment=_plain_environment(),
                account=self.account,
                ends_with_us_by=signal.SIGINT,
                keeps_open=[lock],
            )
        finally:
            os.close(lock)
        self._wait_until_it_answers()

    def stop(self) -> None:
        """Stop the server: sessions are ended, what was committed is on disk."""
        if self.child is not None:
            children.end(self.child, by=signal.SIGINT, seconds=30)
            self.child = None
        if self.socket_folder.parent != self.folder:
            shutil.rmtree(self.socket_folder, ignore_errors=True)

    def prepare(self, *, database: str) -> None:
        """The roles with their passwords, and the database, open to them alone."""
        with roles.connected(self.address(SUPERUSER, "postgres")) as cursor:
            for role in (roles.OWNER, roles.APPLICATION):
                roles.ensure_role(cursor, name=role, password=self.password(role))
            roles.ensure_database(cursor, name=database, owner=roles.OWNER)
        with roles.connected(self.address(SUPERUSER, database)) as cursor:
            roles.open_to_application(cursor, database=database)

    def address(self, role: str, database: str) -> str:
        """Where and as whom to connect."""
        return roles.address(user=role, password=self.password(role), host=str(self.socket_folder), database=database)

    def password(self, role: str) -> str:
        return keys.kept(self.var / "keys", f"{role}.password")

    def psql(self, database: str) -> str:
        """A command line for a person who wants to look, or to meddle, as the superuser."""
        programs = wheels.postgres_programs(account=self.account, beside=self.folder)
        # The password comes from a file, because everyone on the machine can read a command line.
        password_file = self.var / "keys" / "pgpass"
        keys.write_private(password_file, f"*:*:*:{SUPERUSER}:{self.password(SUPERUSER)}")
        command = [programs / "psql", "-h", self.socket_folder, "-U", SUPERUSER, "-d", database]
        return shlex.join(["env", f"PGPASSFILE={password_file}", *map(str, command)])

    def _options(self) -> list[str]:
        quoted = str(self.socket_folder).replace('"', '""')
        settings = {"listen_addresses": "", "unix_socket_directories": f'"{quoted}"', "unix_socket_permissions": "0700", **self.settings}
        return [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]

    def _make_files(self, programs: pathlib.Path) -> None:
        if (self.folder / "data").exists():
            return
        # Made under another name first, so that files half made are never taken for a database.
        unfinished = self.folder / "data.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        password_file = self.folder / "superuser.password"
        keys.write_private(password_file, self.password(SUPERUSER))
        self.account.takes(password_file)
        try:
            self._initdb(programs, unfinished, password_file)
        finally:
            password_file.unlink()
        unfinished.rename(self.folder / "data")

    def _initdb(self, programs: pathlib.Path, target: pathlib.Path, password_file: pathlib.Path) -> None:
        options = ["--auth=scram-sha-256", f"--username={SUPERUSER}", "--encoding=UTF8", "--locale-provider=builtin", "--locale=C.UTF-8"]
        done = subprocess.run(
            [programs / "initdb", "-D", target, f"--pwfile={password_file}", "--no-instructions", *options],
            cwd=self.folder,
            env=_plain_environment(),
            capture_output=True,
            text=True,
            check=False,
            **self.account.popen_arguments(),
        )
        if done.returncode != 0:
            raise trouble.Trouble(f"PostgreSQL's files could not be made: {_last_line(done.stderr or done.stdout)}")

    def _wait_until_it_answers(self) -> None:
        give_up_at = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up_at:
            assert self.child is not None
            if self.child.poll() is not None:
                raise trouble.Trouble(
                    f"PostgreSQL did not start: {_last_line(self.log.read_text(errors='replace'))} (all of it is in {self.log})"
                )
            if roles.answers(self.address(SUPERUSER, "postgres")):
                return
            time.sleep(0.03)
        raise trouble.Trouble(f"PostgreSQL did not answer within {START_SECONDS} seconds; its log is {self.log}.")


def _plain_environment() -> dict[str, str]:
    # PG* variables meant for another server, or a locale this machine does not have, must not reach ours.
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it gave no reason"
