"""Events from the tables: each is taken exactly once and in order, by what its kind calls for.

An array is cut into runs. Consecutive events that only contribute are judged in memory and written together, in one transaction, and
so are single events of several controllers; every claim and every void has its own. An answer that says *no* changes nothing else, is
kept as the event's answer and is said again to whoever asks again; *not now* keeps nothing.
"""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import DatabaseError, DataError, IntegrityError, OperationalError, transaction
from psycopg2.errors import LockNotAvailable

from audit import rows
from audit.refusals import Refusal
from jackpots import happenings, runs
from jackpots.happenings import WrongField
from jackpots.ledger import book
from jackpots.runs import Run, Taken
from tables import controllers, inbox, watching
from tables.controllers import TokenUnknown
from tables.inbox import Inbox, Sender
from tables.messages import Arrived
from tables.models import Controller

# A run holds its progressives' locks while it is written, and a claim waits as long; so it is not as long as an array may be.
LONGEST_RUN = 250


class TryAgain(Refusal):
    """The service could not finish this just now; try again."""

    category = "not-now"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What an event is answered: the very text, and whether this was its first time."""

    text: str
    is_new: bool


@dataclass(frozen=True, kw_only=True)
class Stopped:
    """Where an array of events ended before its end, and why."""

    at: int
    refusal: Refusal


def receive(*, sender: Sender, arrived: Arrived, now: datetime.datetime) -> Answer:
    """Take one event. A Refusal raised from here was not recorded: the event is not this controller's next."""
    answers, refusal = _take_in_order(sender, [arrived], now)
    if refusal:
        raise refusal
    return answers[0]


def receive_together(*, sent: Mapping[Sender, Arrived], now: datetime.datetime) -> dict[Sender, Answer]:
    """Take one event each of several controllers in one transaction; the answers by sender.

    Whoever is not in the answer is to be taken alone, and nothing of it was recorded: it is not its turn, or its sender is not known, or
    it needs a transaction of its own. Where somebody holds what one of them speaks of, and where the database refuses one, that is so for
    all of them.
    """
    answers: dict[Sender, Answer] = {}
    try:
        with transaction.atomic():
            run = runs.begin_together(sent=sent, now=now)
            for sender, arrived in sent.items():
                answer = _answer_among_others(run, run.inboxes[sender.controller_id], arrived)
                if answer is not None:
                    answers[sender] = answer
            run.write()
    except (IntegrityError, DataError, book.ClosedMeanwhile):
        return {}
    except OperationalError as trouble:
        if isinstance(trouble.__cause__, LockNotAvailable):
            return {}
        raise
    return answers


def receive_all(
    *, sender: Sender, arrived: Sequence[Arrived | Refusal], now: datetime.datetime
) -> tuple[list[Answer], Stopped | None, int]:
    """Take events in order, as a prefix: what stops it is named with its place. The controller's next sequence comes last.

    A Refusal raised from here means that the sender is not known: nothing was looked at.
    """
    answers, refusal = _take_in_order(sender, arrived, now)
    if refusal and not answers:
        _require_known(sender, refusal, now)
    next_sequence = Controller.objects.values_list("next_sequence", flat=True).get(pk=sender.controller_id)
    return answers, Stopped(at=len(answers), refusal=refusal) if refusal else None, next_sequence


def _require_known(sender: Sender, refusal: Refusal, now: datetime.datetime) -> None:
    """Where nothing was taken, nothing may have been asked of the sender yet, and only the controller is told how far it has come."""
    is_asked = isinstance(refusal, TokenUnknown)
    if is_asked or (sender.unproven and controllers.of_hash(sender.unproven, now=now) is None):
        raise TokenUnknown


def _take_in_order(sender: Sender, arrived: Sequence[Arrived | Refusal], now: datetime.datetime) -> tuple[list[Answer], Refusal | None]:
    """The events from the first on, until one stops them; and what stopped them, if anything did."""
    answers: list[Answer] = []
    stopped: Refusal | None = None
    # What stands before this place is taken one by one, with a careful look at what is there now: the database refused it as a run,
    # for an id that was used before, another controller at the same table, or a progressive that ended before it could be locked.
    # Each has its own transaction, because a savepoint would go on holding the meters while the next one waits for its round.
    singly_until = 0
    while len(answers) < len(arrived) and stopped is None:
        is_careful = len(answers) < singly_until
        run = _readable(arrived[len(answers) : len(answers) + (1 if is_careful else LONGEST_RUN)])
        if not run:
            unreadable = arrived[len(answers)]
            assert isinstance(unreadable, Refusal), "what can be read is taken"
            return answers, unreadable
        try:
            some = _take_some(sender, run, now, is_careful=is_careful)
        except (DatabaseError, book.ClosedMeanwhile) as trouble:
            stopped = _once_more(trouble, answers)
            break
        if some is None:
            singly_until = len(answers) + len(run)
        else:
            more, stopped = some
            answers += more
    if not any(answer.is_new for answer in answers) and not isinstance(stopped, TokenUnknown):
        watching.note_heard(controller_id=sender.controller_id, now=now)
    if isinstance(stopped, inbox.SequenceGap):
        watching.note_gap(controller_id=sender.controller_id, expected=stopped.expected, sent=stopped.sequence, now=now)
    return answers, stopped


def _take_some(
    sender: Sender, run: Sequence[Arrived], now: datetime.datetime, *, is_careful: bool
) -> tuple[list[Answer], Refusal | None] | None:
    """As far as one transaction takes these, and what stopped them; None where the database wants them one by one."""
    try:
        return _take_run(sender, run, now, is_careful=is_careful)
    except TokenUnknown as unknown:
        return [], unknown
    except DataError:
        # Some number is beyond what the database keeps. Sent again it would be the same, so it is a "no" and no "not now".
        no = WrongField(fault="a number in it leads beyond what can be kept")
        return ([_refuse(sender, run[0], no, now)], None) if is_careful else None
    except (IntegrityError, book.ClosedMeanwhile):
        if is_careful:
            raise
        return None


def _once_more(trouble: Exception, answers: Sequence[Answer]) -> Refusal:
    """Trouble ends the array after what was answered already, which stands; where nothing was, it is the whole request's."""
    if not answers and not isinstance(trouble, book.ClosedMeanwhile):
        raise trouble
    return TryAgain()


def _refuse(sender: Sender, arrived: Arrived, refusal: Refusal, now: datetime.datetime) -> Answer:
    """Keep an event with a "no", and with nothing of what it would have done."""
    with transaction.atomic():
        run = runs.begin(sender=sender, arrived=[arrived], now=now, is_careful=True)
        taken = run.answer(run.inboxes[sender.controller_id], arrived, run.refused(arrived, refusal), None)
        run.write()
    return Answer(text=taken.text, is_new=True)


def _readable(arrived: Sequence[Arrived | Refusal]) -> list[Arrived]:
    readable: list[Arrived] = []
    for one in arrived:
        if isinstance(one, Refusal):
            break
        readable.append(one)
    return readable


def _take_run(
    sender: Sender, arrived: Sequence[Arrived], now: datetime.datetime, *, is_careful: bool
) -> tuple[list[Answer], Refusal | None]:
    answers: list[Answer] = []
    stopped: Refusal | None = None
    with transaction.atomic():
        run = runs.begin(sender=sender, arrived=arrived, now=now, is_careful=is_careful)
        own = run.inboxes[sender.controller_id]
        for one in arrived:
            try:
                answers.append(_answer(run, own, one))
            except runs.OwnTransaction:
                break
            except Refusal as refusal:
                stopped = refusal
                break
        if not answers and not stopped:
            return [_take_alone(run, own, arrived[0])], None
        run.write()
    return answers, stopped


def _answer(run: Run, own: Inbox, arrived: Arrived) -> Answer:
    first = own.first_answer(arrived)
    if first is not None:
        return Answer(text='{"status":"duplicate","first":' + first + "}", is_new=False)
    return Answer(text=run.take(own, arrived).text, is_new=True)


def _answer_among_others(run: Run, own: Inbox, arrived: Arrived) -> Answer | None:
    if not own.is_senders or not own.are_next([arrived]):
        return None
    try:
        return Answer(text=run.take(own, arrived).text, is_new=True)
    except (runs.OwnTransaction, Refusal):
        return None


def _take_alone(run: Run, own: Inbox, arrived: Arrived) -> Answer:
    """An event that takes money off a meter, or draws for it: its sheet is written first, then it is judged on what the database holds."""
    writing = rows.Writing()
    try:
        # A savepoint: a "no" undoes whatever was begun, and the event is still kept.
        with transaction.atomic():
            taken = _follow(run, own, arrived)
    except Refusal as refusal:
        if refusal.retryable:
            raise
        taken = run.answer(own, arrived, run.refused(arrived, refusal), None)
    run.write_events(writing)
    writing.send()
    return Answer(text=taken.text, is_new=True)


def _follow(run: Run, own: Inbox, arrived: Arrived) -> Taken:
    happening = run.enter(own, arrived)
    outcome = happenings.judge(happening)
    run.keep(own, happening)
    writing = rows.Writing()
    ledger = run.write_rounds([happening], writing)
    writing.send()
    outcome |= happenings.follow(happening, ledger=ledger)
    return run.answer(own, arrived, run.applied(arrived, outcome), happening)
