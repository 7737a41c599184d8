"""A pytest plugin: gives the test run servers of its own, in a folder that goes away with it.

It is loaded with `-p`, before Django's settings are read, because they read the addresses that are decided here.
The servers themselves start only when the first test asks for them.
"""

import atexit
import os
import pathlib
import re
import shutil
import tempfile

from settings.embedded import keys, locks, places, postgres, roles, valkey

DATABASE = "test_linkmeter"
# What a test commits need not survive a power cut. Tests that need it to survive a kill still get that: a kill loses no written page.
FOR_SPEED = {"fsync": "off", "full_page_writes": "off", "max_connections": "200", "shared_buffers": "64MB"}
FOLDER_NAME = re.compile(r"linkmeter-tests-(\d+)-\w+")


def _folder() -> pathlib.Path:
    _sweep_what_killed_runs_left()
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"linkmeter-tests-{os.getpid()}-"))
    folder.chmod(0o711)  # the servers' account passes through; each server's own folder is private
    return folder


def _sweep_what_killed_runs_left() -> None:
    for left in pathlib.Path(tempfile.gettempdir()).glob("linkmeter-tests-*"):
        named = FOLDER_NAME.fullmatch(left.name)
        if named and left.stat().st_uid == os.geteuid() and not locks.is_alive(int(named[1])):
            shutil.rmtree(left, ignore_errors=True)


folder = _folder()
database_server = postgres.Postgres(var=folder, settings=FOR_SPEED)
broker = valkey.Valkey(var=folder)


def _environment() -> dict[str, str]:
    return {
        "SECRET_KEY": keys.kept(folder / "keys", "secret.key"),
        "DATABASE_URL": database_server.address(roles.APPLICATION, DATABASE),
        "DATABASE_OWNER_URL": database_server.address(roles.OWNER, DATABASE),
        "BROKER_URL": broker.address(),
        "LINKMETER_VAR": str(folder),
        "COOKIES_ARE_SECURE": "false",
    }


def _end() -> None:
    broker.stop()
    database_server.stop()
    for name in ("postgres", "valkey"):
        places.remove(var=folder, name=name)  # where the temporary folder is closed to the servers, their files are elsewhere
    shutil.rmtree(folder, ignore_errors=True)


os.environ.update(_environment())
atexit.register(_end)
