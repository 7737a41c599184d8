"""What people decide about a hit: approve, hold, reject. Each is signed with a PIN and acts under the progressive's exclusive lock."""

import datetime
import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db import models, transaction

from audit import journal
from audit.people import posts, signing
from audit.people.models import Person, Property, Signature
from audit.refusals import NoSuchThing, Refusal
from jackpots import payouts, settling, windows
from jackpots.ledger import book
from jackpots.models import Approval, Award, Hit, HitSignature, Tier
from jackpots.rules import money
from tables.models import Round

VALIDATORS = ("floorperson", "supervisor", "shift-supervisor")
# A floorperson may validate what comes from the house; what comes off a meter needs a supervisor, whatever a text leaves out.
METER_VALIDATORS = ("supervisor", "shift-supervisor")


class NoSuchHit(NoSuchThing):
    """There is no hit {hit}."""


class HitNotPending(Refusal):
    """Hit {hit} is {state}; it is no longer waiting for a decision."""


class AmountChanged(Refusal):
    """The award is {award} now, not {seen}; look again before signing."""


class OwnConfiguration(Refusal):
    """You drafted or approved the configuration this hit is paid under, so another person signs."""

    category = "forbidden"


class SecondSignatureIsAnothers(Refusal):
    """You have signed hit {hit} already; the second signature is another person's."""


class ShiftSupervisorNeeded(Refusal):
    """Hit {hit} needs a shift supervisor among its signatures."""

    category = "forbidden"


class RoundNotComplete(Refusal):
    """Hit {hit} is on a line that equal hands share; it is approved once every hand of the round has been turned over."""


@dataclass(frozen=True, kw_only=True)
class Act:
    """A decision being made: the hit under its lock, the signature under it, and the book to act on."""

    hit: Hit
    signature: Signature
    ledger: book.Book
    cause: book.Cause


def get(number: str) -> Hit:
    """A hit by the number people know it by, such as H-000123."""
    prefix, _, digits = number.partition("-")
    is_number = prefix == "H" and digits.isascii() and digits.isdigit() and len(digits) <= 18
    found = _with_all(Hit.objects).filter(pk=int(digits)).first() if is_number else None
    if found is None:
        raise NoSuchHit(hit=number)
    return found


def listed(
    *,
    property_ids: Collection[int] | None = None,
    table_ids: Collection[int] | None = None,
    state: str | None = None,
    limit: int = 100,
) -> list[Hit]:
    """The newest hits of some properties, or of some tables."""
    found = _with_all(Hit.objects).order_by("-pk")
    if property_ids is not None:
        found = found.filter(round__table__property_id__in=property_ids)
    if table_ids is not None:
        found = found.filter(round__table_id__in=table_ids)
    return list(found.filter(state=state)[:limit] if state else found[:limit])


def approve(*, number: str, person: Person, pin: str, award: str, now: datetime.datetime) -> Hit:
    """Sign a hit. With the last signature its tier asks for, what was set aside is due."""
    seen = _amount(award)
    return _decide(
        number=number, person=person, pin=pin, act="approve-hit", facts={"award": award}, now=now, then=lambda act: _approve(act, seen)
    )


def hold(*, number: str, person: Person, pin: str, reason: str, now: datetime.datetime) -> Hit:
    """Put a hit aside while it is in dispute. It can still be approved or rejected."""
    return _decide(
        number=number, person=person, pin=pin, act="hold-hit", facts=because(reason), now=now, then=lambda act: _hold(act, reason)
    )


def reject(*, number: str, person: Person, pin: str, reason: str, now: datetime.datetime) -> Hit:
    """Say no. The meter is as if the claim had never been made."""
    return _decide(
        number=number, person=person, pin=pin, act="reject-hit", facts=because(reason), now=now, then=lambda act: _reject(act, reason)
    )


def undo(
    *, hits: Sequence[Hit], ledger: book.Book, cause: book.Cause, reason: str, state: Hit.State = Hit.State.REJECTED
) -> settling.Settled:
    """Take claims away, as if they had never been made."""
    settled = settling.remove(ledger=ledger, hits=hits, cause=cause)
    for hit in hits:
        hit.state, hit.reason, hit.answered_at = state, reason, cause.now
        hit.save(update_fields=["state", "reason", "answered_at"])
        hit.signatures.update(is_lost=True)
    return settled


def signatures_needed(hit: Hit) -> int:
    """How many signatures the property's tiers ask for, for this hit's largest share."""
    tiers = Tier.objects.filter(property=property_of(hit))
    asked = [
        tier.signatures
        for award in hit.awards.all()
        for tier in tiers
        if tier.kind == award.kind and tier.from_micros <= award.amount_micros
    ]
    return max(asked, default=1)


def validators_of(hit: Hit) -> tuple[str, ...]:
    return METER_VALIDATORS if hit.meter else VALIDATORS


def property_of(hit: Hit) -> Property:
    return hit.round.table.property


def approve_all(*, numbers: Sequence[str], person: Person, checked: signing.CheckedPin, now: datetime.datetime) -> list[Hit]:
    """Sign several hits of a round with one PIN, all or none."""
    found = [get(number) for number in numbers]
    progressive_ids = [hit.terms.progressive_id for hit in found if hit.terms]
    with transaction.atomic(), book.locked(progressive_ids=progressive_ids, mode=book.Mode.EXCLUSIVE) as ledger:
        return [
            _carry_out(
                Decision(
                    hit=hit,
                    person=person,
                    checked=checked,
                    act="approve-hit",
                    facts={"award": money.cents(hit.award_micros), "together": ", ".join(numbers)},
                    then=functools.partial(_approve, seen_micros=hit.award_micros),
                ),
                ledger=ledger,
                now=now,
            )
            for hit in found
        ]


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a person wants to do about a hit, with the right PIN given."""

    hit: Hit
    person: Person
    checked: signing.CheckedPin
    act: str
    facts: Mapping[str, str]
    then: Callable[[Act], list[models.Model]]


def _decide(
    *,
    number: str,
    person: Person,
    pin: str,
    act: str,
    facts: Mapping[str, str],
    now: datetime.datetime,
    then: Callable[[Act], list[models.Model]],
) -> Hit:
    hit = get(number)
    posts.require(person, property_of(hit), *validators_of(hit))
    checked = signing.check_pin(person=person, pin=pin, now=now)
    decision = Decision(hit=hit, person=person, checked=checked, act=act, facts=facts, then=then)
    if hit.terms is None:
        raise HitNotPending(hit=number, state=hit.state)
    with transaction.atomic(), book.locked(progressive_ids=[hit.terms.progressive_id], mode=book.Mode.EXCLUSIVE) as ledger:
        return _carry_out(decision, ledger=ledger, now=now)


def _carry_out(decision: Decision, *, ledger: book.Book, now: datetime.datetime) -> Hit:
    hit = _with_all(Hit.objects.select_for_update(of=("self",), no_key=True)).get(pk=decision.hit.pk)
    person, place = decision.person, property_of(hit)
    posts.require(person, place, *validators_of(hit))
    if hit.state not in (Hit.State.PENDING, Hit.State.HELD):
        raise HitNotPending(hit=hit.number, state=hit.state)
    _require_stranger(hit, person)
    before = hit.state
    subject = f"hit:{hit.number}"
    signature = signing.sign(
        person=person, pin=decision.checked, property=place, act=decision.act, subject=subject, facts=decision.facts, now=now
    )
    cause = book.Cause(property_id=place.pk, now=now, signature_id=signature.pk, round_id=hit.round_id)
    rows = decision.then(Act(hit=hit, signature=signature, ledger=ledger, cause=cause))
    facts = {**decision.facts, "hit": hit.number, "state": hit.state, "award": money.cents(hit.award_micros), "before": before}
    journal.append(
        kind=f"hit-{hit.state}" if hit.state != before else "hit-signed",
        now=now,
        actor=journal.Actor("person", person.username),
        facts=facts,
        property_id=place.pk,
        subject=subject,
        rows=[signature, *rows],
        notices=[("payout-due", hit.number)] if hit.state == Hit.State.APPROVED else [],
    )
    return hit


def _approve(act: Act, seen_micros: int) -> list[models.Model]:
    hit, person = act.hit, act.signature.person
    if hit.award_micros != seen_micros:
        raise AmountChanged(award=money.cents(hit.award_micros), seen=money.cents(seen_micros))
    earlier = [signature.person for signature in hit.signatures.filter(is_lost=False).select_related("person")]
    if person in earlier:
        raise SecondSignatureIsAnothers(hit=hit.number)
    if hit.position is not None and windows.take_of(hit).group and hit.round.state != Round.State.SETTLED:
        raise RoundNotComplete(hit=hit.number)
    needed = signatures_needed(hit)
    signers = [*earlier, person]
    # A second signature is a shift supervisor's; so is one under an award that went down after the player was told of it.
    if (
        (needed > 1 or hit.is_reduced)
        and len(signers) >= needed
        and not any("shift-supervisor" in posts.roles_of(one, property_of(hit)) for one in signers)
    ):
        raise ShiftSupervisorNeeded(hit=hit.number)
    HitSignature.objects.create(hit=hit, signature=act.signature, person=person)
    if len(signers) < needed:
        return []
    return [*make_due(hit=hit, ledger=act.ledger, cause=act.cause, by=person.username)]


def set_aside(*, hit: Hit, shares: Sequence[Award], ledger: book.Book, cause: book.Cause) -> list[book.Transfer]:
    """Reserve shares of a hit that the house pays, and write them down."""
    assert hit.terms is not None
    progressive_id = hit.terms.progressive_id
    moved = [share for share in shares if share.amount_micros]
    entries = [
        book.Entry(
            debit=ledger.account(progressive_id, book.HOUSE, cause.property_id),
            credit=ledger.account(progressive_id, book.PAYABLE, cause.property_id),
            amount_micros=share.amount_micros,
            reason=str(share.kind),
            kind=book.Kind.RESERVED,
        )
        for share in moved
    ]
    transfers = ledger.post(progressive_id=progressive_id, cause=cause, entries=entries)
    for share, transfer in zip(moved, transfers, strict=True):
        share.reservation_id = transfer.pk
    Award.objects.bulk_create(shares)
    return transfers


def make_due(*, hit: Hit, ledger: book.Book, cause: book.Cause, by: str) -> list[book.Transfer]:
    """What was set aside for a hit is due now; what the table pays is on its way."""
    assert hit.terms is not None, "only a claim that stood can be approved"
    hit.state, hit.answered_at = Hit.State.APPROVED, cause.now
    hit.save(update_fields=["state", "answered_at"])
    shares = list(Award.objects.filter(hit=hit))
    reserved = ledger.transfers([found for share in shares for found in (share.reservation_id, share.house_reservation_id) if found])
    entries = [ledger.post_reservation(transfer, reason="approval") for transfer in reserved]
    posted = ledger.post(progressive_id=hit.terms.progressive_id, cause=cause, entries=entries)
    return [*posted, *payouts.make_at_table(hit=hit, ledger=ledger, cause=cause, by=by)]


def _hold(act: Act, reason: str) -> list[models.Model]:
    if act.hit.state == Hit.State.HELD:
        raise HitNotPending(hit=act.hit.number, state=act.hit.state)
    act.hit.state, act.hit.reason = Hit.State.HELD, reason
    act.hit.save(update_fields=["state", "reason"])
    return []


def _reject(act: Act, reason: str) -> list[models.Model]:
    return [*undo(hits=[act.hit], ledger=act.ledger, cause=act.cause, reason=reason).transfers]


def _require_stranger(hit: Hit, person: Person) -> None:
    """Nobody signs under a configuration they had a hand in."""
    assert hit.terms is not None
    configuration = hit.terms.configuration
    approver = Approval.objects.filter(configuration=configuration).values_list("signature__person_id", flat=True).first()
    if person.pk in (configuration.drafted_by_id, approver):
        raise OwnConfiguration


def _amount(text: str) -> int:
    try:
        return money.parse(text)
    except money.BadMoney:
        raise AwardUnreadable(award=text) from None


class AwardUnreadable(Refusal):
    """The award seen is an amount like 18342.17, not {award!r}."""

    category = "unreadable"


def because(reason: str) -> dict[str, str]:
    """A reason as a fact; without one nothing is done."""
    if not reason.strip():
        raise payouts.ReasonNeeded
    return {"reason": reason[:200]}


def _with_all(hits: "models.Manager[Hit] | models.QuerySet[Hit]") -> models.QuerySet[Hit]:
    related = hits.select_related("round__table__property", "terms__progressive", "terms__configuration__funded_by")
    return related.prefetch_related(models.Prefetch("awards", Award.objects.order_by("pk")))
