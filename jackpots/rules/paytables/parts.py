"""Parts that stand in several places of a rule text."""

import re

from jackpots.rules.book import Note
from jackpots.rules.paytables.section import Section

ROLES = ("floorperson", "supervisor", "shift-supervisor")
PLACES = ("cage", "table", "game-account")
_ID = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", re.ASCII)


def identifier(section: Section) -> str:
    """The name by which a part is known in addresses."""
    value = section.text("id")
    if _ID.fullmatch(value) is None:
        raise section.wrong(f"id {value!r} must be letters and digits joined by hyphens")
    return value


def notes(section: Section) -> tuple[Note, ...]:
    """Rules in our own words."""
    return tuple(_note(child) for child in section.sections("note", "note", by="text"))


def _note(section: Section) -> Note:
    read = Note(paragraph=section.text("paragraph"), text=section.text("text"), is_reading=section.flag("reading", False))
    section.end()
    return read
