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
    """A gathering whose first is held at work until everybody else has come, and what was taken together behind it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.gathering = Gathering()
        self.groups: list[set[int]] = []
        self.expected = 0
        self._take_together = intake.receive_together
        self._first = threading.Event()
        monkeypatch.setattr(intake, "receive_together", self._together)

    def send(self, dealer: cast.Dealer, event: dict[str, Any]) -> dict[str, Any]:
        sender = Sender(controller_id=dealer.controller.pk)
        answer = self.gathering.receive(sender=sender, arrived=messages.arrived(event), now=cast.NOW)
        return dict(messages.decode(answer.text.encode()))

    def behind(self, dealer: cast.Dealer, event: dict[str, Any]) -> Callable[[], Any]:
        """Sends once somebody is at work."""
        self.expected += 1

        def send() -> Any:
            assert self._first.wait(PATIENCE_SECONDS)
            return self.send(dealer, event)

        return send

    def _together(self, *, sent: Mapping[Sender, Arrived], now: Any) -> dict[Sender, intake.Answer]:
        if not self._first.is_set():
            self._first.set()
            self.until_all_wait()
        elif len(sent) > 1:
            self.groups.append({sender.controller_id for sender in sent})
        return self._take_together(sent=sent, now=now)

    def until_all_wait(self) -> None:
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        while len(self.gathering._waiting) < self.expected:
            assert time.monotonic() < give_up_at, "somebody never came"
            time.sleep(0.001)


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


def test_trouble_with_several_is_found_out_by_each_alone(
    line: Line, dealers: dict[str, cast.Dealer], together: Together, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, poisoned = line._take_together, list(dealers.values())[1]

    def break_down(*, sent: Mapping[Sender, Arrived], now: Any) -> Any:
        if len(sent) > 1:
            raise OperationalError("the line to the database was cut")
        return take(sent=sent, now=now)

    def refuse_the_poisoned(*, sender: Sender, **fields: Any) -> Any:
        if sender.controller_id == poisoned.controller.pk:
            raise LookupError("a fault of ours")
        return take_alone(sender=sender, **fields)

    take_alone = intake.receive
    line._take_together = break_down
    monkeypatch.setattr(intake, "receive", refuse_the_poisoned)
    first, *others = dealers.values()
    answers = together(lambda: line.send(first, lockout(first)), *(line.behind(one, lockout(one)) for one in others))
    assert isinstance(answers[1], LookupError)
    assert [answer["status"] for answer in (answers[0], *answers[2:])] == ["applied"] * (len(dealers) - 1)
    assert Event.objects.count() == len(dealers) - 1


def test_who_cannot_go_with_others_goes_alone(line: Line, dealers: dict[str, cast.Dealer], together: Together) -> None:
    first, second, third = list(dealers.values())[:3]
    again = lockout(second)
    answer = second.resend(again)
    line._first.clear()
    answers = together(lambda: line.send(first, lockout(first)), line.behind(second, again), line.behind(third, lockout(third)))
    assert answers[1] == {"status": "duplicate", "first": answer}
    assert answers[0]["status"] == answers[2]["status"] == "applied"


def test_nobody_waits_long_for_a_table_that_somebody_else_holds(dealers: dict[str, cast.Dealer], together: Together) -> None:
    """Taken together they would all wait for the one; so none of these is taken, and each goes alone."""
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


def test_nobody_waits_for_a_table_that_somebody_holds(dealers: dict[str, cast.Dealer], together: Together) -> None:
    """Whoever came first waits for its table by itself, and the next ones are at work meanwhile."""
    gathered = Gathering()
    held, came, answered = threading.Event(), threading.Event(), threading.Event()
    first, *others = dealers.values()

    def send(dealer: cast.Dealer) -> Any:
        sender = Sender(controller_id=dealer.controller.pk)
        answer = gathered.receive(sender=sender, arrived=messages.arrived(lockout(dealer)), now=cast.NOW)
        return messages.decode(answer.text.encode())["status"]

    def hold() -> None:
        with transaction.atomic():
            list(Controller.objects.select_for_update().filter(pk=first.controller.pk))
            held.set()
            assert answered.wait(PATIENCE_SECONDS)

    def come_first() -> Any:
        assert held.wait(PATIENCE_SECONDS)
        came.set()
        return send(first)

    def come_later() -> Any:
        assert came.wait(PATIENCE_SECONDS)
        said = [send(one) for one in others]
        is_first_still_there = not Event.objects.filter(controller=first.controller).exists()
        answered.set()
        return said, is_first_still_there

    _, mine, (said, is_first_still_there) = together(hold, come_first, come_later)
    assert (mine, said, is_first_still_there) == ("applied", ["applied"] * len(others), True)


def test_who_has_stood_in_line_too_long_goes_alone(
    line: Line, dealers: dict[str, cast.Dealer], together: Together, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those at work got no answer from the database; the others have lines of their own to it."""
    monkeypatch.setattr(gathering, "LONGEST_WAIT_SECONDS", 0.05)
    first, *others = dealers.values()
    released = threading.Event()
    line.until_all_wait = lambda: released.wait(PATIENCE_SECONDS)  # type: ignore[method-assign,assignment]

    def go_alone() -> Any:
        said = [line.behind(one, lockout(one))()["status"] for one in others]
        were_alone = not Event.objects.filter(controller=first.controller).exists()
        released.set()
        return said, were_alone

    mine, (said, were_alone) = together(lambda: line.send(first, lockout(first)), go_alone)
    assert (mine["status"], said, were_alone) == ("applied", ["applied"] * len(others), True)
    assert line.gathering._waiting == []
    assert line.send(first, first.event("settle"))["status"] == "applied"


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
