"""The window: what happened on a progressive since a claim's place, ready to be replayed with or without some claims."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import models

from jackpots import configurations
from jackpots.ledger import book
from jackpots.models import Hit
from jackpots.rules import awards, cards, replay
from jackpots.rules.replay import Change, Held, Outcome, Shortage, Take

STANDING = (Hit.State.PENDING, Hit.State.HELD, Hit.State.APPROVED, Hit.State.PAID)
UNDECIDED = (Hit.State.PENDING, Hit.State.HELD)
POOLS = (book.MAIN, book.SECONDARY, book.RESERVE)
# What changes the pools as a fact. Awards, resets and what makes good for voids are worked out, and so are not among them.
FACTS = ("opening", "contribution", "overflow", "overflow-released", "correction", "move", "item-returned")


@dataclass(frozen=True, kw_only=True)
class Window:
    """What happened on a progressive since a place, ready to be replayed without or with some claims."""

    after: int
    # From this place on claims are settled again; those before it are held at what they have.
    since: int
    pools: Mapping[str, int]
    changes: Sequence[Change]
    shortages: Sequence[Shortage]
    takes: Sequence[Take]
    hits: Mapping[int, Hit]
    movements: Sequence[book.Movement]
    voids: Sequence["Void"]

    def settles(self, hit: Hit) -> bool:
        return (hit.position or 0) >= self.since

    def replayed(self) -> Outcome:
        return replay.replay(pools=self.pools, changes=self.changes, shortages=self.shortages, takes=self.takes)


@dataclass(frozen=True, kw_only=True)
class Void:
    """A contribution that was given back, and whether a standing award had taken it with the whole meter before."""

    number: int
    contribution: int
    pool: str
    amount_micros: int
    was_taken: bool


def pools_now(ledger: book.Book, progressive_id: int) -> dict[str, int]:
    held = ledger.available(progressive_id)
    return {pool: held[pool] for pool in POOLS}


def has_equals(hit: Hit) -> bool:
    """Whether there is an award already that this claim has a share in."""
    return bool(equals_of(hit))


def equals_of(hit: Hit) -> list[Hit]:
    """The other standing claims that share one award with a claim."""
    group = take_of(hit).group
    if not group or hit.terms is None:
        return []
    mates = on_meter(hit.terms.progressive_id).filter(terms=hit.terms, hand=hit.hand, state__in=STANDING).exclude(pk=hit.pk)
    return [mate for mate in mates if take_of(mate).group == group]


def take_of(hit: Hit) -> Take:
    """A claim as the rules see it."""
    assert hit.terms is not None and hit.position is not None and hit.terms.place is not None
    wager, pay_table = configurations.rules_of(hit.terms.configuration)
    line = pay_table.line(hit.hand)
    # What was found after the round had been settled comes from no event, and shares with nobody.
    is_shared = line is not None and line.award.is_shared and hit.event_id is not None
    return Take(
        key=hit.pk,
        position=hit.position,
        place=hit.terms.place,
        turn=turn_of(hit),
        claimed_at=hit.claimed_after or 0,
        wager=wager,
        pay_table=pay_table,
        cards=cards.parse(hit.cards.split()),
        amount_micros=hit.wagered_micros,
        reset_micros=hit.terms.configuration.reset_micros or 0,
        uses_reserve=book.RESERVE in hit.terms.configuration.rates_ppm,
        ways=hit.ways,
        group=f"{hit.terms_id}:{hit.hand}" if is_shared else "",
    )


def held_at_what_it_has(hit: Hit, hits: Iterable[Hit]) -> Take:
    """A claim before the place from which claims are settled again: it keeps what it has."""
    take = take_of(hit)
    line = take.pay_table.line(hit.hand)
    assert line is not None, "a claim on a meter has its row"
    due, drawn = hit.due_micros // hit.ways, hit.drawn_micros // hit.ways
    if take.group:
        due = drawn = _whole(hit, [other for other in hits if take_of(other).group == take.group])
    return replace(take, held=Held(line, due, drawn))


def _whole(hit: Hit, members: Sequence[Hit]) -> int:
    """What equal hands share. Once they are approved nothing more is divided, and it is the sum of what they have."""
    line = configurations.rules_of(hit.terms.configuration)[1].line(hit.hand) if hit.terms else None
    if hit.state not in UNDECIDED or line is None or hit.meter_before_micros is None:
        return hit.due_micros * len(members)
    return awards.work_out(line=line, amount_micros=hit.wagered_micros, meters={hit.meter: hit.meter_before_micros}).amount_micros


def turn_of(hit: Hit) -> tuple[int, int]:
    """The order of payment: descending seats, and for one player the own hand before the dealer's.

    An award on the dealer's hand has its turn with the first player who wagered on it.
    """
    if hit.seat is not None:
        return (-hit.seat, 0)
    seats = [award.seat for award in hit.awards.all() if award.seat is not None]
    return (-max(seats, default=0), 1)


def window_since(
    ledger: book.Book, progressive_id: int, *, since: Hit, adding: Hit | None = None, removing: Collection[int] = ()
) -> Window:
    start = _start(progressive_id, since)
    assert start.position is not None and start.base is not None and since.position is not None
    standing = on_meter(progressive_id).filter(state__in=STANDING).exclude(pk__in=removing)
    hits = {hit.pk: hit for hit in standing.filter(position__gte=start.position)}
    if adding is not None:
        hits[adding.pk] = adding
    movements = ledger.movements(progressive_id, after=start.position)
    whole = [(hit.position or 0, hit.claimed_after or 0) for hit in standing.filter(takes_all=True)]
    voids = [_judge_void(void, whole) for void in movements if void.reason == "void" and void.reverses]
    removed = {void.contribution: void for void in voids if not void.was_taken}
    pools = dict(start.base)
    for contribution, void in removed.items():
        if contribution <= start.position:
            pools[void.pool] -= void.amount_micros
    return Window(
        after=start.position,
        since=since.position,
        pools=pools,
        changes=[change for movement in movements if (change := _change(movement, removed)) is not None],
        shortages=[Shortage(at=void.number, pool=void.pool) for void in removed.values()],
        takes=[take_of(hit) if (hit.position or 0) >= since.position else held_at_what_it_has(hit, hits.values()) for hit in hits.values()],
        hits=hits,
        movements=movements,
        voids=voids,
    )


def _start(progressive_id: int, since: Hit) -> Hit:
    """The claim from whose place on nothing that lies before has been settled again since; what its base says can be relied on."""
    start = since
    while True:
        disturbed = on_meter(progressive_id).filter(position__lt=start.position, changed_after__gte=start.position)
        earlier = disturbed.order_by("position", "pk").first()
        if earlier is None:
            return start
        start = earlier


def on_meter(progressive_id: int) -> models.QuerySet[Hit]:
    """The claims, standing or not, that took money from a progressive's meters."""
    taken = Hit.objects.filter(terms__progressive_id=progressive_id, position__isnull=False)
    return taken.select_related("terms__configuration__progressive", "terms__configuration__funded_by").prefetch_related("awards")


def _judge_void(void: book.Movement, whole: Sequence[tuple[int, int]]) -> "Void":
    """Where a standing award took the whole meter between a contribution and its void, it took the contribution too."""
    assert void.reverses is not None
    return Void(
        number=void.number,
        contribution=void.reverses,
        pool=void.source,
        amount_micros=void.amount_micros,
        was_taken=any(position >= void.reverses and claimed_after < void.number for position, claimed_after in whole),
    )


def _change(movement: book.Movement, removed: Mapping[int, Void]) -> Change | None:
    if movement.reason not in FACTS or movement.number in removed:
        return None
    amount = movement.amount_micros
    if movement.kind == book.Kind.RESERVATION_VOIDED:
        return Change(at=movement.number, deltas={movement.source: amount})
    deltas = {pool: sign * amount for pool, sign in ((movement.source, -1), (movement.target, 1)) if pool in POOLS}
    return Change(at=movement.number, deltas=deltas) if deltas else None
