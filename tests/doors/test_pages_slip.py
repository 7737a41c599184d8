"""The slip on paper says what its facts say, the same at every print."""

import base64
import re
import zlib
import zoneinfo
from typing import Any

import pytest
import segno
from reportlab.lib.colors import Color, black

from audit.people.models import Property
from jackpots import hits, payouts
from jackpots.models import Award, Slip
from jackpots.reports import slip, words
from tests import cast

FACTS: dict[str, Any] = {
    "property": "Harborlight Casino",
    "slip": "000017",
    "payout": "P-000031",
    "hit": "H-000123",
    "progressive": "Caribbean Link",
    "table": "CSP-01",
    "round": 1201,
    "seat": 5,
    "kind": "jackpot",
    "hand": "royal-flush",
    "cards": ["AS", "KS", "QS", "JS", "TS"],
    "amount": "18342.17",
    "gaming_day": "2026-11-17",
    "claimed_at": "2026-11-18T05:04:29.123+00:00",
    "made_at": "2026-11-18T05:06:01+00:00",
    "signatures": [{"name": "Sam Okafor", "act": "approve-hit", "at": "2026-11-18T05:05:44+00:00"}],
    "proof": "/api/v1/audit/records/4711/proof/",
}


def drawn(pdf: bytes) -> str:
    """The drawing instructions of the one page."""
    packed = re.findall(rb"stream\r?\n(.*?)~>", pdf, re.S)
    assert len(packed) == 1
    return zlib.decompress(base64.a85decode(packed[0])).decode("latin-1")


def test_it_says_everything_the_slip_is_for() -> None:
    page = drawn(slip.render(FACTS))
    for told in ("Harborlight Casino", "000017", "P-000031", "H-000123", "CSP-01", "1201", "Royal flush", "$18,342.17", "2026-11-17"):
        assert f"({told})" in page, told
    assert "(Eighteen thousand three hundred forty-two dollars and 17 cents)" in page
    assert "(Sam Okafor)" in page
    assert "(2026-11-18 05:05:44 UTC)" in page


def test_it_shows_local_time_where_the_facts_name_a_zone() -> None:
    page = drawn(slip.render({**FACTS, "time_zone": "America/New_York"}))
    for moment in ("2026-11-18 00:04:29 EST", "2026-11-18 00:06:01 EST", "2026-11-18 00:05:44 EST"):
        assert f"({moment})" in page
    assert "UTC" not in page


@pytest.mark.django_db
def test_a_slip_made_for_a_property_shows_its_local_time() -> None:
    house = cast.house()
    Property.objects.filter(pk=house.place.pk).update(time_zone="Asia/Tokyo")
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00"})
    hit = dealer.hit(5, cast.ROYAL, "royal-flush")
    hits.approve(number=hit["hit"], person=house.sam, pin=cast.PIN, award=hit["award"], now=cast.NOW)
    payouts.make_due(now=cast.NOW)
    local = cast.NOW.astimezone(zoneinfo.ZoneInfo("Asia/Tokyo"))
    assert f"({local:%Y-%m-%d %H:%M:%S} JST)" in drawn(slip.render(Slip.objects.get().facts))


@pytest.mark.parametrize(("suit", "colour"), [("S", black), ("H", slip.RED), ("D", slip.RED), ("C", black)])
def test_the_suit_has_the_colour_of_its_rank(suit: str, colour: Color) -> None:
    """Whatever is written with the dingbats or beside them, what counts is the colour that is set last before it."""
    page = drawn(slip.render({**FACTS, "cards": [f"9{suit}"]}))
    rank, dingbat = page.index("(9) Tj"), page.index("Tj", page.index("(9) Tj") + 10)
    wanted = tuple(round(part, 3) for part in colour.rgb())
    for place in (rank, dingbat):
        told = re.findall(r"([\d.]+) ([\d.]+) ([\d.]+) rg\b", page[:place])[-1]
        assert tuple(round(float(part), 3) for part in told) == wanted


def test_its_code_is_that_of_the_proof() -> None:
    dark = sum(dot for row in segno.make(FACTS["proof"], error="m", micro=False).matrix for dot in row)
    assert len(re.findall(r" re f\b", drawn(slip.render(FACTS)))) == dark


def test_printed_twice_it_is_the_same_paper() -> None:
    assert slip.render(FACTS) == slip.render(FACTS)
    assert slip.render(FACTS) != slip.render({**FACTS, "amount": "18342.18"})


@pytest.mark.parametrize("changed", [{"seat": None}, {"cards": ["JK", "AS"]}, {"property": "The " + "Very " * 14 + "Long Casino"}])
def test_odd_facts_still_make_one_page(changed: dict[str, Any]) -> None:
    assert slip.render({**FACTS, **changed}).count(b"/Type /Page\n") == 1


@pytest.mark.parametrize(
    ("amount", "written"),
    [
        ("0.00", "Zero dollars and 00 cents"),
        ("1.01", "One dollar and 01 cent"),
        ("19.99", "Nineteen dollars and 99 cents"),
        ("100.00", "One hundred dollars and 00 cents"),
        ("1000000.00", "One million dollars and 00 cents"),
        ("2040015.50", "Two million forty thousand fifteen dollars and 50 cents"),
    ],
)
def test_amounts_in_words(amount: str, written: str) -> None:
    assert words.amount_in_words(amount) == written


@pytest.mark.parametrize("kind", Award.Kind.values)
def test_every_kind_of_award_has_words_of_its_own(kind: str) -> None:
    assert f"({slip.KINDS[kind]}, Caribbean Link)" in drawn(slip.render({**FACTS, "kind": kind}))
