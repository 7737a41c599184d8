"""The slip on paper says what its facts say, the same at every print."""

import base64
import re
import zlib
from typing import Any

import pytest
import segno

from jackpots.reports import slip, words

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
    assert "(2026-11-18 00:05:44 EST)" in drawn(slip.render({**FACTS, "time_zone": "America/New_York"}))


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
