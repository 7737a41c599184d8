"""Which files are ours: everything in the repository but what tools and runs leave behind."""

import ast
import functools
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# What a run, a tool or a virtual environment leaves in the project's folder.
LEFT_BEHIND = {".git", ".venv", "var", "__pycache__"}
TOOLS_FOLDERS = {".mypy_cache", ".ruff_cache", ".pytest_cache", ".import_linter_cache", ".hypothesis"}
NOT_TEXT = {".png", ".jpg", ".ico", ".woff", ".woff2", ".pdf", ".pyc", ".gz"}
# The stand-alone verifier is Python without the ending, because people call it as a command.
WITHOUT_ENDING = ("bin/verify",)


@functools.cache
def ours() -> tuple[pathlib.Path, ...]:
    """Every file of the repository."""
    found: list[pathlib.Path] = []
    for folder, names, files in os.walk(ROOT):
        # Cut off here and not sifted out afterwards: a virtual environment alone holds more files than all the rest.
        names[:] = [name for name in names if name not in LEFT_BEHIND and name not in TOOLS_FOLDERS]
        found += [pathlib.Path(folder, name) for name in files]
    return tuple(sorted(found))


def texts() -> list[pathlib.Path]:
    return [path for path in ours() if path.suffix not in NOT_TEXT]


def modules() -> list[pathlib.Path]:
    """Our Python, migrations left out: those are written by Django and judged by it."""
    written = [path for path in ours() if path.suffix == ".py" and "migrations" not in path.parts]
    return [*written, *(ROOT / name for name in WITHOUT_ENDING)]


def documents() -> list[pathlib.Path]:
    return [path for path in ours() if path.suffix == ".md"]


def parsed(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def short(path: pathlib.Path) -> str:
    return path.relative_to(ROOT).as_posix()
