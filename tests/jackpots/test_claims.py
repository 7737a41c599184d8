"""A claim is checked by machine before any person sees it; each reason is one the contract names."""

import pytest

from jackpots.ledger import book
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> cast.House:
    return cast.house()


@pytest.fixture
def dealer(house: cast.House) -> cast.Dealer:
    made = cast.Dealer(house, "CSP-01")
    made.lock_out({5: "1.00", 2: "5.00"})
    return made


@pytest.mark.parametrize(
    ("seat", "cards", "hand", "reason"),
    [
        (5, cast.QUADS, "royal-flush", "hand-mismatch"),
        (5, cast.ROYAL, "straight-flush", "hand-mismatch"),
        (5, ["4S", "4H", "9D", "9C", "2S"], "two-pair", "not-a-paying-hand"),
        (5, cast.NOTHING, "high-card", "not-a-paying-hand"),
        (5, cast.NOTHING, "royal-flush", "hand-mismatch"),
        (5, ["AS", "AS", "QS", "JS", "TS"], "royal-flush", "impossible-cards"),
        (5, ["AS", "KS", "QS", "JS", "XX"], "royal-flush", "impossible-cards"),
        (5, ["AS", "KS", "QS", "JS"], "royal-flush", "impossible-cards"),
        (5, ["JK", "KS", "QS", "JS", "TS"], "royal-flush", "impossible-cards"),
        (4, cast.QUADS, "four-of-a-kind", "no-accepted-wager"),
    ],
)
def test_what_the_rules_do_not_support_is_refused(dealer: cast.Dealer, seat: int, cards: list[str], hand: str, reason: str) -> None:
    outcome = dealer.hit(seat, cards, hand)
    assert (outcome["state"], outcome["reason"]) == ("refused", reason)
    assert "payouts" not in outcome


def test_a_folded_hand_wins_nothing(dealer: cast.Dealer) -> None:
    dealer.send("fold", seat=5)
    assert dealer.hit(5, cast.ROYAL, "royal-flush")["reason"] == "folded"


def test_one_hand_is_claimed_once(dealer: cast.Dealer) -> None:
    assert dealer.hit(5, cast.QUADS, "four-of-a-kind")["award"] == "300.00"
    assert dealer.hit(5, cast.QUADS, "four-of-a-kind")["reason"] == "duplicate-claim"


def test_a_card_lies_in_front_of_one_player_only(dealer: cast.Dealer) -> None:
    dealer.hit(5, cast.ROYAL, "royal-flush")
    assert dealer.hit(2, ["AS", "AH", "AD", "AC", "2S"], "four-of-a-kind")["reason"] == "impossible-cards"


def test_before_lock_out_nothing_is_claimed(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-02")
    dealer.send("wager", seat=1, wager="progressive", amount="1.00")
    assert dealer.hit(1, cast.ROYAL, "royal-flush")["reason"] == "round-not-locked"


def test_after_settle_nothing_is_claimed(dealer: cast.Dealer) -> None:
    dealer.settle()
    dealer.round -= 1
    assert dealer.hit(5, cast.ROYAL, "royal-flush")["reason"] == "round-settled"


def test_after_a_void_nothing_is_claimed(dealer: cast.Dealer) -> None:
    dealer.void("cards-face-up")
    assert dealer.hit(5, cast.ROYAL, "royal-flush")["reason"] == "round-void"


def test_a_refused_claim_moves_no_money(house: cast.House, dealer: cast.Dealer) -> None:
    before = book.standings()[house.link.pk]
    dealer.hit(5, cast.QUADS, "royal-flush")
    assert book.standings()[house.link.pk] == before


def test_envy_goes_to_every_other_wager_at_its_own_amount_and_not_to_the_holder(dealer: cast.Dealer) -> None:
    envy = [share for share in dealer.hit(5, cast.STRAIGHT_FLUSH, "straight-flush")["payouts"] if share["kind"] == "envy"]
    assert envy == [{"seat": 2, "kind": "envy", "amount": "1500.00", "paid_from": "table"}]


def test_a_folded_player_still_envies(dealer: cast.Dealer) -> None:
    dealer.send("fold", seat=2)
    envied = [share["seat"] for share in dealer.hit(5, cast.ROYAL, "royal-flush")["payouts"] if share["kind"] == "envy"]
    assert envied == [2]


def test_a_hand_without_a_wager_still_gives_the_others_their_envy(dealer: cast.Dealer) -> None:
    outcome = dealer.hit(4, cast.ROYAL, "royal-flush")
    assert (outcome["state"], outcome["award"], outcome["meter"]) == ("pending", "0.00", None)
    assert [(share["seat"], share["amount"]) for share in outcome["payouts"]] == [(5, "1000.00"), (2, "5000.00")]


def test_a_single_hand_is_voided_and_the_rest_plays_on(house: cast.House, dealer: cast.Dealer) -> None:
    assert dealer.void("player-miscounted", seats=[2])["outcome"]["returned"] == [
        {"seat": 2, "wager": "progressive", "on": "player", "amount": "5.00"}
    ]
    assert book.standings()[house.link.pk].available["main"] == 10_000_700_000
    assert dealer.hit(2, cast.QUADS, "four-of-a-kind")["reason"] == "round-void"
    assert dealer.hit(5, cast.ROYAL, "royal-flush")["award"] == "10000.70"


@pytest.mark.parametrize(
    ("reason", "seats", "code"),
    [
        ("bad-luck", None, "unknown-irregularity"),
        ("one-card-face-up", None, "unknown-irregularity"),
        ("player-miscounted", None, "irregularity-voids-otherwise"),
        ("cards-face-up", [2], "irregularity-voids-otherwise"),
        ("player-miscounted", [9], "no-such-seat"),
    ],
)
def test_only_an_irregularity_of_the_text_voids(dealer: cast.Dealer, reason: str, seats: list[int] | None, code: str) -> None:
    answer = dealer.send("void", reason=reason, **({"seats": seats} if seats else {}))
    assert (answer["status"], answer["code"]) == ("refused", code)
