"""What claims on a meter are worth, worked out in order from a point where the meters are known.

A claim's amount depends on what stood before it. So when a claim is taken away, or one of the same round comes in late, all that
happened since is gone through again: what changed the meters as a fact, and what was taken from them by a claim, each at its place.
The same input always gives the same money; no ledger is read or written here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from jackpots.rules import awards, money
from jackpots.rules.book import Line, PayTable, Wager
from jackpots.rules.cards import Card

MAIN = "main"
SECONDARY = "secondary"
RESERVE = "reserve"
HOUSE = "house"


@dataclass(frozen=True, kw_only=True)
class Change:
    """Something that changed the pools as a fact, whatever was claimed: a contribution, an overflow, a correction."""

    at: int
    deltas: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Shortage:
    """A moment when contributions were given back: what the pool did not hold any more, the house made good."""

    at: int
    pool: str


@dataclass(frozen=True, kw_only=True)
class Take:
    """A claim on a meter and everything its worth depends on."""

    key: int
    # Its place in the order of all that happened: after that many transfers, in the order of rounds, then of payment.
    position: int
    place: int
    turn: tuple[int, int]
    # When it was made, which is later than its place where a round was already being settled.
    claimed_at: int
    wager: Wager
    pay_table: PayTable
    cards: tuple[Card, ...]
    amount_micros: int
    reset_micros: int
    uses_reserve: bool
    # Among how many an award on the dealer's hand is divided.
    ways: int = 1
    # Claims that share one award name the same group: equal top hands where the text shares them.
    group: str = ""
    # A claim that lies before what is settled again has what it has, whatever has been voided since.
    held: "Held | None" = None


@dataclass(frozen=True)
class Held:
    """What a claim keeps: its row, the amount of each way of it (of all who share it together), and what the meter gave of that."""

    line: Line
    amount_micros: int
    from_meter_micros: int


@dataclass(frozen=True, kw_only=True)
class Worth:
    """What a claim turned out to be worth: the award (each way's share of it), and the meter around it."""

    settlement: awards.Settlement
    ways: int
    meter_before: int
    meter_after: int

    @property
    def total_micros(self) -> int:
        return self.settlement.amount_micros * self.ways

    @property
    def from_meter_micros(self) -> int:
        return self.settlement.from_meter_micros * self.ways


@dataclass(kw_only=True)
class Outcome:
    """Every claim's worth, the pools at the end, how much each source gave for resets and the house made good to each pool."""

    worths: dict[int, Worth] = field(default_factory=dict)
    pools: dict[str, int]
    resets: dict[str, int] = field(default_factory=dict)
    made_good: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _OddCents:
    """From a further claim on, one award is divided among so many; what no longer divides evenly goes back to the meter as it stands."""

    meter: str
    taken_micros: int
    members: int


def replay(*, pools: Mapping[str, int], changes: Iterable[Change], takes: Iterable[Take], shortages: Iterable[Shortage] = ()) -> Outcome:
    """Go through everything in order."""
    ordered = sorted(takes, key=order)
    groups: dict[str, list[Take]] = {}
    for take in ordered:
        if take.group:
            groups.setdefault(take.group, []).append(take)
    steps: list[tuple[tuple[int, int, int], Change | Shortage | Take]] = [((change.at, 0, 0), change) for change in changes]
    steps += [((shortage.at, 0, 0), shortage) for shortage in shortages]
    steps += [((one.position, 1, number), one) for number, one in enumerate(ordered)]
    outcome = Outcome(pools=dict(pools))
    # Odd cents come up while going through, at the moments of the later claims of a group; they wait here for their turn.
    waiting: list[tuple[int, _OddCents]] = []
    for (at, _, _), step in sorted(steps, key=lambda pair: pair[0]):
        _pay_odd_cents(outcome, waiting, up_to=at)
        if isinstance(step, Change):
            _change(outcome, step)
        elif isinstance(step, Shortage):
            _make_good(outcome, step.pool)
        elif not step.group:
            _take(outcome, step)
        elif groups[step.group][0] is step:
            waiting += _share(outcome, groups[step.group])
            waiting.sort(key=lambda pair: pair[0])
    _pay_odd_cents(outcome, waiting, up_to=None)
    return outcome


def order(take: Take) -> tuple[int, int, tuple[int, int], int]:
    """Where a claim stands among all: by its position, its round's place on the meter, and the order of payment."""
    return (take.position, take.place, take.turn, take.key)


def _change(outcome: Outcome, change: Change) -> None:
    for pool, delta in change.deltas.items():
        outcome.pools[pool] += delta
        if delta < 0:
            # What has moved stays moved, also where a claim settled again has left less to move.
            _make_good(outcome, pool)


def _make_good(outcome: Outcome, pool: str) -> None:
    missing = max(-outcome.pools[pool], 0)
    outcome.pools[pool] += missing
    outcome.made_good[pool] = outcome.made_good.get(pool, 0) + missing


def _take(outcome: Outcome, take: Take) -> None:
    settled = _settled(outcome, take)
    if take.ways > 1 and settled.from_meter_micros and take.held is None:
        settled = awards.divide(settlement=settled, seats=range(take.ways))[0]
    before = outcome.pools[settled.meter or MAIN]
    outcome.pools[settled.meter or MAIN] -= settled.from_meter_micros * take.ways
    _reset(outcome, take, settled)
    after = outcome.pools[settled.meter or MAIN]
    outcome.worths[take.key] = Worth(settlement=settled, ways=take.ways, meter_before=before, meter_after=after)


def _share(outcome: Outcome, members: Sequence[Take]) -> list[tuple[int, _OddCents]]:
    """The first of equal hands takes the award whole, with the reset it brings; each gets an equal part of it."""
    first = members[0]
    whole = _settled(outcome, first)
    meter = whole.meter or MAIN
    before = outcome.pools[meter]
    outcome.pools[meter] -= whole.from_meter_micros
    _reset(outcome, first, whole)
    part = awards.divide(settlement=whole, seats=range(len(members)))[0]
    for member in members:
        outcome.worths[member.key] = Worth(settlement=part, ways=1, meter_before=before, meter_after=outcome.pools[meter])
    by_claim = sorted(members, key=lambda member: member.claimed_at)
    return [
        (member.claimed_at, _OddCents(meter=meter, taken_micros=whole.from_meter_micros, members=number))
        for number, member in enumerate(by_claim, start=1)
        if number > 1
    ]


def _pay_odd_cents(outcome: Outcome, waiting: list[tuple[int, _OddCents]], *, up_to: int | None) -> None:
    while waiting and (up_to is None or waiting[0][0] < up_to):
        _, odd = waiting.pop(0)
        now_left = money.split(odd.taken_micros, odd.members)[1]
        left_before = money.split(odd.taken_micros, odd.members - 1)[1]
        outcome.pools[odd.meter] += now_left - left_before


def _settled(outcome: Outcome, take: Take) -> awards.Settlement:
    if take.held is not None:
        return kept(take)
    # Before the moment of a void a pool may be short of what was given back then; there is nothing to be won of it.
    meters = {pool: max(micros, 0) for pool, micros in outcome.pools.items()}
    settled = awards.settle(wager=take.wager, pay_table=take.pay_table, cards=take.cards, amount_micros=take.amount_micros, meters=meters)
    assert settled is not None, "what was once a paying hand is one"
    return settled


def kept(take: Take) -> awards.Settlement:
    """What a claim that is held has."""
    held = take.held
    assert held is not None
    return awards.Settlement(
        hand=held.line.hand,
        award=held.line.award,
        amount_micros=held.amount_micros,
        from_meter_micros=held.from_meter_micros,
        from_house_micros=held.amount_micros - held.from_meter_micros,
        meter=held.line.award.meter,
        takes_all=held.line.award.takes_all,
    )


def _reset(outcome: Outcome, take: Take, settled: awards.Settlement) -> None:
    """Refill the meter after a claim of all of it: from the secondary meter, or from reserve and house."""
    if not settled.takes_all:
        return
    given: dict[str, int]
    if take.pay_table.resets_from == SECONDARY:
        given = {SECONDARY: outcome.pools[SECONDARY]}
    else:
        from_reserve = min(outcome.pools[RESERVE], take.reset_micros) if take.uses_reserve else 0
        given = {RESERVE: from_reserve, HOUSE: take.reset_micros - from_reserve}
    for source, micros in given.items():
        if source != HOUSE:
            outcome.pools[source] -= micros
        outcome.pools[MAIN] += micros
        outcome.resets[source] = outcome.resets.get(source, 0) + micros
