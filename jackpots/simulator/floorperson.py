"""The demonstration's floorperson: signs the small fixed awards, so that the queue keeps only what a visitor should see."""

import re
import threading
from collections.abc import Mapping
from typing import Any

import structlog

from jackpots.simulator import line as lines

log = structlog.get_logger("linkmeter.simulator")

OFF_NO_METER = ("fixed", "envy")
FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"')


def is_for_the_floorperson(outcome: Mapping[str, Any]) -> bool:
    """Whether the simulator may sign: only what waits, pays something, and takes nothing off a meter."""
    payouts = outcome.get("payouts", [])
    return outcome.get("state") == "pending" and bool(payouts) and all(payout["kind"] in OFF_NO_METER for payout in payouts)


class NotShown(ValueError):
    """The service does not show somebody what the reckoning needs."""


class Floorperson:
    """One person with a session of the web pages; tables take turns, as a person signs one thing at a time."""

    def __init__(self, *, url: str, username: str, password: str, pin: str, signs_meter_awards: bool = False) -> None:
        self._line = lines.Line(url=url)
        self._username, self._password, self._pin = username, password, pin
        self._signs_meter_awards = signs_meter_awards
        self._turn = threading.Lock()
        self._is_logged_in = False

    def sign(self, outcome: Mapping[str, Any]) -> bool:
        """Approve a hit that is this person's to approve. What cannot be signed stays in the queue for someone else."""
        assert self._signs_meter_awards or is_for_the_floorperson(outcome), "A floorperson never signs a meter award."
        with self._turn:
            try:
                return self._approve(outcome["hit"], outcome["award"])
            except lines.LineDown as down:
                log.warning("not signed, line down", hit=outcome["hit"], reason=str(down))
                return False

    def clear_queue(self) -> int:
        """Sign the fixed awards that an earlier run left in the queue, and say how many."""
        with self._turn:
            try:
                self._log_in()
                waiting = self._line.get("/api/v1/hits/?state=pending").items
            except lines.LineDown as down:
                log.warning("the queue is not cleared, line down", reason=str(down))
                return 0
        return sum(self.sign(hit) for hit in waiting if is_for_the_floorperson(hit))

    def read(self, path: str) -> dict[str, Any]:
        """What the service shows this person; a difference cannot be looked for on a line that is down, so that is said."""
        return self._looked_up(path).body

    def read_list(self, path: str) -> list[dict[str, Any]]:
        return self._looked_up(path).items

    def _looked_up(self, path: str) -> lines.Answer:
        with self._turn:
            if not self._is_logged_in:
                self._log_in()
            answer = self._line.get(path)
        if answer.status != 200:
            raise NotShown(f"{self._username} was answered {answer.status} {answer.code} for {path}.")
        return answer

    def hang_up(self) -> None:
        self._line.close()

    def _approve(self, hit: str, award: str) -> bool:
        answer = self._post_approval(hit, award)
        if answer.status == 401 or answer.code in {"not-authenticated", "csrf-failed"}:
            # The session ran out; a person would log in again and sign.
            self._is_logged_in = False
            answer = self._post_approval(hit, award)
        if answer.status not in {200, 201}:
            log.warning("not signed", hit=hit, by=self._username, status=answer.status, code=answer.code, detail=answer.body.get("detail"))
            return False
        log.info("signed an award", hit=hit, by=self._username, award=award)
        return True

    def _post_approval(self, hit: str, award: str) -> lines.Answer:
        if not self._is_logged_in:
            self._log_in()
        return self._line.post(f"/api/v1/hits/{hit}/approve/", {"pin": self._pin, "award": award})

    def _log_in(self) -> None:
        self._line.cookies.clear()
        page = self._line.get("/login/")
        token = FORM_TOKEN.search(page.text)
        form = {"username": self._username, "password": self._password, "csrfmiddlewaretoken": token.group(1) if token else ""}
        answer = self._line.post_form("/login/", form)
        self._is_logged_in = answer.status in {302, 303} and "sessionid" in self._line.cookies
        if not self._is_logged_in:
            log.warning("log-in did not succeed", username=self._username, status=answer.status)
