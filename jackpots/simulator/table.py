"""One table: round after round, from the first light to the last hand turned over."""

import dataclasses
import random
from collections.abc import Mapping
from typing import Any

import structlog

from jackpots.simulator import account as accounts
from jackpots.simulator import controller as controllers
from jackpots.simulator import decks, games, play
from jackpots.simulator import floorperson as floorpersons
from jackpots.simulator import pace as paces

log = structlog.get_logger("linkmeter.simulator")

# A round at pace 1, in seconds of the players' time. With five players it comes to about twelve.
LIGHT_SECONDS = (0.4, 1.4)
DEAL_SECONDS = 2.0
DECISION_SECONDS = 0.5
CLAIM_SECONDS = 1.0
CLEAR_SECONDS = (3.0, 5.0)
# People are waited for in real time: their signing does not speed up with the pace.
LOOK_AGAIN_SECONDS = 1.0
TROUBLE_SECONDS = 3.0


class RoundBroken(Exception):
    """The service refused something this round cannot go on without."""


@dataclasses.dataclass
class Table:
    """A table, its dealer and its players, on one controller's line."""

    name: str
    controller: controllers.Controller
    pace: paces.Pace
    account: accounts.Account
    floorperson: floorpersons.Floorperson | None
    seed: int
    # Where somebody signs whatever waits, nobody has to be waited for.
    supervisor: floorpersons.Floorperson | None = None
    is_demonstrating: bool = False
    starts_after_seconds: float = 0.0
    game: games.Game = games.GAMES["caribbean-stud"]
    seats: int = 0
    offers: tuple[play.Offer, ...] = ()
    next_round: int = 1
    open_round: int | None = None
    accepts_wagers: bool = True

    def play_rounds(self, rounds: int | None) -> None:
        """Play so many rounds, those of earlier lives included, or until the floor closes."""
        self.pace.play(self.starts_after_seconds)
        played = self.account.rounds(table=self.name)
        while rounds is None or played < rounds:
            try:
                self._be_ready()
                self._play_round(nth_round=played + 1)
                played += 1
            except (RoundBroken, controllers.TurnedAway) as trouble:
                log.error("the table pauses", table=self.name, round=self.next_round, reason=str(trouble))
                self.pace.wait(TROUBLE_SECONDS)
                self._ask_where_we_are()

    def read(self, told: Mapping[str, Any]) -> None:
        """Take over what the service says of this table."""
        self.next_round, self.open_round = told["next_round"], told["open_round"]
        self.accepts_wagers = told["accepts_wagers"]
        self.seats = told["seats"]
        self.game = games.GAMES[told["game"]]
        known = [offer for offer in told["progressives"] if offer["wager"] in self.game.sides]
        self.offers = tuple(play.Offer.read(offer, self.game) for offer in known)
        self.account.know(table=self.name, offers=told["progressives"])

    def _ask_where_we_are(self) -> None:
        for told in self.controller.ask()["tables"]:
            if told["table"] == self.name:
                self.read(told)

    def _be_ready(self) -> None:
        if self.open_round is not None:
            self._close_half_played(self.open_round)
        while not (self.accepts_wagers and self.offers):
            log.info("the table takes no wagers now", table=self.name)
            self.pace.wait(TROUBLE_SECONDS)
            self._ask_where_we_are()

    def _close_half_played(self, number: int) -> None:
        """The last run stopped in the middle of this round: open chips go back to their players, what is locked stays locked."""
        log.info("closing a half-played round", table=self.name, round=number)
        # Whether the round was still open is not known here. If it was locked already, this is refused, and that is an answer too.
        self.controller.tell(table=self.name, round_number=number, kind="lockout", wagers=[], chips=0)
        self._wait_for_all(number, self.controller.unanswered_hits(table=self.name, round_number=number))
        self._must(number, "settle")
        self._ask_where_we_are()

    def _play_round(self, *, nth_round: int) -> None:
        number, chance = self.next_round, random.Random(f"{self.seed}/{self.name}/{self.next_round}")
        stacked = decks.demonstration_hand(nth_round) if self.is_demonstrating else None
        thought = play.think_out(chance, seats=self.seats, offers=self.offers, stacked=stacked, game=self.game)
        accepted = self._take_wagers(number, thought, chance)
        drawn = self._lock_out(number, accepted, thought.miscounted_by)
        self._deal(number, thought)
        if not self._is_void(number, thought):
            claimed = self._claim(number, thought, accepted, drawn)
            self._must(number, "settle", may_wait=True)
            self._sign_rest(claimed)
        self.next_round = number + 1
        self.pace.play(chance.uniform(*CLEAR_SECONDS))

    def _take_wagers(self, number: int, thought: play.Play, chance: random.Random) -> list[play.Bet]:
        lit = []
        for bet in thought.bets:
            self.pace.play(chance.uniform(*LIGHT_SECONDS))
            told = self._tell(number, "wager", may_wait=True, **bet.fields())
            if told.code == "suspended":
                self.accepts_wagers = False
                raise RoundBroken(told.detail)
            if told.is_applied or told.is_kept_back:
                lit.append(bet)
        return sorted((bet for bet in lit if bet.seat not in thought.withdrawn), key=lambda bet: (bet.seat, bet.wager, bet.on))

    def _lock_out(self, number: int, accepted: list[play.Bet], miscounted_by: int) -> dict[str, str]:
        """No more bets. A wrong count is counted again; the magic cards that were drawn are the answer."""
        chips = sum(not bet.is_coupon for bet in accepted)
        listed = [bet.fields() for bet in accepted]
        told = self._must(number, "lockout", wagers=listed, chips=max(0, chips + miscounted_by))
        if told.outcome.get("count") == "differs" and miscounted_by:
            log.info("the chips do not agree, and are counted again", table=self.name, round=number, counted=chips + miscounted_by)
            self.pace.play(DECISION_SECONDS)
            told = self._must(number, "lockout", wagers=listed, chips=chips)
        if told.outcome.get("count") == "differs":
            raise RoundBroken(f"The service counts other chips than the {chips} on the table.")
        log.info("no more bets", table=self.name, round=number, wagers=[f"{bet.seat}: {bet.amount}" for bet in accepted])
        return {slug: drawn["magic-card"] for slug, drawn in told.outcome.get("draw", {}).items() if "magic-card" in drawn}

    def _deal(self, number: int, thought: play.Play) -> None:
        if thought.stacked:
            log.info("stacked demo deck", table=self.name, round=number, seat=thought.lucky_seat, hand=thought.stacked)
        self.pace.play(DEAL_SECONDS)
        for seat in thought.folds:
            self.pace.play(DECISION_SECONDS)
            self._tell(number, "fold", may_wait=True, seat=seat)

    def _is_void(self, number: int, thought: play.Play) -> bool:
        """Report what went wrong with the cards, if something did, and say whether it ended the round."""
        if thought.mishap is None:
            return False
        seats: dict[str, Any] = {"seats": list(thought.mishap.seats)} if thought.mishap.seats else {}
        log.info("an irregularity", table=self.name, round=number, reason=thought.mishap.reason, **seats)
        return self._must(number, "void", reason=thought.mishap.reason, **seats).is_applied and not seats

    def _claim(self, number: int, thought: play.Play, accepted: list[play.Bet], drawn: Mapping[str, str]) -> list[str]:
        awaited = []
        for claim in play.claims(thought, accepted=accepted, offers=self.offers, drawn=drawn):
            self.pace.play(CLAIM_SECONDS)
            outcome = self._tell(number, "hit", **claim.fields()).outcome
            if "hit" in outcome:
                self._note_claim(number, claim, outcome)
                awaited.append(outcome["hit"])
        self._wait_for_all(number, awaited)
        return awaited

    def _wait_for_all(self, number: int, awaited: list[str]) -> None:
        for hit in awaited if self.supervisor is None else ():
            self._wait_for_people(number, hit)

    def _sign_rest(self, claimed: list[str]) -> None:
        """What can be signed only once every hand is turned over, or whose amount a later claim has changed."""
        for hit in claimed if self.supervisor else ():
            now = self.controller.look_at(hit)
            if self.supervisor and now["state"] == "pending":
                self.supervisor.sign(now)

    def _note_claim(self, number: int, claim: play.Claim, outcome: dict[str, Any]) -> None:
        facts = {"seat": claim.seat, "cards": " ".join(claim.cards), "hand": claim.hand, "hit": outcome["hit"]}
        log.info("hit claimed", table=self.name, round=number, **facts, award=outcome.get("award"), state=outcome["state"])
        if self.floorperson and floorpersons.is_for_the_floorperson(outcome):
            self.pace.play(CLAIM_SECONDS)
            self.floorperson.sign(outcome)
        elif self.supervisor and outcome["state"] == "pending":
            self.supervisor.sign(outcome)

    def _wait_for_people(self, number: int, hit: str) -> None:
        """The cards stay on the table until somebody has answered a meter award. Fixed awards hold nobody up."""
        is_told = False
        while True:
            now = self.controller.look_at(hit)
            self.account.became(outcome=now)
            if now["state"] not in controllers.WAITING or floorpersons.is_for_the_floorperson(now):
                break
            if not is_told:
                log.info("waiting for signatures, cards stay", table=self.name, round=number, hit=hit, award=now.get("award"))
                is_told = True
            self.pace.wait(LOOK_AGAIN_SECONDS)
        if is_told:
            log.info("play goes on", table=self.name, round=number, hit=hit, state=now["state"])

    def _must(self, number: int, kind: str, *, may_wait: bool = False, **fields: Any) -> controllers.Told:
        told = self._tell(number, kind, may_wait=may_wait, **fields)
        if not (told.is_applied or told.is_kept_back):
            raise RoundBroken(f"{kind} of round {number} was refused, {told.code}: {told.detail}")
        return told

    def _tell(self, number: int, kind: str, *, may_wait: bool = False, **fields: Any) -> controllers.Told:
        told = self.controller.tell(table=self.name, round_number=number, kind=kind, may_wait=may_wait, **fields)
        if not (told.is_applied or told.is_kept_back):
            log.warning("refused", table=self.name, round=number, type=kind, code=told.code, detail=told.detail)
        return told
