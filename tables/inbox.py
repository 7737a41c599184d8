"""Events of one controller are taken exactly once and in order. The controller's row is the lock under which that is judged.

An inbox is opened for some events at once. What they speak of is read under the locks, in one trip, and kept in memory, so that
each event is judged on what those before it have left.
"""

import functools
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from audit import rows
from audit.refusals import Refusal
from tables import rounds
from tables.messages import Arrived, Message
from tables.models import Controller, Event, Round, Table, Wager


class IdReused(Refusal):
    """Event {id} was sent before with other content; a new event needs a new id."""


class SequenceReused(Refusal):
    """Sequence {sequence} has been used by another event; the next is {expected}."""


class SequenceGap(Refusal):
    """Sequence {sequence} is beyond the next one, {expected}; send what is missing first."""

    def __init__(self, *, sequence: int, expected: int) -> None:
        self.sequence, self.expected = sequence, expected
        super().__init__(sequence=sequence, expected=expected)


class SenderRevoked(Refusal):
    """This controller was revoked while it was sending; nothing more is taken from it."""

    category = "unknown"


class UnknownTable(Refusal):
    """There is no table {table} here that this controller may speak for."""


@dataclass(kw_only=True)
class Inbox:
    """One controller, its tables, and the rounds that its events speak of, all held until the transaction ends."""

    controller: Controller
    tables: dict[str, Table] = field(default_factory=dict)
    sheets: dict[tuple[int, int], rounds.Sheet] = field(default_factory=dict)
    latest: dict[int, Round] = field(default_factory=dict)
    # The answers to events that were sent before, by the id they were told under; read when an event looks like one of them.
    known: dict[uuid.UUID, tuple[str, str]] | None = None
    events: list[Event] = field(default_factory=list)
    # What the caller wanted to know beside all that.
    beside: Any = None

    def first_answer(self, arrived: Arrived) -> str | None:
        """What this very event was answered the first time, or None where it is the next new one. The id is judged before the sequence."""
        known = self.known.get(arrived.told_id) if self.known else None
        if known:
            digest, answer = known
            if digest != arrived.digest:
                raise IdReused(id=str(arrived.told_id))
            return answer
        expected = self.controller.next_sequence
        if arrived.sequence < expected:
            raise SequenceReused(sequence=arrived.sequence, expected=expected)
        if arrived.sequence > expected:
            raise SequenceGap(sequence=arrived.sequence, expected=expected)
        return None

    def occurred_at(self, message: Message) -> datetime:
        """When it happened by our clock, as far as the controller's last heartbeat tells."""
        return message.at - timedelta(milliseconds=self.controller.skew_ms)

    def enter(self, message: Message, *, now: datetime) -> rounds.Sheet:
        """The sheet of the round an event speaks of; of a new one, where this is its first. It is kept once the event is applied."""
        table = self.tables.get(message.table)
        if table is None:
            raise UnknownTable(table=message.table)
        sheet = self.sheets.get((table.pk, message.round))
        if sheet is not None:
            return sheet
        latest = self.latest.get(table.pk)
        return rounds.open(table=table, number=message.round, latest=latest, occurred_at=self.occurred_at(message), now=now)

    def keep_sheet(self, sheet: rounds.Sheet) -> None:
        self.sheets[sheet.round.table_id, sheet.round.number] = sheet
        if sheet.is_new:
            self.latest[sheet.round.table_id] = sheet.round

    def keep(self, *, arrived: Arrived, event_id: uuid.UUID, round: Round | None, answer: str, now: datetime) -> Event:
        """The event with its answer, about to be written; its sequence is used up."""
        event = Event(
            id=event_id,
            controller=self.controller,
            told_id=arrived.told_id,
            sequence=arrived.sequence,
            digest=arrived.digest,
            round=round,
            type=arrived.type,
            told_at=arrived.message.at if arrived.message else None,
            recorded_at=now,
            body=arrived.body,
            answer=answer,
        )
        self.events.append(event)
        self.controller.next_sequence = arrived.sequence + 1
        self.controller.last_seen_at = now
        self._remember(arrived, answer)
        return event

    def write(self, writing: rows.Writing) -> None:
        """The events that were taken, and how far the controller has come."""
        for event in self.events:
            # Its number was not known yet when the event was judged.
            event.round_id = event.round.pk if event.round else None
        writing.insert(self.events)
        writing.update([self.controller], ["next_sequence", "last_seen_at"])
        self.events = []

    def look_back(self, told_ids: Iterable[uuid.UUID]) -> None:
        """Read the answers to those of these events that were sent before."""
        sent = Event.objects.filter(controller=self.controller, told_id__in=list(told_ids))
        self.known = {told_id: (digest, answer) for told_id, digest, answer in sent.values_list("told_id", "digest", "answer")}

    def _remember(self, arrived: Arrived, answer: str) -> None:
        # An array may hold the same event twice.
        if self.known is None:
            self.known = {}
        self.known[arrived.told_id] = (arrived.digest, answer)


# Separate statements, sent in one trip: each sees what was committed while the one before it waited.
HOLD_CONTROLLER = rows.Planned("SELECT 1 FROM tables_controller WHERE id = %(controller)s FOR NO KEY UPDATE")
# Two controllers may speak for one table. Only one of them at a time finds out which round is its latest, or the other would go on with
# a round that it does not hold.
HOLD_TABLES = rows.Planned("""
SELECT 1 FROM tables_table WHERE name = ANY(%(tables)s::text[])
   AND id IN (SELECT table_id FROM tables_controller_tables WHERE controller_id = %(controller)s) ORDER BY id FOR NO KEY UPDATE
""")
# The weaker of the two row locks: transfers of a claim that is being decided point at a round's row, and whoever decides holds the
# progressive's lock that this transaction will want next.
HOLD_ROUNDS = rows.Planned("""
SELECT 1 FROM tables_round WHERE id IN (
    SELECT round.id
      FROM tables_table its_table
      JOIN tables_controller_tables served ON served.table_id = its_table.id AND served.controller_id = %(controller)s
     CROSS JOIN LATERAL (
           (SELECT id FROM tables_round WHERE table_id = its_table.id ORDER BY number DESC LIMIT 1)
            UNION (SELECT id FROM tables_round WHERE table_id = its_table.id AND number = ANY(%(numbers)s::bigint[]))
           ) round
     WHERE its_table.name = ANY(%(tables)s::text[])
) ORDER BY id FOR NO KEY UPDATE
""")
# In the order of the models' own fields.
CONTROLLER = ("id", "property_id", "name", "next_sequence", "skew_ms", "revoked_at")
TABLE = ("id", "property_id", "pit_id", "name", "rule_text", "game", "seats", "is_open")
ROUND = (
    "id",
    "table_id",
    "number",
    "state",
    "count",
    "bound_at",
    "opened_at",
    "locked_at",
    "contributed_at",
    "closed_at",
    "folded_seats",
    "void_seats",
    "void_reason",
)


@functools.cache
def _reading(beside: str) -> rows.Planned:
    return rows.Planned(
        f"""
SELECT {beside}, {", ".join(f"controller.{name}" for name in CONTROLLER)},
       {", ".join(f"its_table.{name}" for name in TABLE)},
       {", ".join(f"round.{name}" for name in ROUND)}
  FROM tables_controller controller
  LEFT JOIN (tables_controller_tables served
             JOIN tables_table its_table
               ON its_table.id = served.table_id AND its_table.is_open AND its_table.name = ANY(%(tables)s::text[]))
         ON served.controller_id = controller.id
  LEFT JOIN LATERAL (
       (SELECT * FROM tables_round WHERE table_id = its_table.id ORDER BY number DESC LIMIT 1)
        UNION ALL
       (SELECT * FROM tables_round older
         WHERE older.table_id = its_table.id AND older.number = ANY(%(numbers)s::bigint[])
           AND older.number < (SELECT max(number) FROM tables_round WHERE table_id = its_table.id))
       ) round ON true
 WHERE controller.id = %(controller)s
"""  # noqa: S608  (names of columns, from the tuples above, and what our own rooms want)
    )


def open(*, controller_id: int, arrived: Sequence[Arrived], is_careful: bool, beside: str = "NULL") -> Inbox:
    """Hold the controller, and the tables and rounds that these events speak of, and read them.

    An event that comes in its turn is new, and the database would refuse its id if it were not; only one that does not, or a careful
    look, asks what was sent before. ``beside`` is a column that the caller wants to know under the same locks.
    """
    told = [one.message for one in arrived if one.message]
    sought = {
        "controller": controller_id,
        "tables": list({message.table for message in told}),
        "numbers": list({message.round for message in told}),
    }
    writing = rows.Writing()
    writing.add(HOLD_CONTROLLER, sought)
    if told:
        writing.add(HOLD_TABLES, sought)
        writing.add(HOLD_ROUNDS, sought)
    inbox = _inbox(writing.ask(_reading(beside), sought))
    if inbox.controller.revoked_at is not None:
        # Its token was good when the request came; this is judged under the lock.
        raise SenderRevoked
    expected = inbox.controller.next_sequence
    if is_careful or any(one.sequence != expected + place for place, one in enumerate(arrived)):
        inbox.look_back(one.told_id for one in arrived)
    _read_wagers(inbox)
    return inbox


def _inbox(found: Sequence[tuple[Any, ...]]) -> Inbox:
    beside, *first = found[0]
    inbox = Inbox(controller=Controller.from_db("default", CONTROLLER, first[: len(CONTROLLER)]), beside=beside)
    for _, *row in found:
        table_part = row[len(CONTROLLER) : len(CONTROLLER) + len(TABLE)]
        round_part = row[len(CONTROLLER) + len(TABLE) :]
        if table_part[0] is None:
            continue
        table = inbox.tables.setdefault(table_part[3], Table.from_db("default", TABLE, table_part))
        if round_part[0] is not None:
            round = Round.from_db("default", ROUND, round_part)
            round.table = table
            _lay_out(inbox, rounds.Sheet(round=round))
    return inbox


def _lay_out(inbox: Inbox, sheet: rounds.Sheet) -> None:
    round = sheet.round
    inbox.sheets[round.table_id, round.number] = sheet
    latest = inbox.latest.get(round.table_id)
    if latest is None or round.number > latest.number:
        inbox.latest[round.table_id] = round


def _read_wagers(inbox: Inbox) -> None:
    in_play = {sheet.round.pk: sheet for sheet in inbox.sheets.values() if _may_still_change(sheet.round)}
    if not in_play:
        return
    for wager in Wager.objects.filter(round_id__in=in_play, state=Wager.State.ACCEPTED).order_by("seat", "wager", "on"):
        in_play[wager.round_id].wagers.append(wager)


def _may_still_change(round: Round) -> bool:
    return round.state == Round.State.OPEN or (round.state == Round.State.LOCKED and round.count == Round.Count.DIFFERS)
