"""A run: consecutive events of a controller, or one event each of several, judged in order in memory on state read under the locks,
and written together.

The order of locks is the same for all: the controllers' rows, the tables' rows, the rounds' rows, then the progressives' locks, each
ascending. The meters are locked last, when everything has been judged and only the writing is left.
"""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import uuid_utils.compat
from django.db import models

from audit import journal, rows
from audit.refusals import Refusal
from jackpots import courses, happenings, playing, terms, wagers
from jackpots.courses import Course
from jackpots.happenings import Happening, WrongField
from jackpots.ledger import book
from jackpots.models import Terms
from tables import controllers, inbox, messages, rounds
from tables.inbox import Inbox, Sender
from tables.messages import Arrived
from tables.models import Event, Round, Wager
from tables.rounds import Sheet

# How long those who are taken together wait for a lock that somebody else holds.
SHORT_PATIENCE = "10ms"
UNDER_ANY_TERMS = (messages.Folded, messages.Settled)
NUMBERED = (Round, Wager, Terms)
NUMBERS = rows.Planned(f"SELECT {rows.numbers_of(NUMBERED)}")


class OwnTransaction(Exception):
    """The event takes money off a meter or draws for it; it cannot be one among many."""


@dataclass(kw_only=True)
class Taken:
    """An event that has been judged: its answer, and the rows it leaves."""

    inbox: Inbox
    arrived: Arrived
    event: Event
    answer: dict[str, Any]
    happening: Happening | None

    @property
    def text(self) -> str:
        return self.event.answer


@dataclass(kw_only=True)
class Run:
    # By controller.
    inboxes: dict[int, Inbox]
    now: datetime.datetime
    # No round that these events open is bound to an earlier moment.
    since: datetime.datetime
    courses: list[Course] | None = None
    # The terms of each round by its sheet: of those in play as they were bound, of new ones as they are bound here.
    bound: dict[int, list[Terms]] = field(default_factory=dict)
    new_terms: list[Terms] = field(default_factory=list)
    touched: dict[int, Sheet] = field(default_factory=dict)
    taken: list[Taken] = field(default_factory=list)

    def take(self, inbox: Inbox, arrived: Arrived) -> Taken:
        """Judge one event. Raises OwnTransaction, and leaves everything as it was, where it cannot be one of a run."""
        happening: Happening | None = None
        try:
            happening = self.enter(inbox, arrived)
            if happening.stands_alone:
                raise OwnTransaction
            answer = self.applied(arrived, happenings.judge(happening))
            self.keep(inbox, happening)
        except Refusal as refusal:
            if refusal.retryable:
                raise
            happening, answer = None, self.refused(arrived, refusal)
        return self.answer(inbox, arrived, answer, happening)

    def enter(self, inbox: Inbox, arrived: Arrived) -> Happening:
        """Find the table and the round an event speaks of; the first event of a round opens it and binds its terms."""
        if arrived.message is None:
            raise WrongField(fault=arrived.fault)
        sheet = inbox.enter(arrived.message, now=self.now)
        has_claims = isinstance(arrived.message, messages.Settled) and bool(sheet.beside)
        return Happening(
            message=arrived.message,
            sheet=sheet,
            # Turning over hands and giving one up asks nothing of the terms, unless something is to be paid.
            terms=[] if isinstance(arrived.message, UNDER_ANY_TERMS) and not has_claims else self._terms(sheet),
            courses=self.courses if sheet.is_new else None,
            by=inbox.controller.name,
            property_id=inbox.controller.property_id,
            now=self.now,
            occurred_at=inbox.occurred_at(arrived.message),
            event_id=uuid_utils.compat.uuid7(),
            has_claims=has_claims,
        )

    def keep(self, inbox: Inbox, happening: Happening) -> None:
        """An applied event's round goes on from where it is now."""
        sheet = happening.sheet
        if sheet.is_new and id(sheet) not in self.bound:
            self.bound[id(sheet)] = happening.terms
            self.new_terms += happening.terms
        self.touched[id(sheet)] = sheet
        inbox.keep_sheet(sheet)

    def answer(self, inbox: Inbox, arrived: Arrived, answer: dict[str, Any], happening: Happening | None) -> Taken:
        event_id = happening.event_id if happening else uuid_utils.compat.uuid7()
        text = msgspec.json.encode(answer).decode()
        round = happening.round if happening else None
        event = inbox.keep(arrived=arrived, event_id=event_id, round=round, answer=text, now=self.now)
        taken = Taken(inbox=inbox, arrived=arrived, event=event, answer=answer, happening=happening)
        self.taken.append(taken)
        return taken

    def applied(self, arrived: Arrived, outcome: dict[str, Any]) -> dict[str, Any]:
        return {**_told(arrived), "status": "applied", "outcome": outcome}

    def refused(self, arrived: Arrived, refusal: Refusal) -> dict[str, Any]:
        return {**_told(arrived), "status": "refused", "code": refusal.code, "detail": refusal.detail}

    def write(self) -> None:
        """Everything that was judged, in two trips: one for the locks and the numbers, one for the rows."""
        writing = rows.Writing()
        self.write_rounds([taken.happening for taken in self.taken if taken.happening], writing)
        self.write_events(writing)
        writing.send()

    def write_rounds(self, happened: Sequence[Happening], writing: rows.Writing) -> book.Book | None:
        """Rounds, terms, wagers and contributions; the ledger is the answer where something was contributed."""
        sheets = list(self.touched.values())
        wanted = {
            Round: sum(sheet.is_new for sheet in sheets),
            Wager: sum(len(sheet.placed) for sheet in sheets),
            Terms: len(self.new_terms),
        }
        stakes = [stake for happening in happened for stake in happening.stakes]
        ledger = self._number(sheets, wanted, stakes)
        _write_sheets(sheets, self.new_terms, writing)
        if ledger is not None:
            writing.insert([transfer for happening in happened for transfer in _contribute(happening, ledger)])
        self.new_terms, self.touched = [], {}
        return ledger

    def write_events(self, writing: rows.Writing) -> None:
        inbox.write(inboxes=self.inboxes.values(), writing=writing)
        writing.insert([self._record(taken) for taken in self.taken])
        self.taken = []

    def _terms(self, sheet: Sheet) -> list[Terms]:
        found = self.bound.get(id(sheet))
        if found is not None:
            return found
        if sheet.is_new:
            return terms.bind(round=sheet.round, courses=self._read_courses(), now=self.now)
        self._read_terms()
        return self.bound[id(sheet)]

    def _read_terms(self) -> None:
        """Of all rounds that were opened before, in one trip."""
        sheets = [sheet for one in self.inboxes.values() for sheet in one.sheets.values() if id(sheet) not in self.bound]
        by_round: dict[int, list[Terms]] = {sheet.round.pk: self.bound.setdefault(id(sheet), []) for sheet in sheets}
        for one in terms.of(*(sheet.round for sheet in sheets)):
            by_round[one.round_id].append(one)
        for sheet in sheets:
            for one in self.bound[id(sheet)]:
                one.round = sheet.round

    def _read_courses(self) -> list[Course]:
        if self.courses is None:
            table_ids = {table.pk for one in self.inboxes.values() for table in one.tables.values()}
            revision = next(iter(self.inboxes.values())).beside
            self.courses = courses.of_tables(table_ids=table_ids, since=self.since, revision=revision)
        return self.courses

    def _number(self, sheets: Sequence[Sheet], wanted: dict[rows.Model, int], stakes: Sequence[playing.Stake]) -> book.Book | None:
        ledger = None
        taken: dict[rows.Model, list[int]] = {}
        # A round is opened under the lock too: a progressive that is being ended must not get one more that nobody has seen.
        played_for = [one.progressive_id for one in (*(stake.terms for stake in stakes), *self.new_terms)]
        if played_for:
            ledger, taken = book.locked_for_many(
                progressive_ids=played_for,
                property_ids=[one.controller.property_id for one in self.inboxes.values()],
                transfers=sum(len(stake.shares) for stake in stakes),
                also=wanted,
            )
        elif any(wanted.values()):
            taken = dict(zip(wanted, rows.Writing().ask(NUMBERS, rows.how_many(wanted))[0], strict=True))
        new: list[models.Model] = [sheet.round for sheet in sheets if sheet.is_new]
        for model, them in ((Round, new), (Wager, [one for sheet in sheets for one in sheet.placed]), (Terms, self.new_terms)):
            for row, number in zip(them, taken.get(model, []), strict=True):
                row.pk = number
        return ledger

    def _record(self, taken: Taken) -> journal.Record:
        controller = taken.inbox.controller
        outcome = taken.answer.get("outcome", {})
        return journal.draft(
            kind=f"event-{taken.answer['status']}",
            now=self.now,
            actor=journal.Actor("controller", controller.name),
            facts={"type": taken.arrived.type, "answer": taken.answer},
            property_id=controller.property_id,
            subject=f"hit:{outcome['hit']}" if "hit" in outcome else f"controller:{controller.name}",
            told_at=taken.arrived.message.at if taken.arrived.message else None,
            rows=[taken.event, *(taken.happening.rows if taken.happening else [])],
        )


def begin(*, sender: Sender, arrived: Sequence[Arrived], now: datetime.datetime, is_careful: bool) -> Run:
    """Hold and read what these events speak of. Terms are read when an event asks under what its round is played."""
    run = _begin({sender: arrived}, now)
    own = run.inboxes[sender.controller_id]
    if not own.is_senders:
        controllers.forget(sender.unproven)
        raise controllers.TokenUnknown
    if is_careful or not own.are_next(arrived):
        own.look_back(one.told_id for one in arrived)
    return run


def begin_together(*, sent: Mapping[Sender, Arrived], now: datetime.datetime) -> Run:
    """The same for one event each of several controllers. No row is waited for long: whose is not free is better off alone."""
    return _begin({sender: [arrived] for sender, arrived in sent.items()}, now, patience=SHORT_PATIENCE)


def _begin(sent: Mapping[Sender, Sequence[Arrived]], now: datetime.datetime, patience: str | None = None) -> Run:
    inboxes = inbox.open(sent=sent, now=now, beside=courses.REVISION, beside_round=playing.HAS_CLAIMS, patience=patience)
    occurred = [
        inboxes[sender.controller_id].occurred_at(one.message) for sender, arrived in sent.items() for one in arrived if one.message
    ]
    return Run(inboxes=inboxes, now=now, since=min([now, *occurred]))


def _told(arrived: Arrived) -> dict[str, Any]:
    return {"id": str(arrived.told_id), "sequence": arrived.sequence}


def _write_sheets(sheets: Sequence[Sheet], new_terms: Sequence[Terms], writing: rows.Writing) -> None:
    rounds.write(sheets=sheets, writing=writing)
    for one in new_terms:
        one.round_id = one.round.pk
    writing.insert(new_terms)
    for sheet in sheets:
        sheet.is_new, sheet.changed, sheet.placed, sheet.withdrawn = False, set(), [], []


def _contribute(happening: Happening, ledger: book.Book) -> list[book.Transfer]:
    made: list[book.Transfer] = []
    for stake in happening.stakes:
        entries = wagers.entries(ledger=ledger, terms=stake.terms, shares=stake.shares, cause=happening.cause)
        made += ledger.draft(progressive_id=stake.terms.progressive_id, cause=happening.cause, entries=entries)
    happening.rows += made
    return made
