"""Where a server keeps its files."""

import hashlib
import os
import pathlib
import re
import shutil
import tempfile

from settings.embedded import accounts, locks

# Longer than this and the operating system refuses a socket: 108 bytes on Linux, 104 on macOS, with the closing zero.
LONGEST_SOCKET_PATH = 100
# A comma would be read as the end of a host name by PostgreSQL's clients; other odd characters have their own surprises.
PLAIN_PATH = re.compile(r"[\w/. -]+")
ELSEWHERE = pathlib.Path("/var/lib/linkmeter")


def for_server(*, var: pathlib.Path, name: str, account: accounts.Account) -> pathlib.Path:
    """The server's own folder, private to its account.

    It is in the project, or elsewhere with a link to it where the account cannot get that far:
    root's home is closed to all others on most machines, and opening it is not ours to do.
    """
    place = var / name
    if place.is_symlink() and place.is_dir():
        return place.resolve()
    if account.can_enter(var):
        return _private(place, account)
    home = _elsewhere(place)
    _private(home, account)
    place.unlink(missing_ok=True)
    place.symlink_to(home)
    return home


def remove(*, var: pathlib.Path, name: str) -> None:
    """Take the server's folder away, wherever it is."""
    place = var / name
    if place.is_dir():
        shutil.rmtree(place.resolve())
    place.unlink(missing_ok=True)


def for_socket(*, folder: pathlib.Path, name: str, account: accounts.Account) -> pathlib.Path:
    """A private folder for the server's socket, in its own folder unless no socket can have such a path."""
    place = folder / "socket"
    if len(os.fsencode(place / name)) > LONGEST_SOCKET_PATH or not PLAIN_PATH.fullmatch(str(place)):
        place = pathlib.Path(tempfile.mkdtemp(prefix="linkmeter-"))
    return _private(place, account)


def _elsewhere(place: pathlib.Path) -> pathlib.Path:
    ELSEWHERE.mkdir(mode=0o711, parents=True, exist_ok=True)
    ELSEWHERE.chmod(0o711)
    home = ELSEWHERE / hashlib.sha256(os.fsencode(place.absolute())).hexdigest()[:12]
    if home.is_dir():
        # Its link and with it the passwords were thrown away, so nobody can use what is in it any more.
        os.close(locks.hold(path=home / "lock", what=f"A server with files in {home}"))
        shutil.rmtree(home)
    return home


def _private(folder: pathlib.Path, account: accounts.Account) -> pathlib.Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    account.takes(folder)
    return folder
