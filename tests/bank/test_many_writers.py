"""Thirty-two tables of one link, with a main and a secondary meter, all at once. Nobody waits in a circle, nobody is turned away, and
every award is what a replay of the transfers up to it says."""

import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection

from jackpots import configurations, links, meters, progressives
from jackpots.configurations import Choices
from jackpots.models import Hit
from jackpots.rules import money
from tables import controllers, floor
from tests import cast
from tests.bank import folding
from tests.bank.floor import HIGH_CARD_FLUSH, SEVENS
from tests.bank.model import CENT

WRITERS = 32
SEATS = 7
# Contributions in all; the whole proof is a hundred thousand of them, with a thousand claims among them.
CONTRIBUTIONS = int(os.environ.get("BANK_CONTRIBUTIONS", "2688"))
ROUNDS = max(CONTRIBUTIONS // (WRITERS * SEATS), 1)
# One claim in so many rounds.
CLAIM_EVERY = 14
PERCENT = {"seven-card-straight-flush": 100, "six-card-straight-flush": 10}

DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
FIRST_TRANSFER_OF_A_CLAIM = """
SELECT hit.id, min(transfer.id) FROM jackpots_hit hit JOIN ledger_transfer transfer ON transfer.event_id = hit.event_id GROUP BY hit.id
"""


@dataclass
class Link:
    house: cast.House
    names: list[str]


@pytest.fixture
def link(committed: None) -> Link:
    place = cast.property_named("harborlight")
    house = cast.House(place=place, people={name: cast.person(name, place=place, role=role) for name, role in cast.ROLES.items()})
    created = progressives.create(
        slug="flush",
        name="Flush",
        rule_text=HIGH_CARD_FLUSH,
        game="high-card-flush",
        wager="progressive",
        property=place,
        person=house.anna,
        now=cast.NOW,
    )
    names = [f"HCF-{number:02d}" for number in range(WRITERS)]
    for name in names:
        _table(house, name)
        links.link(progressive=created, table=house.tables[name], person=house.anna, now=cast.NOW)
    choices = Choices(
        pay_table="A", rates_ppm={"main": 240_000, "secondary": 20_000}, initial_micros=10_000_000_000, reset_micros=None, cap_micros=None
    )
    draft = configurations.draft(progressive=created, choices=choices, funded_by=place, person=house.anna, now=cast.NOW)
    configurations.approve(configuration=draft, person=house.piet, pin=cast.PIN, effective_at=cast.NOW, now=cast.NOW)
    return Link(house, names)


def _table(house: cast.House, name: str) -> None:
    house.tables[name] = floor.open_table(
        property=house.place,
        pit="Pit 1",
        name=name,
        rule_text=HIGH_CARD_FLUSH,
        game="high-card-flush",
        seats=SEATS,
        person=house.tess,
        now=cast.NOW,
    )
    house.controllers[name], _ = controllers.pair(
        property=house.place, name=f"CTL-{name}", tables=[house.tables[name]], person=house.tess, now=cast.NOW
    )


def play(link: Link, name: str) -> str:
    """All the rounds of one table. Anything but a plain yes is the answer."""
    luck = random.Random(name)
    try:
        dealer = cast.Dealer(link.house, name)
        for _ in range(ROUNDS):
            answers = [dealer.lock_out({seat: "1.00" for seat in range(1, SEATS + 1)})]
            if luck.randrange(CLAIM_EVERY) == 0:
                hand = "seven-card-straight-flush" if luck.randrange(5) == 0 else "six-card-straight-flush"
                dealer.hit(luck.randint(1, SEATS), list(SEVENS[hand][0]), hand)
            answers.append(dealer.settle())
            bad = [answer for answer in answers if answer["status"] != "applied"]
            if bad:
                return str(bad)
        return ""
    except Exception as raised:
        return repr(raised)
    finally:
        connection.close()


def deadlocks() -> int:
    with connection.cursor() as cursor:
        cursor.execute(DEADLOCKS)
        return int(cursor.fetchone()[0])


def prefixes() -> Iterator[tuple[int, dict[tuple[str, str], int]]]:
    """What each account held before every transfer, from the transfers alone."""
    held: dict[tuple[str, str], int] = {}
    for number, slug, kind, source, target, amount, *_ in folding.rows(folding.TRANSFERS, [0]):
        yield number, held
        if kind in (folding.POSTED, folding.RESERVED):
            held[slug, source] = held.get((slug, source), 0) - amount
        if kind in (folding.POSTED, folding.RESERVATION_POSTED):
            held[slug, target] = held.get((slug, target), 0) + amount
        if kind == folding.RESERVATION_VOIDED:
            held[slug, source] = held.get((slug, source), 0) + amount


def first_transfers() -> dict[int, int]:
    return {first: hit for hit, first in folding.rows(FIRST_TRANSFER_OF_A_CLAIM, [])}


@pytest.mark.timeout(3600)
def test_thirty_two_tables_write_at_once(link: Link) -> None:
    before = deadlocks()
    with ThreadPoolExecutor(WRITERS) as pool:
        troubles = list(pool.map(lambda name: play(link, name), link.names))
    assert [trouble for trouble in troubles if trouble] == []
    assert deadlocks() == before
    assert_every_award_is_right()
    assert_the_meters_are_right()


def assert_every_award_is_right() -> None:
    claims: dict[int, Any] = {hit.pk: hit for hit in Hit.objects.exclude(state="refused")}
    starts, seen = first_transfers(), 0
    for number, held in prefixes():
        if number in starts:
            claim = claims[starts[number]]
            expected = held["flush", "main"] * PERCENT[claim.hand] // 100 // CENT * CENT
            assert claim.award_micros == expected, (claim, money.exact(claim.award_micros), money.exact(expected))
            seen += 1
    # An award of 0.00 moves nothing and has no transfer to be found by.
    assert seen == sum(claim.award_micros > 0 or claim.takes_all for claim in claims.values())
    assert seen > 0


def assert_the_meters_are_right() -> None:
    meters.fold_all(now=cast.NOW)
    found = folding.Folding()
    found.go_on()
    assert (found.broken, found.wrong_balances(), found.sum_over_all_accounts()) == ([], [], (0, 0))
    wagers = WRITERS * ROUNDS * SEATS
    awards = sum(hit.award_micros for hit in Hit.objects.exclude(state="refused"))
    both = found.of("flush", "main").available + found.of("flush", "secondary").available
    assert both == 10_000_000_000 + wagers * 260_000 - awards
