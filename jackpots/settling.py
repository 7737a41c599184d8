"""Settling claims on a meter: a new one at its place, and again all that one taken away has touched.

A window is replayed by the pure rules, and the difference between what they say and what the ledger says is posted: credits to the
meters before debits, so that none passes below zero.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from jackpots import windows
from jackpots.ledger import book
from jackpots.models import Award, Hit, Item, Payout, Terms
from jackpots.rules import awards, replay
from jackpots.rules.replay import Outcome, Worth
from tables.models import Round

# A move or correction ends the time in which a round's claims are settled again from its place.
MOVES = ("overflow-released", "correction", "move")
HOLDERS = (Award.Kind.JACKPOT, Award.Kind.DEDUCTED)
ALL_KINDS = (*HOLDERS, Award.Kind.DIFFERENCE)


@dataclass(kw_only=True)
class Settled:
    """What a settlement has done: transfers made, other claims whose award it changed, and what goes before accounting."""

    transfers: list[book.Transfer] = field(default_factory=list)
    changed: list[Hit] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)


@dataclass(frozen=True)
class _Wish:
    """Who wants to know the transfer that an entry becomes."""

    row: Award | Item
    name: str


@dataclass(kw_only=True)
class _Act:
    """A settlement being carried out: what is to be posted, and what it leads to."""

    ledger: book.Book
    terms: Terms
    cause: book.Cause
    mark: int
    settled: Settled = field(default_factory=Settled)
    credits: list[tuple[book.Entry, _Wish | None]] = field(default_factory=list)
    debits: list[tuple[book.Entry, _Wish | None]] = field(default_factory=list)

    def account(self, code: str) -> int:
        # Awards are paid where the claim was made; resets and whatever makes a meter good come from the house that funds it.
        place = self.cause.property_id if code == book.PAYABLE else self.terms.configuration.funded_by_id
        return self.ledger.account(self.terms.progressive_id, code, place)

    def reserve(self, source: str, amount_micros: int, reason: str, wish: _Wish) -> None:
        if amount_micros:
            entry = book.Entry(
                debit=self.account(source),
                credit=self.account(book.PAYABLE),
                amount_micros=amount_micros,
                reason=reason,
                kind=book.Kind.RESERVED,
            )
            self.debits.append((entry, wish))

    def move(
        self, source: str, target: str, amount_micros: int, reason: str, *, wager_id: int | None = None, reverses: int | None = None
    ) -> None:
        if amount_micros:
            entry = book.Entry(
                debit=self.account(source),
                credit=self.account(target),
                amount_micros=amount_micros,
                reason=reason,
                wager_id=wager_id,
                reverses=reverses,
            )
            # Whatever fills a meter goes before whatever takes from one.
            (self.credits if target == book.MAIN or source == book.HOUSE else self.debits).append((entry, None))

    def post(self) -> None:
        planned = [*self.credits, *self.debits]
        posted = self.ledger.post(progressive_id=self.terms.progressive_id, cause=self.cause, entries=[entry for entry, _ in planned])
        for transfer, (_, wish) in zip(posted, planned, strict=True):
            if wish is not None:
                _fulfil(wish, transfer)
        self.settled.transfers += posted


def _fulfil(wish: _Wish, transfer: book.Transfer) -> None:
    if isinstance(wish.row, Item):
        wish.row.reservations = [*wish.row.reservations, transfer.pk]
        wish.row.save(update_fields=["reservations"])
    else:
        setattr(wish.row, wish.name, transfer.pk)
        wish.row.save(update_fields=[wish.name])


def take_place(*, ledger: book.Book, terms: Terms) -> None:
    """The order among tables is the order in which their rounds first claimed on the meter."""
    if terms.place is not None:
        return
    taken = (
        Terms.objects.filter(progressive_id=terms.progressive_id, place__isnull=False).order_by("-place").values_list("place", flat=True)
    )
    terms.place = (taken.first() or 0) + 1
    terms.position = ledger.mark(terms.progressive_id)
    terms.base = windows.pools_now(ledger, terms.progressive_id)
    terms.save(update_fields=["place", "position", "base"])


def in_turn(*, ledger: book.Book, hit: Hit) -> tuple[Worth, bool]:
    """What a new claim is worth at its round's own place, and whether it may be settled there."""
    assert hit.terms is not None
    window = windows.window_since(ledger, hit.terms.progressive_id, since=hit, adding=hit)
    outcome = window.replayed()
    return outcome.worths[hit.pk], _may_resettle(hit, window, outcome)


def add(*, ledger: book.Book, hit: Hit, cause: book.Cause) -> Settled:
    """Settle a new claim at its place, with everything after it."""
    return _again(ledger, hit, cause, adding=hit, removing=[])


def remove(*, ledger: book.Book, hits: Sequence[Hit], cause: book.Cause) -> Settled:
    """Take claims away: the meters are as if they had never been made, and what came after them is settled again."""
    placed = [hit for hit in hits if hit.position is not None]
    settled = Settled()
    for hit in hits:
        assert hit.terms is not None
        act = _Act(ledger=ledger, terms=hit.terms, cause=cause, mark=ledger.mark(hit.terms.progressive_id))
        _release(act, hit, kinds=(Award.Kind.FIXED, Award.Kind.ENVY))
        act.post()
        settled.transfers += act.settled.transfers
    if placed:
        first = min((_first_of_equals(hit) for hit in placed), key=lambda hit: (hit.position or 0, hit.pk))
        done = _again(ledger, first, cause, adding=None, removing=placed)
        settled.transfers += done.transfers
        settled.changed, settled.items = done.changed, done.items
    return settled


def release_share(*, ledger: book.Book, share: Award, cause: book.Cause) -> list[book.Transfer]:
    """Take one share of a claim away and leave the rest."""
    terms = share.hit.terms
    assert terms is not None
    act = _Act(ledger=ledger, terms=terms, cause=cause, mark=ledger.mark(terms.progressive_id))
    _release_reservations(act, [found for found in (share.reservation_id, share.house_reservation_id) if found])
    act.post()
    share.amount_micros, share.reservation_id, share.house_reservation_id = 0, None, None
    share.save(update_fields=["amount_micros", "reservation", "house_reservation"])
    return act.settled.transfers


def join(*, ledger: book.Book, hit: Hit, cause: book.Cause) -> Settled:
    """A further equal hand divides what the first of them took, whatever others have claimed since. Nobody else is touched."""
    assert hit.terms is not None
    as_it_stands(ledger=ledger, hit=hit)
    act = _Act(ledger=ledger, terms=hit.terms, cause=cause, mark=ledger.mark(hit.terms.progressive_id))
    members = [hit, *windows.equals_of(hit)]
    first = _first_of_equals(hit)
    assert first.meter_before_micros is not None and first.meter_after_micros is not None, "the first has taken from the meter"
    part = awards.divide(settlement=replay.kept(windows.held_at_what_it_has(first, members)), seats=range(len(members)))[0]
    worth = Worth(settlement=part, ways=1, meter_before=first.meter_before_micros, meter_after=first.meter_after_micros)
    for member in members:
        _settle_undecided(act, member, worth, is_new=member is hit)
    act.post()
    return act.settled


def _first_of_equals(hit: Hit) -> Hit:
    """The one whose place the shared award has."""
    return min([hit, *windows.equals_of(hit)], key=lambda one: replay.order(windows.take_of(one)))


def as_it_stands(*, ledger: book.Book, hit: Hit) -> None:
    """Give a claim a place of its own, at the end of everything so far."""
    assert hit.terms is not None
    hit.position = ledger.mark(hit.terms.progressive_id)
    hit.base = windows.pools_now(ledger, hit.terms.progressive_id)


def _again(ledger: book.Book, since: Hit, cause: book.Cause, *, adding: Hit | None, removing: Sequence[Hit]) -> Settled:
    assert since.terms is not None
    progressive_id = since.terms.progressive_id
    act = _Act(ledger=ledger, terms=since.terms, cause=cause, mark=ledger.mark(progressive_id))
    window = windows.window_since(ledger, progressive_id, since=since, adding=adding, removing=[hit.pk for hit in removing])
    outcome = window.replayed()
    for hit in removing:
        _release(act, hit, kinds=ALL_KINDS)
        hit.changed_after = act.mark
        hit.save(update_fields=["changed_after"])
    for key, worth in outcome.worths.items():
        hit = window.hits[key]
        if not window.settles(hit):
            continue
        if hit.state in windows.UNDECIDED:
            _settle_undecided(act, hit, worth, is_new=hit is adding)
        else:
            _settle_standing(act, hit, worth)
    _settle_resets(act, window, outcome)
    _settle_voids(act, window, outcome)
    act.post()
    held = windows.pools_now(ledger, progressive_id)
    assert held == outcome.pools, f"the ledger holds {held}, the replay says {outcome.pools}"
    return act.settled


def _may_resettle(hit: Hit, window: windows.Window, outcome: Outcome) -> bool:
    """Whether a further claim may still be settled at its round's place."""
    assert hit.terms is not None and hit.terms.position is not None
    position = hit.terms.position
    others = windows.on_meter(hit.terms.progressive_id).filter(state__in=windows.STANDING, claimed_after__gte=position)
    others = others.exclude(terms=hit.terms)
    if others.exists():
        return False
    if any(movement.reason in MOVES and movement.number > position for movement in window.movements):
        return False
    decided = [other for other in window.hits.values() if other.state not in windows.UNDECIDED and other.pk != hit.pk]
    return not any(_differs(other, outcome.worths[other.pk]) for other in decided)


def _differs(hit: Hit, worth: Worth) -> bool:
    return (hit.due_micros, hit.drawn_micros) != (worth.total_micros, worth.from_meter_micros)


def _settle_undecided(act: "_Act", hit: Hit, worth: Worth, *, is_new: bool) -> None:
    """A claim nobody has fully approved takes its new amount, whole: what was set aside is given back and set aside anew."""
    if not is_new and not _differs(hit, worth) and hit.hand == worth.settlement.hand:
        _note_meter(hit, worth)
        return
    if not is_new:
        _release(act, hit, kinds=HOLDERS)
        act.settled.changed.append(hit)
        hit.signatures.update(is_lost=True)
        # Shared lines come down with every further equal hand until the round is settled; the players know that.
        is_shared_still = bool(windows.take_of(hit).group) and hit.round.state != Round.State.SETTLED
        hit.is_reduced = hit.is_reduced or (worth.total_micros < hit.award_micros and not is_shared_still)
    hit.hand, hit.takes_all = worth.settlement.hand, worth.settlement.takes_all
    hit.award_micros = hit.due_micros = worth.total_micros
    hit.drawn_micros, hit.changed_after = worth.from_meter_micros, act.mark
    hit.meter = worth.settlement.meter or hit.meter
    _note_meter(hit, worth)
    for share in [award for award in hit.awards.all() if award.kind in HOLDERS]:
        _set_aside(act, share, worth)


def _set_aside(act: "_Act", share: Award, worth: Worth) -> None:
    settlement = worth.settlement
    share.kind = Award.Kind.JACKPOT if settlement.award.kind == "percent" else Award.Kind.DEDUCTED
    share.amount_micros, share.paid_from = settlement.amount_micros, settlement.award.paid_from
    share.reservation_id = share.house_reservation_id = None
    share.save(update_fields=["kind", "amount_micros", "paid_from", "reservation", "house_reservation"])
    reason = "award" if share.kind == Award.Kind.JACKPOT else "deducted-award"
    act.reserve(settlement.meter or book.MAIN, settlement.from_meter_micros, reason, _Wish(share, "reservation_id"))
    act.reserve(book.HOUSE, settlement.from_house_micros, reason, _Wish(share, "house_reservation_id"))


def _settle_standing(act: "_Act", hit: Hit, worth: Worth) -> None:
    """An approved or paid claim stands; its difference goes before accounting, and the meter is put right at once."""
    if not _differs(hit, worth):
        return
    owed, drawn = worth.total_micros - hit.due_micros, worth.from_meter_micros - hit.drawn_micros
    meter = hit.meter or book.MAIN
    if owed:
        item = Item.objects.create(
            hit=hit, kind=Item.Kind.DIFFERENCE, told_micros=hit.due_micros, due_micros=worth.total_micros, made_at=act.cause.now
        )
        act.settled.items.append(item)
        from_meter = min(max(drawn, 0), max(owed, 0))
        act.reserve(meter, from_meter, "difference", _Wish(item, "reservations"))
        act.reserve(book.HOUSE, max(owed, 0) - from_meter, "difference", _Wish(item, "reservations"))
        drawn -= from_meter
    # What is left is between the meter and the house: told too much, the house gives it back; deducted too little, it is repaid.
    act.move(book.HOUSE, meter, max(-drawn, 0), "difference-made-good")
    act.move(meter, book.HOUSE, max(drawn, 0), "difference-made-good")
    hit.due_micros, hit.drawn_micros, hit.changed_after = worth.total_micros, worth.from_meter_micros, act.mark
    hit.save(update_fields=["due_micros", "drawn_micros", "changed_after"])


def _note_meter(hit: Hit, worth: Worth) -> None:
    hit.meter_before_micros, hit.meter_after_micros = worth.meter_before, worth.meter_after
    hit.save()


def _settle_resets(act: "_Act", window: windows.Window, outcome: Outcome) -> None:
    """Bring what each source has given for resets since the window's beginning to what it should have given."""
    for source in (book.RESERVE, book.HOUSE, book.SECONDARY):
        made = [movement for movement in window.movements if movement.reason == "reset" and movement.source == source]
        returned = [movement for movement in window.movements if movement.reason == "reset-returned" and movement.target == source]
        had = sum(one.amount_micros for one in made) - sum(one.amount_micros for one in returned)
        due = outcome.resets.get(source, 0)
        act.move(source, book.MAIN, max(due - had, 0), "reset")
        if had > due:
            undone = {movement.reverses for movement in returned}
            fitting = [one.number for one in made if one.amount_micros == had - due and one.number not in undone]
            act.move(book.MAIN, source, had - due, "reset-returned", reverses=fitting[-1] if fitting else None)


def _settle_voids(act: "_Act", window: windows.Window, outcome: Outcome) -> None:
    """Bring what the house has made good for voids since the window's beginning to what it has to make good."""
    for pool in windows.POOLS:
        due = outcome.made_good.get(pool, 0) + sum(void.amount_micros for void in window.voids if void.was_taken and void.pool == pool)
        given = [movement for movement in window.movements if movement.reason == "make-good" and movement.target == pool]
        returned = [movement for movement in window.movements if movement.reason == "make-good-returned" and movement.source == pool]
        had = sum(one.amount_micros for one in given) - sum(one.amount_micros for one in returned)
        act.move(book.HOUSE, pool, max(due - had, 0), "make-good")
        act.move(pool, book.HOUSE, max(had - due, 0), "make-good-returned")


def _release(act: "_Act", hit: Hit, *, kinds: Collection[str]) -> None:
    """Give back what shares of a claim have set aside, or, where they were approved, what is payable. What was paid stays paid."""
    paid = set(Payout.objects.filter(award__hit=hit, state=Payout.State.PAID).values_list("award_id", flat=True))
    shares = [award for award in hit.awards.all() if award.kind in kinds and award.pk not in paid]
    ids = [found for share in shares for found in (share.reservation_id, share.house_reservation_id) if found]
    # What was paid of a void round is still accounting's to answer.
    open_items = hit.items.filter(state=Item.State.OPEN).exclude(kind=Item.Kind.PAID_AND_VOIDED)
    if kinds == ALL_KINDS:
        ids += [found for item in open_items for found in item.reservations]
        open_items.update(state=Item.State.RETURNED, answered_at=act.cause.now)
    _release_reservations(act, ids)


def _release_reservations(act: "_Act", ids: Sequence[int]) -> None:
    posted = act.ledger.resolutions(ids)
    for transfer in act.ledger.transfers(ids):
        resolution = posted.get(transfer.pk)
        if resolution is None:
            act.credits.append((act.ledger.void_reservation(transfer, reason="rejection"), None))
        elif resolution.kind == book.Kind.RESERVATION_POSTED:
            act.credits.append((act.ledger.reversal(resolution, reason="cancellation"), None))
