"""Runs: an array is judged in memory and written together, and nobody can tell it from events sent one by one."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from audit import journal
from jackpots import claims, intake, runs
from jackpots.ledger import book
from jackpots.models import Hit, Progressive, Terms
from tables import controllers, messages
from tables.inbox import Sender
from tables.models import Controller, Event, Round, Wager
from tests import cast

pytestmark = pytest.mark.django_db

ONE = {"seat": 1, "wager": "progressive", "amount": "1.00"}


@pytest.fixture
def house() -> cast.House:
    return cast.house()


def sent_together(dealer: cast.Dealer, events: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], Any]:
    arrived = [messages.arrived(event) for event in events]
    answers, stopped, _ = intake.receive_all(sender=Sender(controller_id=dealer.controller.pk), arrived=arrived, now=dealer.now)
    return [dict(messages.decode(answer.text.encode())) for answer in answers], stopped


def sent_singly(dealer: cast.Dealer, events: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], Any]:
    return [dealer.resend(event) for event in events], None


def rounds_of(dealer: cast.Dealer, count: int) -> list[dict[str, Any]]:
    """A backlog: so many rounds, each locked out with two wagers and settled."""
    events = []
    for _ in range(count):
        listed = [{"seat": seat, "wager": "progressive", "amount": "1.00"} for seat in (1, 5)]
        events += [dealer.event("lockout", wagers=listed, chips=2), dealer.event("settle")]
        dealer.round += 1
    return events


def a_mixed_night(dealer: cast.Dealer, seed: int) -> list[dict[str, Any]]:
    """Forty events as they may come: in order and out of it, right and wrong."""
    chance = random.Random(seed)
    events = []
    for _ in range(40):
        seat = chance.randint(0, 8)
        kind = chance.choice(["wager", "wager", "wager", "lockout", "lockout", "fold", "settle", "settle", "hit", "void", "nonsense"])
        fields: dict[str, Any] = {}
        if kind == "wager":
            fields = {"seat": seat, "wager": chance.choice(["progressive", "side"]), "amount": chance.choice(["1.00", "2.00", "one"])}
        elif kind == "lockout":
            seats = chance.sample(range(1, 8), chance.randint(0, 3))
            listed = [{**ONE, "seat": one} for one in seats]
            fields = {"chips": chance.choice([len(seats), 1]), **({"wagers": listed} if chance.random() < 0.6 else {})}
        elif kind == "fold":
            fields = {"seat": max(seat, 1)}
        elif kind == "hit":
            fields = {"seat": max(seat, 1), "wager": "progressive", "cards": cast.QUADS, "hand": "four-of-a-kind"}
        elif kind == "void":
            fields = {"reason": "cards-face-up"}
        events.append(dealer.event(kind, **fields))
        dealer.round = max(1, dealer.round + chance.choice([0, 0, 0, 0, 1, 1, -1]))
    return events


def left_behind() -> dict[str, Any]:
    """All that events leave in the database, without the numbers that a roll-back uses up."""
    first_hit = Hit.objects.order_by("pk").values_list("pk", flat=True).first() or 0
    return {
        "rounds": list(
            Round.objects.order_by("pk").values_list("number", "state", "count", "folded_seats", "void_reason", "contributed_at")
        ),
        "wagers": list(Wager.objects.order_by("round__pk", "pk").values_list("round__number", "seat", "amount_micros", "state")),
        "terms": Terms.objects.count(),
        "hits": [(pk - first_hit, *told) for pk, *told in Hit.objects.order_by("pk").values_list("pk", "state", "award_micros")],
        "meters": {slug: dict(book.standings()[pk].available) for pk, slug in Progressive.objects.values_list("pk", "slug")},
        "sequence": list(Controller.objects.order_by("pk").values_list("next_sequence", flat=True)),
        "events": Event.objects.count(),
        "records": [record.kind for record in journal.records(limit=200)],
    }


def rolled_back(act: Callable[[], Any]) -> Any:
    """What an act comes to, as if it had never been."""
    with transaction.atomic():
        found = act()
        transaction.set_rollback(True)
    return found


def without_numbers(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A hit's number differs between two tries, because the first used it up."""
    said = []
    for answer in answers:
        outcome = {name: value for name, value in answer.get("outcome", {}).items() if name not in ("hit", "rejected")}
        said.append({**answer, "outcome": outcome, "detail": str(answer.get("detail", "")).split("hit")[0]})
    return said


@pytest.mark.parametrize("seed", range(12))
def test_an_array_comes_to_the_same_as_its_events_one_by_one(house: cast.House, seed: int) -> None:
    events = a_mixed_night(cast.Dealer(house, "CSP-01"), seed)

    def try_it(send: Callable[..., Any]) -> Any:
        answers, stopped = send(cast.Dealer(house, "CSP-01"), events)
        assert stopped is None
        return without_numbers(answers), left_behind()

    singly, together = rolled_back(lambda: try_it(sent_singly)), rolled_back(lambda: try_it(sent_together))
    assert together == singly
    assert {answer["status"] for answer in together[0]} == {"applied", "refused"}


def test_a_backlog_is_written_by_few_statements(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    # Before it is counted, so that every statement has been planned.
    sent_together(dealer, rounds_of(dealer, 2))
    with CaptureQueriesContext(connection) as few:
        sent_together(dealer, rounds_of(dealer, 2))
    with CaptureQueriesContext(connection) as many:
        answers, _ = sent_together(dealer, rounds_of(dealer, 100))
    assert {answer["status"] for answer in answers} == {"applied"}
    assert len(many) == len(few)


def test_a_backlog_longer_than_a_run_is_taken_whole(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    answers, stopped = sent_together(dealer, rounds_of(dealer, intake.LONGEST_RUN // 2 + 10))
    assert stopped is None
    assert [answer["sequence"] for answer in answers] == list(range(1, intake.LONGEST_RUN + 21))
    assert book.standings()[house.link.pk].available["main"] == 10_000_000_000 + 2 * 700_000 * (intake.LONGEST_RUN // 2 + 10)


def test_an_id_used_long_ago_stops_the_array_where_it_stands(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    old = rounds_of(dealer, 1)
    sent_together(dealer, old)
    events = rounds_of(dealer, 3)
    events[4]["id"] = old[0]["id"]
    answers, stopped = sent_together(dealer, events)
    assert [answer["status"] for answer in answers] == ["applied"] * 4
    assert (stopped.at, stopped.refusal.code) == (4, "id-reused")
    assert Controller.objects.get(pk=dealer.controller.pk).next_sequence == 7


def test_a_run_that_the_database_refuses_is_taken_again_one_by_one(house: cast.House, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = runs.begin
    lengths: list[int] = []

    def begin_and_count(**fields: Any) -> Any:
        lengths.append(len(fields["arrived"]))
        return begin(**fields)

    dealer = cast.Dealer(house, "CSP-01")
    old = rounds_of(dealer, 1)
    sent_together(dealer, old)
    events = rounds_of(dealer, 10)
    events[12]["id"] = old[0]["id"]
    monkeypatch.setattr(runs, "begin", begin_and_count)
    answers, stopped = sent_together(dealer, events)
    assert (len(answers), stopped.at, stopped.refusal.code) == (12, 12, "id-reused")
    assert lengths == [20] + [1] * 13


def test_the_same_event_twice_in_one_array_counts_once(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    events = rounds_of(dealer, 1)
    answers, stopped = sent_together(dealer, [events[0], events[0], events[1]])
    assert stopped is None
    assert answers[1] == {"status": "duplicate", "first": answers[0]}
    assert Wager.objects.count() == 2


def test_a_claim_within_an_array_finds_the_contributions_before_it_and_not_those_after(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    events = rounds_of(dealer, 3)
    dealer.sequence = iter(range(7, 100))  # type: ignore[assignment]  # any source of numbers will do
    events.append(dealer.event("lockout", wagers=[{**ONE, "seat": 5}], chips=1))
    events.append(dealer.event("hit", seat=5, wager="progressive", cards=cast.ROYAL, hand="royal-flush"))
    events.append(dealer.event("settle"))
    dealer.round += 1
    events += rounds_of(dealer, 2)
    answers, stopped = sent_together(dealer, events)
    assert stopped is None
    assert {answer["status"] for answer in answers} == {"applied"}
    assert answers[7]["outcome"]["meter_before"] == "10004.900000"
    assert book.standings()[house.link.pk].available["main"] == 10_000_000_000 + 4 * 700_000 + 900_000 - 900_000


def test_a_progressive_discontinued_between_the_reading_and_the_lock_gets_nothing(
    house: cast.House, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = runs.begin
    looks: list[bool] = []

    def discontinue() -> None:
        Progressive.objects.filter(pk=house.solo.pk).update(closed_at=cast.NOW, heir=house.link)

    def begin_and_lose_it(**fields: Any) -> Any:
        # The first try takes the end back with everything else it does; for the tries after it, it has been committed.
        if looks:
            discontinue()
        run = begin(**fields)
        run.courses = run._read_courses()
        discontinue()
        looks.append(fields["is_careful"])
        return run

    monkeypatch.setattr(runs, "begin", begin_and_lose_it)
    dealer = cast.Dealer(house, "CSP-03")
    answers, _ = sent_together(dealer, rounds_of(dealer, 1))
    assert looks[:2] == [False, True]
    assert answers[0]["outcome"]["contributed"] == {"caribbean-link": "1.400000"}
    assert book.standings()[house.solo.pk].available["main"] == 10_000_000_000


def test_a_controller_revoked_while_it_sends_is_stopped_where_it_stands(house: cast.House, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = runs.begin
    begun: list[int] = []

    def begin_and_revoke(**fields: Any) -> Any:
        run = begin(**fields)
        begun.append(len(fields["arrived"]))
        # The second piece of the array finds what the technician did meanwhile.
        controllers.revoke(controller=dealer.controller, person=house.tess, now=cast.NOW)
        return run

    dealer = cast.Dealer(house, "CSP-01")
    monkeypatch.setattr(runs, "begin", begin_and_revoke)
    answers, stopped = sent_together(dealer, rounds_of(dealer, intake.LONGEST_RUN))
    assert (len(answers), begun) == (intake.LONGEST_RUN, [intake.LONGEST_RUN])
    assert (stopped.at, stopped.refusal.code) == (intake.LONGEST_RUN, "token-unknown")


def test_what_the_database_cannot_keep_is_refused_and_the_controller_goes_on(house: cast.House, monkeypatch: pytest.MonkeyPatch) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00"})
    monkeypatch.setattr(claims, "claim", lambda **fields: Wager.objects.filter(amount_micros=1).update(amount_micros=10**20))
    hit = dealer.event("hit", seat=5, wager="progressive", cards=cast.ROYAL, hand="royal-flush")
    answer = dealer.resend(hit)
    assert (answer["status"], answer["code"]) == ("refused", "wrong-field")
    assert dealer.resend(hit) == {"status": "duplicate", "first": answer}
    assert dealer.settle()["status"] == "applied"


def test_a_refused_void_opens_no_round(house: cast.House) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    assert dealer.void(reason="a-bad-mood")["code"] == "unknown-irregularity"
    assert (Round.objects.count(), Terms.objects.count(), Event.objects.count()) == (0, 0, 1)
    assert dealer.lock_out({5: "1.00"})["status"] == "applied"
