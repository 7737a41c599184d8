"""What the person at the terminal sees."""

import json
import pathlib
import sys
from typing import Any

PAGES = (
    ("signage", "/sign/"),
    ("floor", "/floor/"),
    ("cage", "/cage/"),
    ("technician", "/technician/controllers/"),
    ("API", "/api/v1/docs/"),
)


def say(text: str) -> None:
    """One line, at once, even into a pipe. A terminal that has gone away must not stop the service from stopping cleanly."""
    try:
        print(text, flush=True)
    except OSError:
        sys.stdout = sys.stderr = open("/dev/null", "w")  # noqa: SIM115  (open to the end, by intention)


def welcome(*, url: str, demo: pathlib.Path, logs: pathlib.Path) -> None:
    """Where everything is, and who may log in."""
    say("")
    say("Linkmeter is running.")
    for name, path in PAGES:
        say(f"  {name:<10} {url}{path}")
    for person in _people(demo):
        login = f"{person.get('username', ''):<12} password {person.get('password', '')}   PIN {person.get('pin') or '-'}"
        say(f"  {person.get('role', ''):<18} {login}")
    say(f"Logs are in {logs}. Ctrl-C stops everything; the records stay for the next start.")


def _people(demo: pathlib.Path) -> list[dict[str, Any]]:
    try:
        people = json.loads(demo.read_text())["people"]
    except (OSError, ValueError, KeyError):
        return []
    return [person for person in people if isinstance(person, dict)]
