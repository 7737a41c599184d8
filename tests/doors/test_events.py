"""POST events/: taken exactly once and in order, and never a dead end."""

import json
from typing import Any

import pytest

from jackpots.ledger import book
from tables.models import Event, Round, Wager
from tests import cast
from tests.doors.conftest import Caller

pytestmark = pytest.mark.django_db


def test_the_next_event_is_applied(controller: Caller) -> None:
    sent = controller.event()
    answer = controller.post(sent)
    assert answer.status_code == 201
    assert answer.json() == {
        "id": sent["id"],
        "sequence": 1,
        "status": "applied",
        "outcome": {"seat": 1, "wager": "progressive", "amount": "1.00"},
    }


def test_the_same_event_again_gets_its_first_answer_byte_for_byte(controller: Caller) -> None:
    sent = controller.event()
    first = controller.post(sent).content
    again = controller.post(dict(reversed(sent.items())))
    assert again.status_code == 200
    assert again.content == b'{"status":"duplicate","first":' + first + b"}"
    assert Wager.objects.count() == 1


def test_a_refused_event_uses_up_its_sequence_and_is_refused_again_alike(controller: Caller) -> None:
    sent = controller.event(amount="2.00")
    refused = controller.post(sent)
    assert refused.status_code == 201
    assert (refused.json()["status"], refused.json()["code"]) == ("refused", "amount-not-offered")
    assert controller.post(sent).json()["first"] == refused.json()
    assert controller.post(controller.event()).json()["status"] == "applied"


def test_a_refused_event_opens_no_round(controller: Caller) -> None:
    controller.post(controller.event(amount="2.00"))
    assert not Round.objects.exists()


def test_the_same_id_with_other_content_is_a_conflict(controller: Caller) -> None:
    sent = controller.event()
    controller.post(sent)
    other = controller.post({**sent, "seat": 2})
    assert (other.status_code, other.json()["code"]) == (409, "id-reused")


def test_an_old_sequence_under_a_new_id_is_a_conflict(controller: Caller) -> None:
    controller.post(controller.event())
    other = controller.post({**controller.event(), "sequence": 1})
    assert (other.status_code, other.json()["code"]) == (409, "sequence-reused")


def test_a_sequence_beyond_the_next_names_the_one_expected(controller: Caller) -> None:
    other = controller.post({**controller.event(), "sequence": 7})
    assert (other.status_code, other.json()["code"], other.json()["expected"]) == (409, "sequence-gap", 1)
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"[]",
        b"7",
        b'"event"',
        b'{"id": "not-a-uuid", "sequence": 1}',
        b'{"id": "019a9555-7d3c-7000-8000-0b7d1f7a9c11"}',
        b'{"id": "019a9555-7d3c-7000-8000-0b7d1f7a9c11", "sequence": 0}',
        b'{"id": "019a9555-7d3c-7000-8000-0b7d1f7a9c11", "sequence": 1.5}',
        b'{"id": "019a9555-7d3c-7000-8000-0b7d1f7a9c11", "sequence": true}',
        b'{"id": "019a9555-7d3c-7000-8000-0b7d1f7a9c11", "sequence": 99999999999999999999}',
        b'{"id": "\xff"}',
    ],
)
def test_what_cannot_be_read_is_not_recorded(controller: Caller, body: bytes) -> None:
    answer = controller.client.generic("POST", "/api/v1/events/", body, content_type="application/json", headers=controller.headers)
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"table": "CSP-02"}, "unknown-table"),
        ({"table": "NOPE"}, "unknown-table"),
        ({"type": "dance"}, "wrong-field"),
        ({"colour": "red"}, "wrong-field"),
        ({"amount": 1}, "wrong-field"),
        ({"amount": "1e0"}, "wrong-field"),
        ({"amount": "-1.00"}, "wrong-field"),
        ({"amount": "1.0000001"}, "wrong-field"),
        ({"at": "yesterday"}, "wrong-field"),
        ({"at": "2026-01-15T20:00:00"}, "wrong-field"),
        ({"seat": 8}, "no-such-seat"),
        ({"seat": 0}, "wrong-field"),
        ({"wager": "five-card-hand-bonus"}, "wager-not-offered"),
        ({"on": "dealer"}, "hand-not-wagered-on"),
        ({"round": -3}, "wrong-field"),
        ({"wager": "nul\x00"}, "wrong-field"),
    ],
)
def test_what_the_rules_do_not_allow_is_refused_with_a_word_and_a_sentence(controller: Caller, change: dict[str, Any], code: str) -> None:
    answer = controller.post({**controller.event(), **change})
    assert answer.status_code == 201
    body = answer.json()
    assert (body["status"], body["code"]) == ("refused", code)
    assert body["detail"].endswith(".")
    assert not Wager.objects.exists()


def test_an_array_is_taken_as_a_prefix(controller: Caller) -> None:
    one, two, three, four = (controller.event(seat=seat) for seat in (1, 9, 2, 3))
    three["sequence"] = 44
    answer = controller.post([one, two, three, four])
    assert answer.status_code == 200
    body = answer.json()
    assert [result["status"] for result in body["results"]] == ["applied", "refused", "stopped", "not-processed"]
    assert (body["results"][2]["code"], body["results"][2]["expected"], body["next_sequence"]) == ("sequence-gap", 3, 3)
    assert body["results"][3]["id"] == four["id"]


def test_an_array_sent_again_is_answered_again(controller: Caller) -> None:
    sent = [controller.event(seat=1), controller.event("lockout", chips=1), controller.event("settle")]
    first = controller.post(sent).json()
    again = controller.post(sent).json()
    assert [result["first"] for result in again["results"]] == first["results"]
    assert again["next_sequence"] == 4


def test_more_than_a_thousand_events_are_too_many(controller: Caller) -> None:
    answer = controller.post([controller.event() for _ in range(1001)])
    assert (answer.status_code, answer.json()["code"]) == (422, "too-many-events")


def test_a_body_that_is_too_large_is_refused(controller: Caller) -> None:
    answer = controller.post(controller.event(note="x" * 2_100_000))
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer lmc_nobody"}, {"Authorization": "Bearer "}, {"Authorization": "Bearer \xff"}]
)
def test_whoever_has_no_good_token_is_asked_who_they_are(controller: Caller, headers: dict[str, str]) -> None:
    answer = controller.client.post("/api/v1/events/", controller.event(), content_type="application/json", headers=headers)
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"


def test_a_person_is_not_a_controller(logged_in: Any, controller: Caller) -> None:
    answer = logged_in("sam").post("/api/v1/events/", controller.event(), content_type="application/json")
    assert answer.status_code == 403


def test_chips_that_differ_contribute_nothing_until_they_agree(house: cast.House, controller: Caller) -> None:
    controller.post(controller.event(seat=1))
    controller.post(controller.event(seat=2))
    differs = controller.post(controller.event("lockout", chips=3)).json()
    assert (differs["outcome"]["count"], differs["outcome"]["expected_chips"]) == ("differs", 2)
    assert "contributed" not in differs["outcome"]
    claimed = controller.event("hit", seat=1, wager="progressive", cards=cast.ROYAL, hand="royal-flush")
    assert controller.post(claimed).json()["outcome"]["reason"] == "count-differs"
    agrees = controller.post(controller.event("lockout", chips=2)).json()
    assert agrees["outcome"]["contributed"] == {"caribbean-link": "1.400000"}
    assert book.standings()[house.link.pk].available["main"] == 10_001_400_000


def test_a_list_at_lock_out_replaces_what_the_lights_said(controller: Caller) -> None:
    controller.post(controller.event(seat=1))
    listed = [{"seat": 2, "wager": "progressive", "amount": "5.00"}]
    outcome = controller.post(controller.event("lockout", chips=1, wagers=listed)).json()["outcome"]
    assert [wager["seat"] for wager in outcome["added"]] == [2]
    assert [wager["seat"] for wager in outcome["withdrawn"]] == [1]
    assert outcome["contributed"] == {"caribbean-link": "3.500000"}


def test_no_wager_after_lock_out(controller: Caller) -> None:
    controller.post(controller.event())
    controller.post(controller.event("lockout", chips=1))
    assert controller.post(controller.event(seat=2)).json()["code"] == "round-locked"


def test_a_round_begins_only_when_the_last_is_over(controller: Caller) -> None:
    controller.post(controller.event())
    assert controller.post(controller.event(round=2)).json()["code"] == "round-in-play"
    assert controller.post(controller.event("settle")).json()["code"] == "round-not-locked"
    controller.post(controller.event("lockout", chips=1))
    controller.post(controller.event("settle"))
    assert controller.post(controller.event(round=2)).json()["status"] == "applied"
    assert controller.post(controller.event(round=1, seat=3)).json()["code"] == "round-settled"


def test_every_event_leaves_one_record(controller: Caller) -> None:
    from audit import journal

    before = len(journal.records(limit=1000))
    controller.post(controller.event())
    controller.post(controller.event(seat=77))
    newest = journal.records(limit=2)
    assert len(journal.records(limit=1000)) == before + 2
    assert [json.loads(record.body)["kind"] for record in newest] == ["event-refused", "event-applied"]


def test_an_id_that_cannot_be_told_back_stops_an_array_like_any_other(controller: Caller) -> None:
    deep: list[object] = []
    for _ in range(900):
        deep = [deep]
    answer = controller.post([controller.event(seat=1), {**controller.event(seat=2), "id": deep}])
    assert answer.status_code == 200
    assert [result["status"] for result in answer.json()["results"]] == ["applied", "stopped"]


def _told(controller: Caller, kind: str, **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = controller.post(controller.event(kind, **fields)).json()
    return answer


def test_a_void_hand_takes_no_more_wagers(controller: Caller) -> None:
    assert _told(controller, "wager", seat=1)["status"] == "applied"
    assert _told(controller, "void", reason="player-miscounted", seats=[1])["status"] == "applied"
    assert _told(controller, "wager", seat=1)["code"] == "hand-void"
    line = {"seat": 1, "wager": "progressive", "amount": "1.00"}
    assert _told(controller, "lockout", wagers=[line], chips=1)["code"] == "hand-void"
    assert _told(controller, "lockout", wagers=[{**line, "seat": 2}], chips=1)["status"] == "applied"


def test_a_slip_of_a_digit_does_not_use_up_a_tables_numbers(controller: Caller) -> None:
    assert _told(controller, "lockout", round=7, wagers=[], chips=0)["status"] == "applied"
    assert _told(controller, "settle", round=7)["status"] == "applied"
    assert _told(controller, "lockout", round=10**15, wagers=[], chips=0)["code"] == "round-too-far"
    assert _told(controller, "lockout", round=10**6 + 7, wagers=[], chips=0)["status"] == "applied"
