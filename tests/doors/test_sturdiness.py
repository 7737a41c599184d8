"""Odd times, broken brokers, bodies nobody can read: answered, and nothing gets stuck."""

from typing import Any

import celery
import pytest
from django.test import Client

from jackpots import configurations, nudges
from jackpots.rules import book as rules_book
from tables.models import Controller
from tests import cast
from tests.doors.conftest import Caller

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1999-12-31T23:59:59Z"])
def test_a_time_no_table_was_dealt_at_is_refused_and_the_controller_goes_on(controller: Caller, at: str) -> None:
    refused = controller.post(controller.event(at=at))
    assert (refused.status_code, refused.json()["code"]) == (201, "wrong-field")
    assert controller.post(controller.event()).json()["status"] == "applied"


@pytest.mark.parametrize("clock", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"])
def test_an_absurd_clock_is_refused_and_spoils_nothing(house: cast.House, controller: Caller, clock: str) -> None:
    answer = controller.client.post(
        "/api/v1/controllers/me/heartbeat/", {"clock": clock}, content_type="application/json", headers=controller.headers
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "clock-absurd")
    assert Controller.objects.get(pk=house.controllers["CSP-01"].pk).skew_ms == 0
    assert controller.post(controller.event()).json()["status"] == "applied"


def test_the_last_round_number_there_is_cannot_be_used_up(controller: Caller) -> None:
    assert controller.post(controller.event(round=2**63 - 1)).json()["code"] == "wrong-field"


def test_a_body_without_a_length_is_asked_for_one(controller: Caller) -> None:
    request = {"REQUEST_METHOD": "POST", "PATH_INFO": "/api/v1/events/", "HTTP_TRANSFER_ENCODING": "chunked"}
    answer = controller.client.request(**request, HTTP_AUTHORIZATION=controller.headers["Authorization"])
    assert (answer.status_code, answer.json()["code"]) == (422, "unreadable")
    assert "Content-Length" in answer.json()["detail"]


@pytest.fixture
def refusing_broker(broker: str) -> Any:
    """The real broker, which turns our password away."""
    app: Any = celery.current_app
    told = app.conf.broker_url

    def speak_to(address: str) -> None:
        app.conf.broker_url = app.conf.broker_write_url = address
        # Both pools remember the address they were made with; they are made anew when next asked for.
        app._pool = app.amqp._producer_pool = None

    speak_to(broker.replace("redis+socket://:", "redis+socket://:wrong"))
    yield
    speak_to(told)


def test_a_broker_that_refuses_us_is_no_reason_to_fail(refusing_broker: None) -> None:
    nudges.nudge(nudges.PAYOUTS)


def test_a_broker_that_refuses_us_makes_the_service_degraded_not_down(refusing_broker: None) -> None:
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["status"], answer.json()["broker"]) == (200, "degraded", "silent")


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"\\ud800": 1, "pin": "1", "award": "1"}', b"{"])
def test_what_people_send_is_read_or_refused(logged_in: Any, body: bytes) -> None:
    answer = logged_in("sam").generic("POST", "/api/v1/hits/H-000001/approve/", body, content_type="application/json")
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("fields", [{"pin": 2468, "award": "1.00"}, {"pin": "2468", "award": 1.00}])
def test_a_number_is_neither_money_nor_a_pin(logged_in: Any, fields: dict[str, Any]) -> None:
    answer = logged_in("sam").post("/api/v1/hits/H-000001/approve/", fields, content_type="application/json")
    assert answer.status_code == 422


def test_one_lost_pay_table_silences_no_other_sign(house: cast.House, controller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    real = configurations.pay_table_named

    def changed(progressive: Any, name: str) -> rules_book.PayTable:
        table = real(progressive, name)
        if progressive.slug != "caribbean-link":
            return table
        object.__setattr__(table, "digest", "changed")
        return table

    digest = real(house.link, "D").digest
    monkeypatch.setattr(configurations, "pay_table_named", changed)
    try:
        shown = {one["progressive"]: one for one in Client().get("/api/v1/meters/").json()}
        assert (shown["caribbean-link"]["amount"], shown["caribbean-link"]["pays"]) == ("10000.00", [])
        assert shown["caribbean-solo"]["pays"]
        asked_again = controller.post(controller.event())
        assert (asked_again.status_code, asked_again.json()["retryable"]) == (503, True)
    finally:
        object.__setattr__(real(house.link, "D"), "digest", digest)
