"""A technician and a controller at once, or two controllers at one table."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tables import controllers, inbox, watching
from tables.models import Alarm, Controller, Event, Wager
from tests import cast
from tests.races.conftest import Floor, Meeting

PATIENCE = 0.7


def pass_over_while_the_event_comes(floor: Floor, together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The technician has seen that the sequence is the next, and goes on only when the event is done or gets no further."""
    seen, taken = threading.Event(), threading.Event()
    hold = controllers._hold
    controller = floor.first.controller
    event = floor.first.event("settle")

    def hold_and_wait(one: Controller) -> Controller:
        held = hold(one)
        seen.set()
        taken.wait(PATIENCE)
        return held

    def come() -> Any:
        seen.wait(30)
        try:
            return floor.first.resend(event)
        finally:
            taken.set()

    def pass_over() -> Any:
        sequence = event["sequence"]
        return controllers.pass_over(controller=controller, sequence=sequence, reason="lost", person=floor.house.tess, now=cast.NOW)

    monkeypatch.setattr(controllers, "_hold", hold_and_wait)
    return together(pass_over, come)


def test_without_the_controllers_row_a_sequence_is_passed_over_and_used(
    linked: Floor, together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.db.models.query.QuerySet.select_for_update", lambda self, **how: self)
    passed, answer = pass_over_while_the_event_comes(linked, together, monkeypatch)
    assert (passed.next_sequence, answer["status"]) == (3, "applied")


def test_with_it_the_event_comes_too_late_and_is_told_so(
    linked: Floor, together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    passed, answer = pass_over_while_the_event_comes(linked, together, monkeypatch)
    assert passed.next_sequence == Controller.objects.get(pk=passed.pk).next_sequence == 3
    assert isinstance(answer, inbox.SequenceReused)
    assert Event.objects.filter(controller=passed).count() == 1


def test_two_workers_that_look_at_once_raise_one_alarm(linked: Floor, together: Callable[..., list[Any]], meeting: Meeting) -> None:
    late = cast.NOW + 2 * watching.SEEN_EVERY

    def look() -> int:
        meeting.meet()
        return watching.look(silence=watching.SEEN_EVERY, now=late)

    raised = together(look, look)
    # Both tables of the link were heard and fell silent; who raised which does not matter.
    assert sum(raised) == Alarm.objects.count() == 2


def test_two_technicians_who_pair_one_name_at_once_get_one_controller(
    linked: Floor, together: Callable[..., list[Any]], meeting: Meeting
) -> None:
    house = linked.house

    def pair() -> Any:
        meeting.meet()
        return controllers.pair(property=house.place, name="NEW", tables=[house.tables["CSP-03"]], person=house.tess, now=cast.NOW)

    answers = together(pair, pair)
    assert sum(isinstance(answer, controllers.NameTaken) for answer in answers) == 1
    assert Controller.objects.get(name="NEW").tokens.count() == 1


def wager_while_another_locks_out(floor: Floor, together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Two controllers serve one table. The second comes while the first opens a round, and has read it when the first locks it out."""
    first, house = floor.first, floor.house
    house.controllers["CSP-01"], _ = controllers.pair(
        property=house.place, name="SPARE", tables=[house.tables["CSP-01"]], person=house.tess, now=cast.NOW
    )
    second = cast.Dealer(house, "CSP-01")
    first.settle()
    second.round = first.round
    opening, found, locked = threading.Event(), threading.Event(), threading.Event()
    read = inbox.open

    def read_and_wait(*, sent: Any, **fields: Any) -> Any:
        is_first = [sender.controller_id for sender in sent] == [first.controller.pk]
        opened = read(sent=sent, **fields)
        if is_first and not opening.is_set():
            # The second one is on its way meanwhile, and waits for what this one holds.
            opening.set()
            found.wait(PATIENCE)
        elif not is_first:
            found.set()
            locked.wait(PATIENCE)
        return opened

    def open_and_lock_out() -> Any:
        first.send("wager", seat=1, wager="progressive", amount="1.00")
        found.wait(30)
        try:
            return first.send("lockout", chips=1)
        finally:
            locked.set()

    def come_second() -> Any:
        opening.wait(30)
        return second.send("wager", seat=2, wager="progressive", amount="1.00")

    monkeypatch.setattr(inbox, "open", read_and_wait)
    return together(open_and_lock_out, come_second)


def test_without_the_tables_row_a_wager_is_accepted_after_lock_out(
    linked: Floor, together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "HOLD_TABLES", "SELECT 1")
    locked, wager = wager_while_another_locks_out(linked, together, monkeypatch)
    assert (locked["outcome"]["count"], wager["status"]) == ("agrees", "applied")
    assert Wager.objects.filter(round__number=2, state="accepted").count() == 2


def test_with_it_the_lock_out_counts_every_wager(
    linked: Floor, together: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, wager = wager_while_another_locks_out(linked, together, monkeypatch)
    assert (locked["outcome"]["count"], locked["outcome"]["wagers"], wager["status"]) == ("differs", 2, "applied")
