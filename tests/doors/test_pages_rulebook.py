"""The rule book as a page: every game and every row of it, with paragraph and odds."""

import html
import pathlib
import re
from collections.abc import Callable

import pytest
from django.test import Client

from jackpots import printed, rulebook
from jackpots.rules import odds
from jackpots.rules.book import Game, PayTable, Wager
from tests import cast
from tests.doors.site_texts import drop, folder, worked_example

__all__ = ["folder"]

LogIn = Callable[[str], Client]
ENTRIES = [(text.id, game) for text in rulebook.texts().values() for game in text.games.values()]
TABLE = re.compile(r"<table.*?</table>", re.S)
ROW = re.compile(r"<tr.*?</tr>", re.S)
CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.S)


def page_of(client: Client, rule_text: str, game: str) -> str:
    answer = client.get(f"/rules/{rule_text}/{game}/")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def section(page: str, name: str) -> str:
    found = re.search(rf'<section class="chapter[^"]*" id="{name}".*?</section>', page, re.S)
    assert found, name
    return found[0]


def rows(part: str) -> list[list[str]]:
    """The table of a section as words in cells."""
    found = TABLE.search(part)
    assert found
    return [[words(cell) for cell in CELL.findall(row)] for row in ROW.findall(found[0])]


def words(markup: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", markup).split())


def test_a_stranger_is_sent_to_the_login(house: cast.House) -> None:
    for path in ("/rules/", "/rules/caribbean-stud-massachusetts/caribbean-stud/"):
        assert Client().get(path).headers["Location"] == f"/login/?next={path}"


def test_everybody_who_works_here_may_read_and_finds_the_way(house: cast.House, logged_in: LogIn) -> None:
    for name in house.people:
        page = logged_in(name).get("/rules/").content.decode()
        assert '<a href="/rules/" aria-current="page">Rules</a>' in page, name


def test_the_shelf_leads_to_every_game(logged_in: LogIn) -> None:
    client = logged_in("otto")
    page = client.get("/rules/").content.decode()
    for text, game in ENTRIES:
        address = f"/rules/{text}/{game.id}/"
        assert f'href="{address}"' in page
        assert client.get(address).status_code == 200


def test_what_is_not_in_the_book_is_not_found(logged_in: LogIn) -> None:
    client = logged_in("sam")
    for path in ("/rules/caribbean-stud-massachusetts/whist/", "/rules/hoyle/caribbean-stud/"):
        assert client.get(path).status_code == 404


def test_the_progressive_of_caribbean_stud_reads_like_the_text(logged_in: LogIn) -> None:
    part = section(page_of(logged_in("sam"), cast.RULE_TEXT, "caribbean-stud"), "progressive")
    table = rows(part)
    assert table[0] == ["Hand One in Hands", "A", "B", "C", "D", "E"]
    assert table[1] == ["Pays section 11(d)"]
    assert table[2] == ["Royal flush 1 in 649,740 4", *["100% of meter"] * 5]
    assert table[3] == ["Straight flush 1 in 72,193.33 36", "5,000 for 1", *["10% of meter"] * 4]
    assert ["Straight 1 in 254.80 10,200", "10 for 1", "10 for 1", "30 for 1", "30 for 1", "N/A"] in table
    envy = table.index(["Envy bonus on a wager of $5 section 11(d)(7)"])
    assert table[envy + 1] == ["Royal flush", "–", "–", "–", "$5,000", "–"]  # noqa: RUF001
    assert ["Rate section 11(d)(5)", *["70% or more"] * 5] in table
    assert ["May be linked section 11(d)(4)", "no", "no", "no", "yes", "no"] in table
    assert "counted over all 2,598,960 hands" in part
    assert "A fold ends the wager; the right to an envy bonus stays." in part
    assert "Every winning payout is validated by a floorperson." in part


def test_where_the_columns_differ_in_odds_each_cell_has_its_own(logged_in: LogIn) -> None:
    table = rows(section(page_of(logged_in("sam"), "table-games-massachusetts", "three-card-poker"), "ante-bonus"))
    assert ["Mini royal", "N/A", "5 to 1 1 in 7,366.67", "50 to 1 1 in 5,525", "10 to 1 1 in 7,366.67"] in table


def test_columns_that_leave_rows_out_keep_the_order_of_the_text(logged_in: LogIn) -> None:
    table = rows(section(page_of(logged_in("sam"), "table-games-massachusetts", "pai-gow-poker"), "bonus"))
    assert table[0][1:] == ["King queen", "Ace king"]
    assert [row[1:] for row in table[2:6]] == [
        ["8,000 to 1", "8,000 to 1"],
        ["2,000 to 1", "N/A"],
        ["N/A", "2,000 to 1"],
        ["1,000 to 1", "1,000 to 1"],
    ]
    assert ["Envy bonus on a wager of $5 or more chapter 11 section 15(c); chapter 11 section 16(b)"] in table


def test_a_secondary_meter_a_fund_and_shared_royals_are_told_in_words(logged_in: LogIn) -> None:
    client = logged_in("sam")
    flush = rows(section(page_of(client, "high-card-flush-massachusetts", "high-card-flush"), "progressive"))
    assert ["Rate, secondary meter section 11(f)", "2% exactly", "2% exactly", "5% exactly", "5% exactly"] in flush
    assert ["Reset to section 11(f)", *["secondary meter"] * 4] in flush
    fund = words(section(page_of(client, "table-games-massachusetts", "poker"), "bad-beat"))
    assert "Loser 50%, winner 25%, table 15%, next fund 10%. chapter 14 section 19(b)" in fund
    royals = section(page_of(client, "caribbean-stud-section-10", "caribbean-stud"), "progressive")
    assert "Several hands at one table (royal flush) share equally in the meter as it stood for the first." in royals


@pytest.mark.parametrize(("text", "game"), ENTRIES, ids=lambda one: one.id if isinstance(one, Game) else one)
def test_every_wager_pay_table_row_note_and_irregularity_is_on_the_page(logged_in: LogIn, text: str, game: Game) -> None:
    page = page_of(logged_in("sam"), text, game.id)
    for wager in game.wagers.values():
        part = section(page, wager.id)
        assert f'href="#{wager.id}"' in page
        for column, table in enumerate(wager.pay_tables.values(), start=1):
            check_column(wager, table, column, rows(part))
        for note in wager.notes:
            assert f"{note.text} {note.paragraph}" in words(part)
        for extra in wager.extras.values():
            assert f"Pays {extra.award.text};" in part
    for fund in game.funds.values():
        assert fund.paragraph in section(page, fund.id)
    for one in game.irregularities.values():
        assert f"{one.text} {one.paragraph}" in words(section(page, "irregularities"))


def check_column(wager: Wager, table: PayTable, column: int, shown: list[list[str]]) -> None:
    by_label = {row[0]: row[column] for row in shown if len(row) > 1}
    chances = {chance.hand: chance for chance in odds.chances(wager=wager, pay_table=table)}
    assert any(len(row) == 1 and row[0].endswith(table.paragraph) for row in shown)
    for line in table.lines:
        assert line.paragraph == table.paragraph, "the rows of a table stand under one paragraph"
        name, chance = printed.hand_name(line.hand), chances.get(line.hand)
        if chance is None:
            assert by_label[name] == line.award.text
        elif name in by_label and f"1 in {chance.text}" in by_label[name]:
            assert by_label[name] == f"{line.award.text} 1 in {chance.text}"
        else:
            assert by_label[f"{name} 1 in {chance.text} {chance.count:,}"] == line.award.text


def test_a_sites_own_text_has_its_page(folder: pathlib.Path, logged_in: LogIn) -> None:
    drop(folder / "river.toml", worked_example())
    client = logged_in("sam")
    assert "River stud, house rules" in client.get("/rules/").content.decode()
    table = rows(section(page_of(client, "house-river", "river-stud"), "progressive"))
    assert table[0] == ["Hand One in Hands", "House table"]
    assert ["Four of a kind 1 in 4,165 624", "$150.00 off the meter"] in table
    assert ["Straight", "N/A"] in table


def test_the_pages_carry_no_script_or_style_of_their_own(logged_in: LogIn) -> None:
    for path in ("/rules/", "/rules/caribbean-stud-massachusetts/caribbean-stud/"):
        body = logged_in("sam").get(path).content
        assert re.findall(rb"<script(?![^>]*\bsrc=)[^>]*>|<style|\bstyle=|\bon[a-z]+=\"", body) == []
