"""Caps: above which amount a meter overflows. A version's cap is taken over only if the meter fits under it when the version begins."""

import datetime

from django.db import models

from audit import journal
from jackpots.ledger import book
from jackpots.models import Approval, CapRuling, Progressive
from jackpots.rules import money

# What accounting is told when a cap could not be taken over.
TOLD = "cap-not-taken"


def in_force(progressive: Progressive, at: datetime.datetime) -> int | None:
    """The cap at a moment; None where there is none."""
    taken = CapRuling.objects.filter(approval__configuration__progressive=progressive, is_taken=True, approval__effective_at__lte=at)
    newest = taken.order_by("-approval__effective_at", "-approval_id").select_related("approval__configuration").first()
    return newest.approval.configuration.cap_micros if newest else None


def waiting(at: datetime.datetime) -> list[int]:
    """The progressives with a version that has begun and whose cap nobody has ruled on."""
    begun = Approval.objects.filter(effective_at__lte=at, cap_ruling__isnull=True)
    return sorted(set(begun.values_list("configuration__progressive_id", flat=True)))


def rule(*, ledger: book.Book, progressive: Progressive, now: datetime.datetime) -> None:
    """Take over the caps of versions that have begun, oldest first; one the meter has outgrown is left, and accounting is told."""
    begun = Approval.objects.filter(configuration__progressive=progressive, effective_at__lte=now, cap_ruling__isnull=True)
    for approval in begun.select_related("configuration").order_by("effective_at", "pk"):
        _rule(approval, standing(ledger.available(progressive.pk)[book.MAIN], progressive, now), progressive, now)


def standing(main_micros: int, progressive: Progressive, at: datetime.datetime) -> int:
    """The meter as its own cap leaves it: what is above goes to overflow with the next fold."""
    cap = in_force(progressive, at)
    return main_micros if cap is None else min(main_micros, cap)


def take(*, approval: Approval, main_micros: int, now: datetime.datetime) -> CapRuling:
    """A cap that the meter fits under, taken over at once."""
    return CapRuling.objects.create(approval=approval, is_taken=True, main_micros=main_micros, ruled_at=now)


def _rule(approval: Approval, main_micros: int, progressive: Progressive, now: datetime.datetime) -> None:
    configuration = approval.configuration
    cap = configuration.cap_micros
    is_taken = cap is None or main_micros <= cap
    stays = cap if is_taken else in_force(progressive, now)
    ruling = CapRuling.objects.create(approval=approval, is_taken=is_taken, main_micros=main_micros, ruled_at=now)
    # Displays show no more than the cap, so they must hear of a new one.
    Progressive.objects.filter(pk=progressive.pk).update(state_changes=models.F("state_changes") + 1)
    journal.append(
        kind="cap-taken" if is_taken else TOLD,
        now=now,
        actor=journal.Actor("system", "fold"),
        facts={
            "version": configuration.number,
            "cap": _exact(cap),
            "main": money.exact(main_micros),
            "in_force": _exact(stays),
        },
        property_id=configuration.funded_by_id,
        subject=f"progressive:{progressive.slug}",
        rows=[ruling],
        notices=[] if is_taken else [(TOLD, f"{progressive.slug}:{configuration.number}")],
    )


def _exact(micros: int | None) -> str | None:
    return None if micros is None else money.exact(micros)
