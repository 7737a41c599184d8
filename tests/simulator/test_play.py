"""What players do: they fold by basic strategy, and winners are claimed in payment order."""

import random

import pytest

from jackpots.simulator import play

OFFER = play.Offer("caribbean-link", "progressive", ("1.00", "5.00"), frozenset({"royal-flush", "straight-flush", "three-of-a-kind"}))


@pytest.mark.parametrize(
    ("cards", "folds"),
    [
        ("AS KD 7C 4H 2S", False),
        ("AS QD JC 9H 7S", True),
        ("KS QD JC 9H 7S", True),
        ("2S 2D 7C 4H 9S", False),
        ("5S 6S 7S 8S 9S", False),
    ],
)
def test_below_a_pair_and_ace_king_the_hand_is_folded(cards: str, folds: bool) -> None:
    assert play.folds_by_basic_strategy(tuple(cards.split())) is folds


def test_the_same_seed_plays_the_same_round() -> None:
    rounds = [play.think_out(random.Random("5/CSP-01/9"), seats=7, offers=[OFFER]) for _ in range(2)]
    assert rounds[0] == rounds[1]


def test_the_stacked_hand_goes_to_a_wagering_seat_that_stays_in() -> None:
    for seed in range(200):
        thought = play.think_out(random.Random(seed), seats=7, offers=[OFFER], stacked="royal-flush")
        assert thought.lucky_seat in {bet.seat for bet in thought.bets} - thought.withdrawn - set(thought.folds)
        assert "royal-flush" in {claim.hand for claim in play.claims(thought, accepted=thought.bets, offers=[OFFER])}


def test_every_round_has_a_wager_and_each_bet_has_a_dealt_hand() -> None:
    for seed in range(200):
        thought = play.think_out(random.Random(seed), seats=7, offers=[OFFER])
        assert thought.bets
        assert {bet.seat for bet in thought.bets} | {play.DEALER} <= set(thought.hands) <= set(range(8))
        assert {bet.amount for bet in thought.bets} <= set(OFFER.amounts)


def test_winners_are_claimed_from_the_dealers_right_and_only_where_a_wager_stands() -> None:
    hands = {
        1: ("9S", "9D", "9C", "2H", "4S"),
        2: ("8S", "8D", "8C", "2D", "4D"),
        4: ("TS", "JS", "QS", "KS", "AS"),
        5: ("7S", "7D", "7C", "3H", "5S"),
        6: ("6S", "6D", "3C", "3D", "5H"),
    }
    bets = tuple(play.Bet(seat, "progressive", "1.00", "caribbean-link") for seat in (1, 4, 5, 6))
    thought = play.Play(bets=bets, withdrawn=frozenset(), hands=hands, folds=(5,), stacked=None, lucky_seat=None)
    claims = play.claims(thought, accepted=bets, offers=[OFFER])
    assert [(claim.seat, claim.hand) for claim in claims] == [(4, "royal-flush"), (1, "three-of-a-kind")]
