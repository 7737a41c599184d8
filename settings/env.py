"""Typed readers of the environment. A bad value stops the start with one sentence, instead of surfacing on the floor."""

import os
import pathlib
import urllib.parse
from typing import Any


class BadEnvironment(SystemExit):
    """The environment holds a value the service cannot start with."""


def text(name: str, default: str | None = None) -> str:
    value = os.environ.get(name, default)
    if value is None or value == "":
        if default is not None:
            return default
        raise BadEnvironment(f"{name} is not set; the service cannot start without it.")
    return value


def boolean(name: str, default: bool) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if value == "":
        return default
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise BadEnvironment(f"{name} must be true or false, not {value!r}.")


def whole_number(name: str, default: int) -> int:
    value = os.environ.get(name, "").strip()
    if value == "":
        return default
    try:
        return int(value)
    except ValueError:
        raise BadEnvironment(f"{name} must be a whole number, not {value!r}.") from None


def words(name: str, default: str) -> list[str]:
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def path(name: str, default: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(text(name, str(default)))


def database(name: str) -> dict[str, Any]:
    """A PostgreSQL address as Django's database settings; there is no other kind of database."""
    url = urllib.parse.urlsplit(text(name))
    query = dict(urllib.parse.parse_qsl(url.query))
    if url.scheme not in {"postgres", "postgresql"}:
        raise BadEnvironment(f"{name} must be a postgresql:// address, not {url.scheme or 'nothing'}://.")
    database_name = urllib.parse.unquote(url.path.lstrip("/"))
    if not database_name:
        raise BadEnvironment(f"{name} names no database.")
    return {
        "NAME": database_name,
        "USER": urllib.parse.unquote(url.username or ""),
        "PASSWORD": urllib.parse.unquote(url.password or ""),
        # A socket folder cannot stand in a URL's host part, so it comes as ?host=/folder, as libpq has it.
        "HOST": query.pop("host", url.hostname or ""),
        "PORT": str(url.port or query.pop("port", "")),
        "OPTIONS": query,
    }
