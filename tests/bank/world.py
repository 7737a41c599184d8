"""A floor that is played twice at once: by the real verbs on the real database, and by the model. They must agree after every step."""

import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

from audit.refusals import Refusal
from jackpots import claims, hits, interventions, meters, payouts, progressives
from jackpots.ledger import book
from jackpots.models import Hit, Item, Payout
from jackpots.rules import money
from tables import messages
from tests import cast
from tests.bank import floor, folding, model
from tests.bank.model import Claim, Meter, Round

SUPERVISORS = {"sam": False, "sid": False, "shirin": True}


class World:
    def __init__(self, house: cast.House, slugs: Sequence[str]) -> None:
        self.house = house
        self.tables = [(name, slug) for slug in slugs for name in floor.FLOORS[slug]]
        self.slug_of = dict(self.tables)
        self.dealers = {name: cast.Dealer(house, name) for name, _ in self.tables}
        self.meters = {slug: Meter(choice) for slug, choice in floor.chosen().items()}
        self.rounds: dict[str, Round] = {}
        self.claims: dict[str, Claim] = {}
        self.refused: dict[str, set[str]] = {}
        self.sent: list[tuple[str, dict[str, Any], dict[str, Any]]] = []
        self.fold = folding.Folding()

    def meter(self, table: str) -> Meter:
        return self.meters[self.slug_of[table]]

    def paper(self, table: str) -> model.Paper:
        return self.meter(table).chosen.paper

    def send(self, table: str, kind: str, **fields: Any) -> dict[str, Any]:
        event = self.dealers[table].event(kind, **fields)
        answer = self.dealers[table].resend(event)
        self.sent.append((table, event, answer))
        return answer

    # The table

    def lock_out(self, table: str, wagers: dict[int, int], *, miscount: bool) -> None:
        played = self.rounds.get(table)
        if played is None or played.state in ("settled", "void"):
            played = Round(table=table, number=(played.number if played else 0) + 1)
        self.dealers[table].round = played.number
        listed = [{"seat": seat, "wager": "progressive", "amount": f"{dollars}.00"} for seat, dollars in wagers.items()]
        answer = self.send(table, "lockout", wagers=listed, chips=len(wagers) + miscount)
        if played.state == "locked" and played.count_agrees:
            assert answer["code"] == "round-locked", answer
            return
        assert answer["status"] == "applied", answer
        self.rounds[table] = played
        played.state, played.count_agrees, played.wagers = "locked", not miscount, dict(wagers)
        if played.count_agrees:
            self.meter(table).contribute(played)

    def fold_hand(self, table: str, seat: int) -> None:
        played = self.rounds[table]
        answer = self.send(table, "fold", seat=seat)
        # Nothing is dealt, so nothing is folded, until the chips agree.
        is_fine = played.state == "locked" and played.count_agrees and seat not in played.folded
        assert (answer["status"] == "applied") is is_fine, answer
        if is_fine:
            played.folded.add(seat)

    def settle(self, table: str) -> None:
        played = self.rounds[table]
        answer = self.send(table, "settle")
        is_fine = played.state == "locked" and played.count_agrees
        assert (answer["status"] == "applied") is is_fine, answer
        if is_fine:
            played.state = "settled"
            for claim in played.claims:
                if claim.state == "approved":
                    self._pay_at_table(claim)

    def void(self, table: str, seats: list[int] | None) -> None:
        played = self.rounds[table]
        reason = "cards-face-up" if seats is None else "player-miscounted"
        answer = self.send(table, "void", reason=reason, **({} if seats is None else {"seats": seats}))
        gone = [claim for claim in played.claims if claim.stands and (seats is None or claim.seat in seats)]
        is_fine = played.state == "locked" and not any(claim.signers or claim.state == "paid" for claim in gone)
        assert (answer["status"] == "applied") is is_fine, (answer, played)
        if is_fine:
            self._void(table, played, gone, seats)

    def void_over_signatures(self, table: str, seats: list[int] | None) -> None:
        """By the shift supervisor: what is approved and not yet paid is cancelled, what is paid stands as an item."""
        played = self.rounds[table]
        gone = [claim for claim in played.claims if claim.stands and (seats is None or claim.seat in seats)]
        reason = "cards-face-up" if seats is None else "player-miscounted"
        got = self._sign(interventions.void, reference=self.reference(played), reason="seen on tape", irregularity=reason, seats=seats)
        assert got == (None if played.state != "void" else "round-over"), got
        if got is None:
            for claim in gone:
                self._note_paid(claim)
            # Where the holder has been paid, the claim stands on its meter.
            self._void(table, played, [claim for claim in gone if not claim.paid_own and claim.state != "paid"], seats)

    @staticmethod
    def _note_paid(claim: Claim) -> None:
        """What has been paid stands, as an item; the envy of a holder who has been paid, and nobody has paid yet, is cancelled."""
        if claim.paid:
            claim.items.append(("paid-and-voided", claim.paid, 0))
        if claim.paid_own:
            claim.envies = dict(claim.paid_envies)

    def _sign(self, verb: Any, **fields: Any) -> str | None:
        try:
            verb(person=self.house.shirin, pin=cast.PIN, now=cast.NOW, **fields)
        except Refusal as refusal:
            return refusal.code
        return None

    def _void(self, table: str, played: Round, gone: list[Claim], seats: list[int] | None) -> None:
        returned = [seat for seat in played.wagers if seats is None or seat in seats]
        approved = [claim for claim in gone if claim.state == "approved"]
        self.meter(table).remove([claim for claim in gone if claim.is_undecided], "rejected")
        self.meter(table).remove(approved, "cancelled")
        if played.count_agrees:
            self.meter(table).void(played, returned)
        played.wagers = {seat: dollars for seat, dollars in played.wagers.items() if seat not in returned}
        if seats is None:
            played.state = "void"
        else:
            played.void_seats.update(seats)
            for claim in played.claims:
                self._drop_envy(claim, seats)

    @staticmethod
    def _drop_envy(claim: Claim, seats: Sequence[int]) -> None:
        """A voided hand receives no envy either; what was paid at the table with the end of the round stands as an item."""
        for seat in set(claim.envies) & set(seats) if claim.stands else ():
            if seat in claim.paid_envies:
                claim.items.append(("paid-and-voided", claim.envies[seat], 0))
            else:
                del claim.envies[seat]

    def claim(self, table: str, seat: int, hand: str, which: int, *, told_as: str | None = None) -> None:
        played, dealt = self.rounds[table], self.deal(table, hand, which)
        answer = self.send(table, "hit", seat=seat, wager="progressive", cards=dealt, hand=told_as or hand)
        assert answer["status"] == "applied", answer
        reasons = self._reasons_against(table, played, seat, hand, frozenset(dealt), told_as or hand)
        self._claimed(played, seat, hand, frozenset(dealt), answer["outcome"], reasons)

    def deal(self, table: str, hand: str, which: int) -> list[str]:
        hands = floor.hands_of(self.slug_of[table])[hand]
        return list(hands[which % len(hands)])

    def missed(self, table: str, seat: int, hand: str, which: int) -> None:
        """A hand found after the round was settled, entered by the shift supervisor."""
        played, dealt = self.rounds[table], self.deal(table, hand, which)
        told = messages.HitClaimed(
            id=uuid.uuid4(),
            sequence=0,
            table=table,
            round=played.number,
            at=cast.NOW,
            seat=seat,
            wager="progressive",
            cards=dealt,
            hand=hand,
        )
        before = set(self.claims) | set(self.refused)
        got = self._sign(interventions.enter_missed, reference=self.reference(played), reason="found on tape", told=told)
        assert got == (None if played.state == "settled" else "round-still-in-play"), got
        if got is None:
            (hit,) = [hit for hit in Hit.objects.order_by("pk") if hit.number not in before]
            reasons = self._reasons_against(table, played, seat, hand, frozenset(dealt), hand) - {"round-settled"}
            self._claimed(played, seat, hand, frozenset(dealt), claims.outcome_of(hit), reasons)

    def reference(self, played: Round) -> str:
        found = self.house.tables[played.table].rounds.get(number=played.number)
        return f"R-{found.pk:06d}"

    def _claimed(self, played: Round, seat: int, hand: str, dealt: frozenset[str], outcome: dict[str, Any], reasons: set[str]) -> None:
        if reasons:
            assert outcome["state"] == "refused" and outcome["reason"] in reasons, (outcome, reasons)
            self.refused[outcome["hit"]] = reasons
            return
        claim = self._stand(played, outcome["hit"], seat, hand, dealt)
        assert outcome["award"] == money.cents(claim.told), (outcome, claim)
        assert outcome["out_of_turn"] == claim.is_out_of_turn, (outcome, claim)

    def _reasons_against(self, table: str, played: Round, seat: int, hand: str, cards: frozenset[str], told_as: str) -> set[str]:
        paper, standing = self.paper(table), [claim for claim in played.claims if claim.stands]
        own = [claim for claim in standing if claim.seat == seat]
        others = [claim for claim in standing if claim.seat != seat]
        envies = self._envies(paper, played, seat, hand)
        found = {
            "round-void": played.state == "void" or seat in played.void_seats,
            "round-settled": played.state == "settled",
            "count-differs": not played.count_agrees,
            "impossible-cards": any(claim.cards & cards for claim in others) or any(claim.cards != cards for claim in own),
            "hand-mismatch": told_as != hand or not paper.pays(hand),
            "folded": seat in played.folded,
            "not-a-paying-hand": not paper.pays(hand),
            "no-accepted-wager": seat not in played.wagers and not envies,
            "duplicate-claim": bool(own),
        }
        return {reason for reason, applies in found.items() if applies}

    @staticmethod
    def _envies(paper: model.Paper, played: Round, seat: int, hand: str) -> dict[int, int]:
        due = {other: paper.envy.get(dollars, {}).get(hand, 0) for other, dollars in played.wagers.items() if other != seat}
        return {other: dollars * model.DOLLAR for other, dollars in due.items() if dollars}

    def _stand(self, played: Round, number: str, seat: int, hand: str, cards: frozenset[str]) -> Claim:
        paper, wager = self.paper(played.table), played.wagers.get(seat, 0)
        is_missed = played.state == "settled"
        claim = Claim(
            number=number,
            round=played,
            seat=seat,
            hand=hand,
            cards=cards,
            wager=wager,
            told=paper.fixed(hand, wager) if wager else 0,
            envies=self._envies(paper, played, seat, hand),
            is_out_of_turn=is_missed,
        )
        claim.due = claim.told
        played.claims.append(claim)
        self.claims[number] = claim
        if wager and hand in paper.percent:
            self.meter(played.table).claim(claim, is_missed=is_missed)
        elif not paper.fixed_are_validated:
            self._approved(claim)
        return claim

    def resend(self, which: int) -> None:
        table, event, first = self.sent[which % len(self.sent)]
        again = self.dealers[table].resend(event)
        assert again == {"status": "duplicate", "first": first}, again

    # People

    def approve(self, claim: Claim, name: str, *, seen: int) -> None:
        expected = self._why_not_approved(claim, name, seen)
        got = self._decide(hits.approve, claim, name, award=money.cents(seen))
        assert got == expected, (got, expected, claim)
        if expected is None:
            claim.signers.append(name)
            if len(claim.signers) >= self._signatures(claim):
                self._approved(claim)

    def _why_not_approved(self, claim: Claim, name: str, seen: int) -> str | None:
        needed, signers = self._signatures(claim), [*claim.signers, name]
        is_signed_by_shift = any(SUPERVISORS[one] for one in signers)
        reasons = {
            "hit-not-pending": not claim.is_undecided,
            "amount-changed": seen != claim.told,
            "second-signature-is-anothers": name in claim.signers,
            "round-not-complete": claim.group is not None and claim.round.state != "settled",
            "shift-supervisor-needed": len(signers) >= needed and (needed > 1 or claim.is_reduced) and not is_signed_by_shift,
        }
        return next((reason for reason, applies in reasons.items() if applies), None)

    @staticmethod
    def _signatures(claim: Claim) -> int:
        return 2 if claim.slot is not None and claim.told >= floor.TWO_SIGN_FROM else 1

    def _approved(self, claim: Claim) -> None:
        claim.state = "approved"
        if claim.round.state == "settled":
            self._pay_at_table(claim)
        self._finish(claim)

    def _pay_at_table(self, claim: Claim) -> None:
        claim.paid_envies = dict(claim.envies)
        claim.paid_own = claim.told if claim.slot is None else claim.paid_own
        self._finish(claim)

    @staticmethod
    def _finish(claim: Claim) -> None:
        if claim.is_paid_out:
            claim.state = "paid"

    def reject(self, claim: Claim, name: str) -> None:
        got = self._decide(hits.reject, claim, name, reason="not so")
        assert got == (None if claim.is_undecided else "hit-not-pending"), (got, claim)
        if got is None:
            self.meter(claim.round.table).remove([claim], "rejected")

    def hold(self, claim: Claim, name: str) -> None:
        got = self._decide(hits.hold, claim, name, reason="in dispute")
        assert got == (None if claim.state == "pending" else "hit-not-pending"), (got, claim)
        if got is None:
            claim.state = "held"

    def _decide(self, verb: Any, claim: Claim, name: str, **fields: Any) -> str | None:
        try:
            verb(number=claim.number, person=self.house.people[name], pin=cast.PIN, now=cast.NOW, **fields)
        except Refusal as refusal:
            return refusal.code
        return None

    def no_right_to(self, claim: Claim, name: str) -> None:
        """Flo may validate what the house pays; Carla pays, Anna drafts and Otto reads: none of them validates."""
        got = self._decide(hits.approve, claim, name, award=money.cents(claim.told))
        if claim.slot is not None or name != "flo":
            assert got == "role-needed", got
        elif got is None:
            claim.signers.append(name)
            self._approved(claim)

    def pay(self) -> None:
        payouts.make_due(now=cast.NOW)
        due = Payout.objects.filter(state="due", award__paid_from="cage").select_related("award__hit").order_by("pk").first()
        if due is not None:
            payouts.pay(number=due.number, person=self.house.carla, pin=cast.PIN, now=cast.NOW)
            claim = self.claims[due.award.hit.number]
            assert claim.state == "approved", claim
            claim.paid_own += due.award.amount_micros
            self._finish(claim)

    def fold_all(self) -> None:
        meters.fold_all(now=cast.NOW)
        for meter in self.meters.values():
            meter.skim()

    # What must agree

    def check(self) -> None:
        self.fold.go_on()
        assert not self.fold.broken, self.fold.broken
        assert self.fold.sum_over_all_accounts() == (0, 0)
        assert not self.fold.wrong_balances(), self.fold.wrong_balances()
        self._check_pools()
        self._check_claims()
        self._check_payable()
        self._check_displays()

    def _check_pools(self) -> None:
        standings = book.standings()
        for slug, meter in self.meters.items():
            expected = {**meter.pools(), "overflow": meter.skimmed, "clearing": 0}
            folded = {code: self.fold.of(slug, code).available for code in expected}
            assert folded == expected, (slug, folded, expected)
            assert standings[self.house_id(slug)].available == expected, slug

    def house_id(self, slug: str) -> int:
        return progressives.get(slug).pk

    def _check_claims(self) -> None:
        found = {hit.number: hit for hit in Hit.objects.all()}
        assert set(found) == set(self.claims) | set(self.refused)
        for number, claim in self.claims.items():
            hit = found[number]
            assert hit.state == claim.state, (number, hit.state, claim.state)
            if claim.stands:
                ours = (claim.told, claim.due, claim.is_out_of_turn, claim.is_reduced)
                assert (hit.award_micros, hit.due_micros, hit.is_out_of_turn, hit.is_reduced) == ours, (number, claim)
        self._check_items(found)

    def _check_items(self, found: dict[str, Hit]) -> None:
        items = sorted((item.hit_id, item.kind, item.told_micros, item.due_micros) for item in Item.objects.all())
        # Nobody answers items here; those of a claim that is gone are answered with it, but never what was paid of a void round.
        closed = [
            item for item in Item.objects.exclude(state="open") if self.claims[item.hit.number].stands or item.kind == "paid-and-voided"
        ]
        assert not closed, closed
        ours = sorted((found[number].pk, *item) for number, claim in self.claims.items() for item in claim.items)
        assert items == ours, (items, ours)

    def _check_payable(self) -> None:
        for slug in self.meters:
            claims = [claim for claim in self.claims.values() if self.slug_of[claim.round.table] == slug]
            undecided = [claim for claim in claims if claim.is_undecided]
            reserved = sum(claim.told + sum(claim.envies.values()) for claim in undecided)
            reserved += sum(claim.owed_by_items for claim in claims if claim.stands)
            decided = [claim for claim in claims if claim.state in ("approved", "paid")]
            due = sum(claim.told + sum(claim.envies.values()) - claim.paid for claim in decided)
            side = self.fold.of(slug, "payable")
            assert (side.credits_reserved, side.available) == (reserved, due), (slug, side, reserved, due)
            assert self.fold.of(slug, "paid").available == sum(claim.paid for claim in claims)

    def _check_displays(self) -> None:
        shown = {reading.slug: reading.amount_micros for reading in meters.readings(now=cast.NOW)}
        for slug, meter in self.meters.items():
            main, cap = meter.pools()["main"], meter.chosen.cap
            assert shown[slug] == (main if cap is None else min(main, cap))

    def happenings(self) -> dict[str, int]:
        """How often what was worth seeing was seen."""
        found = list(self.claims.values())
        states = Counter(claim.state for claim in found)
        return {
            **states,
            "refused": len(self.refused),
            "on a meter": sum(claim.slot is not None for claim in found),
            "out of turn": sum(claim.is_out_of_turn for claim in found),
            "came down": sum(claim.is_reduced for claim in found),
            "differences": sum(len(claim.items) for claim in found),
            "joined": sum(claim.joined for claim in found),
            "voided contributions": sum(fact.voided is not None for meter in self.meters.values() for fact in meter.facts),
        }
