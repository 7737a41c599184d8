"""The figures of a progressive as regulators name them: in, hits, wins, overflow, reserve and display, and the last 25 hits."""

import datetime
from typing import Any

from django.db.models import Count, Q, Sum

from jackpots import caps, configurations, proofline
from jackpots.ledger import book
from jackpots.models import Configuration, Hit, Payout, Progressive
from jackpots.rules import money
from tables.models import Wager

LAST_HITS = 25
WON = (Hit.State.APPROVED, Hit.State.PAID)
WAITING = (Hit.State.PENDING, Hit.State.HELD)


def of(*, progressive: Progressive, now: datetime.datetime) -> dict[str, Any]:
    """Everything at once, added up from wagers, transfers and hits."""
    configuration = configurations.in_force(progressive, now)
    levels = configurations.rules_of(configuration)[1].levels if configuration else (book.MAIN,)
    pools = {book.MAIN, *levels, book.OVERFLOW, book.RESERVE}
    sums = {meter: proofline.prove(question=_question(progressive, meter), now=now) for meter in sorted(pools)}
    main = sums[book.MAIN].balance_micros
    return {
        "progressive": progressive.slug,
        "name": progressive.name,
        "as_of": now,
        "version": configuration.number if configuration else None,
        "display": money.cents(caps.standing(main, progressive, now)) if levels else None,
        **_wagered(progressive),
        "levels": [_level(level, sums[level], progressive, configuration, now) for level in levels],
        "overflow": money.exact(sums[book.OVERFLOW].balance_micros),
        "reserve": money.exact(sums[book.RESERVE].balance_micros),
        "awards": _by_hand(progressive),
        "paid": _paid(progressive),
        "last_hits": [_hit(hit) for hit in _last(progressive)],
    }


def _question(progressive: Progressive, meter: str) -> proofline.Question:
    return proofline.Question(progressive=progressive, meter=meter)


def _wagered(progressive: Progressive) -> dict[str, Any]:
    """How many wagers have contributed and how much was wagered, net of voids."""
    counted = Wager.objects.filter(
        wager=progressive.wager,
        state=Wager.State.ACCEPTED,
        round__contributed_at__isnull=False,
        round__terms__progressive=progressive,
    ).aggregate(wagers=Count("pk"), amount=Sum("amount_micros"), coupons=Count("pk", filter=Q(is_coupon=True)))
    return {
        "progressive_in": counted["wagers"],
        "by_coupon": counted["coupons"],
        "amount_wagered": money.cents(counted["amount"] or 0),
    }


def _level(
    level: str, proof: proofline.Proof, progressive: Progressive, configuration: Configuration | None, now: datetime.datetime
) -> dict[str, Any]:
    lines = {line.name: line.amount_micros for line in proof.lines}
    on_level = Hit.objects.filter(terms__progressive=progressive, meter=level)
    pending = on_level.filter(state__in=WAITING).aggregate(taken=Sum("drawn_micros"))["taken"] or 0
    is_main = level == book.MAIN
    cap = caps.in_force(progressive, now) if is_main else None
    return {
        "level": level,
        "balance": money.exact(proof.balance_micros),
        "rate_ppm": configuration.rates_ppm.get(level) if configuration else None,
        "base": _cents(configuration.reset_micros) if configuration and is_main else None,
        "limit": _cents(cap),
        "contributions": money.exact(lines["contributions"]),
        "hits": on_level.filter(state__in=WON).count(),
        # All that awards have taken, less what still waits for a signature.
        "wins": money.exact(-lines["awards"] - pending),
        "wins_pending": money.exact(pending),
    }


def _by_hand(progressive: Progressive) -> list[dict[str, Any]]:
    won = Hit.objects.filter(terms__progressive=progressive, state__in=WON).values("hand")
    counted = won.annotate(hits=Count("pk"), wins=Sum("award_micros")).order_by("-wins", "hand")
    return [{"hand": row["hand"], "hits": row["hits"], "wins": money.cents(row["wins"])} for row in counted]


def _paid(progressive: Progressive) -> dict[str, str]:
    """What has been paid so far, by where it was paid."""
    paid = Payout.objects.filter(award__hit__terms__progressive=progressive, state=Payout.State.PAID).values("award__paid_from")
    return {row["award__paid_from"]: money.cents(row["total"]) for row in paid.annotate(total=Sum("award__amount_micros")).order_by()}


def _last(progressive: Progressive) -> list[Hit]:
    taken = Hit.objects.filter(terms__progressive=progressive, state__in=(*WON, *WAITING)).exclude(meter="")
    return list(taken.select_related("round__table").order_by("-pk")[:LAST_HITS])


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "hit": hit.number,
        "state": str(hit.state),
        "table": hit.round.table.name,
        "round": hit.round.number,
        "seat": hit.seat,
        "hand": hit.hand,
        "level": hit.meter,
        "award": money.cents(hit.award_micros),
        "claimed_at": hit.claimed_at,
    }


def _cents(micros: int | None) -> str | None:
    return None if micros is None else money.cents(micros)
