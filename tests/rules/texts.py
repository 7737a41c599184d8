"""The rule texts that ship with the service, read once for all tests."""

from functools import cache
from pathlib import Path

from jackpots.rules import paytables
from jackpots.rules.book import PayTable, RuleText, Wager

FOLDER = Path(paytables.__file__).parent


@cache
def text(name: str) -> RuleText:
    return paytables.parse((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def all_texts() -> list[RuleText]:
    return [text(path.stem) for path in sorted(FOLDER.glob("*.toml"))]


def wager(text_name: str, game: str, name: str) -> Wager:
    return text(text_name).games[game].wagers[name]


def table(text_name: str, game: str, name: str, column: str) -> PayTable:
    return wager(text_name, game, name).pay_tables[column]
