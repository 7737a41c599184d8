"""The pages from outside: who may come in, what they show, and what they say when the answer is no."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from jackpots import hits, payouts
from jackpots.models import Hit, Payout
from tests import cast

LogIn = Callable[[str], Client]
HTMX = {"HX-Request": "true"}


def claim_royal(house: cast.House) -> str:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00", 1: "1.00"})
    return str(dealer.hit(5, cast.ROYAL, "royal-flush")["hit"])


def decide(client: Client, number: str, **fields: str) -> Any:
    return client.post(f"/floor/hits/{number}/decide/", fields, headers=HTMX)


def seen_in(body: bytes) -> str:
    found = re.search(rb"seen=([0-9a-f]+)", body)
    assert found
    return found[1].decode()


@pytest.mark.parametrize(
    ("path", "insiders"),
    [
        ("/floor/", {"sam", "shirin", "flo", "anna", "otto"}),
        ("/floor/meters/", {"sam", "shirin", "flo", "anna", "otto", "carla", "tess"}),
        ("/cage/", {"carla", "anna", "otto"}),
        ("/technician/controllers/", {"tess", "otto"}),
        ("/technician/controllers/CTL-CSP-01/", {"tess", "otto"}),
    ],
)
def test_each_console_opens_to_its_own_people(house: cast.House, logged_in: LogIn, path: str, insiders: set[str]) -> None:
    let_in = {name for name in cast.ROLES if logged_in(name).get(path).status_code == 200}
    assert let_in == insiders
    assert Client().get(path).headers["Location"] == f"/login/?next={path}"


def test_a_part_of_a_page_sends_the_whole_page_to_the_login(house: cast.House) -> None:
    answer = Client().get("/floor/queue/", headers=HTMX)
    assert answer.headers["HX-Redirect"] == "/login/"


@pytest.mark.parametrize(("name", "door"), [("sam", "/floor/"), ("carla", "/cage/"), ("tess", "/technician/controllers/")])
def test_the_front_door_takes_people_to_their_work(house: cast.House, logged_in: LogIn, name: str, door: str) -> None:
    assert logged_in(name).get("/").headers["Location"] == door


def test_logging_in_and_out(house: cast.House) -> None:
    client = Client()
    wrong = client.post("/login/", {"username": "sam", "password": "guess"})
    assert b"do not go together" in wrong.content
    right = client.post("/login/", {"username": "sam", "password": "sam"})
    assert right.headers["Location"] == "/"
    client.post("/logout/")
    assert client.get("/floor/").status_code == 302


def test_signs_are_open_to_all(house: cast.House) -> None:
    assert b"Caribbean-Solo" in Client().get("/sign/").content
    assert b'data-sign="caribbean-link"' in Client().get("/sign/caribbean-link/").content
    assert Client().get("/sign/no-such/").status_code == 404


@pytest.mark.parametrize("path", ["/", "/login/", "/sign/", "/sign/caribbean-link/", "/nowhere/"])
def test_no_page_carries_script_or_style_of_its_own(house: cast.House, path: str) -> None:
    """The content security policy would refuse them; the browser tests see that it does."""
    body = Client().get(path).content
    assert re.findall(rb"<script(?![^>]*\bsrc=)[^>]*>|<style|\bstyle=|\bon[a-z]+=\"", body) == []


def test_a_pending_hit_is_shown_with_the_reason_for_its_amount(house: cast.House, logged_in: LogIn) -> None:
    number = claim_royal(house)
    page = logged_in("sam").get("/floor/").content.decode()
    assert number in page
    for told in ("$10,001.40", "$10,001.400000", "100% of meter", "pay table D", "+ $10,000.000000", "Seat 1 <strong>$1,000.00"):
        assert told in page, told
    assert 'aria-label="ace of spades"' in page
    assert "The cards stay on the table" in page


def test_a_wrong_pin_is_said_in_place_and_changes_nothing(house: cast.House, logged_in: LogIn) -> None:
    number = claim_royal(house)
    answer = decide(logged_in("sam"), number, act="approve", award="10001.40", pin="9999")
    assert answer.status_code == 403
    assert "That is not your PIN." in answer.content.decode()
    assert hits.get(number).state == Hit.State.PENDING


def test_an_award_other_than_the_one_seen_is_not_signed(house: cast.House, logged_in: LogIn) -> None:
    number = claim_royal(house)
    answer = decide(logged_in("sam"), number, act="approve", award="9999.99", pin=cast.PIN)
    assert answer.status_code == 409
    assert "look again before signing" in answer.content.decode()


def test_approving_shows_the_hit_as_approved(house: cast.House, logged_in: LogIn) -> None:
    number = claim_royal(house)
    answer = decide(logged_in("sam"), number, act="approve", award="10001.40", pin=cast.PIN)
    assert answer.status_code == 200
    assert hits.get(number).state == Hit.State.APPROVED
    assert '<li class="is-signed">Sam</li>' in answer.content.decode()
    assert 'name="pin"' not in answer.content.decode()


@pytest.mark.parametrize(("act", "state"), [("hold", Hit.State.HELD), ("reject", Hit.State.REJECTED)])
def test_holding_and_rejecting_want_a_reason(house: cast.House, logged_in: LogIn, act: str, state: Hit.State) -> None:
    number = claim_royal(house)
    client = logged_in("sam")
    answer = decide(client, number, act=act, pin=cast.PIN, reason=" ")
    assert (answer.status_code, "Say why" in answer.content.decode()) == (422, True)
    assert decide(client, number, act=act, pin=cast.PIN, reason="surveillance is looking").status_code == 200
    assert hits.get(number).state == state


def test_an_act_nobody_knows_is_refused(house: cast.House, logged_in: LogIn) -> None:
    assert decide(logged_in("sam"), claim_royal(house), act="bless", pin=cast.PIN).status_code == 422


@pytest.mark.parametrize(("name", "told"), [("flo", "supervisor or shift supervisor"), ("otto", "This needs the signature")])
def test_who_cannot_sign_is_told_why_and_gets_no_form(house: cast.House, logged_in: LogIn, name: str, told: str) -> None:
    number = claim_royal(house)
    client = logged_in(name)
    page = client.get(f"/floor/hits/{number}/").content.decode()
    assert told in page
    assert 'name="pin"' not in page
    assert decide(client, number, act="approve", award="10001.40", pin=cast.PIN).status_code == 403


def test_a_supervisor_of_another_house_does_not_see_the_hit(house: cast.House, logged_in: LogIn) -> None:
    number = claim_royal(house)
    client = logged_in("zoe")
    assert number not in client.get("/floor/").content.decode()
    assert client.get(f"/floor/hits/{number}/").status_code == 404
    assert decide(client, number, act="approve", award="10001.40", pin=cast.PIN).status_code == 404


def test_without_script_the_whole_page_answers(house: cast.House, logged_in: LogIn) -> None:
    number = claim_royal(house)
    fields = {"act": "approve", "award": "10001.40", "pin": "9999"}
    page = logged_in("sam").post(f"/floor/hits/{number}/decide/", fields).content.decode()
    assert "<!doctype html>" in page
    assert "That is not your PIN." in page


def test_the_queue_is_sent_again_only_when_it_changed(house: cast.House, logged_in: LogIn) -> None:
    client = logged_in("sam")
    seen = seen_in(client.get("/floor/queue/").content)
    assert client.get("/floor/queue/", {"seen": seen}).status_code == 204
    number = claim_royal(house)
    assert number in client.get("/floor/queue/", {"seen": seen}).content.decode()


def test_a_hit_that_changed_under_the_eyes_says_so(house: cast.House, logged_in: LogIn) -> None:
    number = claim_royal(house)
    client = logged_in("sam")
    panel = f"/floor/hits/{number}/panel/"
    seen = seen_in(client.get(panel).content)
    assert client.get(panel, {"seen": seen}).status_code == 204
    hits.hold(number=number, person=house.shirin, pin=cast.PIN, reason="the cut card is missing", now=cast.NOW)
    assert "This hit has changed" in client.get(panel, {"seen": seen}).content.decode()


def test_a_refused_claim_says_why_in_words(house: cast.House, logged_in: LogIn) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00"})
    number = dealer.hit(5, cast.NOTHING, "royal-flush")["hit"]
    assert "the cards are not the hand that was claimed" in logged_in("sam").get(f"/floor/hits/{number}/").content.decode()


def due_payout(house: cast.House) -> str:
    number = claim_royal(house)
    hits.approve(number=number, person=house.sam, pin=cast.PIN, award="10001.40", now=cast.NOW)
    payouts.make_due(now=cast.NOW)
    return Payout.objects.get(award__kind="jackpot").number


def test_an_approved_award_waits_at_the_cage_before_its_payout_is_made(house: cast.House, logged_in: LogIn) -> None:
    number = claim_royal(house)
    hits.approve(number=number, person=house.sam, pin=cast.PIN, award="10001.40", now=cast.NOW)
    assert "1 approved award waits" in logged_in("carla").get("/cage/").content.decode()


def test_the_cashier_pays_with_a_pin(house: cast.House, logged_in: LogIn) -> None:
    number = due_payout(house)
    client = logged_in("carla")
    assert "Mark $10,001.40 paid" in client.get("/cage/").content.decode()
    wrong = client.post(f"/cage/payouts/{number}/paid/", {"pin": "1"}, headers=HTMX)
    assert (wrong.status_code, "That is not your PIN." in wrong.content.decode()) == (403, True)
    assert payouts.get(number).state == Payout.State.DUE
    right = client.post(f"/cage/payouts/{number}/paid/", {"pin": cast.PIN}, headers=HTMX)
    assert right.status_code == 200
    assert payouts.get(number).state == Payout.State.PAID
    again = client.post(f"/cage/payouts/{number}/paid/", {"pin": cast.PIN}, headers=HTMX)
    assert again.status_code == 409


def test_who_only_looks_at_the_cage_cannot_pay(house: cast.House, logged_in: LogIn) -> None:
    number = due_payout(house)
    client = logged_in("otto")
    assert 'name="pin"' not in client.get("/cage/").content.decode()
    assert client.post(f"/cage/payouts/{number}/paid/", {"pin": cast.PIN}).status_code == 403
    assert payouts.get(number).state == Payout.State.DUE


def test_the_list_of_payouts_is_sent_again_only_when_it_changed(house: cast.House, logged_in: LogIn) -> None:
    client = logged_in("carla")
    seen = seen_in(client.get("/cage/due/").content)
    assert client.get("/cage/due/", {"seen": seen}).status_code == 204
    number = due_payout(house)
    assert number in client.get("/cage/due/", {"seen": seen}).content.decode()


def test_the_slip_opens_for_the_cashier_and_not_next_door(house: cast.House, logged_in: LogIn) -> None:
    number = due_payout(house)
    slip = logged_in("carla").get(f"/api/v1/payouts/{number}/slip.pdf")
    assert (slip.headers["Content-Type"], slip.content[:5]) == ("application/pdf", b"%PDF-")
    assert logged_in("zoe").get(f"/api/v1/payouts/{number}/slip.pdf").status_code == 404
