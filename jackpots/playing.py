"""What lock-out, void and settle mean in money, whoever asks for them: a controller's event or a person's signature."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from audit.refusals import Refusal
from jackpots import configurations, draws, hits, payouts, rulebook, settling, wagers, windows
from jackpots.ledger import book
from jackpots.models import Award, Hit, Item, Payout, Terms
from jackpots.rules import money
from tables import rounds
from tables.models import Round, Wager


class ClaimSigned(Refusal):
    """Hit {hit} of this round carries a signature already; a shift supervisor voids it."""


class UnknownIrregularity(Refusal):
    """The rule text knows no irregularity {reason} that voids anything; it knows {known}."""


class IrregularityVoidsOtherwise(Refusal):
    """By the rule text ({paragraph}) {reason} voids {voids}."""


@dataclass(kw_only=True)
class Stake:
    """What a round's wagers are to add for one progressive."""

    terms: Terms
    placed: list[Wager]
    shares: list[wagers.Share]


def stakes(*, terms: Sequence[Terms], placed: Sequence[Wager]) -> list[Stake]:
    """A round's wagers, sorted by the progressive each is made for."""
    staked = []
    for one in terms:
        own = [wager for wager in placed if wager.wager == one.progressive.wager]
        staked.append(Stake(terms=one, placed=own, shares=wagers.shares(terms=one, wagers=own)))
    return staked


def said_of(staked: Sequence[Stake]) -> dict[str, Any]:
    """What the table is told of its contributions."""
    return {"contributed": {one.terms.progressive.slug: money.exact(sum(share.micros for share in one.shares)) for one in staked}}


def has_draws(terms: Sequence[Terms]) -> bool:
    return any(configurations.rules_of(one.configuration)[0].extras for one in terms)


def draw(*, round: Round, staked: Sequence[Stake], ledger: book.Book, cause: book.Cause) -> tuple[list[book.Transfer], dict[str, Any]]:
    """Draw where there is something to draw for; what was moved, and what the table is told of it."""
    transfers: list[book.Transfer] = []
    drawn = {}
    for one in staked:
        transfers += draws.draw(round=round, terms=one.terms, placed=one.placed, ledger=ledger, cause=cause)
        if one.terms.draw:
            drawn[one.terms.progressive.slug] = {**one.terms.draw, "payouts": _lucky(round, one.terms)}
    return transfers, {"draw": drawn} if drawn else {}


def contribute(
    *, round: Round, terms: Sequence[Terms], placed: Sequence[Wager], cause: book.Cause
) -> tuple[list[book.Transfer], dict[str, Any]]:
    """Put the wagers of one round on the meters, and draw; what was moved, and what is said of it."""
    staked = stakes(terms=terms, placed=placed)
    transfers: list[book.Transfer] = []
    with book.locked(progressive_ids=[one.progressive_id for one in terms], mode=book.Mode.SHARED) as ledger:
        for one in staked:
            entries = wagers.entries(ledger=ledger, terms=one.terms, shares=one.shares, cause=cause)
            transfers += ledger.post(progressive_id=one.terms.progressive_id, cause=cause, entries=entries)
        drawn, said = draw(round=round, staked=staked, ledger=ledger, cause=cause)
    rounds.mark_contributed(round=round, now=cause.now)
    return [*transfers, *drawn], {**said_of(staked), **said}


def _lucky(round: Round, terms: Terms) -> list[dict[str, Any]]:
    lucky = Award.objects.filter(hit__round=round, hit__terms=terms, hit__hand=draws.LUCKY_BONUS).select_related("hit").order_by("pk")
    return [
        {"hit": one.hit.number, "seat": one.seat, "amount": money.cents(one.amount_micros), "paid_from": one.paid_from} for one in lucky
    ]


@dataclass(kw_only=True)
class Voided:
    returned: list[Wager] = field(default_factory=list)
    rejected: list[Hit] = field(default_factory=list)
    cancelled: list[Hit] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    transfers: list[book.Transfer] = field(default_factory=list)


def void(
    *, round: Round, terms: Sequence[Terms], reason: str, seats: Sequence[int] | None, cause: book.Cause, over_signatures: bool
) -> Voided:
    """An irregularity voids a round or single hands. Claims go first, then the contributions, to the micro.

    Over signatures, as only a shift supervisor may: what was approved is cancelled, and what was paid stands as an item.
    """
    check_irregularity(round, reason, seats)
    done = Voided()
    with book.locked(progressive_ids=[one.progressive_id for one in terms], mode=book.Mode.EXCLUSIVE) as ledger:
        _drop_claims(done, round, ledger, cause, seats=seats, reason=reason, over_signatures=over_signatures)
        if seats is not None:
            _drop_envy_received(done, round, ledger, cause, seats)
        done.returned = rounds.void(round=round, reason=reason, seats=seats, now=cause.now)
        for one in terms:
            done.transfers += wagers.give_back(ledger=ledger, terms=one, wagers=done.returned, cause=cause)
    return done


# A column for whoever reads rounds under their locks: whether one that is locked has a claim that stood. Written so that the claims of one
# round are looked up, however few there are of all when the plan is made.
HAS_CLAIMS = """
       (round.state = 'locked' AND (SELECT true FROM jackpots_hit hit WHERE hit.round_id = round.id AND hit.state <> 'refused' LIMIT 1))
"""


def pay_at_table(*, round: Round, terms: Sequence[Terms], cause: book.Cause, by: str) -> list[book.Transfer]:
    """Every hand of the round has been turned over: what the table had to pay has been paid."""
    if not Hit.objects.filter(round=round).exclude(state=Hit.State.REFUSED).exists():
        return []
    with book.locked(progressive_ids=[one.progressive_id for one in terms], mode=book.Mode.EXCLUSIVE) as ledger:
        return payouts.pay_at_table(round=round, ledger=ledger, cause=cause, by=by)


def check_irregularity(round: Round, reason: str, seats: Sequence[int] | None) -> None:
    known = rulebook.game(rule_text=round.table.rule_text, game=round.table.game).irregularities
    found = known.get(reason)
    if found is None or found.voids == "nothing":
        voiding = sorted(one.id for one in known.values() if one.voids != "nothing")
        raise UnknownIrregularity(reason=reason, known=", ".join(voiding))
    if (found.voids == "hand") != (seats is not None):
        voids = "single hands: name their seats" if found.voids == "hand" else "the whole round, not single seats"
        raise IrregularityVoidsOtherwise(reason=reason, paragraph=found.paragraph, voids=voids)


def _drop_claims(
    done: Voided,
    round: Round,
    ledger: book.Book,
    cause: book.Cause,
    *,
    seats: Sequence[int] | None,
    reason: str,
    over_signatures: bool,
) -> None:
    standing = Hit.objects.filter(round=round, state__in=windows.STANDING).select_related("terms__configuration").order_by("pk")
    concerned = [hit for hit in standing if seats is None or hit.seat in seats]
    for hit in concerned:
        is_signed = hit.signatures.filter(is_lost=False).exists() or hit.state == Hit.State.PAID
        if is_signed and not over_signatures:
            raise ClaimSigned(hit=hit.number)
    for hit in concerned:
        _note_paid(done, hit, cause)
    standing_paid = [hit for hit in concerned if _paid_shares(hit, (*settling.HOLDERS, Award.Kind.FIXED))]
    for hit in standing_paid:
        _drop_unpaid_envy(done, hit, ledger, cause)
    for state, was, fate in (
        (Hit.State.REJECTED, windows.UNDECIDED, done.rejected),
        (Hit.State.CANCELLED, (Hit.State.APPROVED,), done.cancelled),
    ):
        dropped = [hit for hit in concerned if hit.state in was and hit not in standing_paid]
        Payout.objects.filter(award__hit__in=dropped, state=Payout.State.DUE).update(state=Payout.State.VOID)
        by_progressive: dict[int, list[Hit]] = {}
        for hit in dropped:
            by_progressive.setdefault(hit.terms.progressive_id if hit.terms else 0, []).append(hit)
        for own in by_progressive.values():
            done.transfers += hits.undo(hits=own, ledger=ledger, cause=cause, reason=reason, state=state).transfers
        fate += dropped


def _paid_shares(hit: Hit, kinds: Sequence[str]) -> list[Award]:
    paid = Payout.objects.filter(award__hit=hit, award__kind__in=kinds, state=Payout.State.PAID).select_related("award")
    return [payout.award for payout in paid]


def _note_paid(done: Voided, hit: Hit, cause: book.Cause) -> None:
    """What has been paid stands, as an item for accounting; an award at a time, for the rest of the hit may still be unpaid."""
    told = sum(share.amount_micros for share in _paid_shares(hit, Award.Kind.values))
    if told:
        item = Item.objects.create(hit=hit, kind=Item.Kind.PAID_AND_VOIDED, told_micros=told, due_micros=0, made_at=cause.now)
        done.items.append(item)


def _drop_unpaid_envy(done: Voided, hit: Hit, ledger: book.Book, cause: book.Cause) -> None:
    """The holder has been paid, so the claim stands on its meter; the envy it gave and nobody has paid yet is cancelled."""
    unpaid = hit.awards.filter(kind=Award.Kind.ENVY, amount_micros__gt=0).exclude(payout__state=Payout.State.PAID)
    for share in unpaid.select_related("hit__terms__configuration"):
        Payout.objects.filter(award=share).update(state=Payout.State.VOID)
        done.transfers += settling.release_share(ledger=ledger, share=share, cause=cause)


def _drop_envy_received(done: Voided, round: Round, ledger: book.Book, cause: book.Cause, seats: Sequence[int]) -> None:
    """A voided hand receives no envy either; what was paid already stands, as an item."""
    received = Award.objects.filter(hit__round=round, hit__state__in=windows.STANDING, kind=Award.Kind.ENVY, seat__in=seats)
    for share in received.filter(amount_micros__gt=0).select_related("hit__terms__configuration"):
        payout = Payout.objects.filter(award=share).first()
        if payout and payout.state == Payout.State.PAID:
            told = share.amount_micros
            done.items.append(
                Item.objects.create(hit=share.hit, kind=Item.Kind.PAID_AND_VOIDED, told_micros=told, due_micros=0, made_at=cause.now)
            )
            continue
        if payout:
            Payout.objects.filter(pk=payout.pk).update(state=Payout.State.VOID)
        done.transfers += settling.release_share(ledger=ledger, share=share, cause=cause)
