"""Random floors, played by the real verbs on the real database and by a model beside them. They agree after every step, to the micro."""

import logging
import os
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests import cast
from tests.bank import floor
from tests.bank.model import Claim, Round
from tests.bank.world import World

COMMON: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck), "print_blob": True}
# The same floors every time, so that a run says something about the change under test; the long profile looks for new ones.
settings.register_profile("ci", max_examples=40, stateful_step_count=50, derandomize=True, **{**COMMON, "print_blob": False})
settings.register_profile("long", max_examples=250, stateful_step_count=80, **COMMON)
# For looking into a failure by hand: the first one found, as it is.
settings.register_profile("unshrunk", max_examples=60, stateful_step_count=50, phases=[Phase.generate], **COMMON)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")

# How often what happens, by the mood of the evening.
MOODS: Mapping[str, Mapping[str, int]] = {
    "busy": {"lock-out": 5, "ten": 6, "all": 3, "any": 1, "settle": 2, "void": 1, "approve": 2, "reject": 1, "missed": 0, "chore": 2},
    "quarrelsome": {
        "lock-out": 4,
        "ten": 5,
        "all": 3,
        "any": 1,
        "settle": 1,
        "void": 2,
        "approve": 3,
        "reject": 4,
        "missed": 1,
        "chore": 1,
    },
    "sloppy": {"lock-out": 4, "ten": 4, "all": 2, "any": 3, "settle": 3, "void": 3, "approve": 3, "reject": 2, "missed": 3, "chore": 3},
}
CHORES = ["pay", "pay", "fold", "send-again", "hold", "sign", "give-up"]
number = st.integers(0, 10_000)
wagering = st.dictionaries(st.integers(1, 7), st.sampled_from([1, 5]), min_size=1, max_size=4)


class Floor(RuleBasedStateMachine):
    house: cast.House
    seen: Counter[str] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.savepoint = transaction.savepoint()
        self.world = World(self.house, [])
        self.actions: list[str] = []

    @initialize(slugs=st.sampled_from([[slug] for slug in floor.FLOORS] + [list(floor.FLOORS)]), mood=st.sampled_from(sorted(MOODS)))
    def open_the_doors(self, slugs: list[str], mood: str) -> None:
        self.world = World(self.house, slugs)
        self.actions = [action for action, often in MOODS[mood].items() for _ in range(often)]

    def teardown(self) -> None:
        type(self).seen.update(self.world.happenings())
        transaction.savepoint_rollback(self.savepoint)

    @rule(action=number, which=number, other=number, wagers=wagering)
    def step(self, action: int, which: int, other: int, wagers: dict[int, int]) -> None:
        chosen = self.actions[action % len(self.actions)]
        is_played = any(played.state == "locked" for played in self.world.rounds.values())
        if chosen == "lock-out" or not self.world.rounds or (chosen in ("ten", "all", "settle") and not is_played):
            self.lock_out(which, wagers, is_miscounted=other % 16 == 1)
        elif chosen in ("approve", "reject") and self.world.claims:
            self.decide(chosen, which, other)
        else:
            self.acts().get(chosen, self.win_ten)(which, other)

    def acts(self) -> dict[str, Callable[[int, int], None]]:
        return {
            "ten": self.win_ten,
            "all": lambda which, other: self.win(100, which, other),
            "any": self.claim_anything,
            "settle": lambda which, other: self.world.settle(self.playing(which)),
            "void": self.void,
            "missed": self.find_a_missed_hand,
            "chore": lambda which, other: self.chore(CHORES[other % len(CHORES)], which),
        }

    @invariant()
    def they_agree(self) -> None:
        type(self).seen["steps"] += 1
        self.world.check()

    # Which one: whoever has something to do, if there is one

    def idle(self, which: int) -> str:
        names = [name for name, _ in self.world.tables]
        idle = [name for name in names if name not in self.world.rounds or self.world.rounds[name].state != "locked"]
        return one_of(idle if which % 8 else names, names, which)

    def playing(self, which: int) -> str:
        names = list(self.world.rounds)
        return one_of([name for name in names if self.world.rounds[name].state == "locked" or which % 9 == 1], names, which)

    def over(self, which: int) -> str:
        names = list(self.world.rounds)
        return one_of([name for name in names if self.world.rounds[name].state == "settled"], names, which)

    def claim(self, which: int) -> Claim:
        """One of the newest; those that still wait more often than others."""
        claims = list(self.world.claims.values())[-8:]
        return one_of([claim for claim in claims if claim.is_undecided or which % 6 == 1], claims, which)

    # What may happen

    def lock_out(self, which: int, wagers: dict[int, int], *, is_miscounted: bool) -> None:
        table = self.idle(which)
        offered = self.world.paper(table).wagers
        self.world.lock_out(table, {seat: dollars if dollars in offered else 1 for seat, dollars in wagers.items()}, miscount=is_miscounted)

    def win_ten(self, which: int, other: int) -> None:
        self.win(10, which, other)

    def win(self, percent: int, which: int, other: int) -> None:
        """A seat that wagered and has nothing yet, and cards that lie nowhere else, so that claims meet on the meter."""
        table = self.playing(which)
        played = self.world.rounds[table]
        (hand,) = [hand for hand, part in self.world.paper(table).percent.items() if part == percent]
        has_claimed = {claim.seat for claim in played.claims if claim.stands} | played.folded
        seat = one_of([seat for seat in sorted(played.wagers) if seat not in has_claimed], [other % 7 + 1], other)
        self.world.claim(table, seat, hand, self.free_suit(table, played, hand, other))

    def free_suit(self, table: str, played: Round, hand: str, other: int) -> int:
        taken = {card for claim in played.claims if claim.stands for card in claim.cards}
        return one_of([suit for suit in range(4) if not taken & set(self.world.deal(table, hand, suit))], [other % 4], other)

    def claim_anything(self, which: int, other: int) -> None:
        """Anybody, anything: mostly refused, or paid by the house."""
        table = self.playing(which)
        top, *_ = names = list(floor.hands_of(self.world.slug_of[table]))
        hand = names[other % len(names)]
        self.world.claim(table, other % 7 + 1, hand, which, told_as=None if other % 9 else top)

    def find_a_missed_hand(self, which: int, other: int) -> None:
        table = self.over(which)
        names = list(floor.hands_of(self.world.slug_of[table]))
        played = self.world.rounds[table]
        hand = names[other % 3]
        self.world.missed(table, one_of(sorted(played.wagers), [1], which), hand, self.free_suit(table, played, hand, other))

    def void(self, which: int, other: int) -> None:
        """A round, or more often a hand; by the table, or by the shift supervisor over signatures."""
        table = self.playing(which) if other % 2 else self.over(which)
        seat = one_of(sorted(self.world.rounds[table].wagers), [1], which)
        is_a_hand = other % 3 and self.world.slug_of[table] != floor.FLUSH
        voiding = self.world.void if other % 2 else self.world.void_over_signatures
        voiding(table, [seat] if is_a_hand else None)

    def decide(self, what: str, which: int, other: int) -> None:
        claim, name = self.claim(which), ["sam", "shirin", "sid", "shirin"][other % 4]
        if what == "reject":
            self.world.reject(claim, name)
        else:
            self.world.approve(claim, name, seen=claim.told + (10_000 if other % 7 == 1 else 0))

    def chore(self, kind: str, which: int) -> None:
        """What happens on any floor all the time."""
        if kind == "pay":
            self.world.pay()
        elif kind == "fold":
            self.world.fold_all()
        elif kind == "send-again":
            self.world.resend(which)
        elif kind == "give-up":
            self.world.fold_hand(self.playing(which), which % 7 + 1)
        elif self.world.claims:
            self.about_a_claim(kind, which)

    def about_a_claim(self, kind: str, which: int) -> None:
        if kind == "hold":
            self.world.hold(self.claim(which), "sam")
        else:
            self.world.no_right_to(self.claim(which), ["flo", "carla", "anna", "otto"][which % 4])


Choice = TypeVar("Choice")


def one_of(wanted: list[Choice], else_of: list[Choice], which: int) -> Choice:
    chosen = wanted or else_of
    return chosen[which % len(chosen)]


@pytest.fixture
def a_floor(db: None) -> type[Floor]:
    class BuiltFloor(Floor):
        house = floor.build()
        seen = Counter()

    return BuiltFloor


@pytest.mark.timeout(7200)
def test_the_bank_and_the_model_agree_after_every_step(a_floor: type[Floor]) -> None:
    run_state_machine_as_test(a_floor, settings=settings.get_profile(PROFILE))
    # Shown with --log-cli-level=INFO.
    logging.getLogger("tests.bank").info("seen: %s", dict(a_floor.seen))
