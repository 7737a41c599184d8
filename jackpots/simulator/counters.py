"""A controller's own counters: the wagers of every lock-out that was answered with an agreeing count, by table."""

from collections.abc import Mapping
from typing import Any

from jackpots.rules import money


class Counters:
    """Cumulative, and told with the heartbeats, so that what was counted here and what was booked there are compared."""

    def __init__(self) -> None:
        # The last sequence before the counting began, and the last that was answered; unknown until the service was asked.
        self._since: int | None = None
        self._last = 0
        self._tables: dict[str, tuple[int, int]] = {}

    def begin(self, *, after: int) -> None:
        """Count what comes behind this sequence, unless counting has begun already."""
        if self._since is None:
            self._since = self._last = after

    def note(self, *, event: Mapping[str, Any], first: Mapping[str, Any]) -> None:
        """An event and the service's first answer to it, in order."""
        self.begin(after=event["sequence"] - 1)
        self._last = event["sequence"]
        if event["type"] == "lockout" and (first.get("outcome") or {}).get("count") == "agrees":
            wagers, micros = self._tables.get(event["table"], (0, 0))
            listed = event.get("wagers") or []
            self._tables[event["table"]] = (wagers + len(listed), micros + sum(money.parse(line["amount"]) for line in listed))

    def told(self) -> dict[str, Any]:
        """As a heartbeat carries them."""
        if self._since is None:
            return {}
        counts = {table: {"wagers": wagers, "amount": money.cents(micros)} for table, (wagers, micros) in self._tables.items()}
        return {"since_sequence": self._since, "sequence": self._last, "counts": counts}
