"""What has to be done before the service can start: migrate, guard, gather static files, load the demonstration floor."""

import dataclasses
import hashlib
import pathlib
import signal
import sys
from collections.abc import Iterable, Mapping

from settings.embedded import children, screen, trouble

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROOMS = ("audit", "tables", "jackpots", "settings")


@dataclasses.dataclass(frozen=True)
class Step:
    """One command of manage.py, and what it depends on: while that is unchanged, it need not run again."""

    name: str
    sentence: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    digest: str

    def run(self, *, var: pathlib.Path, is_always: bool) -> None:
        """Run it, unless the last run that ended well had nothing different before it."""
        mark = var / "steps" / self.name
        if not is_always and mark.exists() and mark.read_text() == self.digest:
            return
        screen.say(self.sentence)
        mark.unlink(missing_ok=True)
        _run(self.command, log=var / "log" / "setup.log", environment=self.environment)
        mark.parent.mkdir(exist_ok=True)
        mark.write_text(self.digest)


def program_digest() -> str:
    """Changes with every change of the program or of what it is built on."""
    files = [ROOT / "manage.py", ROOT / "requirements.txt"]
    for room in ROOMS:
        files += (ROOT / room).rglob("*.py")
        files += (ROOT / room).rglob("*.toml")
    return _digest(files)


def static_digest() -> str:
    """Changes with every change of a static file, ours or a package's."""
    files = [ROOT / "requirements.txt", ROOT / "settings" / "base.py"]
    for room in ROOMS:
        files += [path for folder in (ROOT / room).rglob("static") for path in folder.rglob("*") if path.is_file()]
    return _digest(files)


def _digest(files: Iterable[pathlib.Path]) -> str:
    whole = hashlib.sha256()
    for path in sorted(files):
        whole.update(f"{path.relative_to(ROOT)}\0".encode())
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def _run(command: tuple[str, ...], *, log: pathlib.Path, environment: Mapping[str, str]) -> None:
    began_at = log.stat().st_size if log.exists() else 0
    child = children.spawn([sys.executable, "manage.py", *command], log=log, folder=ROOT, environment=environment)
    try:
        code = child.wait()
    finally:
        children.end(child, by=signal.SIGTERM, seconds=5)
    if code != 0:
        said = log.read_bytes()[began_at:].decode(errors="replace").strip().splitlines()
        raise trouble.Trouble(f"manage.py {command[0]} failed: {_reason(said)} (all of it is in {log})")


def _reason(said: list[str]) -> str:
    """The sentence of a failed check, which Django ends with a mere count; otherwise the last line."""
    found = next((line for line in said if line.startswith("?: (")), said[-1] if said else "it gave no reason")
    return found.removeprefix("?: ")
