"""The end of a progressive. What players have put on its meters is theirs: it goes on to another progressive, never to the house."""

import datetime
from fractions import Fraction

from django.conf import settings
from django.db import models

from audit.people.models import Person, Property
from audit.refusals import Refusal
from jackpots import configurations, motions, progressives
from jackpots.ledger import book
from jackpots.models import Configuration, Hit, Link, Motion, Progressive
from jackpots.rules import money, odds
from tables.models import Round

PERCENT = 100


class StillPlayed(Refusal):
    """Round {round} of table {table} is still in play on the {progressive} progressive."""


class ClaimWaiting(Refusal):
    """Hit {hit} on the {progressive} progressive has not been decided yet."""


class NotAlike(Refusal):
    """The money goes on only to a progressive like it: {why}."""


class SameProgressive(Refusal):
    """A progressive does not go on as itself."""


class NeverOpened(Refusal):
    """The {progressive} progressive has not been opened."""


def discontinue(*, slug: str, to: str, person: Person, pin: str, now: datetime.datetime) -> Motion:
    """End a progressive, by two signatures.

    The house gets back what it put in last, less every award taken since; all the rest goes on to the other's main meter.
    """
    ending, heir = progressives.get(slug), progressives.get(to)
    if ending.pk == heir.pk:
        raise SameProgressive
    configuration = _alike(ending, heir, now)
    return motions.sign(
        progressive=ending,
        also=[heir],
        place=configuration.funded_by,
        subject=f"progressive:{slug}",
        act="discontinue",
        facts={"to": to},
        person=person,
        pin=pin,
        now=now,
        carry_out=lambda seconded: _carry_out(ending, heir, configuration.funded_by, seconded),
    )


def _carry_out(ending: Progressive, heir: Progressive, place: Property, seconded: motions.Seconded) -> list[models.Model]:
    progressives.hold(heir)
    ending = progressives.hold(ending)
    _require_quiet(ending)
    ledger, cause = seconded.ledger, seconded.cause
    held = ledger.available(ending.pk)
    back = min(_house_money(ledger, ending), held[book.MAIN])
    leaving = [(book.MAIN, held[book.MAIN] - back), *((pool, held[pool]) for pool in (book.SECONDARY, book.OVERFLOW, book.RESERVE))]
    clearing = ledger.account(ending.pk, book.CLEARING)
    entries = [
        book.Entry(debit=ledger.account(ending.pk, pool), credit=clearing, amount_micros=micros, reason="move")
        for pool, micros in leaving
        if micros
    ]
    if back:
        house = ledger.account(ending.pk, book.HOUSE, place.pk)
        entries.append(book.Entry(debit=ledger.account(ending.pk, book.MAIN), credit=house, amount_micros=back, reason="funding-returned"))
    posted = ledger.post(progressive_id=ending.pk, cause=cause, entries=entries)
    arriving = sum(micros for _, micros in leaving)
    if arriving:
        source, target = ledger.account(heir.pk, book.CLEARING), ledger.account(heir.pk, book.MAIN)
        entry = book.Entry(debit=source, credit=target, amount_micros=arriving, reason="move")
        posted += ledger.post(progressive_id=heir.pk, cause=cause, entries=[entry])
    Link.objects.filter(progressive=ending, unlinked_at__isnull=True).update(unlinked_at=cause.now)
    ending.closed_at, ending.heir = cause.now, heir
    ending.state_changes += 1
    ending.save(update_fields=["closed_at", "heir", "state_changes"])
    return [*posted]


def _require_quiet(ending: Progressive) -> None:
    in_play = (
        Round.objects.filter(terms__progressive=ending, state__in=[Round.State.OPEN, Round.State.LOCKED]).select_related("table").first()
    )
    if in_play:
        raise StillPlayed(round=in_play.number, table=in_play.table.name, progressive=ending.slug)
    waiting = Hit.objects.filter(terms__progressive=ending, state__in=[Hit.State.PENDING, Hit.State.HELD]).first()
    if waiting:
        raise ClaimWaiting(hit=waiting.number, progressive=ending.slug)


def _house_money(ledger: book.Book, ending: Progressive) -> int:
    """The last funding by the house, less every award taken from the meter since: awards eat the house's money first."""
    left = 0
    for movement in ledger.movements(ending.pk, after=0):
        if movement.source == book.HOUSE and movement.target == book.MAIN and movement.reason in ("opening", "reset"):
            left = movement.amount_micros
        elif (movement.target == book.HOUSE and movement.reason == "reset-returned") or (
            movement.source == book.MAIN and movement.target == book.PAYABLE and movement.kind == book.Kind.RESERVED
        ):
            left = max(0, left - movement.amount_micros)
        elif movement.source == book.MAIN and movement.kind == book.Kind.RESERVATION_VOIDED:
            left += movement.amount_micros
    return left


def _alike(ending: Progressive, heir: Progressive, now: datetime.datetime) -> Configuration:
    mine, other = configurations.in_force(ending, now), configurations.in_force(heir, now)
    if mine is None or other is None:
        raise NeverOpened(progressive=ending.slug if mine is None else heir.slug)
    my_wager, my_table = configurations.rules_of(mine)
    its_wager, its_table = configurations.rules_of(other)
    if set(my_table.amounts_micros) != set(its_table.amounts_micros):
        amounts = [" or ".join(f"${money.cents(micros)}" for micros in table.amounts_micros) for table in (my_table, its_table)]
        raise NotAlike(why=f"its wager is {amounts[1]}, not {amounts[0]}")
    mine_in = odds.chances(wager=my_wager, pay_table=my_table)[0].one_in
    its_in = odds.chances(wager=its_wager, pay_table=its_table)[0].one_in
    if abs(mine_in - its_in) > mine_in * Fraction(settings.DISCONTINUE_ODDS_PERCENT, PERCENT):
        raise NotAlike(why="its top hand is not as likely")
    return mine
