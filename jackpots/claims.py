"""Claims: a dealer says a hand has won. The cards, the wager and the seat are checked by machine, and the amount is fixed there and
then, on the exact meter, because that is the player's turn to be paid."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Max

from jackpots import configurations, hits, payouts
from jackpots import terms as rounds_terms
from jackpots.ledger import book
from jackpots.models import Award, Hit, Terms
from jackpots.rules import awards, cards, hands, money
from jackpots.rules.book import PayTable, Wager
from tables import rounds
from tables.messages import HitClaimed
from tables.models import Round

STANDING = (Hit.State.PENDING, Hit.State.HELD, Hit.State.APPROVED, Hit.State.PAID)


class _Refused(Exception):
    """The rules do not support the claim; carries the contract's reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A hit as told, and everything it is judged by."""

    round: Round
    terms: Terms
    told: HitClaimed
    wager: Wager
    pay_table: PayTable
    seat: int | None


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What the machine found: the hand, what it pays its holder, and the envy it gives."""

    hand: str
    settlement: awards.Settlement | None
    envy: Mapping[int, int]


@dataclass(frozen=True, kw_only=True)
class Claimed:
    hit: Hit
    transfers: list[book.Transfer]


def claim(*, round: Round, told: HitClaimed, ledger: book.Book, cause: book.Cause, late: bool, terms: Sequence[Terms]) -> Claimed:
    """Settle a claim on the meter as it stands, or refuse it for a reason the contract names. Either way it is written down."""
    its_terms = rounds_terms.for_wager(round=round, terms=terms, wager=told.wager)
    wager, pay_table = configurations.rules_of(its_terms.configuration)
    seat = None if told.seat == "dealer" else int(told.seat)
    if seat is not None:
        rounds.require_seat(round.table, seat)
    subject = Claim(round=round, terms=its_terms, told=told, wager=wager, pay_table=pay_table, seat=seat)
    held = ledger.available(its_terms.progressive_id)
    try:
        judged = _judge(subject, held)
    except _Refused as no:
        return Claimed(hit=_write(subject, cause, state=Hit.State.REFUSED, refused_for=no.reason), transfers=[])
    return _stand(subject, judged, ledger, cause, held, late=late)


def _judge(claim: Claim, held: Mapping[str, int]) -> Judged:
    _check_round(claim.round, claim.seat)
    shown = _cards(claim)
    _check_hand(claim, shown)
    if claim.seat in claim.round.folded_seats and claim.wager.fold_forfeits:
        raise _Refused("folded")
    return _worth(claim, shown, held)


def _worth(claim: Claim, shown: tuple[cards.Card, ...], held: Mapping[str, int]) -> Judged:
    accepted = {
        wager.seat: wager.amount_micros for wager in rounds.accepted(claim.round) if wager.wager == claim.wager.id and wager.on == "player"
    }
    amount = accepted.get(claim.seat) if claim.seat is not None else None
    settlement = None
    if amount is not None:
        settlement = awards.settle(wager=claim.wager, pay_table=claim.pay_table, cards=shown, amount_micros=amount, meters=held)
    hand = settlement.hand if settlement else claim.told.hand
    envy = awards.envy(pay_table=claim.pay_table, hand=hand, holder=claim.seat, wagers=accepted) if claim.seat is not None else {}
    if settlement is None and not envy:
        raise _Refused("no-accepted-wager" if amount is None else "not-a-paying-hand")
    _check_not_claimed(claim, hand)
    return Judged(hand=hand, settlement=settlement, envy=envy)


def _check_round(round: Round, seat: int | None) -> None:
    if round.state == Round.State.VOID or seat in round.void_seats:
        raise _Refused("round-void")
    if round.state == Round.State.SETTLED:
        raise _Refused("round-settled")
    if round.state == Round.State.OPEN:
        raise _Refused("round-not-locked")
    if round.count == Round.Count.DIFFERS:
        raise _Refused("count-differs")


def _cards(claim: Claim) -> tuple[cards.Card, ...]:
    """The cards shown, unless they are no hand of this game or lie in front of somebody else."""
    try:
        shown = cards.parse(claim.told.cards)
        hands.forms(str(claim.wager.hand_kind), shown)
    except ValueError:
        raise _Refused("impossible-cards") from None
    for other in claim.round.hits.filter(state__in=STANDING):
        own, theirs = set(claim.told.cards), set(other.cards.split())
        is_same_hand = other.seat == claim.seat
        if (is_same_hand and own != theirs) or (not is_same_hand and own & theirs):
            raise _Refused("impossible-cards")
    return shown


def _check_hand(claim: Claim, shown: tuple[cards.Card, ...]) -> None:
    """The hand claimed is the one that is paid: a royal flush is not claimed as the straight flush that it also is."""
    if claim.told.hand in awards.claimable(wager=claim.wager, pay_table=claim.pay_table, cards=shown):
        return
    is_what_was_said = claim.told.hand in hands.forms(str(claim.wager.hand_kind), shown)
    is_paid = claim.pay_table.line(claim.told.hand) is not None
    raise _Refused("not-a-paying-hand" if is_what_was_said and not is_paid else "hand-mismatch")


def _check_not_claimed(claim: Claim, hand: str) -> None:
    if claim.round.hits.filter(seat=claim.seat, wager=claim.wager.id, hand=hand, state__in=STANDING).exists():
        raise _Refused("duplicate-claim")


def _stand(claim: Claim, judged: Judged, ledger: book.Book, cause: book.Cause, held: Mapping[str, int], *, late: bool) -> Claimed:
    settlement = judged.settlement
    meter = settlement.meter if settlement else None
    if meter:
        _take_place(claim.terms, held)
    hit = _write(
        claim,
        cause,
        state=Hit.State.PENDING,
        hand=judged.hand,
        award_micros=settlement.amount_micros if settlement else 0,
        meter=meter or "",
        meter_before_micros=held[meter] if meter else None,
        takes_all=bool(settlement and settlement.takes_all),
        is_late=late,
        is_out_of_turn=bool(meter) and _is_out_of_turn(claim),
    )
    reserved = _reserve(claim, judged, hit, ledger, cause)
    reset = _reset(claim, ledger, cause) if hit.takes_all else []
    hit.reset_transfers = [transfer.pk for transfer in reset]
    if meter:
        hit.meter_after_micros = ledger.available(claim.terms.progressive_id)[meter]
    hit.save(update_fields=["reset_transfers", "meter_after_micros"])
    return Claimed(hit=hit, transfers=[*reserved, *reset])


def _take_place(terms: Terms, held: Mapping[str, int]) -> None:
    """The order among tables is the order in which their rounds first claimed on the meter."""
    if terms.place is not None:
        return
    last = Terms.objects.filter(progressive_id=terms.progressive_id).aggregate(last=Max("place"))["last"] or 0
    terms.place = last + 1
    terms.base_main_micros = held[book.MAIN]
    terms.base_secondary_micros = held[book.SECONDARY]
    terms.save(update_fields=["place", "base_main_micros", "base_secondary_micros"])


def _is_out_of_turn(claim: Claim) -> bool:
    """Payment goes in descending seat number, so a claim from a higher seat than one already claimed has missed its turn."""
    earlier = claim.round.hits.filter(terms=claim.terms, state__in=STANDING).exclude(meter="")
    return any(claim.seat is not None and other.seat is not None and claim.seat > other.seat for other in earlier)


def _reserve(claim: Claim, judged: Judged, hit: Hit, ledger: book.Book, cause: book.Cause) -> list[book.Transfer]:
    """Set every share aside: a meter award from its meter, everything else from the house."""
    shares = []
    if judged.settlement:
        award = judged.settlement.award
        kind = Award.Kind.JACKPOT if award.kind == "percent" else Award.Kind.FIXED
        shares.append(Award(hit=hit, seat=claim.seat, kind=kind, amount_micros=judged.settlement.amount_micros, paid_from=award.paid_from))
    for seat, micros in sorted(judged.envy.items(), reverse=True):
        shares.append(Award(hit=hit, seat=seat, kind=Award.Kind.ENVY, amount_micros=micros, paid_from="table"))
    progressive_id = claim.terms.progressive_id
    payable = ledger.account(progressive_id, book.PAYABLE, cause.property_id)
    house = ledger.account(progressive_id, book.HOUSE, cause.property_id)
    moved = [share for share in shares if share.amount_micros]
    transfers = ledger.post(
        progressive_id=progressive_id,
        cause=cause,
        entries=[
            book.Entry(
                debit=ledger.account(progressive_id, hit.meter) if share.kind == Award.Kind.JACKPOT else house,
                credit=payable,
                amount_micros=share.amount_micros,
                reason="award" if share.kind == Award.Kind.JACKPOT else str(share.kind),
                kind=book.Kind.RESERVED,
            )
            for share in moved
        ],
    )
    for share, transfer in zip(moved, transfers, strict=True):
        share.reservation_id = transfer.pk
    Award.objects.bulk_create(shares)
    return transfers


def _reset(claim: Claim, ledger: book.Book, cause: book.Cause) -> list[book.Transfer]:
    """Refill the meter at once, so that the linked tables play on: from the secondary meter, or from reserve and house."""
    terms = claim.terms
    held = ledger.available(terms.progressive_id)
    if claim.pay_table.resets_from == "secondary":
        sources = [(book.SECONDARY, held[book.SECONDARY])]
    else:
        wanted = terms.configuration.reset_micros
        from_reserve = min(held[book.RESERVE], wanted) if book.RESERVE in terms.configuration.rates_ppm else 0
        sources = [(book.RESERVE, from_reserve), (book.HOUSE, wanted - from_reserve)]
    entries = [
        book.Entry(
            debit=ledger.account(terms.progressive_id, code, terms.configuration.funded_by_id),
            credit=ledger.account(terms.progressive_id, book.MAIN),
            amount_micros=micros,
            reason="reset",
        )
        for code, micros in sources
        if micros
    ]
    return ledger.post(progressive_id=terms.progressive_id, cause=cause, entries=entries)


def _write(claim: Claim, cause: book.Cause, *, state: Hit.State, **facts: object) -> Hit:
    return Hit.objects.create(
        round=claim.round,
        terms=claim.terms,
        event_id=cause.event_id,
        seat=claim.seat,
        wager=claim.told.wager,
        claimed_hand=claim.told.hand,
        cards=" ".join(claim.told.cards),
        state=state,
        claimed_at=cause.now,
        **facts,
    )


def outcome_of(hit: Hit) -> dict[str, Any]:
    """A hit as the controller is told of it."""
    assert hit.terms is not None
    outcome: dict[str, Any] = {
        "hit": hit.number,
        "state": str(hit.state),
        "progressive": hit.terms.progressive.slug,
        "hand": hit.hand or hit.claimed_hand,
        "seat": "dealer" if hit.seat is None else hit.seat,
    }
    if hit.state == Hit.State.REFUSED:
        return {**outcome, "reason": hit.refused_for}
    shares = sorted(hit.awards.all(), key=lambda award: award.pk)
    return {
        **outcome,
        "award": money.cents(hit.award_micros),
        "meter": hit.meter or None,
        "meter_before": exact_or_none(hit.meter_before_micros),
        "meter_after": exact_or_none(hit.meter_after_micros),
        "validation": hits.validators_of(hit)[0],
        "cards_stay": any(award.paid_from == payouts.CAGE for award in shares),
        "late": hit.is_late,
        "out_of_turn": hit.is_out_of_turn,
        "payouts": [
            {"seat": award.seat, "kind": str(award.kind), "amount": money.cents(award.amount_micros), "paid_from": award.paid_from}
            for award in shares
        ],
    }


def is_late(*, occurred_at: datetime.datetime, now: datetime.datetime, limit_seconds: int) -> bool:
    return (now - occurred_at).total_seconds() > limit_seconds


def exact_or_none(micros: int | None) -> str | None:
    return None if micros is None else money.exact(micros)
