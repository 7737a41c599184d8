"""Single events that arrive while others are being written gather, and are then written together.

Each would be one transaction of its own, and most of what that costs is the same for one event as for ten. So whoever finds nobody at
work begins at once; whoever comes meanwhile waits, and the first of those takes along all that wait when its turn comes. Where the
last ones were several it looks round for a moment first, because those who were just answered will soon be back. With little to do
nobody waits; the more there is to do, the less each costs. Claims and voids never wait here: they go their own way.

Nobody waits for another table's trouble. Those who are at work wait only a moment for what somebody else holds; what cannot be taken
so is taken alone, each by the thread that brought it, when the next ones are at work already.
"""

import datetime
import threading
import time
from dataclasses import dataclass, field

import structlog
from django.db import connection

from jackpots import intake
from jackpots.intake import Answer
from tables import messages
from tables.inbox import Sender
from tables.messages import Arrived

log = structlog.get_logger("linkmeter.gathering")

# While some are being written a claim waits for them, so they are not too many.
MOST_TOGETHER = 32
# How long whoever goes first looks round for others: this part of the time that the last ones took, however fast the machine is. So it
# adds little to what each waits for anyway.
LOOKS_ROUND = 0.3
# The last ones may have waited for something that has nothing to do with how many they were.
LONGEST_LOOK_SECONDS = 0.005
# Whoever still stands in line after this goes alone. It takes a database that does not answer those who are at work.
LONGEST_WAIT_SECONDS = 3.0
GATHER = (messages.WagerMade, messages.LockedOut, messages.Folded, messages.Settled)


@dataclass(kw_only=True, eq=False)
class _Waiting:
    """Somebody's event, and what has become of it."""

    sender: Sender
    arrived: Arrived
    now: datetime.datetime
    called: threading.Event = field(default_factory=threading.Event)
    # Called to go first, with whoever waits behind; otherwise called because another has taken it along.
    goes_first: bool = False
    # None where it is to be taken alone.
    answer: Answer | None = None


class Gathering:
    """Those who wait in one process, in the order in which they came."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[_Waiting] = []
        self._is_at_work = False
        # How long the last ones took, where they were several.
        self._last_took_seconds = 0.0

    def receive(self, *, sender: Sender, arrived: Arrived, now: datetime.datetime) -> Answer:
        """Take one event, alone or with others. Raises what `intake.receive` raises."""
        mine = _Waiting(sender=sender, arrived=arrived, now=now)
        if not self._begin(mine) and not mine.called.wait(LONGEST_WAIT_SECONDS) and not self._leave(mine):
            # It has been taken along, or called to go first, in this very moment.
            mine.called.wait()
        if mine.goes_first:
            self._go_first(mine)
        return mine.answer or intake.receive(sender=sender, arrived=arrived, now=now)

    def _begin(self, mine: _Waiting) -> bool:
        """Whether nobody is at work; else it has taken its place in the line."""
        with self._lock:
            if self._is_at_work:
                self._waiting.append(mine)
                return False
            self._is_at_work = mine.goes_first = True
            return True

    def _leave(self, mine: _Waiting) -> bool:
        """Give up its place in the line, if it still stands there."""
        with self._lock:
            stands = mine in self._waiting
            if stands:
                self._waiting.remove(mine)
            return stands

    def _go_first(self, mine: _Waiting) -> None:
        together = [mine]
        try:
            if self._last_took_seconds:
                time.sleep(min(LOOKS_ROUND * self._last_took_seconds, LONGEST_LOOK_SECONDS))
            together += self._take_along(mine)
            began_at = time.perf_counter()
            _take(together)
            self._last_took_seconds = time.perf_counter() - began_at if len(together) > 1 else 0.0
        finally:
            # Whoever comes next begins before those who are done answer their callers.
            self._call_next()
            for one in together:
                one.called.set()

    def _take_along(self, mine: _Waiting) -> list[_Waiting]:
        """Those who may come along: one event of a controller, one of a table; the others keep their places."""
        senders, tables = {mine.sender.controller_id}, {_table(mine)}
        along: list[_Waiting] = []
        staying: list[_Waiting] = []
        with self._lock:
            for one in self._waiting:
                may_come = len(along) + 1 < MOST_TOGETHER and one.sender.controller_id not in senders and _table(one) not in tables
                (along if may_come else staying).append(one)
                senders.add(one.sender.controller_id)
                tables.add(_table(one))
            self._waiting = staying
        return along

    def _call_next(self) -> None:
        with self._lock:
            if not self._waiting:
                self._is_at_work = False
                return
            following = self._waiting.pop(0)
            following.goes_first = True
            following.called.set()


_gathering = Gathering()


def receive(*, sender: Sender, arrived: Arrived, now: datetime.datetime) -> Answer:
    """Take one event, with those of other controllers that arrive at the same time. A Refusal raised from here was not recorded."""
    # Inside somebody's transaction an event is part of that and of no other.
    if not isinstance(arrived.message, GATHER) or connection.in_atomic_block:
        return intake.receive(sender=sender, arrived=arrived, now=now)
    return _gathering.receive(sender=sender, arrived=arrived, now=now)


def _take(together: list[_Waiting]) -> None:
    """Whatever goes wrong is found out by each alone, which harms nobody else; and what was taken after all is known again."""
    try:
        now = max(one.now for one in together)
        answers = intake.receive_together(sent={one.sender: one.arrived for one in together}, now=now)
    except Exception:
        log.warning("not taken together", events=len(together), exc_info=True)
        return
    for one in together:
        one.answer = answers.get(one.sender)


def _table(one: _Waiting) -> str:
    return one.arrived.message.table if one.arrived.message else ""
