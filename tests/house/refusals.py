"""Writes docs/refusals.md from the code, so that no refusal goes undocumented: `.venv/bin/python -m tests.house.refusals`."""

import importlib
import os
import pkgutil
from collections.abc import Iterator

from tests.house import files

ROOMS = ("audit", "tables", "jackpots")
PAPER = files.ROOT / "docs" / "refusals.md"
# Doors that are only programs, and modules that need a project set up in another way, define no refusal.
LEFT_OUT = (".migrations", ".management", ".simulator")

HEAD = """# Every "no" and its code

This page is written by `.venv/bin/python -m tests.house.refusals` and compared with the code by the tests; do not edit it by hand.

A refusal is a sentence for people and a code for machines. Over HTTP it is a problem document (`application/problem+json`) with the
status below. An event that is refused is an answer all the same: it has status `201`, `"status": "refused"`, the code and the
sentence, and its sequence is used up; only the refusals of its place in the sequence, and of what cannot be read, are problem
documents. Words in braces stand for facts, which the problem document also carries as members of their own.

A stream is read only, and answers `only-reading` with 405. "Again" says whether the same request may succeed later without a change.
"""

FOREIGN_HEAD = """
## What the framework refuses

The same shape, for what is refused before a verb of ours is reached, and for what nobody foresaw (`unexpected`).
"""


def document() -> str:
    """The page as it should be."""
    from audit.api import problems

    lines = [HEAD]
    for category, status in problems.STATUS.items():
        own = sorted((one for one in all_refusals() if one[0] == category), key=lambda one: one[1:])
        if own:
            lines += [
                f"\n## {status}: {problems.TITLES[status].rstrip('?').lower()}\n",
                "| code | sentence | said by | again |",
                "|---|---|---|---|",
            ]
            lines += [f"| `{code}` | {sentence} | `{module}` | {again} |" for _, code, sentence, module, again in own]
            lines.append("")
    lines += [FOREIGN_HEAD, "| code | status | sentence |", "|---|---|---|"]
    foreign = {(code, status): sentence for _, status, code, sentence in problems.FOREIGN}
    lines += [f"| `{code}` | {status} | {sentence or 'as the case may be'} |" for (code, status), sentence in sorted(foreign.items())]
    lines.append("| `unexpected` | 500 | Something went wrong here; it has been logged. |")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def all_refusals() -> Iterator[tuple[str, str, str, str, str]]:
    from audit import refusals

    _import_the_rooms()
    waiting: list[type[refusals.Refusal]] = [refusals.Refusal]
    while waiting:
        kind = waiting.pop()
        waiting += [one for one in kind.__subclasses__() if one.__module__.split(".")[0] in ROOMS]
        if kind is not refusals.Refusal:
            again = "yes" if kind.category in {"not-now", "too-fast"} else "no"
            yield kind.category, kind.code, " ".join((kind.__doc__ or "").split()), kind.__module__, again


def _import_the_rooms() -> None:
    for room in ROOMS:
        package = importlib.import_module(room)
        for found in pkgutil.walk_packages(package.__path__, prefix=f"{room}."):
            if not any(part in found.name for part in LEFT_OUT):
                importlib.import_module(found.name)


if __name__ == "__main__":
    # No server is asked anything; the settings only want to be told something.
    told = {"SECRET_KEY": "refusals", "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing", "BROKER_URL": "memory://"}
    for name, value in {**told, "DJANGO_SETTINGS_MODULE": "settings.test"}.items():
        os.environ.setdefault(name, value)
    importlib.import_module("django").setup()
    PAPER.write_text(document(), encoding="utf-8")
