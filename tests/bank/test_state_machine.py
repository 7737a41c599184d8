"""Random floors, played by the real verbs on the real database and by a model beside them. They agree after every step, to the micro."""

import os
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

from tests import cast
from tests.bank import floor
from tests.bank.world import World

COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck), "print_blob": True}
settings.register_profile("ci", max_examples=40, stateful_step_count=50, derandomize=False, **COMMON)
settings.register_profile("long", max_examples=250, stateful_step_count=80, **COMMON)
# For looking into a failure by hand: the first one found, as it is.
settings.register_profile("unshrunk", max_examples=100, stateful_step_count=50, phases=[Phase.generate], **COMMON)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")

seats = st.integers(1, 7)
anything = st.integers(0, 1_000)
pairs = st.dictionaries(seats, st.sampled_from([1, 5]), min_size=1, max_size=4)


class Floor(RuleBasedStateMachine):
    house: cast.House
    steps = 0

    def __init__(self) -> None:
        super().__init__()
        self.savepoint = transaction.savepoint()
        self.world = World(self.house, [])

    @initialize(slug=st.sampled_from([[floor.LINK], [floor.SOLO], [floor.SHARING], [floor.SMALL], list(floor.FLOORS)]))
    def open_the_doors(self, slug: list[str]) -> None:
        self.world = World(self.house, slug)

    def teardown(self) -> None:
        transaction.savepoint_rollback(self.savepoint)

    def table(self, which: int) -> str:
        """One that has nothing to play, if there is one and luck will have it."""
        names = [name for name, _ in self.world.tables]
        idle = [name for name in names if name not in self.world.rounds or self.world.rounds[name].state != "locked"]
        chosen = idle if idle and which % 8 else names
        return chosen[which % len(chosen)]

    def dealt(self, which: int) -> str:
        """One where a round is being played, if there is one and luck will have it."""
        names = list(self.world.rounds)
        playing = [name for name in names if self.world.rounds[name].state == "locked"]
        chosen = playing if playing and which % 8 else names
        return chosen[which % len(chosen)]

    def has_played(self) -> bool:
        return bool(self.world.rounds)

    def has_claims(self) -> bool:
        return bool(self.world.claims)

    def one(self, which: int) -> Any:
        """One of the newest claims; those that still wait more often than others."""
        claims = list(self.world.claims.values())[-8:]
        waiting = [claim for claim in claims if claim.is_undecided]
        chosen = waiting if waiting and which % 4 else claims
        return chosen[which % len(chosen)]

    @rule(which=anything, wagers=pairs, miscount=st.sampled_from([False] * 9 + [True]))
    def lock_out(self, which: int, wagers: dict[int, int], miscount: bool) -> None:
        table = self.table(which)
        offered = self.world.paper(table).wagers
        self.world.lock_out(table, {seat: dollars if dollars in offered else 1 for seat, dollars in wagers.items()}, miscount=miscount)

    @precondition(has_played)
    @rule(which=anything, suit=anything)
    def win_ten_percent(self, which: int, suit: int) -> None:
        self.win_on_the_meter(which, "straight-flush", suit)

    def win_on_the_meter(self, which: int, hand: str, suit: int) -> None:
        """A seat that wagered, so that claims meet on the meter."""
        table = self.dealt(which)
        wagered = sorted(self.world.rounds[table].wagers) or [1]
        self.world.claim(table, wagered[(which // 7) % len(wagered)], hand, suit)

    @precondition(has_played)
    @rule(which=anything, suit=anything)
    def win_all_of_it(self, which: int, suit: int) -> None:
        self.win_on_the_meter(which, "royal-flush", suit)

    @precondition(has_played)
    @rule(which=anything, seat=seats, hand=st.sampled_from(sorted(floor.HANDS)), suit=anything)
    def claim(self, which: int, seat: int, hand: str, suit: int) -> None:
        self.world.claim(self.dealt(which), seat, hand, suit, told_as=None if which % 9 else "royal-flush")

    @precondition(has_played)
    @rule(which=anything)
    def settle(self, which: int) -> None:
        self.world.settle(self.dealt(which))

    @precondition(has_played)
    @rule(which=anything, seat=seats)
    def void(self, which: int, seat: int) -> None:
        """A round, or more often a hand."""
        self.world.void(self.dealt(which), [seat] if which % 3 else None)

    @precondition(has_claims)
    @rule(which=anything, name=st.sampled_from(["sam", "sid", "shirin"]), off_by=st.sampled_from([0, 0, 0, 10_000]))
    def approve(self, which: int, name: str, off_by: int) -> None:
        claim = self.one(which)
        self.world.approve(claim, name, seen=claim.told + off_by)

    @precondition(has_claims)
    @rule(which=anything, name=st.sampled_from(["sam", "shirin"]))
    def reject(self, which: int, name: str) -> None:
        self.world.reject(self.one(which), name)

    @rule(kind=st.sampled_from(["pay", "fold", "send-again", "hold", "sign", "give-up"]), which=anything)
    def chore(self, kind: str, which: int) -> None:
        """What happens on any floor all the time, kept together so that it does not crowd out the rest."""
        if kind == "pay":
            self.world.pay()
        elif kind == "fold":
            self.world.fold_all()
        elif kind == "send-again" and self.world.sent:
            self.world.resend(which)
        elif kind == "give-up" and self.has_played():
            self.world.fold_hand(self.dealt(which), which % 7 + 1)
        elif self.has_claims():
            self._about_a_claim(kind, which)

    def _about_a_claim(self, kind: str, which: int) -> None:
        if kind == "hold":
            self.world.hold(self.one(which), "sam")
        elif kind == "sign":
            self.world.no_right_to(self.one(which), ["flo", "carla", "anna", "otto"][which % 4])

    @invariant()
    def they_agree(self) -> None:
        type(self).steps += 1
        self.world.check()


@pytest.fixture
def a_floor(db: None) -> type[Floor]:
    class BuiltFloor(Floor):
        house = floor.build()

    return BuiltFloor


@pytest.mark.timeout(3600)
def test_the_bank_and_the_model_agree_after_every_step(a_floor: type[Floor], record_property: Callable[[str, object], None]) -> None:
    run_state_machine_as_test(a_floor, settings=settings.get_profile(PROFILE))
    record_property("steps", a_floor.steps)
