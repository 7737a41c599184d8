"""An embedded Valkey, Celery's broker where no other is given. Every message it has taken is in a file within a second."""

import os
import pathlib
import shutil
import signal
import subprocess
import time
import urllib.parse

import redis

from settings.embedded import accounts, children, keys, locks, places, trouble, wheels

SOCKET_NAME = "valkey.sock"
START_SECONDS = 30


class Valkey:
    """A Valkey server whose files are all in one folder. It listens on a private socket only, and asks for a password even there."""

    name = "Valkey"

    def __init__(self, *, var: pathlib.Path) -> None:
        self.account = accounts.for_servers()
        self.folder = places.for_server(var=var, name="valkey", account=self.account)
        self.socket = places.for_socket(folder=self.folder, name=SOCKET_NAME, account=self.account) / SOCKET_NAME
        self.password = keys.kept(var / "keys", "valkey.password")
        self.log = var / "log" / "valkey.log"
        self.child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it answers."""
        program = wheels.valkey_program(account=self.account, beside=self.folder)
        # Inherited by the server, as with PostgreSQL: two servers would write over each other's file.
        lock = locks.hold(path=self.folder / "lock", what="The embedded Valkey")
        try:
            self.child = children.spawn(
                [program, self._configuration()],
                log=self.log,
                folder=self.folder,
                account=self.account,
                environment={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
                keeps_open=[lock],
            )
        finally:
            os.close(lock)
        self._wait_until_it_answers()

    def stop(self) -> None:
        """Stop the server after it has written what it holds."""
        if self.child is not None:
            children.end(self.child, by=signal.SIGTERM, seconds=20)
            self.child = None
        if self.socket.parent.parent != self.folder:
            shutil.rmtree(self.socket.parent, ignore_errors=True)

    def address(self) -> str:
        """Where to connect, as Celery has it."""
        return f"redis+socket://:{urllib.parse.quote(self.password, safe='')}@{urllib.parse.quote(str(self.socket))}?virtual_host=0"

    def _configuration(self) -> pathlib.Path:
        # In a file and not on the command line, where everyone on the machine could read the password.
        lines = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "requirepass": self.password,
            "dir": str(self.folder),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
        }
        path = self.folder / "valkey.conf"
        keys.write_private(path, "\n".join(f"{name} {_quoted(value)}" for name, value in lines.items()))
        self.account.takes(path)
        return path

    def _wait_until_it_answers(self) -> None:
        give_up_at = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up_at:
            assert self.child is not None
            if self.child.poll() is not None:
                raise trouble.Trouble(f"Valkey did not start; its log is {self.log}.")
            if self._answers():
                return
            time.sleep(0.03)
        raise trouble.Trouble(f"Valkey did not answer within {START_SECONDS} seconds; its log is {self.log}.")

    def _answers(self) -> bool:
        client = redis.Redis(unix_socket_path=str(self.socket), password=self.password, socket_timeout=2)
        try:
            return bool(client.ping())
        except redis.RedisError:  # not listening yet, or still reading its file
            return False
        finally:
            client.close()


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
