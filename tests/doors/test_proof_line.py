"""The proof line from outside, as API and as page: the sum, its lines opened down to events, the verdict, and who may look."""

import datetime
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jackpots import hits, proofline
from jackpots.ledger import book
from jackpots.models import Hit
from jackpots.rules import money
from tests import cast

LogIn = Callable[[str], Client]
API = "/api/v1/progressives/caribbean-link/proof-line/"
PAGE = "/accounting/progressives/caribbean-link/"
EVERYBODY = {*cast.ROLES, "zoe", "dan", "ada"}
MINUTE = datetime.timedelta(minutes=1)


@pytest.fixture
def house(house: cast.House) -> cast.House:
    house.people["dan"] = cast.person("dan", place=house.place, role="dealer")
    house.people["ada"] = cast.person("ada", place=house.place, role="administrator")
    return house


@pytest.fixture
def night(house: cast.House) -> list[str]:
    """Contributions, a void, a 10 % hit that is rejected, a royal that stands, contributions; a minute apart. Gives the hits' numbers."""
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({1: "1.00", 2: "5.00"})
    dealer.settle()
    dealer.now += MINUTE
    dealer.lock_out({3: "5.00"})
    dealer.void()
    dealer.round += 1
    dealer.now += MINUTE
    dealer.lock_out({5: "1.00"})
    flush = dealer.hit(5, cast.STRAIGHT_FLUSH, "straight-flush")
    hits.reject(number=flush["hit"], person=house.sam, pin=cast.PIN, reason="a card too many", now=dealer.now)
    dealer.settle()
    dealer.now += MINUTE
    dealer.lock_out({4: "1.00"})
    royal = dealer.hit(4, cast.ROYAL, "royal-flush")
    dealer.settle()
    dealer.now += MINUTE
    dealer.lock_out({1: "1.00"})
    return [flush["hit"], royal["hit"]]


def ask(client: Client, **asked: Any) -> Any:
    return client.get(API, asked)


def amounts(told: dict[str, Any]) -> dict[str, str]:
    return {line["line"]: line["amount"] for line in told["lines"]}


def adds_up(told: dict[str, Any]) -> bool:
    """By hand, from the strings alone."""
    begun = told["since"]["stood_at"] if told["since"] else "0.000000"
    return sum(_micros(one) for one in [begun, *amounts(told).values()]) == _micros(told["balance"])


def _micros(text: str) -> int:
    return -money.parse(text[1:]) if text.startswith("-") else money.parse(text)


def test_the_sum_of_a_night(house: cast.House, night: list[str], logged_in: LogIn) -> None:
    told = ask(logged_in("anna")).json()
    assert amounts(told) == {
        "opening": "10000.000000",
        # 0.70 + 3.50, the void's 3.50 in and out, then three times 0.70.
        "contributions": "6.300000",
        "funding": "10000.000000",
        "awards": "-10005.600000",
        "moves": "0.000000",
    }
    assert told["balance"] == told["stored"] == "10000.700000" and told["verdict"] == "agrees"
    assert adds_up(told)
    parts = {part["reason"]: (part["amount"], part["count"]) for line in told["lines"] for part in line["parts"]}
    assert parts["contribution"] == ("9.800000", 6) and parts["void"] == ("-3.500000", 1)
    assert parts["rejection"][1] == 1 and parts["award"][1] == 2


def test_any_past_moment(house: cast.House, night: list[str], logged_in: LogIn) -> None:
    balances = []
    for minutes in (-1, 0, 1, 2, 3, 4):
        told = ask(logged_in("anna"), at=(cast.NOW + minutes * MINUTE).isoformat()).json()
        assert adds_up(told) and told["verdict"] is None and told["stored"] is None
        balances.append(told["balance"])
    assert balances == ["0.000000", "10004.200000", "10004.200000", "10004.900000", "10000.000000", "10000.700000"]


def test_how_the_amount_was_reached_since_it_was_won(house: cast.House, night: list[str], logged_in: LogIn) -> None:
    told = ask(logged_in("anna"), since="last-hit").json()
    assert told["since"]["hit"] == night[1]
    assert (told["since"]["stood_at"], told["since"]["award"]) == ("10005.600000", "10005.60")
    assert amounts(told) == {
        "opening": "0.000000",
        "contributions": "0.700000",
        "funding": "10000.000000",
        "awards": "-10005.600000",
        "moves": "0.000000",
    }
    assert adds_up(told) and told["verdict"] == "agrees"


def test_how_a_hits_amount_was_reached(house: cast.House, night: list[str], logged_in: LogIn) -> None:
    """From the opening, for nobody had won the whole meter before; the rejected claim is in it and out of it."""
    told = ask(logged_in("anna"), hit=night[1], since="last-hit").json()
    assert told["since"] is None and told["up_to_hit"] == night[1]
    assert told["balance"] == "10005.600000" and adds_up(told) and told["verdict"] is None
    assert Hit.objects.get(pk=int(night[1][2:])).meter_before_micros == _micros(told["balance"])


def test_a_line_opens_down_to_its_events(house: cast.House, night: list[str], logged_in: LogIn) -> None:
    first = ask(logged_in("anna"), line="contributions", limit=4).json()["opened"]
    second = ask(logged_in("anna"), line="contributions", limit=4, before=first["next_before"]).json()["opened"]
    assert (len(first["transfers"]), len(second["transfers"]), second["next_before"]) == (4, 3, None)
    shown = [*first["transfers"], *second["transfers"]]
    assert sum(_micros(one["amount"]) for one in shown) == _micros("6.300000")
    assert [one["transfer"] for one in shown] == sorted((one["transfer"] for one in shown), reverse=True)
    assert {one["event"]["type"] for one in shown} == {"lockout", "void"}
    assert {(one["from"], one["to"]) for one in shown} == {("players", "main"), ("main", "players")}
    void = next(one for one in shown if one["reason"] == "void")
    assert void["reverses"] in {one["transfer"] for one in shown} and void["seat"] == 3 and void["table"] == "CSP-01"


def test_awards_open_down_to_claims_and_signatures(house: cast.House, night: list[str], logged_in: LogIn) -> None:
    shown = ask(logged_in("anna"), line="awards").json()["opened"]["transfers"]
    causes = {one["reason"]: one["event"]["type"] if one["event"] else one["signature"]["person"] for one in shown}
    assert causes == {"award": "hit", "rejection": "Sam"}
    opening = ask(logged_in("anna"), line="opening").json()["opened"]["transfers"]
    assert [(one["signature"]["person"], one["signature"]["act"]) for one in opening] == [("Piet", "approve-configuration")]


def test_every_line_of_every_meter_is_the_sum_of_its_transfers(house: cast.House, night: list[str], logged_in: LogIn) -> None:
    for meter in proofline.METERS:
        told = ask(logged_in("anna"), meter=meter).json()
        assert adds_up(told) and told["verdict"] == "agrees", meter
        for line in told["lines"]:
            opened = ask(logged_in("anna"), meter=meter, line=line["line"], limit=500).json()["opened"]["transfers"]
            assert len(opened) == line["count"]
            assert sum(_micros(one["amount"]) for one in opened) == _micros(line["amount"])


def test_an_approved_award_takes_nothing_twice(house: cast.House, night: list[str], logged_in: LogIn) -> None:
    before = ask(logged_in("anna")).json()
    hits.approve(number=night[1], person=house.sam, pin=cast.PIN, award="10005.60", now=cast.NOW + 5 * MINUTE)
    after = ask(logged_in("anna")).json()
    assert after["lines"] == before["lines"] and after["verdict"] == "agrees"


def test_a_balance_that_is_not_the_fold_differs(house: cast.House, night: list[str]) -> None:
    """What the ledger keeps is compared, not copied: a balance off by a cent is seen."""
    question = proofline.Question(progressive=house.link)
    proof = proofline.prove(question=question, now=cast.NOW + 5 * MINUTE)
    assert proof.stored_micros == book.standings()[house.link.pk].available[book.MAIN]
    spoilt = proofline.Proof(
        question=question,
        since=None,
        forward_micros=proof.forward_micros,
        lines=proof.lines,
        stored_micros=proof.balance_micros + money.CENT,
    )
    assert (proof.verdict, spoilt.verdict) == ("agrees", "differs")


def test_it_agrees_with_folded_and_unfolded_transfers_alike(house: cast.House, night: list[str]) -> None:
    now = cast.NOW + 5 * MINUTE
    unfolded = proofline.prove(question=proofline.Question(progressive=house.link), now=now)
    with book.locked(progressive_ids=[house.link.pk], mode=book.Mode.EXCLUSIVE) as ledger:
        ledger.fold(house.link.pk)
    folded = proofline.prove(question=proofline.Question(progressive=house.link), now=now)
    assert folded == unfolded and folded.verdict == "agrees"


def test_one_statement_adds_up_whatever_the_number_of_transfers(house: cast.House, night: list[str]) -> None:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        proofline.prove(question=proofline.Question(progressive=house.link), now=cast.NOW + 5 * MINUTE)
    assert len([one for one in asked.captured_queries if "ledger_transfer" in one["sql"]]) == 1


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"meter": "third"}, 422, "invalid"),
        ({"at": "yesterday"}, 422, "invalid"),
        ({"line": "tips"}, 422, "invalid"),
        ({"since": "forever"}, 422, "invalid"),
        ({"before": "0"}, 422, "invalid"),
        ({"limit": "501"}, 422, "invalid"),
        ({"colour": "red"}, 422, "invalid"),
        ({"hit": "H-999999"}, 404, "not-on-this-meter"),
        ({"hit": "nonsense"}, 404, "not-on-this-meter"),
    ],
)
def test_what_cannot_be_asked(house: cast.House, logged_in: LogIn, asked: dict[str, str], status: int, code: str) -> None:
    answer = ask(logged_in("anna"), **asked)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_hit_of_another_progressive_is_not_on_this_meter(house: cast.House, logged_in: LogIn) -> None:
    dealer = cast.Dealer(house, "CSP-03")
    dealer.lock_out({4: "1.00"})
    royal = dealer.hit(4, cast.ROYAL, "royal-flush")
    assert ask(logged_in("anna"), hit=royal["hit"]).json()["code"] == "not-on-this-meter"


def test_what_is_not_open_has_no_proof_line(house: cast.House, logged_in: LogIn) -> None:
    made = {"progressive": "paper", "name": "Paper", "property": "harborlight", "rule_text": cast.RULE_TEXT}
    made |= {"game": "caribbean-stud", "wager": "progressive"}
    assert logged_in("anna").post("/api/v1/progressives/", made, content_type="application/json").status_code == 201
    answer = logged_in("anna").get("/api/v1/progressives/paper/proof-line/")
    assert (answer.status_code, answer.json()["code"]) == (404, "not-yet-open")


def test_who_may_look(house: cast.House, logged_in: LogIn) -> None:
    readers = {"sam", "shirin", "anna", "piet", "otto"}
    assert {name for name in EVERYBODY if ask(logged_in(name)).status_code == 200} == readers
    assert {name for name in EVERYBODY if logged_in(name).get(PAGE).status_code == 200} == readers
    assert ask(logged_in("zoe")).status_code == 404 and logged_in("zoe").get(PAGE).status_code == 404
    assert logged_in("dan").get(PAGE).status_code == 403
    assert ask(Client()).status_code == 401
    assert Client().get(PAGE).headers["Location"] == f"/login/?next={PAGE}"


def test_the_page_adds_up_and_opens(house: cast.House, night: list[str], logged_in: LogIn) -> None:
    client = logged_in("otto")
    body = client.get(PAGE).content.decode()
    assert 'data-verdict="agrees"' in body and "$10,000.700000" in body and "\u2212$10,005.600000" in body
    way = re.search(r'href="(\?[^"]*line=contributions[^"]*)#transfers"', body)
    assert way
    opened = client.get(PAGE + way[1].replace("&amp;", "&")).content.decode()
    assert "lockout, CTL-CSP-01 no. 1" in opened and "void, CTL-CSP-01" in opened
    assert "Piet: approve-configuration" in client.get(f"{PAGE}?line=opening").content.decode()


def test_the_page_tells_of_the_last_win_and_of_a_hit(house: cast.House, night: list[str], logged_in: LogIn) -> None:
    client = logged_in("otto")
    assert f"Stood at the claim of {night[1]}" in client.get(f"{PAGE}?since=last-hit").content.decode()
    told = client.get(f"{PAGE}?since=last-hit&hit={night[1]}").content.decode()
    assert "has not been won yet" in told and f"Up to the claim of {night[1]}" in told


def test_the_page_takes_a_moment_in_the_propertys_own_time(house: cast.House, night: list[str], logged_in: LogIn) -> None:
    """20:02 in UTC is 15:02 in New York."""
    told = logged_in("otto").get(f"{PAGE}?at=2026-01-15T15:02").content.decode()
    assert "$10,004.900000" in told and "2026-01-15 15:02:00" in told and "data-verdict" not in told


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        ("at=soon", 422, "not a moment"),
        ("at=2026-13-01T00:00", 422, "not a moment"),
        ("meter=third", 422, "There is no meter third"),
        ("line=tips", 422, "There is no line tips"),
        ("hit=H-999999", 404, "No hit H-999999"),
    ],
)
def test_the_page_says_no_in_place(house: cast.House, logged_in: LogIn, asked: str, status: int, said: str) -> None:
    answer = logged_in("otto").get(f"{PAGE}?{asked}")
    assert answer.status_code == status and said in answer.content.decode()


def test_the_page_pages_through_older_transfers(house: cast.House, logged_in: LogIn) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    for _ in range(8):
        dealer.lock_out({seat: "1.00" for seat in range(1, 8)})
        dealer.settle()
    client = logged_in("otto")
    body = client.get(f"{PAGE}?line=contributions").content.decode()
    way = re.search(r'href="(\?[^"]*before=\d+[^"]*)#transfers">Older', body)
    assert way
    older = client.get(PAGE + way[1].replace("&amp;", "&")).content.decode()
    assert older.count("lockout, CTL-CSP-01") == 6 and "Older ones" not in older


def test_the_list_leads_to_each(house: cast.House, logged_in: LogIn) -> None:
    body = logged_in("anna").get("/accounting/progressives/").content.decode()
    assert PAGE in body and "/accounting/progressives/caribbean-solo/" in body
    assert logged_in("tess").get("/accounting/progressives/").status_code == 403
