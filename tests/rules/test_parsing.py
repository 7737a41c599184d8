"""A rule text is taken whole or refused, and the refusal names the place."""

import pytest

from jackpots.rules import paytables
from tests.rules.texts import FOLDER, all_texts

GOOD = """
id = "house-rules"
title = "House rules"

[[game]]
id = "stud"
name = "Stud"
deck = 52
hand_cards = 5
paragraph = "page 1"

  [[game.wager]]
  id = "progressive"
  name = "Progressive"
  paragraph = "page 2"
  hand_kind = "five-card"

    [game.wager.pays]
    paragraph = "page 3"
    columns = ["A", "B"]
      [game.wager.pays.rows]
      royal-flush    = ["100% of meter", "100% of meter"]
      straight-flush = ["10% of meter", "$500.00 off the meter"]
      flush          = ["50 for 1", "N/A"]

    [[game.wager.pay_table]]
    for = ["A"]
    amounts = ["$1.00"]
    rate.main = { at_least = "50%", paragraph = "page 4" }

    [[game.wager.pay_table]]
    for = ["B"]
    amounts = ["$1.00"]

    [[game.wager.envy]]
    for = "A"
    wager = "$1.00"
    paragraph = "page 5"
    pays = { royal-flush = "$100" }
"""


def test_the_good_text_is_taken() -> None:
    text = paytables.parse(GOOD)
    tables = text.games["stud"].wagers["progressive"].pay_tables
    assert [(line.hand, line.award.text, line.paragraph) for line in tables["B"].lines] == [
        ("royal-flush", "100% of meter", "page 3"),
        ("straight-flush", "$500.00 off the meter", "page 3"),
    ]
    assert tables["B"].not_paid == ("flush",)


@pytest.mark.parametrize(
    ("written", "instead", "place", "complaint"),
    [
        # Unknown.
        ('title = "House rules"', 'title = "House rules"\ncolour = "red"', "house-rules", "unknown: colour"),
        ("hand_cards = 5", "hand_cards = 5\n  shuffle = 3", "game stud", "unknown: shuffle"),
        ('paragraph = "page 2"', 'paragraph = "page 2"\n  fold_forfeit = true', "wager progressive", "unknown: fold_forfeit"),
        ('columns = ["A", "B"]', 'columns = ["A", "B"]\n    rounding = "up"', "wager progressive, pays", "unknown: rounding"),
        ('amounts = ["$1.00"]\n    rate', 'amounts = ["$1.00"]\n    amount = "$2"\n    rate', "pay table A", "unknown: amount"),
        ("{ at_least", "{ colour = 3, at_least", "pay table A, rate, main", "unknown: colour"),
        ('wager = "$1.00"', 'wager = "$1.00"\n    size = 1', "envy number 1", "unknown: size"),
        ('hand_kind = "five-card"', 'hand_kind = "six-card"', "wager progressive", "hand_kind is 'six-card'"),
        ('for = "A"', 'for = "Z"', "envy number 1", "for is 'Z'"),
        ("rate.main", "rate.third", "pay table A, rate", "unknown: third"),
        # Missing.
        ('title = "House rules"', "", "house-rules", "title is missing"),
        ('paragraph = "page 2"', "", "wager progressive", "paragraph is missing"),
        ('paragraph = "page 3"', "", "pays", "paragraph is missing"),
        (', paragraph = "page 4"', "", "rate, main", "paragraph is missing"),
        ('paragraph = "page 5"', 'paragraph = ""', "envy number 1", "paragraph is empty"),
        ('paragraph = "page 2"', 'paragraph = "page 2"\n  fold = { paragraph = "" }', "wager progressive, fold", "paragraph is empty"),
        ('amounts = ["$1.00"]\n    rate', 'linking_paragraph = ""\n    rate', "pay table A", "linking_paragraph is empty"),
        ('paragraph = "page 3"', 'paragraph = "  "', "wager progressive, pays", "paragraph is empty"),
        ('columns = ["A", "B"]', 'columns = ["A", " "]', "wager progressive, pays", "columns must be a list of texts"),
        # Twice.
        ('columns = ["A", "B"]', 'columns = ["A", "A"]', "pays", "columns names something twice"),
        ('for = ["B"]', 'for = ["A", "B"]', "pay table A, B", "A is no column of the table, or has its terms already"),
        ("      flush ", "      royal-flush ", "rule text", "Cannot overwrite a value"),
        # Out of order.
        ("      straight-flush =", "      two-pair =", "pays, rows", "flush is written below two-pair but ranks above it"),
        ('amounts = ["$1.00"]\n    rate', 'amounts = ["$5.00", "$1.00"]\n    rate', "pay table A", "amounts must rise"),
        (
            '{ royal-flush = "$100" }',
            '{ straight-flush = "$100", royal-flush = "$100" }',
            "envy number 1",
            "royal-flush is written after straight-flush but ranks above it",
        ),
        (
            '{ royal-flush = "$100" }',
            '{ royal-flush = "$100", flush = "$101" }',
            "envy number 1",
            "royal-flush gives $100.00, less than the $101.00 of flush below it",
        ),
        (
            '["50 for 1", "N/A"]',
            '["50 for 1", "N/A"]\n      straight = ["51 for 1", "N/A"]',
            "pays, rows: flush, column A",
            "it is paid 50 for 1, less than the 51 for 1 of straight below it",
        ),
        (
            '["50 for 1", "N/A"]',
            '["3 for 1", "N/A"]\n      straight = ["3 to 1", "N/A"]',
            "pays, rows: flush, column A",
            "it is paid 3 for 1, less than the 3 to 1 of straight below it",
        ),
        (
            '["50 for 1", "N/A"]',
            '["50 for 1", "$500.01"]',
            "pays, rows: straight-flush, column B",
            "it is paid $500.00 off the meter, less than the $500.01 of flush below it",
        ),
        (
            '["100% of meter", "100% of meter"]',
            '["9% of meter", "100% of meter"]',
            "pays, rows: royal-flush, column A",
            "it is paid 9% of meter, less than the 10% of meter of straight-flush below it",
        ),
        # Impossible.
        (
            '{ royal-flush = "$100" }',
            '{ royal-flush = "$100", straight = "$5" }',
            "envy number 1",
            "straight, which pay table A does not pay",
        ),
        (
            'for = "A"\n    wager = "$1.00"\n    paragraph = "page 5"\n    pays = { royal-flush',
            'for = "B"\n    wager = "$1.00"\n    paragraph = "page 5"\n    pays = { flush',
            "envy number 1",
            "flush, which pay table B does not pay",
        ),
        ("      flush ", "      five-aces ", "pays, rows", "a five-card hand cannot be 'five-aces'"),
        ("{ royal-flush", "{ five-aces", "envy number 1, pays", "a five-card hand cannot be 'five-aces'"),
        ('"50%"', '"101%"', "rate, main", "more than all of it"),
        ('["100% of meter", "100% of meter"]', '["110% of meter", "100% of meter"]', "royal-flush, column A", "more than all of it"),
        ('["10% of meter", "$500', '["10% of secondary meter", "$500', "straight-flush, column A", "there is no secondary meter"),
        ('["50 for 1", "N/A"]', '["0 for 1", "N/A"]', "flush, column A", "pays nothing"),
        ('["50 for 1", "N/A"]', '["$0.00", "N/A"]', "flush, column A", "pays nothing"),
        ('["50 for 1", "N/A"]', '["fifty for one", "N/A"]', "flush, column A", "is not a payout"),
        ('["50 for 1", "N/A"]', '["$50.001", "N/A"]', "flush, column A", "is not an amount in dollars"),
        ('["50 for 1", "N/A"]', '["50 for 1"]', "pays, rows", "flush must have 2 cells"),
        ('["50 for 1", "N/A"]', '["50 for 1", 3]', "pays, rows", "flush must have 2 cells"),
        ("deck = 52", "deck = 54", "game stud", "deck is 54"),
        ("deck = 52", "deck = true", "game stud", "deck must be a whole number"),
        ("hand_cards = 5", "hand_cards = 4", "wager progressive", "cannot be formed from 4 cards"),
        ('hand_kind = "five-card"', 'hand_kind = "pai-gow"', "wager progressive", "cannot be formed from 5 cards of a deck of 52"),
        ('hand_kind = "five-card"', 'hand_kind = "five-card"\n  has_meter = false', "pay table A, rate", "unknown: main"),
        (
            'amounts = ["$1.00"]\n    rate',
            'amounts = ["$1.00", "$5.00"]\n    rate',
            "pay table A",
            "$5.00 is offered without an envy schedule",
        ),
        ('wager = "$1.00"', 'wager = "$2.00"', "pay table A", "$1.00 is offered without an envy schedule"),
        ('wager = "$1.00"', 'wager = "1.00"', "envy number 1", "is not an amount in dollars"),
        ('"$100" }', '"$0" }', "envy number 1, pays", "every qualifying hand is paid something"),
        ('for = ["B"]', 'for = ["B"]\n    resets_from = "secondary"', "pay table B", "a secondary meter that it does not have"),
        ('for = ["B"]', 'for = ["B"]\n    levels = ["main", "third"]', "pay table B", "levels must be"),
        ('for = ["B"]', 'for = ["C"]', "pay table C", "C is no column"),
        ('id = "progressive"', 'id = "the progressive"', "wager the progressive", "letters and digits joined by hyphens"),
        ('hand_kind = "five-card"', 'hand_kind = "five-card"\n  on = ["dealer"]', "wager progressive", "on must be"),
        ('hand_kind = "five-card"', 'hand_kind = "five-card"\n  coupon = "yes"', "wager progressive", "coupon must be true or false"),
        (
            "    [game.wager.pays]\n",
            '    [game.wager.sharing]\n    hands = ["straight"]\n\n    [game.wager.pays]\n',
            "pays, rows",
            "straight is shared but has no row",
        ),
        (
            "    [game.wager.pays]\n",
            '    [[game.wager.validation]]\n    awards = "every"\n    by = "anybody"\n    paragraph = "x"\n\n    [game.wager.pays]\n',
            "validation every",
            "by is 'anybody'",
        ),
        (
            "    [game.wager.pays]\n",
            '    [[game.wager.extra]]\n    id = "magic-card"\n    pays = "10% of meter"\n    paragraph = "x"\n\n    [game.wager.pays]\n',
            "extra magic-card",
            "not from a meter",
        ),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(written: str, instead: str, place: str, complaint: str) -> None:
    assert written in GOOD
    with pytest.raises(paytables.BadRuleText) as refusal:
        paytables.parse(GOOD.replace(written, instead, 1))
    assert place in refusal.value.place + " " + str(refusal.value)
    assert complaint in str(refusal.value)


def test_two_wagers_or_games_of_one_name_are_refused() -> None:
    again = GOOD[GOOD.index("  [[game.wager]]") :]
    with pytest.raises(paytables.BadRuleText, match="game stud: wager progressive stands twice"):
        paytables.parse(GOOD + again)
    with pytest.raises(paytables.BadRuleText, match="house-rules: game stud stands twice"):
        paytables.parse(GOOD + GOOD[GOOD.index("[[game]]") :])


def test_two_envy_schedules_for_one_wager_are_refused() -> None:
    with pytest.raises(paytables.BadRuleText, match="has a schedule for this wager already"):
        paytables.parse(GOOD + GOOD[GOOD.index("    [[game.wager.envy]]") :])


def test_envy_schedules_stand_in_the_order_of_their_wagers() -> None:
    first = GOOD[GOOD.index("    [[game.wager.envy]]") :]
    both = GOOD.replace('amounts = ["$1.00"]\n    rate', 'amounts = ["$1.00", "$5.00"]\n    rate')
    second = first.replace('"$1.00"', '"$5.00"')
    assert paytables.parse(both + second)
    with pytest.raises(paytables.BadRuleText, match=r"envy number 2: the schedule for \$1.00 stands below one for a greater wager"):
        paytables.parse(both.replace(first, second + first))


def test_a_lower_row_may_pay_more_where_the_highest_payout_is_chosen() -> None:
    rising = GOOD.replace('["50 for 1", "N/A"]', '["50 for 1", "$500.01"]')
    assert paytables.parse(rising.replace('hand_kind = "five-card"', 'hand_kind = "five-card"\n  choice = "highest-payout"'))


def test_awards_that_only_a_meter_could_compare_are_not_compared() -> None:
    assert paytables.parse(GOOD.replace('["100% of meter", "100% of meter"]', '["5,000 for 1", "$1,000"]'))


def test_a_column_without_terms_is_refused() -> None:
    start, end = GOOD.index('    [[game.wager.pay_table]]\n    for = ["B"]'), GOOD.index("    [[game.wager.envy]]")
    with pytest.raises(paytables.BadRuleText, match="no terms are given for pay table B"):
        paytables.parse(GOOD[:start] + GOOD[end:])


def test_rates_over_100_percent_together_are_refused() -> None:
    both = 'levels = ["main", "secondary"]\n    rate.secondary = { exactly = "50.0001%", paragraph = "page 4" }\n    rate.main'
    with pytest.raises(paytables.BadRuleText, match="pay table A, rate: the rates together are over 100%"):
        paytables.parse(GOOD.replace("rate.main", both))


@pytest.mark.parametrize(
    "text", ["", "id = 3", "id = 'x'\ntitle = 'y'", "[[[", "id = 'x'\ntitle = 'y'\ngame = 3", "id = 'x'\ntitle = 'y'\ngame = [3]"]
)
def test_what_is_no_rule_text_at_all_is_refused(text: str) -> None:
    with pytest.raises(paytables.BadRuleText):
        paytables.parse(text)


def test_a_fund_whose_shares_are_not_100_percent_is_refused() -> None:
    text = (FOLDER / "table-games-massachusetts.toml").read_text(encoding="utf-8")
    with pytest.raises(paytables.BadRuleText, match="fund bad-beat, licensee_sets, shares: the shares together must be 100%"):
        paytables.parse(text.replace('loser = "50%"', 'loser = "51%"'))


def test_every_part_of_the_shipped_texts_names_its_paragraph() -> None:
    for text in all_texts():
        for game in text.games.values():
            assert game.paragraph
            assert all(one.paragraph for one in game.irregularities.values())
            assert all(note.paragraph for note in game.notes)
            for wager in game.wagers.values():
                assert wager.paragraph
                for table in wager.pay_tables.values():
                    assert table.paragraph
                    assert all(line.paragraph for line in table.lines)
                    assert bool(table.envy) == bool(table.envy_paragraph)
                    bounds = [*table.rates.values(), table.initial, table.reset]
                    assert all(bound.paragraph for bound in bounds if bound is not None)


def test_a_table_is_known_by_its_digest_and_any_change_of_money_changes_it() -> None:
    tables = paytables.parse(GOOD).games["stud"].wagers["progressive"].pay_tables
    assert len({table.digest for table in tables.values()}) == 2
    changes = [('"50 for 1"', '"51 for 1"'), ('"50%"', '"51%"'), ('"$100" }', '"$101" }'), ('id = "stud"', 'id = "stud-2"')]
    for written, instead in [*changes, ('hand_kind = "five-card"', 'hand_kind = "five-card"\n  coupon = true')]:
        game = next(iter(paytables.parse(GOOD.replace(written, instead)).games.values()))
        assert game.wagers["progressive"].pay_tables["A"].digest != tables["A"].digest, instead


def test_wording_does_not_change_the_digest() -> None:
    tables = paytables.parse(GOOD).games["stud"].wagers["progressive"].pay_tables
    for written, instead in [('"page 4"', '"page 44"'), ('name = "Stud"', 'name = "Studs"'), ('"100% of meter"', '"100% of main meter"')]:
        again = paytables.parse(GOOD.replace(written, instead)).games["stud"].wagers["progressive"].pay_tables
        assert again["A"].digest == tables["A"].digest, instead
