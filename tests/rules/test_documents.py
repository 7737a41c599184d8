"""What the documents say of the rules is run."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import jackpots.rules
from jackpots.rules import awards, cards, constraints, hands, money, odds, paytables

DOCUMENT = Path(jackpots.rules.__file__).parents[2] / "docs" / "rulebook.md"
MODULES = [name for _, name, _ in pkgutil.walk_packages(jackpots.rules.__path__, "jackpots.rules.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_worked_example_is_taken_without_code_and_pays_what_the_document_says() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    wager = paytables.parse(text).games["river-stud"].wagers["progressive"]
    table = wager.pay_tables["house"]
    shown = cards.parse(["QS", "QH", "QD", "QC", "2D"])
    settled = awards.settle(
        wager=wager, pay_table=table, cards=shown, amount_micros=money.parse("2.00"), meters={"main": money.parse("8000")}
    )
    assert settled is not None
    assert (settled.hand, money.cents(settled.amount_micros), settled.meter) == ("four-of-a-kind", "150.00", "main")
    assert awards.envy(pay_table=table, hand="royal-flush", holder=1, wagers={1: 2_000_000, 4: 2_000_000}) == {4: money.parse("250.00")}
    found = constraints.check(
        wager=wager,
        pay_table=table,
        rates_ppm={"main": 300_000},
        initial_micros=money.parse("5000"),
        reset_micros=money.parse("5000"),
        cap_micros=None,
        linked_tables=3,
    )
    assert [breach.paragraph for breach in found] == ["house rules 2.1"]
    assert odds.chances(wager=wager, pay_table=table)[0].text == "649,740"


def test_the_document_names_every_kind_of_hand_and_every_row() -> None:
    words = DOCUMENT.read_text(encoding="utf-8")
    for kind in hands.KINDS.values():
        assert f"`{kind.id}`" in words
        missing = [row for row in kind.rows if f"`{row}`" not in words and not row.endswith("-or-better")]
        assert missing == []
