"""The digest of a pay table: what it is known by. It covers all that decides who is paid what, and no wording."""

import hashlib
import json
from dataclasses import replace

from jackpots.rules.book import Award, Bound, Line, PayTable, Wager


def sealed(path: tuple[str, ...], wager: Wager) -> Wager:
    """The wager with the digest on each of its pay tables."""
    tables = {name: replace(table, digest=_digest(path, wager, table)) for name, table in wager.pay_tables.items()}
    return replace(wager, pay_tables=tables)


def _digest(path: tuple[str, ...], wager: Wager, table: PayTable) -> str:
    content = {"of": [*path, wager.id, table.id], "wager": _wager(wager), "table": _table(table)}
    written = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def _wager(wager: Wager) -> dict[str, object]:
    return {
        "hand_kind": wager.hand_kind,
        "on": wager.on,
        "choice": wager.choice,
        "coupon": wager.coupon,
        "minimum": wager.minimum_micros,
        "fold": [wager.fold_forfeits, wager.envy_survives_fold],
        "dealer_award_divided": wager.sharing.is_dealer_award_divided,
        "extras": [_line(line) for line in wager.extras.values()],
    }


def _table(table: PayTable) -> dict[str, object]:
    return {
        "amounts": table.amounts_micros,
        "lines": [_line(line) for line in table.lines],
        "minimum": table.is_minimum,
        "envy": [[amount, *row] for amount, schedule in table.envy.items() for row in schedule.items()],
        "envy_from_amount": table.is_envy_from_amount,
        "linkable": table.linkable,
        "rates": [[level, *_bound(bound)] for level, bound in table.rates.items()],
        "initial": _bound(table.initial),
        "reset": _bound(table.reset),
        "levels": table.levels,
        "resets_from": table.resets_from,
    }


def _line(line: Line) -> list[object]:
    return [line.hand, *_award(line.award)]


def _award(award: Award) -> list[object]:
    paid = [award.kind, award.percent_ppm, award.odds, award.odds_to, award.amount_micros]
    return [*paid, award.meter, award.is_deducted, award.is_shared, award.validation, award.paid_from]


def _bound(bound: Bound | None) -> list[object]:
    return [] if bound is None else [bound.kind, bound.value]
