"""The service in processes of its own, for tests that come to it over HTTP."""

import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

from settings.embedded import children
from tests import embedded

ROOT = pathlib.Path(__file__).resolve().parents[1]


class Running:
    """The service on one port, as bin/run starts it."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [*(sys.executable, "-m", "granian"), *("--interface", "asgi"), *("--port", str(self.port))]
        # Streams never end by themselves, so a server that is told to stop must not wait long for them.
        command += ["--workers-kill-timeout", "1", "settings.asgi:one_port"]
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "settings.test"}
        self.child = children.spawn(command, log=embedded.folder / "log" / "web.log", folder=ROOT, environment=environment)
        self._wait()

    def stop(self) -> None:
        if self.child is not None:
            children.end(self.child)
            self.child = None

    def _wait(self) -> None:
        give_up = time.monotonic() + 30
        while not self._answers():
            assert self.child is not None and self.child.poll() is None, "the service ended before it answered"
            assert time.monotonic() < give_up, "the service does not answer"
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/healthz", timeout=2) as answer:  # noqa: S310  (our own address)
                return bool(answer.status == 200)
        except OSError:
            return False
