"""Single events that arrive while others are being written: who goes with whom, and that nobody waits in vain."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from jackpots import gathering, intake
from jackpots.gathering import Gathering
from jackpots.ledger import book
from tables import controllers, messages
from tables.inbox import Sender
from tables.messages import Arrived
from tables.models import Controller, Event
from tests import cast

Together = Callable[..., list[Any]]
TABLES = ("CSP-01", "CSP-02", "CSP-03")
PATIENCE_SECONDS = 30


class Line:
    """A gathering whose first is held at the counter until everybody else has come, and what was taken together behind it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.gathering = Gathering()
        self.groups: list[set[int]] = []
        self.expected = 0
        self._take_one, self._take_several = intake.receive, intake.receive_together
        self._first = threading.Event()
        monkeypatch.setattr(intake, "receive", self._alone)
        monkeypatch.setattr(intake, "receive_together", self._together)

    def send(self, dealer: cast.Dealer, event: dict[str, Any]) -> dict[str, Any]:
        sender = Sender(controller_id=dealer.controller.pk)
        answer = self.gathering.receive(sender=sender, arrived=messages.arrived(event), now=cast.NOW)
        return dict(messages.decode(answer.text.encode()))

    def behind(self, dealer: cast.Dealer, event: dict[str, Any]) -> Callable[[], Any]:
        """Sends once somebody is at the counter."""
        self.expected += 1

        def send() -> Any:
            assert self._first.wait(PATIENCE_SECONDS)
            return self.send(dealer, event)

        return send

    def _alone(self, *, sender: Sender, arrived: Arrived, now: Any) -> intake.Answer:
        if not self._first.is_set():
            self._first.set()
            self._until_all_wait()
        return self._take_one(sender=sender, arrived=arrived, now=now)

    def _until_all_wait(self) -> None:
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        while len(self.gathering._waiting) < self.expected:
            assert time.monotonic() < give_up_at, "somebody never came"
            time.sleep(0.001)

    def _together(self, *, sent: Mapping[Sender, Arrived], now: Any) -> dict[Sender, intake.Answer]:
        self.groups.append({sender.controller_id for sender in sent})
        return self._take_several(sent=sent, now=now)


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    return Line(monkeypatch)


@pytest.fixture
def house(committed: None) -> cast.House:
    made = cast.house()
    for number in (4, 5, 6):
        cast.set_up(made, f"CSP-0{number}", rule_text=cast.RULE_TEXT, game="caribbean-stud")
    return made


@pytest.fixture
def dealers(house: cast.House) -> Iterator[dict[str, cast.Dealer]]:
    yield {name: cast.Dealer(house, name) for name in house.controllers}


def lockout(dealer: cast.Dealer) -> dict[str, Any]:
    """A list of wagers that no progressive takes would be refused; with none, every table can lock out."""
    return dealer.event("lockout", wagers=[], chips=0)


def test_those_who_come_while_one_is_written_are_written_together(line: Line, dealers: dict[str, cast.Dealer], together: Together) -> None:
    first, *others = dealers.values()
    answers = together(lambda: line.send(first, lockout(first)), *(line.behind(one, lockout(one)) for one in others))
    assert [answer["status"] for answer in answers] == ["applied"] * len(dealers)
    assert line.groups == [{one.controller.pk for one in others}]
    assert Event.objects.count() == len(dealers)
    assert line.gathering._waiting == []


def test_two_events_of_one_controller_never_go_together(line: Line, dealers: dict[str, cast.Dealer], together: Together) -> None:
    first, second, third = list(dealers.values())[:3]
    locking, settling = lockout(second), second.event("settle")
    answers = together(
        lambda: line.send(first, lockout(first)),
        line.behind(second, locking),
        line.behind(second, settling),
        line.behind(third, lockout(third)),
    )
    # Whichever of the two came first: the other was told to wait for its turn, or found it.
    assert {answer["status"] for answer in answers if isinstance(answer, dict)} == {"applied"}
    assert Controller.objects.get(pk=second.controller.pk).next_sequence == sum(isinstance(answer, dict) for answer in answers[1:3]) + 1
    assert all(len(group) <= 2 for group in line.groups)


def test_two_controllers_of_one_table_never_go_together(
    house: cast.House, line: Line, dealers: dict[str, cast.Dealer], together: Together
) -> None:
    table = house.tables["CSP-02"]
    house.controllers["CSP-02"], _ = controllers.pair(property=house.place, name="SPARE", tables=[table], person=house.tess, now=cast.NOW)
    first, one, spare = dealers["CSP-01"], dealers["CSP-02"], cast.Dealer(house, "CSP-02")
    wagers = [sent.event("wager", seat=seat, wager="progressive", amount="1.00") for seat, sent in ((1, one), (2, spare))]
    answers = together(lambda: line.send(first, lockout(first)), line.behind(one, wagers[0]), line.behind(spare, wagers[1]))
    assert [answer["status"] for answer in answers] == ["applied"] * 3
    assert line.groups == []
    assert table.rounds.get().wagers.count() == 2


def test_trouble_ends_those_it_met_and_nobody_after_them(
    line: Line, dealers: dict[str, cast.Dealer], together: Together, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(**fields: Any) -> Any:
        raise OperationalError("the line to the database was cut")

    monkeypatch.setattr(intake, "receive_together", break_down)
    first, *others = dealers.values()
    events = [lockout(one) for one in others]
    answers = together(
        lambda: line.send(first, lockout(first)), *(line.behind(one, event) for one, event in zip(others, events, strict=True))
    )
    assert answers[0]["status"] == "applied"
    assert {type(answer) for answer in answers[1:]} == {OperationalError}
    assert Event.objects.count() == 1
    # The same again is taken, alone and at once.
    assert line.send(others[0], events[0])["status"] == "applied"


def test_who_cannot_go_with_others_goes_alone(line: Line, dealers: dict[str, cast.Dealer], together: Together) -> None:
    first, second, third = list(dealers.values())[:3]
    again = lockout(second)
    answer = second.resend(again)
    line._first.clear()
    answers = together(lambda: line.send(first, lockout(first)), line.behind(second, again), line.behind(third, lockout(third)))
    assert answers[1] == {"status": "duplicate", "first": answer}
    assert answers[0]["status"] == answers[2]["status"] == "applied"


def test_nobody_waits_long_for_a_table_that_somebody_else_holds(dealers: dict[str, cast.Dealer], together: Together) -> None:
    """Taken together they would all wait for the one; so nobody is taken, and each goes alone."""
    held, released = threading.Event(), threading.Event()
    first, second = list(dealers.values())[:2]
    events = {one: lockout(one) for one in (first, second)}

    def hold() -> None:
        with transaction.atomic():
            list(Controller.objects.select_for_update().filter(pk=first.controller.pk))
            held.set()
            assert released.wait(PATIENCE_SECONDS)

    def come() -> Any:
        assert held.wait(PATIENCE_SECONDS)
        sent = {Sender(controller_id=one.controller.pk): messages.arrived(event) for one, event in events.items()}
        try:
            return intake.receive_together(sent=sent, now=cast.NOW), second.resend(events[second])
        finally:
            released.set()

    _, (taken_together, alone) = together(hold, come)
    assert (taken_together, alone["status"]) == ({}, "applied")
    assert first.resend(events[first])["status"] == "applied"


def test_a_night_of_many_controllers_comes_to_the_cent(house: cast.House, dealers: dict[str, cast.Dealer], together: Together) -> None:
    """Six controllers at once, as fast as they are answered: every event once, in order, with its contribution."""
    rounds = 25
    gathered = Gathering()
    wagering = {name: dealers[name] for name in TABLES}

    def play(dealer: cast.Dealer, name: str) -> list[str]:
        said = []
        for _ in range(rounds):
            listed = [{"seat": 5, "wager": "progressive", "amount": "1.00"}] if name in wagering else []
            for event in (dealer.event("lockout", wagers=listed, chips=len(listed)), dealer.event("settle")):
                sender = Sender(controller_id=dealer.controller.pk)
                answer = gathered.receive(sender=sender, arrived=messages.arrived(event), now=cast.NOW)
                said.append(messages.decode(answer.text.encode())["status"])
            dealer.round += 1
        return said

    answers = together(*(lambda one=dealer, own=name: play(one, own) for name, dealer in dealers.items()))
    assert {word for said in answers for word in said} == {"applied"}
    assert Event.objects.count() == len(dealers) * rounds * 2
    standings = book.standings()
    assert standings[house.link.pk].available["main"] == 10_000_000_000 + 2 * rounds * 700_000
    assert standings[house.solo.pk].available["main"] == 10_000_000_000 + rounds * 700_000
    for dealer in dealers.values():
        sequences = Event.objects.filter(controller=dealer.controller).order_by("recorded_at", "id").values_list("sequence", flat=True)
        assert sorted(sequences) == list(range(1, 2 * rounds + 1))


@pytest.mark.django_db
def test_inside_a_transaction_an_event_is_part_of_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "_gathering", None)
    dealer = cast.Dealer(cast.house(), "CSP-01")
    assert connection.in_atomic_block
    sender = Sender(controller_id=dealer.controller.pk)
    answer = gathering.receive(sender=sender, arrived=messages.arrived(lockout(dealer)), now=cast.NOW)
    assert messages.decode(answer.text.encode())["status"] == "applied"
