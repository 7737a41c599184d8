"""Events of one controller are taken exactly once and in order. The controller's row is the lock under which that is judged.

Inboxes are opened for some events at once, of one controller or of several. What they speak of is read under the locks, in one trip,
and kept in memory, so that each event is judged on what those before it have left.
"""

import functools
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import msgspec

from audit import rows
from audit.refusals import Refusal
from tables import rounds
from tables.controllers import LIVE
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


class UnknownTable(Refusal):
    """There is no table {table} here that this controller may speak for."""


@dataclass(frozen=True, kw_only=True)
class Sender:
    """A controller that sends, and the hash of its token where nobody has asked yet whether that is good."""

    controller_id: int
    unproven: str | None = None


@dataclass(kw_only=True)
class Inbox:
    """One controller, its tables, and the rounds that its events speak of, all held until the transaction ends."""

    controller: Controller
    # Whether its token is good, where that was still to be asked.
    is_proven: bool
    tables: dict[str, Table] = field(default_factory=dict)
    sheets: dict[tuple[int, int], rounds.Sheet] = field(default_factory=dict)
    latest: dict[int, Round] = field(default_factory=dict)
    # The answers to events that were sent before, by the id they were told under; read when an event looks like one of them.
    known: dict[uuid.UUID, tuple[str, str]] = field(default_factory=dict)
    # What was taken, and the round it was taken for: the number of a new round is not known before it is written.
    taken: list[tuple[Event, Round | None]] = field(default_factory=list)
    # What the caller wanted to know beside all that.
    beside: Any = None

    def first_answer(self, arrived: Arrived) -> str | None:
        """What this very event was answered the first time, or None where it is the next new one. The id is judged before the sequence."""
        known = self.known.get(arrived.told_id)
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

    @property
    def is_senders(self) -> bool:
        """Judged under the lock, whatever the token was good for when the request came."""
        return self.is_proven and self.controller.revoked_at is None

    def are_next(self, arrived: Sequence[Arrived]) -> bool:
        """Whether these come in their turn. Then they are new, and the database would refuse an id that is not."""
        expected = self.controller.next_sequence
        return all(one.sequence == expected + place for place, one in enumerate(arrived))

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
        event = rows.new(
            Event,
            id=event_id,
            controller_id=self.controller.pk,
            told_id=arrived.told_id,
            sequence=arrived.sequence,
            digest=arrived.digest,
            type=arrived.type,
            told_at=arrived.message.at if arrived.message else None,
            recorded_at=now,
            body=arrived.body,
            answer=answer,
        )
        self.taken.append((event, round))
        self.controller.next_sequence = arrived.sequence + 1
        self.controller.last_seen_at = now
        # An array may hold the same event twice.
        self.known[arrived.told_id] = (arrived.digest, answer)
        return event

    def look_back(self, told_ids: Iterable[uuid.UUID]) -> None:
        """Read the answers to those of these events that were sent before."""
        sent = Event.objects.filter(controller=self.controller, told_id__in=list(told_ids))
        self.known = {told_id: (digest, answer) for told_id, digest, answer in sent.values_list("told_id", "digest", "answer")}


def write(*, inboxes: Iterable[Inbox], writing: rows.Writing) -> None:
    """The events that were taken, and how far each controller has come."""
    heard = [inbox for inbox in inboxes if inbox.taken]
    written: list[Event] = []
    for inbox in heard:
        for event, round in inbox.taken:
            event.round_id = round.pk if round else None
            written.append(event)
        inbox.taken = []
    writing.insert(written)
    come = [(inbox.controller.pk, inbox.controller.next_sequence, inbox.controller.last_seen_at) for inbox in heard]
    writing.add(HOW_FAR, {"come": msgspec.json.encode(come).decode()})


HOW_FAR = rows.Planned("""
UPDATE tables_controller SET next_sequence = (come.told->>1)::bigint, last_seen_at = (come.told->>2)::timestamptz
  FROM json_array_elements(%(come)s::json) AS come(told) WHERE id = (come.told->>0)::bigint
""")
# What is asked for: of each controller the tables it speaks of, if any, and the rounds that its events name there. Each is looked up
# by its key, one after another, however large the planner believes the lists to be.
ASKED = """
       json_to_recordset(%(asked)s::json) AS asked(controller_id bigint, unproven text, name text, numbers bigint[])
  JOIN LATERAL (SELECT * FROM tables_controller WHERE id = asked.controller_id OFFSET 0) controller ON true
  LEFT JOIN LATERAL (
       SELECT its.* FROM tables_table its JOIN tables_controller_tables served ON served.table_id = its.id
        WHERE its.property_id = controller.property_id AND its.name = asked.name AND served.controller_id = controller.id OFFSET 0
       ) its_table ON true
"""
# Separate statements, sent in one trip: each sees what was committed while the one before it waited.
HOLD_CONTROLLERS = rows.Planned("""
SELECT 1 FROM (SELECT unnest(%(senders)s::bigint[]) id ORDER BY 1) wanted
 CROSS JOIN LATERAL (SELECT 1 FROM tables_controller WHERE id = wanted.id FOR NO KEY UPDATE) held
""")
# Two controllers may speak for one table. Only one of them at a time finds out which round is its latest, or the other would go on with
# a round that it does not hold.
HOLD_TABLES = rows.Planned(f"""
SELECT 1 FROM (SELECT DISTINCT its_table.id FROM {ASKED} ORDER BY 1) wanted
 CROSS JOIN LATERAL (SELECT 1 FROM tables_table WHERE id = wanted.id FOR NO KEY UPDATE) held
""")  # noqa: S608  (the piece above)
# The weaker of the two row locks: transfers of a claim that is being decided point at a round's row, and whoever decides holds the
# progressive's lock that this transaction will want next.
HOLD_ROUNDS = rows.Planned(f"""
SELECT 1 FROM (
    SELECT DISTINCT round.id FROM {ASKED}
     CROSS JOIN LATERAL (
           (SELECT id FROM tables_round WHERE table_id = its_table.id ORDER BY number DESC LIMIT 1)
            UNION ALL (SELECT id FROM tables_round WHERE table_id = its_table.id AND number = ANY(asked.numbers))
           ) round
     ORDER BY 1
) wanted
 CROSS JOIN LATERAL (SELECT 1 FROM tables_round WHERE id = wanted.id FOR NO KEY UPDATE) held
""")  # noqa: S608  (the piece above)
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
WAGER = ("id", "round_id", "seat", "wager", "on", "amount_micros", "is_coupon", "state")
WAGERS = rows.Planned("""
SELECT id, round_id, seat, wager, "on", amount_micros, is_coupon, state FROM tables_wager
 WHERE round_id = ANY(%(rounds)s::bigint[]) AND state = 'accepted' ORDER BY seat, wager, "on"
""")


# What is live is what the controllers' room says.
IS_GOOD = f"""
       EXISTS (SELECT 1 FROM tables_token token WHERE token.hash = asked.unproven AND token.controller_id = controller.id AND {LIVE})
"""  # noqa: S608


@functools.cache
def _reading(beside: str, beside_round: str) -> rows.Planned:
    return rows.Planned(
        f"""
SELECT {beside}, {beside_round}, asked.unproven IS NULL OR {IS_GOOD}, {", ".join(f"controller.{name}" for name in CONTROLLER)},
       {", ".join(f"its_table.{name}" for name in TABLE)},
       {", ".join(f"round.{name}" for name in ROUND)}
  FROM {ASKED} AND its_table.is_open
  LEFT JOIN LATERAL (
       (SELECT * FROM tables_round WHERE table_id = its_table.id ORDER BY number DESC LIMIT 1)
        UNION ALL
       (SELECT * FROM tables_round older
         WHERE older.table_id = its_table.id AND older.number = ANY(asked.numbers)
           AND older.number < (SELECT max(number) FROM tables_round WHERE table_id = its_table.id))
       ) round ON true
"""  # noqa: S608  (names of columns, from the tuples above, and what our own rooms want)
    )


def open(
    *,
    sent: Mapping[Sender, Sequence[Arrived]],
    now: datetime,
    beside: str = "NULL",
    beside_round: str = "NULL",
    patience: str | None = None,
) -> dict[int, Inbox]:
    """Hold controllers, and the tables and rounds that the events of each speak of, and read them; by controller.

    ``beside`` and ``beside_round`` are columns that the caller wants to know under the same locks, of everything and of each round
    (``round.id``). With ``patience`` no lock is waited for longer than that.
    """
    sought = {"senders": [sender.controller_id for sender in sent], "asked": _asked(sent), "now": now}
    writing = rows.Writing()
    if patience is not None:
        writing.add(f"SET LOCAL lock_timeout = '{patience}'")
    writing.add(HOLD_CONTROLLERS, sought)
    writing.add(HOLD_TABLES, sought)
    writing.add(HOLD_ROUNDS, sought)
    inboxes = _inboxes(writing.ask(_reading(beside, beside_round), sought))
    _read_wagers([sheet for inbox in inboxes.values() for sheet in inbox.sheets.values()])
    return inboxes


def _asked(sent: Mapping[Sender, Sequence[Arrived]]) -> str:
    asked: list[dict[str, Any]] = []
    for sender, arrived in sent.items():
        numbers: dict[str | None, set[int]] = {}
        for message in (one.message for one in arrived if one.message):
            numbers.setdefault(message.table, set()).add(message.round)
        who = {"controller_id": sender.controller_id, "unproven": sender.unproven}
        asked += [{**who, "name": name, "numbers": own} for name, own in (numbers or {None: set()}).items()]
    return msgspec.json.encode(asked).decode()


def _inboxes(found: Sequence[tuple[Any, ...]]) -> dict[int, Inbox]:
    inboxes: dict[int, Inbox] = {}
    for beside, beside_round, is_proven, *row in found:
        if row[0] not in inboxes:
            controller = Controller.from_db("default", CONTROLLER, row[: len(CONTROLLER)])
            inboxes[row[0]] = Inbox(controller=controller, is_proven=is_proven, beside=beside)
        table_part = row[len(CONTROLLER) : len(CONTROLLER) + len(TABLE)]
        round_part = row[len(CONTROLLER) + len(TABLE) :]
        if table_part[0] is None:
            continue
        inbox = inboxes[row[0]]
        if table_part[3] not in inbox.tables:
            inbox.tables[table_part[3]] = Table.from_db("default", TABLE, table_part)
        if round_part[0] is not None:
            round = Round.from_db("default", ROUND, round_part)
            round.table = inbox.tables[table_part[3]]
            _lay_out(inbox, rounds.Sheet(round=round, beside=beside_round))
    return inboxes


def _lay_out(inbox: Inbox, sheet: rounds.Sheet) -> None:
    round = sheet.round
    inbox.sheets[round.table_id, round.number] = sheet
    latest = inbox.latest.get(round.table_id)
    if latest is None or round.number > latest.number:
        inbox.latest[round.table_id] = round


def _read_wagers(sheets: Iterable[rounds.Sheet]) -> None:
    in_play = {sheet.round.pk: sheet for sheet in sheets if _may_still_change(sheet.round)}
    if not in_play:
        return
    for row in rows.Writing().ask(WAGERS, {"rounds": list(in_play)}):
        wager = Wager.from_db("default", WAGER, row)
        in_play[wager.round_id].wagers.append(wager)


def _may_still_change(round: Round) -> bool:
    return round.state == Round.State.OPEN or (round.state == Round.State.LOCKED and round.count == Round.Count.DIFFERS)
