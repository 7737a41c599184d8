"""One event each of several controllers, taken in one transaction: nobody can tell it from events sent one by one."""

import dataclasses
import datetime
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import journal
from audit.people import posts
from audit.people.models import Property
from jackpots import intake, links
from jackpots.ledger import book
from jackpots.models import Hit
from tables import controllers, messages
from tables.inbox import Sender
from tables.models import Controller, Event
from tests import cast
from tests.jackpots.test_runs import a_mixed_night, left_behind, rolled_back, without_numbers

pytestmark = pytest.mark.django_db

CSP = ("CSP-01", "CSP-02", "CSP-03")
Sent = dict[str, dict[str, Any]]


@pytest.fixture
def house() -> cast.House:
    return cast.house()


@pytest.fixture
def dealers(house: cast.House) -> dict[str, cast.Dealer]:
    return {name: cast.Dealer(house, name) for name in CSP}


def sender(dealer: cast.Dealer, **fields: Any) -> Sender:
    return Sender(controller_id=dealer.controller.pk, **fields)


def together(dealers: dict[str, cast.Dealer], sent: Sent, **proofs: str) -> dict[str, dict[str, Any]]:
    """The answers of those that were taken, by table."""
    by_sender = {sender(dealers[name], unproven=proofs.get(name)): name for name in sent}
    arrived = {one: messages.arrived(sent[name]) for one, name in by_sender.items()}
    answers = intake.receive_together(sent=arrived, now=cast.NOW)
    return {by_sender[one]: dict(messages.decode(answer.text.encode())) for one, answer in answers.items()}


def lockout(dealer: cast.Dealer, **fields: Any) -> dict[str, Any]:
    listed = [{"seat": seat, "wager": "progressive", "amount": "1.00"} for seat in (1, 5)]
    return dealer.event("lockout", wagers=listed, chips=2, **fields)


def statuses(answers: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: answer["status"] for name, answer in answers.items()}


@pytest.mark.parametrize("seed", range(6))
def test_what_is_taken_together_comes_to_the_same_as_one_by_one(house: cast.House, seed: int) -> None:
    nights = {name: a_mixed_night(cast.Dealer(house, name), seed + place * 100) for place, name in enumerate(CSP)}
    taken_together = 0

    def send_singly(dealers: dict[str, cast.Dealer], sent: Sent) -> dict[str, Any]:
        return {name: dealers[name].resend(event) for name, event in sent.items()}

    def send_together(dealers: dict[str, cast.Dealer], sent: Sent) -> dict[str, Any]:
        nonlocal taken_together
        answers = together(dealers, sent)
        taken_together += len(answers)
        # Whoever is left out goes alone, as the door has it.
        return answers | {name: dealers[name].resend(event) for name, event in sent.items() if name not in answers}

    def play(send: Callable[[dict[str, cast.Dealer], Sent], dict[str, Any]]) -> Any:
        dealers = {name: cast.Dealer(house, name) for name in CSP}
        answers: dict[str, list[Any]] = {name: [] for name in CSP}
        for at in range(len(nights["CSP-01"])):
            for name, answer in send(dealers, {name: events[at] for name, events in nights.items()}).items():
                answers[name].append(answer)
        found = left_behind()
        # Among several, who was written first says nothing.
        found["records"] = sorted(found["records"])
        found["rounds"] = sorted(found["rounds"], key=str)
        found["wagers"] = sorted(found["wagers"], key=str)
        del found["hits"]
        return {name: without_numbers(own) for name, own in answers.items()}, found

    assert rolled_back(lambda: play(send_together)) == rolled_back(lambda: play(send_singly))
    assert taken_together > 60


def test_each_leaves_its_event_its_record_and_its_contributions(house: cast.House, dealers: dict[str, cast.Dealer]) -> None:
    answers = together(dealers, {name: lockout(dealer) for name, dealer in dealers.items()})
    assert statuses(answers) == dict.fromkeys(CSP, "applied")
    # The first two tables are linked; the third has a progressive of its own.
    standings = book.standings()
    assert standings[house.link.pk].available["main"] == 10_000_000_000 + 4 * 700_000
    assert standings[house.solo.pk].available["main"] == 10_000_000_000 + 2 * 700_000
    assert sorted(record.subject for record in journal.records(kind="event-applied")) == [f"controller:CTL-{name}" for name in CSP]
    assert set(Controller.objects.filter(tables__name__in=CSP).values_list("next_sequence", flat=True)) == {2}
    for name, dealer in dealers.items():
        event = Event.objects.select_related("round__table").get(controller=dealer.controller)
        assert event.round is not None
        assert (event.round.table.name, messages.decode(event.answer.encode())) == (name, answers[name])
        assert dealer.settle()["status"] == "applied"


def test_tables_of_two_properties_are_booked_each_at_its_own(house: cast.House, dealers: dict[str, cast.Dealer]) -> None:
    next_door = Property.objects.exclude(pk=house.place.pk).get()
    next_door.gaming_day = house.place.gaming_day + datetime.timedelta(days=1)
    next_door.save()
    posts.appoint(person=house.tess, property=next_door, role="technician", now=cast.NOW, actor=cast.INSTALLER)
    posts.appoint(person=house.anna, property=next_door, role="accounting", now=cast.NOW, actor=cast.INSTALLER)
    neighbour = dataclasses.replace(house, place=next_door)
    cast.set_up(neighbour, "NEXT-01", rule_text=cast.RULE_TEXT, game="caribbean-stud")
    links.link(progressive=house.link, table=house.tables["NEXT-01"], person=house.anna, now=cast.NOW, pin=cast.PIN)
    everybody = {**dealers, "NEXT-01": cast.Dealer(house, "NEXT-01")}
    answers = together(everybody, {name: lockout(everybody[name]) for name in ("CSP-02", "NEXT-01")})
    assert statuses(answers) == {"CSP-02": "applied", "NEXT-01": "applied"}
    days = set(book.Transfer.objects.filter(reason="contribution").values_list("property_id", "gaming_day"))
    assert days == {(house.place.pk, house.place.gaming_day), (next_door.pk, next_door.gaming_day)}


def test_a_no_of_the_rules_is_an_answer_and_holds_nobody_else_up(dealers: dict[str, cast.Dealer]) -> None:
    sent = {name: lockout(dealer) for name, dealer in dealers.items()}
    sent["CSP-02"]["wagers"][0]["seat"] = 8
    answers = together(dealers, sent)
    assert statuses(answers) == {"CSP-01": "applied", "CSP-02": "refused", "CSP-03": "applied"}
    assert answers["CSP-02"]["code"] == "no-such-seat"
    assert dealers["CSP-02"].resend(sent["CSP-02"]) == {"status": "duplicate", "first": answers["CSP-02"]}


def test_who_is_not_next_is_left_out_and_nothing_of_it_is_kept(dealers: dict[str, cast.Dealer]) -> None:
    again = lockout(dealers["CSP-01"])
    dealers["CSP-01"].resend(again)
    gap = lockout(dealers["CSP-02"]) | {"sequence": 7}
    answers = together(dealers, {"CSP-01": again, "CSP-02": gap, "CSP-03": lockout(dealers["CSP-03"])})
    assert statuses(answers) == {"CSP-03": "applied"}
    assert Event.objects.count() == 2


def test_what_needs_a_transaction_of_its_own_is_left_out(dealers: dict[str, cast.Dealer]) -> None:
    dealers["CSP-01"].lock_out({5: "1.00"})
    dealers["CSP-02"].lock_out({5: "1.00"})
    dealers["CSP-02"].hit(5, cast.ROYAL, "royal-flush")
    claim = dealers["CSP-01"].event("hit", seat=5, wager="progressive", cards=cast.QUADS, hand="four-of-a-kind")
    # Its settle pays what was claimed, so it is one too.
    settle = dealers["CSP-02"].event("settle")
    answers = together(dealers, {"CSP-01": claim, "CSP-02": settle, "CSP-03": lockout(dealers["CSP-03"])})
    assert statuses(answers) == {"CSP-03": "applied"}
    assert Hit.objects.count() == 1
    assert dealers["CSP-01"].resend(claim)["status"] == dealers["CSP-02"].resend(settle)["status"] == "applied"


def test_what_the_database_refuses_of_one_is_taken_of_nobody_and_then_of_the_others(dealers: dict[str, cast.Dealer]) -> None:
    old = lockout(dealers["CSP-01"])
    dealers["CSP-01"].resend(old)
    dealers["CSP-01"].settle()
    # Its turn by its sequence, but the id was used: only the unique index knows.
    reused = lockout(dealers["CSP-01"]) | {"id": old["id"]}
    other = lockout(dealers["CSP-02"])
    assert together(dealers, {"CSP-01": reused, "CSP-02": other}) == {}
    assert Event.objects.count() == 2
    assert dealers["CSP-02"].resend(other)["status"] == "applied"


def token_of(house: cast.House, name: str) -> str:
    return controllers.hash_of(house.tokens[name])


def test_a_sender_is_proven_where_its_event_is_taken(house: cast.House, dealers: dict[str, cast.Dealer]) -> None:
    sent = {name: lockout(dealer) for name, dealer in dealers.items()}
    # One with its own token, one with its neighbour's, one with its own that was revoked a moment ago.
    proofs = {"CSP-01": token_of(house, "CSP-01"), "CSP-02": token_of(house, "CSP-01"), "CSP-03": token_of(house, "CSP-03")}
    dealers["CSP-03"].controller.tokens.update(revoked_at=cast.NOW)
    assert statuses(together(dealers, sent, **proofs)) == {"CSP-01": "applied"}
    assert Event.objects.count() == 1


def test_a_revoked_controller_is_left_out_whatever_its_token(house: cast.House, dealers: dict[str, cast.Dealer]) -> None:
    sent = {name: lockout(dealer) for name, dealer in dealers.items()}
    controllers.revoke(controller=dealers["CSP-02"].controller, person=house.tess, now=cast.NOW)
    assert statuses(together(dealers, sent)) == {"CSP-01": "applied", "CSP-03": "applied"}


@pytest.mark.parametrize("ends", ["revoked_at", "expires_at"])
def test_alone_too_a_token_that_has_ended_is_not_known(house: cast.House, dealers: dict[str, cast.Dealer], ends: str) -> None:
    unproven = sender(dealers["CSP-01"], unproven=token_of(house, "CSP-01"))
    dealers["CSP-01"].controller.tokens.update(**{ends: cast.NOW})
    arrived = messages.arrived(lockout(dealers["CSP-01"]))
    with pytest.raises(controllers.TokenUnknown):
        intake.receive(sender=unproven, arrived=arrived, now=cast.NOW)
    with pytest.raises(controllers.TokenUnknown):
        intake.receive_all(sender=unproven, arrived=[arrived], now=cast.NOW)
    assert not Event.objects.exists()


def test_many_are_written_by_as_few_statements_as_two(dealers: dict[str, cast.Dealer]) -> None:
    def settled(names: tuple[str, ...]) -> CaptureQueriesContext:
        with CaptureQueriesContext(connection) as asked:
            answers = together(dealers, {name: lockout(dealers[name]) for name in names})
        assert statuses(answers) == dict.fromkeys(names, "applied")
        for name in names:
            dealers[name].settle()
        return asked

    # Once before it is counted, so that every statement has been planned and every table is known.
    settled(CSP)
    assert len(settled(CSP)) == len(settled(CSP[:2]))
