"""Corners of the promises that random floors seldom reach, played on purpose: by the service and the model together."""

from collections.abc import Callable

import pytest

from jackpots import interventions, payouts
from jackpots.ledger import book
from jackpots.models import Payout
from tests import cast
from tests.bank import floor, model
from tests.bank.world import World

ROYAL, STRAIGHT = "royal-flush", "straight-flush"


@pytest.fixture
def play(db: None) -> Callable[[str], World]:
    house = floor.build()
    return lambda slug: World(house, [slug])


def award(world: World, which: int) -> int:
    return list(world.claims.values())[which].told


def test_the_first_on_a_shared_line_has_no_right_to_a_place_that_is_gone(play: Callable[[str], World]) -> None:
    """Only a further equal hand divides what the first took, whatever others have claimed; the first itself has to be in time."""
    world = play(floor.SHARING)
    world.lock_out("R-1", {5: 1, 2: 1}, miscount=False)
    world.lock_out("R-2", {1: 1}, miscount=False)
    world.claim("R-1", 2, STRAIGHT, 0)
    world.claim("R-2", 1, STRAIGHT, 1)
    told = award(world, 1)
    world.claim("R-1", 5, ROYAL, 0)
    assert award(world, 1) == told
    world.check()


def test_a_further_equal_hand_divides_what_the_first_took_though_others_have_claimed(play: Callable[[str], World]) -> None:
    world = play(floor.SHARING)
    world.lock_out("R-1", {5: 1, 3: 1, 2: 1}, miscount=False)
    world.lock_out("R-2", {1: 1}, miscount=False)
    world.claim("R-1", 3, STRAIGHT, 0)
    world.claim("R-1", 2, ROYAL, 0)
    whole = award(world, 1)
    world.claim("R-2", 1, STRAIGHT, 1)
    others = award(world, 0), award(world, 2)
    world.claim("R-1", 5, ROYAL, 1)
    assert award(world, 1) == award(world, 3) == whole // 2 // model.CENT * model.CENT
    assert (award(world, 0), award(world, 2)) == others
    world.check()


def test_odd_cents_go_back_to_the_meter_as_it_then_stands(play: Callable[[str], World]) -> None:
    world = play(floor.SHARING)
    world.lock_out("R-1", {seat: 1 for seat in range(1, 8)}, miscount=False)
    world.lock_out("R-2", {1: 1}, miscount=False)
    for seat, suit in ((7, 0), (3, 1), (5, 2)):
        world.claim("R-1", seat, ROYAL, suit)
        world.check()
        world.claim("R-2", 1, STRAIGHT, suit)
        world.check()
    world.settle("R-1")
    claims = list(world.claims.values())
    world.reject(claims[0], "sam")
    world.check()


def test_voids_of_more_than_a_small_meter_holds(play: Callable[[str], World]) -> None:
    """The house makes good what the meter does not hold, and later settlements do not take it back from where it is not."""
    world = play(floor.SMALL)
    world.lock_out("M-1", {seat: 5 for seat in range(1, 8)}, miscount=False)
    for _ in range(9):
        drain(world, "M-2")
    world.claim("M-2", 7, STRAIGHT, 3)
    world.void("M-1", None)
    assert world.meter("M-1").pools()["main"] == 0
    world.check()
    for claim in list(world.claims.values())[::-3]:
        world.reject(claim, "sam")
        world.check()


def drain(world: World, table: str) -> None:
    """Take as many tenths as seven seats can hold."""
    if table in world.rounds:
        world.settle(table)
    world.lock_out(table, {seat: 1 for seat in range(1, 8)}, miscount=False)
    for suit in range(3):
        world.claim(table, suit + 1, STRAIGHT, suit)
    world.check()


def test_a_rejection_leaves_claims_before_it_alone_though_contributions_were_voided(play: Callable[[str], World]) -> None:
    world = play(floor.LINK)
    world.lock_out("L-1", {1: 1}, miscount=False)
    world.lock_out("L-2", {1: 1}, miscount=False)
    world.lock_out("L-3", {1: 5, 2: 5, 3: 5}, miscount=False)
    world.claim("L-1", 1, STRAIGHT, 0)
    world.claim("L-2", 1, STRAIGHT, 1)
    world.settle("L-1")
    world.lock_out("L-1", {2: 1}, miscount=False)
    world.claim("L-1", 2, STRAIGHT, 0)
    first, second, third = world.claims.values()
    world.reject(first, "sam")
    world.check()
    world.void("L-3", None)
    world.check()
    told = second.told
    world.reject(third, "sam")
    assert second.told == told
    world.check()


def test_an_award_of_nothing_is_no_claim_of_another_round_before_it(play: Callable[[str], World]) -> None:
    """Two rounds may have their places at the same point of the ledger, where the first to come got 0.00."""
    world = play(floor.FLUSH)
    seven, six = list(world.paper("F-1").percent)
    world.lock_out("F-1", {1: 1, 2: 1, 3: 1}, miscount=False)
    world.claim("F-1", 3, seven, 0)
    world.settle("F-1")
    world.lock_out("F-1", {1: 1}, miscount=False)
    world.lock_out("F-2", {2: 1, 5: 1}, miscount=False)
    world.claim("F-1", 1, six, 0)
    world.claim("F-2", 2, six, 1)
    world.claim("F-2", 5, seven, 2)
    world.check()


def test_what_exceeds_a_cap_goes_to_overflow_whoever_folded_first(play: Callable[[str], World]) -> None:
    """A refused claim folds and moves nothing; the next fold still has to look at the cap."""
    world = play(floor.SOLO)
    world.lock_out("S-1", dict.fromkeys(range(1, 8), 1), miscount=False)
    world.claim("S-1", 1, "high-card", 0)
    world.fold_all()
    assert world.meter("S-1").skimmed > 0
    world.check()


def test_a_floorperson_does_not_sign_what_comes_off_a_meter(play: Callable[[str], World]) -> None:
    world = play(floor.LINK)
    world.lock_out("L-1", {5: 1, 2: 1}, miscount=False)
    world.claim("L-1", 5, STRAIGHT, 0)
    world.claim("L-1", 2, "four-of-a-kind", 0)
    on_meter, fixed = world.claims.values()
    for name in ("flo", "carla", "anna", "otto"):
        world.no_right_to(on_meter, name)
    world.no_right_to(fixed, "flo")
    assert (on_meter.state, fixed.state) == ("pending", "approved")
    world.check()


def test_two_sign_a_large_award_and_a_shift_supervisor_is_among_them(play: Callable[[str], World]) -> None:
    world = play(floor.LINK)
    world.lock_out("L-1", {5: 1}, miscount=False)
    world.claim("L-1", 5, ROYAL, 0)
    (claim,) = world.claims.values()
    world.approve(claim, "sam", seen=claim.told)
    assert claim.state == "pending"
    world.approve(claim, "sam", seen=claim.told)
    world.approve(claim, "sid", seen=claim.told)
    assert claim.state == "pending"
    world.approve(claim, "shirin", seen=claim.told)
    assert claim.state == "approved"
    world.check()


def test_a_cancelled_award_is_never_paid(play: Callable[[str], World]) -> None:
    """Approved, and the round voided before the payout was made: what is made later must look at the hit again."""
    world = play(floor.LINK)
    world.lock_out("L-1", {5: 1}, miscount=False)
    world.claim("L-1", 5, STRAIGHT, 0)
    (claim,) = world.claims.values()
    world.approve(claim, "sam", seen=claim.told)
    world.void_over_signatures("L-1", None)
    assert claim.state == "cancelled"
    world.pay()
    world.check()
    assert not Payout.objects.filter(state="due").exists()


def test_of_a_void_round_only_what_was_paid_stands(play: Callable[[str], World]) -> None:
    """The table has paid the envy with the end of the round; the award itself still waits at the cage."""
    world = play(floor.LINK)
    world.lock_out("L-1", {5: 1, 2: 1}, miscount=False)
    world.claim("L-1", 5, STRAIGHT, 0)
    (claim,) = world.claims.values()
    world.approve(claim, "sam", seen=claim.told)
    payouts.make_due(now=cast.NOW)
    world.settle("L-1")
    interventions.void(
        reference=world.reference(claim.round),
        person=world.house.shirin,
        pin=cast.PIN,
        reason="seen on tape",
        irregularity="cards-face-up",
        seats=None,
        now=cast.NOW,
    )
    assert not Payout.objects.filter(state="due").exists()
    assert book.standings()[world.house_id(floor.LINK)].available["main"] == 10_000 * model.DOLLAR


def test_envy_paid_of_a_void_round_stays_before_accounting(play: Callable[[str], World]) -> None:
    world = play(floor.LINK)
    world.lock_out("L-1", {5: 1, 2: 5}, miscount=False)
    world.claim("L-1", 5, STRAIGHT, 0)
    (claim,) = world.claims.values()
    world.approve(claim, "sam", seen=claim.told)
    world.settle("L-1")
    world.void_over_signatures("L-1", None)
    assert (claim.state, claim.items) == ("cancelled", [("paid-and-voided", 1_500 * model.DOLLAR, 0)])
    world.check()
