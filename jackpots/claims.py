"""Claims: a dealer says a hand has won. The cards, the wager and the seat are checked by machine, and the amount is fixed there and
then, on the exact meter, because that is the player's turn to be paid."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jackpots import configurations, draws, hits, payouts, settling, windows
from jackpots import terms as rounds_terms
from jackpots.ledger import book
from jackpots.models import Award, Hit, Item, Terms
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
    """What the machine found: the hand, whom it pays and how, and the envy it gives."""

    hand: str
    # What the row pays on the meters as they stand, for each seat that wagered on the hand; for none where only envy is given.
    paid: Mapping[int, awards.Settlement]
    wagered_micros: int
    envy: Mapping[int, int]

    @property
    def on_meter(self) -> bool:
        return any(settlement.meter is not None for settlement in self.paid.values())

    @property
    def needs_no_signature(self) -> bool:
        """Only a fixed award that no meter gives may go without, and only where its rule asks for none."""
        is_asked = any(settlement.award.validation is not None for settlement in self.paid.values())
        return bool(self.paid) and not self.on_meter and not is_asked and not self.envy


@dataclass(frozen=True, kw_only=True)
class Claimed:
    hit: Hit
    transfers: list[book.Transfer]
    resettled: list[Hit]


def claim(
    *,
    round: Round,
    told: HitClaimed,
    ledger: book.Book,
    cause: book.Cause,
    terms: Sequence[Terms],
    late_since: datetime.datetime | None = None,
    missed: bool = False,
) -> Claimed:
    """Settle a claim, or refuse it for a reason the contract names. Either way it is written down.

    A late one says since when: its own time, whose meter is put beside the amount. A missed one is entered after the round was
    settled: it is out of turn whatever else is claimed.
    """
    its_terms = rounds_terms.for_wager(round=round, terms=terms, wager=told.wager)
    # What is claimed on an heir's meter was never in that meter's turn.
    missed = missed or its_terms.is_inherited
    wager, pay_table = configurations.rules_of(its_terms.configuration)
    seat = None if told.seat == "dealer" else int(told.seat)
    if seat is not None:
        rounds.require_seat(round.table, seat)
    subject = Claim(round=round, terms=its_terms, told=told, wager=wager, pay_table=pay_table, seat=seat)
    held = ledger.available(its_terms.progressive_id)
    try:
        judged = _judge(subject, held, missed=missed)
    except _Refused as no:
        return Claimed(hit=_write(subject, cause, state=Hit.State.REFUSED, refused_for=no.reason), transfers=[], resettled=[])
    claimed = _stand(subject, judged, ledger, cause, late=late_since is not None, missed=missed)
    if late_since is not None and judged.on_meter:
        _note_late(claimed.hit, ledger, late_since, cause)
    return claimed


def _judge(claim: Claim, held: Mapping[str, int], *, missed: bool) -> Judged:
    _check_round(claim.round, claim.seat, missed=missed)
    shown = _cards(claim)
    if claim.told.hand == draws.MAGIC_CARD:
        return _magic_card(claim)
    _check_hand(claim, shown)
    if claim.seat in claim.round.folded_seats and claim.wager.fold_forfeits:
        raise _Refused("folded")
    return _worth(claim, shown, held)


def _worth(claim: Claim, shown: tuple[cards.Card, ...], held: Mapping[str, int]) -> Judged:
    wagers = [wager for wager in rounds.accepted(claim.round) if wager.wager == claim.wager.id]
    on_own = {wager.seat: wager.amount_micros for wager in wagers if wager.on == "player"}
    if claim.seat is None:
        holders = {wager.seat: wager.amount_micros for wager in wagers if wager.on == "dealer"}
    else:
        holders = {seat: amount for seat, amount in on_own.items() if seat == claim.seat}
    paid = {}
    for seat, amount in holders.items():
        settled = awards.settle(wager=claim.wager, pay_table=claim.pay_table, cards=shown, amount_micros=amount, meters=held)
        if settled is not None:
            paid[seat] = settled
    hand = next(iter(paid.values())).hand if paid else claim.told.hand
    envy = {} if claim.seat is None else _envy(claim, shown, on_own)
    if not paid and not envy:
        raise _Refused("not-a-paying-hand" if holders else "no-accepted-wager")
    _check_not_claimed(claim, hand)
    return Judged(hand=hand, paid=paid, wagered_micros=max(holders.values(), default=0), envy=envy)


def _magic_card(claim: Claim) -> Judged:
    """One of the hand's cards is the one that was drawn at lock-out."""
    drawn = draws.magic_card_of(claim.terms)
    if drawn is None or drawn not in claim.told.cards:
        raise _Refused("not-a-paying-hand" if drawn is None else "hand-mismatch")
    side = "dealer" if claim.seat is None else "player"
    holders = {
        wager.seat: wager.amount_micros
        for wager in rounds.accepted(claim.round)
        if wager.wager == claim.wager.id and wager.on == side and (claim.seat is None or wager.seat == claim.seat)
    }
    paid = {
        seat: settled
        for seat, amount in holders.items()
        if (settled := awards.extra(wager=claim.wager, name=draws.MAGIC_CARD, amount_micros=amount)) is not None
    }
    if not paid:
        raise _Refused("no-accepted-wager")
    _check_not_claimed(claim, draws.MAGIC_CARD)
    return Judged(hand=draws.MAGIC_CARD, paid=paid, wagered_micros=max(holders.values()), envy={})


def _envy(claim: Claim, shown: tuple[cards.Card, ...], wagers: Mapping[int, int]) -> dict[int, int]:
    """To every other player with an accepted wager, folded or not; the holder of the hand needs none of his own."""
    hand = awards.envy_hand(wager=claim.wager, pay_table=claim.pay_table, cards=shown)
    if hand is None:
        return {}
    return awards.envy(pay_table=claim.pay_table, hand=hand, holder=claim.seat, wagers=wagers)


def _check_round(round: Round, seat: int | None, *, missed: bool) -> None:
    if round.state == Round.State.VOID or seat in round.void_seats:
        raise _Refused("round-void")
    if round.state == Round.State.SETTLED and not missed:
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
    # A lucky bonus is paid on a position and shows no cards.
    for other in claim.round.hits.filter(state__in=STANDING).exclude(cards=""):
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


def _stand(claim: Claim, judged: Judged, ledger: book.Book, cause: book.Cause, *, late: bool, missed: bool) -> Claimed:
    hit = _write(
        claim,
        cause,
        state=Hit.State.PENDING,
        hand=judged.hand,
        wagered_micros=judged.wagered_micros,
        ways=len(judged.paid) if judged.on_meter and claim.seat is None else 1,
        is_late=late,
        is_out_of_turn=missed,
    )
    settled = settling.Settled()
    if judged.on_meter:
        settled = _on_meter(claim, judged, hit, ledger, cause, missed=missed)
    transfers = _from_house(claim, judged, hit, ledger, cause)
    if judged.needs_no_signature:
        transfers += hits.make_due(hit=hit, ledger=ledger, cause=cause, by="the rules")
    return Claimed(hit=hit, transfers=[*settled.transfers, *transfers], resettled=[one for one in settled.changed if one.pk != hit.pk])


def _on_meter(claim: Claim, judged: Judged, hit: Hit, ledger: book.Book, cause: book.Cause, *, missed: bool) -> settling.Settled:
    """At the round's own place while that can be; otherwise as the meter stands, and the difference goes before accounting."""
    Award.objects.bulk_create(
        Award(hit=hit, seat=seat, kind=Award.Kind.JACKPOT, amount_micros=0, paid_from=payouts.CAGE)
        for seat in sorted(judged.paid, reverse=True)
    )
    meter = next(iter(judged.paid.values())).meter or book.MAIN
    settling.take_place(ledger=ledger, terms=claim.terms)
    hit.meter, hit.claimed_after = meter, ledger.mark(claim.terms.progressive_id)
    hit.position, hit.base = claim.terms.position, claim.terms.base
    worth, is_in_turn = settling.in_turn(ledger=ledger, hit=hit)
    if is_in_turn and not missed:
        return settling.add(ledger=ledger, hit=hit, cause=cause)
    if windows.has_equals(hit):
        return settling.join(ledger=ledger, hit=hit, cause=cause)
    settling.as_it_stands(ledger=ledger, hit=hit)
    settled = settling.add(ledger=ledger, hit=hit, cause=cause)
    hit.is_out_of_turn = missed or not _is_last_in_turn(hit)
    hit.save(update_fields=["is_out_of_turn"])
    if hit.is_out_of_turn and worth.total_micros != hit.award_micros:
        Item.objects.create(
            hit=hit, kind=Item.Kind.OUT_OF_TURN, told_micros=hit.award_micros, due_micros=worth.total_micros, made_at=cause.now
        )
    return settled


def _note_late(hit: Hit, ledger: book.Book, since: datetime.datetime, cause: book.Cause) -> None:
    """What the claim would have been worth at its own time, for accounting to choose."""
    assert hit.terms is not None
    wager, pay_table = configurations.rules_of(hit.terms.configuration)
    then = awards.settle(
        wager=wager,
        pay_table=pay_table,
        cards=cards.parse(hit.cards.split()),
        amount_micros=hit.wagered_micros,
        meters=ledger.pools_at(hit.terms.progressive_id, since),
    )
    if then is not None and then.amount_micros > hit.award_micros:
        Item.objects.create(hit=hit, kind=Item.Kind.LATE, told_micros=hit.award_micros, due_micros=then.amount_micros, made_at=cause.now)


def _is_last_in_turn(hit: Hit) -> bool:
    """A claim that follows all its round's others in the order of payment has simply had its turn."""
    others = windows.on_meter(hit.terms.progressive_id if hit.terms else 0).filter(terms=hit.terms, state__in=STANDING)
    return all(windows.turn_of(other) < windows.turn_of(hit) for other in others.exclude(pk=hit.pk))


def _from_house(claim: Claim, judged: Judged, hit: Hit, ledger: book.Book, cause: book.Cause) -> list[book.Transfer]:
    """Set aside what the house pays: fixed awards that no meter gives, and envy."""
    shares = [] if judged.on_meter else [_fixed(hit, seat, settled) for seat, settled in sorted(judged.paid.items(), reverse=True)]
    for seat, micros in sorted(judged.envy.items(), reverse=True):
        shares.append(Award(hit=hit, seat=seat, kind=Award.Kind.ENVY, amount_micros=micros, paid_from="table"))
    if not judged.on_meter:
        hit.award_micros = hit.due_micros = sum(share.amount_micros for share in shares if share.kind == Award.Kind.FIXED)
        hit.save(update_fields=["award_micros", "due_micros"])
    return hits.set_aside(hit=hit, shares=shares, ledger=ledger, cause=cause)


def _fixed(hit: Hit, seat: int, settled: awards.Settlement) -> Award:
    return Award(hit=hit, seat=seat, kind=Award.Kind.FIXED, amount_micros=settled.amount_micros, paid_from=settled.award.paid_from)


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
        "validation": None if _went_without(hit) else hits.validators_of(hit)[0],
        "cards_stay": any(award.paid_from == payouts.CAGE for award in shares),
        "late": hit.is_late,
        "out_of_turn": hit.is_out_of_turn,
        "payouts": [
            {"seat": award.seat, "kind": str(award.kind), "amount": money.cents(award.amount_micros), "paid_from": award.paid_from}
            for award in shares
        ],
    }


def _went_without(hit: Hit) -> bool:
    return hit.state in (Hit.State.APPROVED, Hit.State.PAID) and not hit.signatures.filter(is_lost=False).exists()


def is_late(*, occurred_at: datetime.datetime, now: datetime.datetime, limit_seconds: int) -> bool:
    return (now - occurred_at).total_seconds() > limit_seconds


def exact_or_none(micros: int | None) -> str | None:
    return None if micros is None else money.exact(micros)
