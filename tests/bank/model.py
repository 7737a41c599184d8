"""The money of a floor, worked out a second time from the rule texts and the promises, sharing nothing with the service.

There are no windows here and no stored bases: whenever claims are settled again, the whole history of the meter is walked from its
opening. Claims that lie before the place in question are held at what they have; the others are worked out anew, each on what stood
there. Readings where the promises leave room:

* a contribution that was voided counts for nothing when claims are settled again, unless a standing award of the whole meter took it;
* what a meter does not hold at the moment of a void, or when overflow moved, the house has made good;
* a claim whose amount does not change when it is settled again keeps its signatures;
* the order among claims of one round is descending seats, whatever the order of keying.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

DOLLAR = 1_000_000
CENT = 10_000


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A pay table as a person reads it in the rule text: percentages of the meter, multiples of the wager, sums of dollars, envy."""

    percent: Mapping[str, int]
    for_one: Mapping[str, int] = field(default_factory=dict)
    dollars: Mapping[str, int] = field(default_factory=dict)
    envy: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    shared: Sequence[str] = ()
    wagers: Sequence[int] = (1,)
    # After an award of the whole meter: a reset amount, or all that the secondary meter holds.
    resets_from_secondary: bool = False
    # Whether the text wants fixed awards validated. What comes off a meter is signed for in any case.
    fixed_are_validated: bool = True

    def pays(self, hand: str) -> bool:
        return hand in self.percent or hand in self.for_one or hand in self.dollars

    def fixed(self, hand: str, wager: int) -> int:
        return (self.for_one.get(hand, 0) * wager + self.dollars.get(hand, 0)) * DOLLAR


# Section 11(d) of the Massachusetts rules of Caribbean stud, columns B and D, with the envy of 11(d)(7).
TABLE_B = Paper(
    percent={"royal-flush": 100, "straight-flush": 10},
    for_one={"four-of-a-kind": 500, "full-house": 100, "flush": 50, "straight": 10, "three-of-a-kind": 3, "two-pair": 2},
)
TABLE_D = Paper(
    percent={"royal-flush": 100, "straight-flush": 10},
    for_one={"four-of-a-kind": 300, "full-house": 50, "flush": 40, "straight": 30, "three-of-a-kind": 9},
    envy={1: {"royal-flush": 1000, "straight-flush": 300}, 5: {"royal-flush": 5000, "straight-flush": 1500}},
    wagers=(1, 5),
)
# Section 10 (l)(5) and (l)(7): sums of dollars, and royal flushes at one table share equally.
SECTION_10 = Paper(
    percent={"royal-flush": 100, "straight-flush": 10},
    dollars={"four-of-a-kind": 500, "full-house": 100, "flush": 50},
    shared=("royal-flush",),
)
# Section 11(e) and (f) of high card flush, column A: a main and a secondary meter.
HIGH_CARD_FLUSH_A = Paper(
    percent={"seven-card-straight-flush": 100, "six-card-straight-flush": 10},
    dollars={"five-card-straight-flush": 250, "four-card-straight-flush": 50, "three-card-straight-flush": 3},
    resets_from_secondary=True,
    fixed_are_validated=False,
)


@dataclass(kw_only=True)
class Fact:
    """Money that went on or off a meter whatever was claimed."""

    tick: int
    amount: int
    pool: str = "main"
    # Which wager it is the contribution of, and when it was taken back.
    wager: tuple[str, int, int] | None = None
    voided: int | None = None


@dataclass(kw_only=True, eq=False)
class Claim:
    """A hand that was claimed and not refused, on a meter or not."""

    number: str
    round: "Round"
    seat: int
    hand: str
    cards: frozenset[str]
    wager: int
    told: int
    envies: dict[int, int]
    state: str = "pending"
    signers: list[str] = field(default_factory=list)
    is_reduced: bool = False
    is_out_of_turn: bool = False
    paid_own: int = 0
    paid_envies: dict[int, int] = field(default_factory=dict)
    # Only on a meter: where it is settled, when it was made, what it is due, what the meter gave for it and what it brought on.
    slot: int | None = None
    made: int = 0
    due: int = 0
    drawn: int = 0
    whole: int = 0
    reset: dict[str, int] = field(default_factory=dict)
    items: list[tuple[str, int, int]] = field(default_factory=list)
    group: tuple[str, int, str] | None = None
    # A further equal hand that came too late for its round's place, and divides what the first of them has taken.
    joined: bool = False

    @property
    def is_undecided(self) -> bool:
        return self.state in ("pending", "held")

    @property
    def stands(self) -> bool:
        return self.state in ("pending", "held", "approved", "paid")

    @property
    def is_paid_out(self) -> bool:
        return self.paid_own == self.told and self.paid_envies == self.envies

    @property
    def paid(self) -> int:
        return self.paid_own + sum(self.paid_envies.values())

    @property
    def owed_by_items(self) -> int:
        return sum(max(due - told, 0) for kind, told, due in self.items if kind == "difference")

    def turn(self) -> tuple[int, int]:
        assert self.slot is not None
        return (self.slot, -self.seat)


@dataclass(kw_only=True, eq=False)
class Round:
    table: str
    number: int
    state: str = "open"
    count_agrees: bool = False
    wagers: dict[int, int] = field(default_factory=dict)
    folded: set[int] = field(default_factory=set)
    void_seats: set[int] = field(default_factory=set)
    slot: int | None = None
    claims: list[Claim] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, int]:
        return (self.table, self.number)


@dataclass(kw_only=True)
class Chosen:
    """What the licensee chose for a progressive."""

    paper: Paper
    main_ppm: int
    initial: int
    reset: int = 0
    reserve_ppm: int = 0
    secondary_ppm: int = 0
    cap: int | None = None

    def rates(self) -> dict[str, int]:
        asked = {"main": self.main_ppm, "secondary": self.secondary_ppm, "reserve": self.reserve_ppm}
        return {pool: ppm for pool, ppm in asked.items() if ppm}


def percentage(amount: int, percent: int) -> int:
    """Rounded down to the cent."""
    return amount * percent // 100 // CENT * CENT


class Meter:
    """One progressive: its history and its claims."""

    def __init__(self, chosen: Chosen) -> None:
        self.chosen = chosen
        self.tick = 0
        self.facts = [Fact(tick=0, amount=chosen.initial)]
        self.claims: list[Claim] = []
        self.skimmed = 0

    def next_tick(self) -> int:
        self.tick += 1
        return self.tick

    # What happens on the floor

    def contribute(self, round: Round) -> None:
        tick = self.next_tick()
        for seat, dollars in sorted(round.wagers.items()):
            for pool, ppm in self.chosen.rates().items():
                self.facts.append(Fact(tick=tick, amount=dollars * ppm, pool=pool, wager=(*round.key, seat)))

    def skim(self) -> None:
        excess = self.pools()["main"] - self.chosen.cap if self.chosen.cap is not None else 0
        if excess > 0:
            self.facts.append(Fact(tick=self.next_tick(), amount=-excess))
            self.skimmed += excess

    def claim(self, claim: Claim, *, is_missed: bool = False) -> None:
        """Settle a new claim on the meter: at its round's own place if that can still be, otherwise as the meter stands.

        One that was missed, and is entered after the round was settled, is out of turn in any case.
        """
        claim.made = self.next_tick()
        if claim.round.slot is None:
            claim.round.slot = claim.made
        claim.slot = claim.round.slot
        if claim.hand in self.chosen.paper.shared and not is_missed:
            claim.group = (*claim.round.key, claim.hand)
        self.claims.append(claim)
        shown = self.walked(since=claim.slot)
        if is_missed:
            self._as_it_stands(claim, in_turn=shown[claim].due)
        elif self._may_be_settled_at_its_place(claim, shown):
            self._settle(shown, new=claim)
        elif claim.group and len(self._members(claim)) > 1:
            claim.joined, claim.slot = True, claim.made
            self._settle(self.walked(since=None, opened=claim.group), new=claim)
        else:
            self._as_it_stands(claim, in_turn=shown[claim].due)

    def _as_it_stands(self, claim: Claim, in_turn: int) -> None:
        claim.slot = claim.made
        self._settle(self.walked(since=claim.made), new=claim)
        mates = [other for other in claim.round.claims if other.slot is not None and other.stands and other is not claim]
        claim.is_out_of_turn = claim.round.state == "settled" or not all(other.seat > claim.seat for other in mates)
        if claim.is_out_of_turn and in_turn != claim.due:
            claim.items.append(("out-of-turn", claim.due, in_turn))

    def remove(self, claims: Sequence[Claim], state: str) -> None:
        """As if they had never been made."""
        slots = [self._members(claim)[0].turn()[0] for claim in claims if claim.slot is not None]
        for claim in claims:
            claim.state = state
            claim.signers, claim.envies = [], {}
        if slots:
            self._settle(self.walked(since=min(slots)))

    def void(self, round: Round, seats: Sequence[int]) -> None:
        """Contributions go back, to the micro; the house makes good what a standing award of the whole meter took, or what is short."""
        tick = self.next_tick()
        for fact in self.facts:
            if fact.wager in {(*round.key, seat) for seat in seats} and fact.voided is None:
                fact.voided = tick

    # Walking through the history

    def pools(self) -> dict[str, int]:
        return dict(self._walk(since=None)[1])

    def walked(self, *, since: int | None, opened: tuple[str, int, str] | None = None) -> dict[Claim, "Worth"]:
        return self._walk(since=since, opened=opened)[0]

    def _walk(self, *, since: int | None, opened: tuple[str, int, str] | None = None) -> tuple[dict[Claim, "Worth"], dict[str, int]]:
        pools = {"main": 0, "secondary": 0, "reserve": 0}
        worths: dict[Claim, Worth] = {}
        for step in self._steps():
            if isinstance(step, Fact):
                pools[step.pool] += self._counting(step)
                if step.amount < 0:
                    pools[step.pool] = max(pools[step.pool], 0)
            elif isinstance(step, Void):
                pools[step.pool] = max(pools[step.pool], 0)
            elif isinstance(step, Claim):
                is_held = since is None or step.turn()[0] < since
                if is_held and step.group != opened:
                    self._hold(step, pools)
                else:
                    worths.update(self._work_out(step, pools, is_held=is_held))
            else:
                pools["main"] += step(worths)
        return worths, pools

    def _steps(self) -> "list[Fact | Void | Claim | Odd]":
        steps: list[tuple[tuple[int, int, int], Fact | Void | Claim | Odd]] = [((fact.tick, 0, 0), fact) for fact in self.facts]
        steps += [((fact.voided, 0, 0), Void(fact.pool)) for fact in self.facts if fact.voided is not None]
        for claim in self.claims:
            if claim.stands:
                members = self._members(claim)
                if members[0] is claim:
                    steps.append(((claim.turn()[0], 1, claim.turn()[1]), claim))
                    steps += [((moment, 2, 0), odd) for moment, odd in _odd_cents(members)]
        return [step for _, step in sorted(steps, key=lambda pair: pair[0])]

    def _members(self, claim: Claim) -> list[Claim]:
        """Claims that share one award, in the order in which they are settled."""
        if claim.group is None:
            return [claim]
        found = [other for other in self.claims if other.group == claim.group and other.stands]
        return sorted(found, key=Claim.turn)

    def _hold(self, claim: Claim, pools: dict[str, int]) -> None:
        _take(pools, claim.whole, claim.reset)

    def _work_out(self, claim: Claim, pools: dict[str, int], *, is_held: bool) -> "Iterator[tuple[Claim, Worth]]":
        """What a claim takes from the pools, and each of those that share it is due."""
        whole = claim.whole if is_held else percentage(max(pools["main"], 0), self.chosen.paper.percent[claim.hand])
        reset = claim.reset if is_held else self._reset(claim, pools)
        _take(pools, whole, reset)
        members = self._members(claim)
        each = whole // CENT // len(members) * CENT
        for member in members:
            yield member, Worth(due=each, whole=whole, reset=reset if member is members[0] else {})

    def _reset(self, claim: Claim, pools: dict[str, int]) -> dict[str, int]:
        if self.chosen.paper.percent[claim.hand] != 100:
            return {}
        if self.chosen.paper.resets_from_secondary:
            return {"secondary": pools["secondary"]}
        reserve = min(pools["reserve"], self.chosen.reset) if self.chosen.reserve_ppm else 0
        return {"reserve": reserve, "house": self.chosen.reset - reserve}

    def _counting(self, fact: Fact) -> int:
        if fact.voided is None:
            return fact.amount
        return fact.amount if self._was_taken(fact, before=fact.voided) else 0

    def _was_taken(self, fact: Fact, *, before: int) -> bool:
        return any(
            claim.stands and claim.slot is not None and claim.slot > fact.tick and claim.made < before
            for claim in self.claims
            if self.chosen.paper.percent.get(claim.hand) == 100
        )

    # Settling

    def _may_be_settled_at_its_place(self, claim: Claim, shown: "dict[Claim, Worth]") -> bool:
        assert claim.slot is not None
        for other in self.claims:
            if other.stands and other.round is not claim.round and other.made >= claim.slot:
                return False
        return not any(not other.is_undecided and worth.due != other.due for other, worth in shown.items() if other is not claim)

    def _settle(self, worths: "dict[Claim, Worth]", new: Claim | None = None) -> None:
        for claim, worth in worths.items():
            if claim.is_undecided:
                self._settle_undecided(claim, worth, is_new=claim is new)
            elif worth.due != claim.due:
                claim.items.append(("difference", claim.due, worth.due))
            claim.due = claim.drawn = worth.due
            claim.whole, claim.reset = worth.whole, worth.reset

    def _settle_undecided(self, claim: Claim, worth: "Worth", *, is_new: bool) -> None:
        if not is_new and worth.due != claim.told:
            claim.signers = []
            shares_still = claim.group is not None and claim.round.state != "settled"
            claim.is_reduced = claim.is_reduced or (worth.due < claim.told and not shares_still)
        claim.told = worth.due


def _take(pools: dict[str, int], whole: int, reset: Mapping[str, int]) -> None:
    pools["main"] += sum(reset.values()) - whole
    for source in reset:
        if source != "house":
            pools[source] -= reset[source]


@dataclass(frozen=True)
class Void:
    """The moment when a contribution was given back."""

    pool: str


@dataclass(frozen=True, kw_only=True)
class Worth:
    due: int
    whole: int
    reset: dict[str, int]


@dataclass(frozen=True)
class Odd:
    """The cents that no longer divide evenly once there are so many; they go back to the meter as it then stands."""

    first: Claim
    members: int

    def __call__(self, worths: dict[Claim, Worth]) -> int:
        whole = worths[self.first].whole if self.first in worths else self.first.whole
        return whole // CENT % self.members * CENT - whole // CENT % (self.members - 1) * CENT


def _odd_cents(members: Sequence[Claim]) -> list[tuple[int, Odd]]:
    by_claim = sorted(members, key=lambda member: member.made)
    return [(member.made, Odd(members[0], number)) for number, member in enumerate(by_claim, start=1) if number > 1]
