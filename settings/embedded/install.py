"""Install a requirements file into the virtual environment this runs in, showing how far it is.

It is run by its path before anything is installed, so it needs nothing but Python itself.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VENV = pathlib.Path(sys.prefix)
VAR = ROOT / "var"
LOG = VAR / "log" / "install.log"
REQUIREMENT = re.compile(r"^[A-Za-z0-9]\S*==", re.MULTILINE)
# pip names each package once, in one of three ways: to be fetched, in a file at hand, or there already.
COLLECTED = re.compile(
    r"^(?:Collecting |Requirement already satisfied: |Processing (?:\S*/))([A-Za-z0-9._]+(?:-[A-Za-z][A-Za-z0-9._]*)*)(?:==|-)(\d[^\s-]*)"
)
UNREACHABLE = ("connection broken by", "Failed to establish", "ConnectTimeout", "ReadTimeout", "ProxyError")


def main(requirements: pathlib.Path) -> int:
    marker = VENV / f".installed-{requirements.name}"
    wanted = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    with _alone():
        _put_project_on_path()
        if marker.exists() and marker.read_text() == wanted:
            return 0
        if not _install(requirements):
            print(_reason(LOG.read_text(errors="replace")), file=sys.stderr)
            return 1
        marker.write_text(wanted)
    return 0


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Two at once would write over each other's packages."""
    with (VENV / ".installing").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _put_project_on_path() -> None:
    # pytest loads its plugins before it looks at the project's folder. The path is relative to the environment it is in,
    # so that a project that was moved, or an environment reached by a link, never leads to another project's code.
    packages = pathlib.Path(sysconfig.get_path("purelib"))
    (packages / "linkmeter-root.pth").write_text(f"{os.path.relpath(VENV.parent, packages)}\n")


def _install(requirements: pathlib.Path) -> bool:
    if not VAR.exists():
        VAR.mkdir()
        VAR.chmod(0o755)  # a strict umask would close it to the account that root lends to the servers
    LOG.parent.mkdir(exist_ok=True)
    total = len(REQUIREMENT.findall(requirements.read_text()))
    options = ["--require-hashes", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    command = [sys.executable, "-m", "pip", "install", *options, "-r", str(requirements)]
    with LOG.open("w") as log, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        assert pip.stdout is not None
        _follow(pip.stdout, log.write, total)
    return pip.returncode == 0


def _follow(lines: Iterable[str], keep: Callable[[str], object], total: int) -> None:
    done = 0
    for line in lines:
        keep(line)
        collected = COLLECTED.match(line)
        if collected:
            done += 1
            _show(f"  fetching {done} of about {total}: {collected[1]} {collected[2]}", is_worth_a_line=done % 10 == 0)
        elif line.startswith("Installing collected packages"):
            _show("  unpacking", is_worth_a_line=True)
    _show("", is_worth_a_line=False)


def _show(text: str, *, is_worth_a_line: bool) -> None:
    """On a terminal one line that changes; elsewhere, such as in a log, a line now and then."""
    if sys.stdout.isatty():
        print(f"\r\033[K{text}", end="", flush=True)
    elif is_worth_a_line:
        print(text, flush=True)


def _reason(log: str) -> str:
    machine = (
        f"{sys.platform} {platform.machine()}, {' '.join(platform.libc_ver()).strip() or 'no glibc'}, Python {platform.python_version()}"
    )
    missing = re.search(r"No matching distribution found for (\S+)", log)
    if any(sign in log for sign in UNREACHABLE):
        return f"The packages could not be fetched, because the package index cannot be reached; pip's words are in {LOG}."
    if missing:
        return f"There is no ready-made package (wheel) of {missing[1]} for this machine ({machine}); pip's words are in {LOG}."
    errors = [line for line in log.splitlines() if line.startswith("ERROR")]
    return f"The packages could not be installed: {errors[0] if errors else 'pip gave no reason'} (all of it is in {LOG})"


if __name__ == "__main__":
    sys.exit(main(ROOT / sys.argv[1]))
