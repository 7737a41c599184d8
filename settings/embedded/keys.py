"""Passwords and keys that are made once and kept in files only their owner can read."""

import os
import pathlib
import secrets


def kept(folder: pathlib.Path, name: str) -> str:
    """The key of that name, made if it is not there yet."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / name
    if not path.exists():
        write_private(path, secrets.token_urlsafe(32))
    return path.read_text().strip()


def write_private(path: pathlib.Path, text: str) -> None:
    """Write a file that nobody else can read, not even for the moment in which it is made, and never half of it."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text + "\n")
    unfinished.rename(path)
