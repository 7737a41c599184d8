"""The rule book on the shelf: reads the rule texts that ship with the service, and a site's own, once."""

import functools
import pathlib
from collections.abc import Mapping

from django.conf import settings

from audit.refusals import NoSuchThing
from jackpots.rules import paytables
from jackpots.rules.book import Game, PayTable, RuleText, Wager
from jackpots.rules.paytables import BadRuleText

SHIPPED = pathlib.Path(paytables.__file__).parent


class NoSuchRule(NoSuchThing):
    """The rule book has no {what}."""


@functools.cache
def texts() -> Mapping[str, RuleText]:
    """Every rule text the service knows, by id."""
    found: dict[str, RuleText] = {}
    for path in _shelf():
        text = _read(path)
        if text.id in found:
            raise BadRuleText(str(path), f"the rule text {text.id} is there already; a text of your own needs an id of its own")
        found[text.id] = text
    return found


def complaint() -> str | None:
    """Why the texts cannot be taken, in one sentence that names the file and the place; None where they can."""
    try:
        texts()
    except BadRuleText as refusal:
        return str(refusal)
    return None


def game(*, rule_text: str, game: str) -> Game:
    text = texts().get(rule_text)
    if text is None or game not in text.games:
        raise NoSuchRule(what=f"game {game} in the text {rule_text}")
    return text.games[game]


def wager(*, rule_text: str, game: str, wager: str) -> Wager:
    wagers = _game(rule_text, game).wagers
    if wager not in wagers:
        raise NoSuchRule(what=f"wager {wager} in {rule_text}")
    return wagers[wager]


def pay_table(*, rule_text: str, game: str, wager: str, pay_table: str) -> PayTable:
    tables = _wager(rule_text, game, wager).pay_tables
    if pay_table not in tables:
        raise NoSuchRule(what=f"pay table {pay_table} for {wager} in {rule_text}")
    return tables[pay_table]


def _shelf() -> list[pathlib.Path]:
    """The files in the order they are read: those shipped first, so that of two with one id the site's own is named."""
    folders = [SHIPPED]
    if settings.RULE_TEXT_FOLDER:
        folders.append(pathlib.Path(settings.RULE_TEXT_FOLDER))
        if not folders[-1].is_dir():
            raise BadRuleText("RULE_TEXT_FOLDER", f"there is no folder {folders[-1]}")
    return [path for folder in folders for path in sorted(folder.glob("*.toml"))]


def _read(path: pathlib.Path) -> RuleText:
    try:
        return paytables.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as refusal:
        raise BadRuleText(str(path), str(refusal)) from refusal


def _game(rule_text: str, name: str) -> Game:
    return game(rule_text=rule_text, game=name)


def _wager(rule_text: str, game_name: str, name: str) -> Wager:
    return wager(rule_text=rule_text, game=game_name, wager=name)
