"""Paying: payouts and their slips. What is paid at the table is done with the round; the cage pays on a slip, by a cashier's PIN."""

import datetime
from collections.abc import Sequence

from django.db import models, transaction

from audit import journal
from audit.people import posts, signing
from audit.people.models import Person, Property
from audit.refusals import NoSuchThing, Refusal
from jackpots.ledger import book
from jackpots.models import Award, Hit, Payout, Slip, Tier
from jackpots.rules import money
from tables.models import Round

CAGE = "cage"


class NoSuchPayout(NoSuchThing):
    """There is no payout {payout}."""


class NoSlip(NoSuchThing):
    """Payout {payout} has no slip."""


class PaidAtTheTable(Refusal):
    """Payout {payout} is paid from the {paid_from}, not at the cage."""


class PayoutNotPaid(Refusal):
    """Payout {payout} is {state}; there is no payment to take back."""


class ReasonNeeded(Refusal):
    """Say why, in a few words."""

    category = "unreadable"


class PayoutNotDue(Refusal):
    """Payout {payout} is {state}; it is not waiting to be paid."""


def get(number: str) -> Payout:
    prefix, _, digits = number.partition("-")
    is_number = prefix == "P" and digits.isascii() and digits.isdigit() and len(digits) <= 18
    found = _with_all().filter(pk=int(digits)).first() if is_number else None
    if found is None:
        raise NoSuchPayout(payout=number)
    return found


def listed(*, property_ids: Sequence[int] | frozenset[int], state: str | None = None, limit: int = 100) -> list[Payout]:
    found = _with_all().filter(award__hit__round__table__property_id__in=property_ids).order_by("-pk")
    return list(found.filter(state=state)[:limit] if state else found[:limit])


def make_at_table(*, hit: Hit, ledger: book.Book, cause: book.Cause, by: str) -> list[book.Transfer]:
    """Payouts of what an approval lets the table pay. Where the round is settled already they count as paid with the approval."""
    shares = Award.objects.filter(hit=hit, amount_micros__gt=0).exclude(paid_from=CAGE).order_by("pk")
    made = Payout.objects.bulk_create(Payout(award=award, made_at=cause.now) for award in shares)
    is_settled = Round.objects.values_list("state", flat=True).get(pk=hit.round_id) == Round.State.SETTLED
    transfers = _mark_paid(made, hit=hit, ledger=ledger, cause=cause, by=by) if is_settled else []
    _finish(hit)
    return transfers


def pay_at_table(*, round: Round, ledger: book.Book, cause: book.Cause, by: str) -> list[book.Transfer]:
    """The round is settled: what the table had to pay has been paid."""
    transfers: list[book.Transfer] = []
    for hit in Hit.objects.filter(round=round, state=Hit.State.APPROVED).select_related("terms"):
        due = Payout.objects.filter(award__hit=hit, state=Payout.State.DUE).exclude(award__paid_from=CAGE).select_related("award")
        transfers += _mark_paid(list(due), hit=hit, ledger=ledger, cause=cause, by=by)
        _finish(hit)
    return transfers


def make_due(*, now: datetime.datetime, limit: int = 50) -> int:
    """Make the payouts and slips of approved hits whose notice is waiting. Each in its own transaction; safe to run twice."""
    made = 0
    while made < limit:
        with transaction.atomic():
            claimed = journal.claim_notices(topic="payout-due", limit=1)
            if not claimed:
                return made
            _make(claimed[0].key, approved_in=claimed[0].record_id, now=now)
            journal.done(claimed[0])
        made += 1
    return made


def pay(*, number: str, person: Person, pin: str, now: datetime.datetime) -> Payout:
    """A cashier has paid: the amount leaves what is payable."""
    payout = get(number)
    hit = payout.award.hit
    place = hit.round.table.property
    posts.require(person, place, "cashier")
    checked = signing.check_pin(person=person, pin=pin, now=now)
    assert hit.terms is not None, "a payout comes of a claim that stood"
    with transaction.atomic(), book.locked(progressive_ids=[hit.terms.progressive_id], mode=book.Mode.EXCLUSIVE) as ledger:
        payout = _with_all().select_for_update(of=("self",), no_key=True).get(pk=payout.pk)
        if payout.award.paid_from != CAGE:
            raise PaidAtTheTable(payout=number, paid_from=payout.award.paid_from)
        if payout.state != Payout.State.DUE or payout.award.hit.state != Hit.State.APPROVED:
            raise PayoutNotDue(payout=number, state=payout.state)
        facts = {"payout": number, "hit": hit.number, "amount": money.cents(payout.award.amount_micros)}
        signature = signing.sign(person=person, pin=checked, property=place, act="pay", subject=f"payout:{number}", facts=facts, now=now)
        cause = book.Cause(property_id=place.pk, now=now, signature_id=signature.pk, round_id=hit.round_id)
        transfers = _mark_paid([payout], hit=hit, ledger=ledger, cause=cause, by=person.username)
        _finish(hit)
        actor = journal.Actor("person", person.username)
        journal.append(
            kind="payout-paid",
            now=now,
            actor=actor,
            facts=facts,
            property_id=place.pk,
            subject=f"hit:{hit.number}",
            rows=[signature, *transfers],
        )
    return get(number)


def take_back(*, number: str, person: Person, pin: str, reason: str, now: datetime.datetime) -> Payout:
    """A payment was marked by mistake: the amount is payable again. The slip keeps its number."""
    payout = get(number)
    hit = payout.award.hit
    place = hit.round.table.property
    posts.require(person, place, "shift-supervisor", "accounting")
    if not reason.strip():
        raise ReasonNeeded
    checked = signing.check_pin(person=person, pin=pin, now=now)
    assert hit.terms is not None, "a payout comes of a claim that stood"
    progressive_id = hit.terms.progressive_id
    with transaction.atomic(), book.locked(progressive_ids=[progressive_id], mode=book.Mode.EXCLUSIVE) as ledger:
        payout = _with_all().select_for_update(of=("self",), no_key=True).get(pk=payout.pk)
        if payout.state != Payout.State.PAID:
            raise PayoutNotPaid(payout=number, state=payout.state)
        facts = {"payout": number, "hit": hit.number, "amount": money.cents(payout.award.amount_micros), "reason": reason.strip()[:200]}
        signature = signing.sign(person=person, pin=checked, property=place, act="unpay", subject=f"payout:{number}", facts=facts, now=now)
        entry = book.Entry(
            debit=ledger.account(progressive_id, book.PAID, place.pk),
            credit=ledger.account(progressive_id, book.PAYABLE, place.pk),
            amount_micros=payout.award.amount_micros,
            reason="payment-voided",
        )
        cause = book.Cause(property_id=place.pk, now=now, signature_id=signature.pk, round_id=hit.round_id)
        transfers = ledger.post(progressive_id=progressive_id, cause=cause, entries=[entry])
        Payout.objects.filter(pk=payout.pk).update(state=Payout.State.DUE, paid_at=None, paid_by="")
        Hit.objects.filter(pk=hit.pk, state=Hit.State.PAID).update(state=Hit.State.APPROVED)
        journal.append(
            kind="payment-voided",
            now=now,
            actor=journal.Actor("person", person.username),
            facts=facts,
            property_id=place.pk,
            subject=f"hit:{hit.number}",
            rows=[signature, *transfers],
        )
    return get(number)


def slip_of(number: str) -> Slip:
    payout = get(number)
    slip = Slip.objects.filter(payout=payout).first()
    if slip is None:
        raise NoSlip(payout=number)
    return slip


def _make(hit_number: str, *, approved_in: int, now: datetime.datetime) -> None:
    """``approved_in`` is the number of the record of the approval: what the slip's code leads to."""
    held = Hit.objects.select_for_update(of=("self",), no_key=True).select_related("round__table__property", "terms__progressive")
    hit = held.get(pk=int(hit_number[2:]))
    if hit.state != Hit.State.APPROVED:
        # Cancelled, or paid with its round, since the notice was left: nothing of it is due any more.
        return
    made = [
        Payout.objects.create(award=award, made_at=now)
        for award in hit.awards.filter(paid_from=CAGE, amount_micros__gt=0, payout__isnull=True).order_by("pk")
    ]
    slips = [
        _slip(payout, hit=hit, approved_in=approved_in, now=now) for payout in made if _has_slip(payout.award, hit.round.table.property)
    ]
    if made:
        facts = {"hit": hit_number, "payouts": [payout.number for payout in made], "slips": [slip.number for slip in slips]}
        journal.append(
            kind="payouts-made",
            now=now,
            actor=journal.Actor("system", "payouts"),
            facts=facts,
            property_id=hit.round.table.property_id,
            subject=f"hit:{hit_number}",
            rows=slips,
        )
    _finish(hit)


def _slip(payout: Payout, *, hit: Hit, approved_in: int, now: datetime.datetime) -> Slip:
    # The property's row is the counter's lock: numbers are drawn one after another and come back if the transaction does not commit.
    place = Property.objects.select_for_update(no_key=True).get(pk=hit.round.table.property_id)
    last = Slip.objects.filter(property=place).aggregate(last=models.Max("number"))["last"] or 0
    facts = {**_slip_facts(payout, hit, place), "slip": f"{last + 1:06d}", "made_at": now.isoformat()}
    facts["proof"] = f"/api/v1/audit/records/{approved_in}/proof/"
    return Slip.objects.create(property=place, number=last + 1, payout=payout, facts=facts, made_at=now)


def _slip_facts(payout: Payout, hit: Hit, place: Property) -> dict[str, object]:
    assert hit.terms is not None
    signatures = hit.signatures.filter(is_lost=False).select_related("person", "signature").order_by("pk")
    return {
        "property": place.name,
        "time_zone": place.time_zone,
        "payout": payout.number,
        "hit": hit.number,
        "progressive": hit.terms.progressive.name,
        "table": hit.round.table.name,
        "round": hit.round.number,
        "seat": payout.award.seat,
        "kind": payout.award.kind,
        "hand": hit.hand,
        "cards": hit.cards.split(),
        "amount": money.cents(payout.award.amount_micros),
        "gaming_day": place.gaming_day.isoformat(),
        "claimed_at": hit.claimed_at.isoformat(),
        "signatures": [
            {"name": one.person.name, "act": one.signature.act, "at": one.signature.signed_at.isoformat()} for one in signatures
        ],
    }


def _has_slip(award: Award, place: Property) -> bool:
    if award.kind in (Award.Kind.JACKPOT, Award.Kind.DIFFERENCE):
        return True
    tiers = Tier.objects.filter(property=place, kind=award.kind, from_micros__lte=award.amount_micros).order_by("-from_micros")
    tier = tiers.first()
    return bool(tier and tier.has_slip)


def _mark_paid(due: Sequence[Payout], *, hit: Hit, ledger: book.Book, cause: book.Cause, by: str) -> list[book.Transfer]:
    assert hit.terms is not None
    progressive_id = hit.terms.progressive_id
    payable = ledger.account(progressive_id, book.PAYABLE, cause.property_id)
    paid = ledger.account(progressive_id, book.PAID, cause.property_id)
    for payout in due:
        payout.state, payout.paid_at, payout.paid_by = Payout.State.PAID, cause.now, by
        payout.save(update_fields=["state", "paid_at", "paid_by"])
    entries = [book.Entry(debit=payable, credit=paid, amount_micros=payout.award.amount_micros, reason="paid") for payout in due]
    return ledger.post(progressive_id=progressive_id, cause=cause, entries=entries)


def _finish(hit: Hit) -> None:
    """A hit is paid when nothing of it is left to pay."""
    unpaid = hit.awards.filter(amount_micros__gt=0).exclude(payout__state=Payout.State.PAID)
    if not unpaid.exists() and Hit.objects.filter(pk=hit.pk, state=Hit.State.APPROVED).update(state=Hit.State.PAID):
        hit.state = Hit.State.PAID


def _with_all() -> models.QuerySet[Payout]:
    return Payout.objects.select_related("award__hit__round__table__property", "award__hit__terms__progressive", "slip")
