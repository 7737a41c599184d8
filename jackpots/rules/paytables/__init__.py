"""Rule texts as TOML, read into the values of the rule book. No file is opened here: the text is handed in."""

import tomllib
from collections.abc import Mapping

from jackpots.rules.book import Game, Irregularity, RuleText
from jackpots.rules.paytables import funds, wagers
from jackpots.rules.paytables.parts import identifier, notes
from jackpots.rules.paytables.section import BadRuleText, Section

__all__ = ["BadRuleText", "parse"]

# The deck of Spanish 21 has no tens; that of pai gow poker has a joker.
DECKS = (48, 52, 53)
_VOIDS = ("round", "hand", "nothing")


def parse(text: str) -> RuleText:
    """Read one rule text. Whatever is unknown, missing, twice, out of order or impossible is refused with its place."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as refusal:
        raise BadRuleText("rule text", str(refusal)) from refusal
    section = Section(content, str(content.get("id", "rule text")))
    rule_text = RuleText(
        id=identifier(section),
        title=section.text("title"),
        also=section.texts("also", []),
        games=_games(section),
    )
    section.end()
    return rule_text


def _games(section: Section) -> Mapping[str, Game]:
    text_id = section.place
    games = [_game(text_id, child) for child in section.sections("game", "game")]
    if not games:
        raise section.wrong("it has no game")
    return {game.id: game for game in games}


def _game(text_id: str, section: Section) -> Game:
    game_id, deck, hand_cards = identifier(section), section.count("deck"), section.count("hand_cards")
    if deck not in DECKS:
        raise section.wrong(f"deck is {deck}; it must be {', '.join(map(str, DECKS))}")
    read = [wagers.wager((text_id, game_id), deck, hand_cards, child) for child in section.sections("wager", "wager")]
    game = Game(
        id=game_id,
        name=section.text("name"),
        deck=deck,
        hand_cards=hand_cards,
        paragraph=section.text("paragraph"),
        payment_order="dealers-right-first",
        payment_paragraph=section.text("payment_paragraph", ""),
        wagers={wager.id: wager for wager in read},
        funds={one.id: one for one in map(funds.fund, section.sections("fund", "fund"))},
        irregularities={one.id: one for one in map(_irregularity, section.sections("irregularity", "irregularity"))},
        notes=notes(section),
    )
    section.end()
    return game


def _irregularity(section: Section) -> Irregularity:
    read = Irregularity(
        id=identifier(section),
        text=section.text("text"),
        voids=section.word("voids", _VOIDS),  # type: ignore[arg-type]
        paragraph=section.text("paragraph"),
    )
    section.end()
    return read
