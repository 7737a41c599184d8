"""The rule book as it is printed: one entry for people and machines alike, every part with its paragraph and every row with its odds."""

from decimal import Decimal
from typing import Any

from jackpots import rulebook
from jackpots.rules import hands, money, odds
from jackpots.rules.book import Award, Bound, Fund, Game, Line, Note, PayTable, RuleText, Wager
from jackpots.rules.odds import Chance

Printed = dict[str, Any]


def shelf() -> list[Printed]:
    """Every rule text with its games and their wagers, in short."""
    return [_text(text) for text in rulebook.texts().values()]


def game(name: str) -> Printed:
    """A game's entries in every text that has it."""
    found = [text for text in rulebook.texts().values() if name in text.games]
    if not found:
        raise rulebook.NoSuchRule(what=f"game {name}")
    return {"game": name, "name": found[0].games[name].name, "entries": [_entry(text, text.games[name]) for text in found]}


def entry(*, rule_text: str, game: str) -> Printed:
    """A game's entry in one text."""
    its_game = rulebook.game(rule_text=rule_text, game=game)
    return _entry(rulebook.texts()[rule_text], its_game)


def hand_name(hand: str) -> str:
    """A hand as people write it."""
    return hand.replace("-", " ").capitalize()


def _text(text: RuleText) -> Printed:
    return {"rule_text": text.id, "title": text.title, "also": list(text.also), "games": [_game(one) for one in text.games.values()]}


def _game(game: Game) -> Printed:
    return {
        "game": game.id,
        "name": game.name,
        "paragraph": game.paragraph,
        "has_meter": bool(game.funds) or any(wager.has_meter for wager in game.wagers.values()),
        "wagers": [_wager_in_short(wager) for wager in game.wagers.values()],
        "funds": [{"fund": fund.id, "name": fund.name, "paragraph": fund.paragraph} for fund in game.funds.values()],
    }


def _wager_in_short(wager: Wager) -> Printed:
    first = next(iter(wager.pay_tables.values()))
    return {
        "wager": wager.id,
        "name": wager.name,
        "paragraph": wager.paragraph,
        "has_meter": wager.has_meter,
        "pay_tables": list(wager.pay_tables),
        "top_line": _lines(wager, first)[0],
    }


def _entry(text: RuleText, game: Game) -> Printed:
    return {
        "rule_text": text.id,
        "title": text.title,
        "game": game.id,
        "name": game.name,
        "paragraph": game.paragraph,
        "deck": game.deck,
        "hand_cards": game.hand_cards,
        "payment": {"order": game.payment_order, "paragraph": game.payment_paragraph},
        "wagers": [_wager(wager) for wager in game.wagers.values()],
        "funds": [_fund(fund) for fund in game.funds.values()],
        "irregularities": [
            {"irregularity": one.id, "text": one.text, "voids": one.voids, "paragraph": one.paragraph}
            for one in game.irregularities.values()
        ],
        "notes": _notes(game.notes),
    }


def _wager(wager: Wager) -> Printed:
    return {
        "wager": wager.id,
        "name": wager.name,
        "paragraph": wager.paragraph,
        "has_meter": wager.has_meter,
        "hand_kind": wager.hand_kind,
        "hand_is": hands.KINDS[wager.hand_kind].name if wager.hand_kind else None,
        "on": list(wager.on),
        "is_by_coupon_too": wager.coupon,
        "choice": wager.choice,
        "minimum": money.cents(wager.minimum_micros) if wager.minimum_micros else None,
        **_rules(wager),
        "extras": [_line(line, _chance_of_extra(wager, line.hand)) for line in wager.extras.values()],
        "notes": _notes(wager.notes),
        "pay_tables": [_pay_table(wager, table) for table in wager.pay_tables.values()],
    }


def _rules(wager: Wager) -> Printed:
    return {
        "fold": {"forfeits": wager.fold_forfeits, "keeps_envy": wager.envy_survives_fold, "paragraph": wager.fold_paragraph},
        "validations": [{"awards": one.awards, "by": one.by, "paragraph": one.paragraph} for one in wager.validations],
        "paid_from": {
            "percent": wager.sources.percent,
            "deducted": wager.sources.deducted,
            "other": wager.sources.other,
            "paragraph": wager.sources.paragraph,
        },
        "sharing": {
            "hands": list(wager.sharing.hands),
            "is_dealer_award_divided": wager.sharing.is_dealer_award_divided,
            "paragraph": wager.sharing.paragraph,
        },
    }


def _pay_table(wager: Wager, table: PayTable) -> Printed:
    return {
        "pay_table": table.id,
        "name": table.name,
        "paragraph": table.paragraph,
        "digest": table.digest,
        "is_minimum": table.is_minimum,
        "lines": _lines(wager, table),
        "not_paid": list(table.not_paid),
        "envy": _envy(table),
        "amounts": [money.cents(amount) for amount in table.amounts_micros],
        "levels": list(table.levels),
        "rates": [{"level": level, **_bound(rate, "percent", _percent(rate.value))} for level, rate in table.rates.items()],
        "initial": _amount_bound(table.initial),
        "reset": _amount_bound(table.reset),
        "resets_from": table.resets_from,
        "resets_paragraph": table.resets_paragraph,
        "linking": {"is_allowed": table.linkable, "paragraph": table.linking_paragraph},
    }


def _lines(wager: Wager, table: PayTable) -> list[Printed]:
    chances = {chance.hand: chance for chance in odds.chances(wager=wager, pay_table=table)}
    return [_line(line, chances.get(line.hand)) for line in table.lines]


def _line(line: Line, chance: Chance | None) -> Printed:
    return {
        "hand": line.hand,
        "name": hand_name(line.hand),
        "award": _award(line.award),
        "paragraph": line.paragraph,
        "odds": {"count": chance.count, "total": chance.total, "one_in": chance.text} if chance else None,
        "is_shared": line.award.is_shared,
        "validated_by": line.award.validation,
        "paid_from": line.award.paid_from,
    }


def _award(award: Award) -> Printed:
    return {
        "text": award.text,
        "kind": award.kind,
        "percent": _percent(award.percent_ppm) if award.kind == "percent" else None,
        "amount": money.cents(award.amount_micros) if award.kind == "fixed" else None,
        "pays": award.odds or None,
        "per": award.odds_to if award.odds else None,
        "meter": award.meter,
        "is_deducted": award.is_deducted,
    }


def _chance_of_extra(wager: Wager, name: str) -> Chance | None:
    picked = odds.magic_card(wager=wager) if name == "magic-card" else None
    return None if picked is None else Chance(name, picked.numerator, picked.denominator)


def _envy(table: PayTable) -> Printed:
    return {
        "paragraph": table.envy_paragraph,
        "is_from_amount": table.is_envy_from_amount,
        "schedules": [
            {
                "wager": money.cents(wager),
                "pays": [{"hand": hand, "name": hand_name(hand), "amount": money.cents(due)} for hand, due in schedule.items()],
            }
            for wager, schedule in table.envy.items()
        ],
    }


def _fund(fund: Fund) -> Printed:
    return {
        "fund": fund.id,
        "name": fund.name,
        "paragraph": fund.paragraph,
        "verified_by": fund.verified_by,
        "paid_from": fund.paid_from,
        "licensee_sets": {
            "contribution": _percent(fund.contribution_ppm),
            "contribution_at_most": money.cents(fund.contribution_cap_micros),
            "minimum_pot": money.cents(fund.minimum_pot_micros),
            "losing_hand_at_least": fund.qualifying_hand,
            "shares": [{"to": who, "percent": _percent(share)} for who, share in fund.shares_ppm.items()],
            "paragraph": fund.settings_paragraph,
        },
        "notes": _notes(fund.notes),
    }


def _notes(notes: tuple[Note, ...]) -> list[Printed]:
    return [{"text": note.text, "paragraph": note.paragraph, "is_reading": note.is_reading} for note in notes]


def _amount_bound(bound: Bound | None) -> Printed | None:
    return None if bound is None else _bound(bound, "amount", money.cents(bound.value))


def _bound(bound: Bound, name: str, written: str) -> Printed:
    return {"bound": bound.kind, name: written, "paragraph": bound.paragraph}


def _percent(ppm: int) -> str:
    return str(Decimal(ppm) / 10_000)
