"""Every progressive game of the rule book, on the real ledger: what its text asks for, to the cent."""

from typing import Any

import pytest

from jackpots import corrections, hits, interventions, meters
from jackpots.ledger import book
from jackpots.models import Hit, Progressive, Terms
from jackpots.rules import money
from tables import messages
from tests import cast

pytestmark = pytest.mark.django_db

MASSACHUSETTS = "caribbean-stud-massachusetts"
SECTION_10 = "caribbean-stud-section-10"
CRAZY_4 = "crazy-4-poker-massachusetts"
HIGH_CARD = "high-card-flush-massachusetts"
TABLE_GAMES = "table-games-massachusetts"


@pytest.fixture
def house() -> cast.House:
    return cast.house()


def pools(progressive: Progressive) -> dict[str, str]:
    return {pool: money.exact(micros) for pool, micros in book.standings()[progressive.pk].available.items()}


def seat_down(house: cast.House, rules: tuple[str, str, str], pay_table: str, **chosen: Any) -> tuple[cast.Dealer, Progressive]:
    if "T-1" not in house.tables:
        cast.set_up(house, "T-1", rule_text=rules[0], game=rules[1])
    made = cast.progressive(house, slug=f"{rules[1]}-{rules[2]}", pay_table=pay_table, tables=["T-1"], rules=rules, **chosen)
    return cast.Dealer(house, "T-1"), made


def lock_out(dealer: cast.Dealer, *wagers: tuple[int, str, str, str]) -> dict[str, Any]:
    listed = [{"seat": seat, "wager": wager, "amount": amount, "on": on} for seat, wager, amount, on in wagers]
    answer = dealer.send("lockout", wagers=listed, chips=len(listed))
    assert answer["status"] == "applied", answer
    return dict(answer["outcome"])


class TestSection10:
    rules = (SECTION_10, "caribbean-stud", "progressive")

    def test_royals_at_one_table_share_equally_and_odd_cents_stay(self, house: cast.House) -> None:
        dealer, made = seat_down(house, self.rules, "ten-percent")
        lock_out(dealer, *[(seat, "progressive", "1.00", "player") for seat in (1, 2, 3)])
        first = dealer.hit(1, cast.ROYAL, "royal-flush")
        assert first["award"] == "10002.10"
        second = dealer.hit(3, cast.ROYAL_HEARTS, "royal-flush")
        assert second["award"] == "5001.05"
        third = dealer.hit(2, ["AD", "KD", "QD", "JD", "TD"], "royal-flush")
        assert third["award"] == "3334.03"
        assert sorted(hit["award"] for hit in third["resettled"]) == ["3334.03", "3334.03"]
        # Three times 3334.03 is 10002.09: the odd cent is on the meter, on top of the reset.
        assert pools(made)["main"] == "10000.010000"

    def test_a_shared_line_is_approved_only_when_every_hand_is_turned_over(self, house: cast.House) -> None:
        dealer, _ = seat_down(house, self.rules, "ten-percent")
        lock_out(dealer, (1, "progressive", "1.00", "player"))
        hit = dealer.hit(1, cast.ROYAL, "royal-flush")
        with pytest.raises(hits.RoundNotComplete):
            hits.approve(number=hit["hit"], person=house.sam, pin=cast.PIN, award=hit["award"], now=cast.NOW)
        dealer.settle()
        assert hits.approve(number=hit["hit"], person=house.sam, pin=cast.PIN, award=hit["award"], now=cast.NOW).state == "approved"

    def test_one_share_rejected_the_others_divide_the_whole(self, house: cast.House) -> None:
        dealer, made = seat_down(house, self.rules, "ten-percent")
        lock_out(dealer, *[(seat, "progressive", "1.00", "player") for seat in (1, 2)])
        first = dealer.hit(1, cast.ROYAL, "royal-flush")
        second = dealer.hit(2, cast.ROYAL_HEARTS, "royal-flush")
        hits.reject(number=second["hit"], person=house.sam, pin=cast.PIN, reason="wrong card", now=cast.NOW)
        assert money.cents(hits.get(first["hit"]).award_micros) == "10001.40"
        assert pools(made)["main"] == "10000.000000"

    def test_a_straight_flush_between_two_royals_is_paid_on_the_reset_meter(self, house: cast.House) -> None:
        dealer, made = seat_down(house, self.rules, "ten-percent")
        lock_out(dealer, *[(seat, "progressive", "1.00", "player") for seat in (1, 2, 3)])
        dealer.hit(3, cast.ROYAL, "royal-flush")
        assert dealer.hit(2, cast.STRAIGHT_FLUSH, "straight-flush")["award"] == "1000.00"
        last = dealer.hit(1, cast.ROYAL_HEARTS, "royal-flush")
        assert last["award"] == "5001.05"
        assert [one["award"] for one in last["resettled"]] == ["5001.05"]
        assert pools(made)["main"] == "9000.000000"


class TestHighCardFlush:
    rules = (HIGH_CARD, "high-card-flush", "progressive")
    seven = ["2H", "3H", "4H", "5H", "6H", "7H", "8H"]
    six = ["2S", "3S", "4S", "5S", "6S", "7S", "KD"]

    def chosen(self) -> dict[str, Any]:
        return {"rates_ppm": {"main": 240_000, "secondary": 20_000}, "reset_micros": None}

    def test_the_main_meter_is_reset_from_the_secondary_one(self, house: cast.House) -> None:
        dealer, made = seat_down(house, self.rules, "A", **self.chosen())
        lock_out(dealer, *[(seat, "progressive", "1.00", "player") for seat in (1, 2, 3)])
        assert (pools(made)["main"], pools(made)["secondary"]) == ("10000.720000", "0.060000")
        hit = dealer.hit(1, self.seven, "seven-card-straight-flush")
        assert hit["award"] == "10000.72"
        assert (pools(made)["main"], pools(made)["secondary"]) == ("0.060000", "0.000000")

    def test_a_rejection_puts_both_meters_back(self, house: cast.House) -> None:
        dealer, made = seat_down(house, self.rules, "A", **self.chosen())
        lock_out(dealer, *[(seat, "progressive", "1.00", "player") for seat in (1, 2, 3)])
        hit = dealer.hit(2, self.seven, "seven-card-straight-flush")
        ten_percent = dealer.hit(1, self.six, "six-card-straight-flush")
        assert ten_percent["award"] == "0.00"
        hits.reject(number=hit["hit"], person=house.sam, pin=cast.PIN, reason="eight cards", now=cast.NOW)
        assert money.cents(hits.get(ten_percent["hit"]).award_micros) == "1000.07"
        assert (pools(made)["main"], pools(made)["secondary"]) == ("9000.650000", "0.060000")

    def test_whoever_folds_is_no_longer_eligible(self, house: cast.House) -> None:
        dealer, _ = seat_down(house, self.rules, "A", **self.chosen())
        lock_out(dealer, (1, "progressive", "1.00", "player"))
        dealer.send("fold", seat=1)
        outcome = dealer.hit(1, self.seven, "seven-card-straight-flush", wager="progressive")
        assert outcome["reason"] == "folded"


class TestPaiGow:
    rules = (TABLE_GAMES, "pai-gow-poker", "progressive")
    royal_and_pair = ["AS", "KS", "QS", "JK", "TS", "4H", "4D"]

    def chosen(self) -> dict[str, Any]:
        return {"rates_ppm": {"main": 210_000}}

    def test_a_fixed_award_comes_off_the_meter(self, house: cast.House) -> None:
        dealer, made = seat_down(house, self.rules, "one-dollar", **self.chosen())
        lock_out(dealer, (1, "progressive", "1.00", "player"))
        hit = dealer.hit(1, self.royal_and_pair, "royal-flush-and-pair")
        assert (hit["award"], hit["payouts"][0]["kind"], hit["meter"]) == ("200.00", "deducted", "main")
        assert pools(made)["main"] == "9800.210000"

    def test_a_small_award_does_not(self, house: cast.House) -> None:
        dealer, made = seat_down(house, self.rules, "one-dollar", **self.chosen())
        lock_out(dealer, (1, "progressive", "1.00", "player"))
        hit = dealer.hit(1, ["7S", "7H", "7D", "2C", "2S", "KH", "9C"], "full-house")
        assert (hit["award"], hit["payouts"][0]["kind"], hit["state"]) == ("5.00", "fixed", "approved")
        assert pools(made)["main"] == "10000.210000"

    def test_a_meter_that_cannot_cover_a_deduction_gives_what_it_has_and_the_house_the_rest(self, house: cast.House) -> None:
        dealer, made = seat_down(house, self.rules, "one-dollar", **self.chosen())
        for person in (house.anna, house.piet):
            corrections.correct(
                slug=made.slug, level="main", amount="-9900.00", reason="a trial", person=person, pin=cast.PIN, now=cast.NOW
            )
        lock_out(dealer, (1, "progressive", "1.00", "player"))
        hit = dealer.hit(1, self.royal_and_pair, "royal-flush-and-pair")
        assert hit["award"] == "200.00"
        assert pools(made)["main"] == "0.000000"
        assert Hit.objects.get().drawn_micros == 100_210_000

    def test_the_highest_payout_is_paid_whatever_was_claimed(self, house: cast.House) -> None:
        dealer, _ = seat_down(house, self.rules, "one-dollar", **self.chosen())
        lock_out(dealer, (1, "progressive", "1.00", "player"))
        # A flush with a pair beside it pays 6, more than the full house the dealer might have read.
        hit = dealer.hit(1, ["AS", "JS", "9S", "5S", "3S", "4H", "4D"], "flush")
        assert (hit["hand"], hit["award"]) == ("flush-and-pair", "6.00")


class TestPaiGowBonus:
    """No meter: the house pays it and the envy it gives, and no sign shows it."""

    rules = (TABLE_GAMES, "pai-gow-poker", "bonus")

    def test_four_of_a_kind_gives_envy_to_wagers_of_five_dollars_or_more(self, house: cast.House) -> None:
        dealer, made = seat_down(house, self.rules, "king-queen", rates_ppm={}, initial_micros=0, reset_micros=None)
        outcome = lock_out(dealer, (1, "bonus", "1.00", "player"), (2, "bonus", "5.00", "player"), (3, "bonus", "2.00", "player"))
        assert outcome["contributed"] == {made.slug: "0.000000"}
        hit = dealer.hit(1, ["7S", "7H", "7D", "7C", "2S", "KH", "9C"], "four-of-a-kind", wager="bonus")
        assert [(share["seat"], share["kind"], share["amount"]) for share in hit["payouts"]] == [
            (1, "fixed", "25.00"),
            (2, "envy", "5.00"),
        ]
        assert made.slug not in [reading.slug for reading in meters.readings(now=cast.NOW)]

    def test_less_than_the_least_is_not_offered(self, house: cast.House) -> None:
        dealer, _ = seat_down(house, self.rules, "king-queen", rates_ppm={}, initial_micros=0, reset_micros=None)
        answer = dealer.send("wager", seat=1, wager="bonus", amount="0.50")
        assert answer["code"] == "amount-not-offered"


class TestFiveCardHandBonus:
    rules = (MASSACHUSETTS, "caribbean-stud", "five-card-hand-bonus")

    def test_a_percentage_on_the_dealers_hand_is_divided_without_losing_a_cent(self, house: cast.House) -> None:
        dealer, made = seat_down(house, self.rules, "standard", rates_ppm={"main": 700_000})
        lock_out(dealer, *[(seat, "five-card-hand-bonus", "1.00", "dealer") for seat in (1, 2, 3)])
        hit = dealer.hit("dealer", cast.STRAIGHT_FLUSH, "straight-flush", wager="five-card-hand-bonus")
        # 10 % of 10002.10 is 1000.21; a third of it 333.40, and one cent stays on the meter.
        assert [share["amount"] for share in hit["payouts"]] == ["333.40", "333.40", "333.40"]
        assert pools(made)["main"] == "9001.900000"

    def test_folding_does_not_forfeit_it(self, house: cast.House) -> None:
        dealer, _ = seat_down(house, self.rules, "standard", rates_ppm={"main": 700_000})
        lock_out(dealer, (4, "five-card-hand-bonus", "1.00", "player"))
        dealer.send("fold", seat=4)
        assert dealer.hit(4, cast.QUADS, "four-of-a-kind", wager="five-card-hand-bonus")["award"] == "500.00"

    def test_what_needs_no_signature_is_due_at_once_and_paid_with_the_round(self, house: cast.House) -> None:
        dealer, _ = seat_down(house, self.rules, "standard", rates_ppm={"main": 700_000})
        lock_out(dealer, (4, "five-card-hand-bonus", "1.00", "player"))
        hit = dealer.hit(4, ["KS", "9S", "7S", "4S", "2S"], "flush", wager="five-card-hand-bonus")
        assert (hit["award"], hit["state"], hit["validation"]) == ("50.00", "approved", None)
        dealer.settle()
        assert hits.get(hit["hit"]).state == "paid"

    def test_the_draw_is_on_record_at_lock_out(self, house: cast.House, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("secrets.choice", lambda deck: next(card for card in deck if str(card) == "7S"))
        monkeypatch.setattr("secrets.randbelow", lambda positions: 4)
        dealer, made = seat_down(house, self.rules, "standard", rates_ppm={"main": 700_000})
        outcome = lock_out(dealer, (4, "five-card-hand-bonus", "5.00", "player"), (2, "five-card-hand-bonus", "1.00", "player"))
        drawn = outcome["draw"][made.slug]
        assert (drawn["magic-card"], drawn["lucky-bonus"]) == ("7S", 4)
        assert [(one["seat"], one["amount"]) for one in drawn["payouts"]] == [(4, "25.00")]
        assert Terms.objects.get(progressive=made).draw == {"magic-card": "7S", "lucky-bonus": 4}
        magic = dealer.hit(2, cast.QUADS, "magic-card", wager="five-card-hand-bonus")
        assert (magic["award"], magic["state"]) == ("20.00", "approved")
        other = dealer.hit(4, cast.ROYAL, "magic-card", wager="five-card-hand-bonus")
        assert other["reason"] == "hand-mismatch"


class TestCrazyFour:
    def test_two_progressives_on_one_table_keep_to_their_own_meters(self, house: cast.House) -> None:
        four, five = (CRAZY_4, "crazy-4-poker", "four-card-progressive"), (CRAZY_4, "crazy-4-poker", "five-card-progressive")
        five_thousand = money.parse("5000.00")
        _, small = seat_down(house, four, "A", rates_ppm={"main": 250_000}, initial_micros=five_thousand, reset_micros=five_thousand)
        dealer, large = seat_down(house, five, "standard", rates_ppm={"main": 500_000})
        outcome = lock_out(
            dealer, (1, "four-card-progressive", "1.00", "player"), (2, "four-card-progressive", "5.00", "player"),
            (1, "five-card-progressive", "1.00", "player"),
        )  # fmt: skip
        assert outcome["contributed"] == {small.slug: "1.500000", large.slug: "0.500000"}
        aces = ["AS", "AH", "AD", "AC", "9C"]
        hit = dealer.hit(1, aces, "four-aces", wager="four-card-progressive")
        assert hit["award"] == "5001.50"
        assert [(share["seat"], share["amount"]) for share in hit["payouts"] if share["kind"] == "envy"] == [(2, "500.00")]
        assert dealer.hit(1, aces, "four-of-a-kind", wager="five-card-progressive")["award"] == "300.00"
        assert (pools(small)["main"], pools(large)["main"]) == ("5000.000000", "10000.500000")


class TestMissedAndVoided:
    def test_a_missed_hand_is_out_of_turn(self, house: cast.House) -> None:
        dealer = cast.Dealer(house, "CSP-01")
        dealer.lock_out({5: "1.00"})
        dealer.settle()
        round = house.tables["CSP-01"].rounds.get()
        told = messages.missed(seat=5, wager="progressive", cards=cast.ROYAL, hand="royal-flush", at=cast.NOW)
        interventions.enter_missed(
            reference=round.reference, person=house.shirin, pin=cast.PIN, reason="found on camera", told=told, now=cast.NOW
        )
        hit = Hit.objects.get()
        assert (hit.state, hit.is_out_of_turn, money.cents(hit.award_micros)) == ("pending", True, "10000.70")

    def test_a_shift_supervisor_voids_over_signatures(self, house: cast.House) -> None:
        dealer = cast.Dealer(house, "CSP-01")
        dealer.lock_out({5: "1.00", 2: "1.00"})
        royal = dealer.hit(5, cast.ROYAL, "royal-flush")
        hits.approve(number=royal["hit"], person=house.sam, pin=cast.PIN, award=royal["award"], now=cast.NOW)
        assert dealer.void()["code"] == "claim-signed"
        round = house.tables["CSP-01"].rounds.get()
        interventions.void(
            reference=round.reference, person=house.shirin, pin=cast.PIN, reason="the shoe jammed", irregularity="shoe-jams",
            seats=None, now=cast.NOW,
        )  # fmt: skip
        assert hits.get(royal["hit"]).state == "cancelled"
        assert pools(house.link)["main"] == "10000.000000"
        assert {account: pools(house.link)[account] for account in ("overflow", "reserve")} == {
            "overflow": "0.000000",
            "reserve": "0.000000",
        }
