"""A controller's station: its tables, the round each is in, and what may be wagered there now."""

import datetime
from typing import Any

from jackpots import configurations, progressives
from jackpots.models import Link
from jackpots.rules import money
from tables.models import Controller, Round, Table

IN_PLAY = (Round.State.OPEN, Round.State.LOCKED)


def station_of(controller: Controller, *, now: datetime.datetime) -> dict[str, Any]:
    tables = controller.tables.order_by("name")
    return {
        "controller": controller.name,
        "next_sequence": controller.next_sequence,
        "tables": [_table(table, now) for table in tables],
    }


def _table(table: Table, now: datetime.datetime) -> dict[str, Any]:
    latest = table.rounds.order_by("-number").first()
    in_play = latest if latest and latest.state in IN_PLAY else None
    offered = [shown for link in _links(table, now) if (shown := _offered(link, now))]
    return {
        "table": table.name,
        "game": table.game,
        "seats": table.seats,
        "accepts_wagers": table.is_open and bool(offered) and (in_play is None or in_play.state == Round.State.OPEN),
        "open_round": in_play.number if in_play else None,
        "next_round": latest.number + 1 if latest else 1,
        "progressives": offered,
    }


def _links(table: Table, now: datetime.datetime) -> list[Link]:
    return list(progressives.links_of(table, now).select_related("progressive").order_by("progressive_id"))


def _offered(link: Link, now: datetime.datetime) -> dict[str, Any] | None:
    configuration = configurations.in_force(link.progressive, now)
    if configuration is None or progressives.is_suspended(link.progressive, now):
        return None
    wager, table = configurations.rules_of(configuration)
    return {
        "progressive": link.progressive.slug,
        "wager": wager.id,
        "amounts": [money.cents(amount) for amount in table.amounts_micros],
        "hands": [line.hand for line in table.lines],
    }
