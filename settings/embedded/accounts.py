"""Who the servers run as. PostgreSQL refuses to run as root, so root lends them an account that the machine already has."""

import dataclasses
import os
import pathlib
import pwd
import subprocess
from typing import Any

from settings.embedded import trouble

# The first is there where PostgreSQL was ever installed, the second nearly everywhere. None is ever created.
LENT_ACCOUNTS = ("postgres", "nobody")


@dataclasses.dataclass(frozen=True)
class Account:
    """Whom a server runs as; our own user unless that is root."""

    name: str
    uid: int
    gid: int
    is_lent: bool

    def popen_arguments(self) -> dict[str, Any]:
        """What subprocess needs to start a program as this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.is_lent else {}

    def takes(self, path: pathlib.Path) -> None:
        """Make this account the owner of one file or folder of ours."""
        if self.is_lent:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def can_run(self, program: pathlib.Path) -> bool:
        """Whether the program starts under this account. Trying it is the only test that folder modes, ACLs and mounts cannot fool."""
        return self._succeeds([str(program), "--version"])

    def can_enter(self, folder: pathlib.Path) -> bool:
        """Whether this account gets as far as the folder."""
        return self._succeeds(["test", "-x", str(folder)])

    def _succeeds(self, command: list[str]) -> bool:
        quiet = subprocess.DEVNULL
        try:
            done = subprocess.run(command, cwd="/", stdin=quiet, stdout=quiet, stderr=quiet, check=False, **self.popen_arguments())
        except OSError:
            return False
        return done.returncode == 0


def for_servers() -> Account:
    """Our own user, or for root the first of the lent accounts that this machine has."""
    if os.geteuid() != 0:
        return Account(name=str(os.geteuid()), uid=os.geteuid(), gid=os.getegid(), is_lent=False)
    for name in LENT_ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid, is_lent=True)
    raise trouble.Trouble("PostgreSQL must not run as root, and this machine has neither a postgres nor a nobody account to run it as.")
