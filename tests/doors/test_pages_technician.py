"""The technician's pages from outside: what they show, what they do, and to whom they say no."""

import datetime
import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tables import controllers, tasks, watching
from tables.counts import Tally
from tables.models import Controller
from tests import cast

LogIn = Callable[[str], Client]
NAME = "CTL-CSP-01"
LIST = "/technician/controllers/"
PAGE = f"{LIST}{NAME}/"
HTMX = {"HX-Request": "true"}
TOKEN = re.compile(r"lmc_[A-Za-z0-9_-]{43}")


def act(client: Client, kind: str, *, pin: str = cast.PIN, **fields: Any) -> Any:
    return client.post(f"{PAGE}act/", {"act": kind, "pin": pin, **fields})


def text_of(answer: Any) -> str:
    return html.unescape(answer.content.decode())


def fall_silent() -> None:
    Controller.objects.filter(name=NAME).update(last_seen_at=timezone.now() - datetime.timedelta(minutes=5))
    assert tasks.watch() == 1


def test_pairing_shows_the_token_once_with_a_line_to_try_it(house: cast.House, logged_in: LogIn) -> None:
    tess = logged_in("tess")
    told = {"controller": "SPARE-1", "property": "harborlight", "tables": ["CSP-02", "CSP-03"], "pin": cast.PIN}
    answer = tess.post(LIST, told)
    token = TOKEN.findall(text_of(answer))[0]
    assert f'curl -H "Authorization: Bearer {token}" http://testserver/api/v1/controllers/me/' in text_of(answer)
    assert answer["Cache-Control"] == "no-store"
    found = controllers.of_token(token, now=timezone.now())
    assert found is not None and sorted(found.tables.values_list("name", flat=True)) == ["CSP-02", "CSP-03"]
    assert token not in text_of(tess.get(f"{LIST}SPARE-1/")) + text_of(tess.get(LIST))


def test_what_cannot_be_paired_is_said_beside_what_was_typed(house: cast.House, logged_in: LogIn) -> None:
    answer = logged_in("tess").post(LIST, {"controller": NAME, "property": "harborlight", "tables": ["CSP-02"], "pin": cast.PIN})
    assert answer.status_code == 409
    assert "There is a controller CTL-CSP-01 already" in text_of(answer)
    assert f'value="{NAME}"' in text_of(answer)


def test_moving_rotating_and_the_rate_are_a_form_each(house: cast.House, logged_in: LogIn) -> None:
    tess = logged_in("tess")
    assert "It speaks for CSP-02 from now on." in text_of(act(tess, "move", tables=["CSP-02"]))
    rotated = act(tess, "rotate", overlap="900")
    assert len(set(TOKEN.findall(text_of(rotated)))) == 1 and rotated["Cache-Control"] == "no-store"
    assert "It may call 9 times a second." in text_of(act(tess, "rate", rate="9"))
    assert "It follows the site's rate." in text_of(act(tess, "rate", rate=""))


def test_passing_over_names_the_sequence_that_was_seen(house: cast.House, logged_in: LogIn) -> None:
    tess = logged_in("tess")
    assert "the next is 2" in text_of(act(tess, "pass-over", sequence="1", reason="its disk is lost"))
    again = act(tess, "pass-over", sequence="1", reason="its disk is lost")
    assert (again.status_code, "look again before you pass it over" in text_of(again)) == (409, True)
    assert Controller.objects.get(name=NAME).next_sequence == 2


def test_a_revoked_controller_offers_nothing_more_to_do(house: cast.House, logged_in: LogIn) -> None:
    tess = logged_in("tess")
    assert "What you can do" in text_of(tess.get(PAGE))
    answer = text_of(act(tess, "revoke"))
    assert "None of its tokens works any more." in answer and "What you can do" not in answer


@pytest.mark.parametrize(
    ("kind", "fields", "status"),
    [
        ("revoke", {"pin": "0000"}, 403),
        ("move", {}, 422),
        ("move", {"tables": ["CSP-99"]}, 404),
        ("rotate", {"overlap": "soon"}, 422),
        ("rotate", {"overlap": "99999999"}, 422),
        ("rate", {"rate": "0"}, 422),
        ("pass-over", {"sequence": "1", "reason": ""}, 422),
        ("explode", {}, 422),
    ],
)
def test_a_no_is_said_on_the_page(house: cast.House, logged_in: LogIn, kind: str, fields: dict[str, Any], status: int) -> None:
    answer = act(logged_in("tess"), kind, **fields)
    assert (answer.status_code, 'role="alert"' in text_of(answer)) == (status, True)


def test_the_auditor_looks_and_does_not_touch(house: cast.House, logged_in: LogIn) -> None:
    otto = logged_in("otto")
    assert "What you can do" not in text_of(otto.get(PAGE))
    assert "Pair a controller" not in text_of(otto.get(LIST))
    assert act(otto, "revoke").status_code == 403
    assert otto.post(LIST, {"controller": "X", "property": "harborlight", "tables": ["CSP-01"], "pin": cast.PIN}).status_code == 403
    assert Controller.objects.get(name=NAME).revoked_at is None


@pytest.mark.parametrize("name", ["sam", "shirin", "flo", "carla", "anna", "piet", "zoe"])
def test_everybody_else_is_kept_out(house: cast.House, logged_in: LogIn, name: str) -> None:
    client = logged_in(name)
    assert [client.get(LIST).status_code, client.get(PAGE).status_code, act(client, "revoke").status_code] == [403, 403, 403]
    assert Controller.objects.get(name=NAME).revoked_at is None


def test_the_neighbours_technician_does_not_find_it(house: cast.House) -> None:
    theo = cast.person("theo", place=house.zoe.appointments.get().property, role="technician")
    client = Client()
    client.force_login(theo)
    assert NAME not in text_of(client.get(LIST))
    assert [client.get(PAGE).status_code, act(client, "revoke").status_code] == [404, 404]


def test_silence_is_shown_to_the_technician_and_on_the_floor_until_it_ends(house: cast.House, logged_in: LogIn) -> None:
    fall_silent()
    sentence = "CTL-CSP-01, at CSP-01, has not been heard since"
    pages = [("tess", LIST), ("tess", PAGE), ("sam", "/floor/")]
    assert all(sentence in text_of(logged_in(name).get(path)) for name, path in pages)
    assert sentence not in text_of(logged_in("zoe").get("/floor/"))
    Controller.objects.filter(name=NAME).update(last_seen_at=timezone.now())
    assert tasks.watch() == 1
    assert not any(sentence in text_of(logged_in(name).get(path)) for name, path in pages)


def test_the_page_says_how_counts_gaps_and_refusals_stand(house: cast.House, logged_in: LogIn) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    for _ in range(16):
        dealer.send("wager", seat=1, wager="progressive", amount="7.00")
    dealer.lock_out({1: "1.00"})
    controller = house.controllers["CSP-01"]
    watching.note_gap(controller_id=controller.pk, expected=18, sent=25, now=cast.NOW)
    watching.compare_counts(
        controller=controller, counted={"CSP-01": Tally(1234, 1_234_000_000)}, sequence=None, since_sequence=0, now=cast.NOW
    )
    page = text_of(logged_in("tess").get(PAGE))
    assert "sent 25, expected 18" in page
    assert "$1,234.00" in page and "differs" in page
    assert page.count("amount-not-offered") == 15
    older = text_of(logged_in("tess").get(f"{PAGE}?before=2"))
    assert older.count("amount-not-offered") == 1


def test_a_part_is_sent_again_only_when_it_has_changed(house: cast.House, logged_in: LogIn) -> None:
    tess = logged_in("tess")
    for path in (LIST, PAGE):
        part = tess.get(path, headers=HTMX).content.decode()
        seen = re.findall(r"seen=([0-9a-f]+)", part)[0]
        assert tess.get(f"{path}?seen={seen}", headers=HTMX).status_code == 204
    controllers.set_rate(controller=house.controllers["CSP-01"], rate=3, person=house.tess, now=cast.NOW)
    assert "3 a second" in text_of(tess.get(f"{PAGE}?seen={seen}", headers=HTMX))
