"""Configurations: drafted, checked with the paragraph, approved by another, kept for ever; caps judged again when they begin."""

import dataclasses
import datetime
from typing import Any

import pytest
from django.db import ProgrammingError, connection, transaction

from audit import journal
from audit.people import posts, signing
from audit.refusals import Refusal
from jackpots import caps, configurations, links, meters, progressives, rulebook
from jackpots.configurations import Choices
from jackpots.ledger import book
from jackpots.models import Approval, CapRuling, Configuration, Progressive
from jackpots.rules import money, offers
from tables import floor
from tests import cast

MINUTE = datetime.timedelta(minutes=1)


@pytest.fixture
def house(db: None) -> cast.House:
    return cast.house()


def dollars(text: str) -> int:
    return money.parse(text)


def choices(**changed: Any) -> Choices:
    plain = Choices(
        pay_table="D", rates_ppm={"main": 700_000}, initial_micros=dollars("10000.00"), reset_micros=dollars("10000.00"), cap_micros=None
    )
    return dataclasses.replace(plain, **changed)


def draft(house: cast.House, progressive: Progressive | None = None, *, now: datetime.datetime = cast.NOW, **changed: Any) -> Configuration:
    return configurations.draft(
        progressive=progressive or house.link, choices=choices(**changed), funded_by=house.place, person=house.anna, now=now
    )


def approve(house: cast.House, drafted: Configuration, *, at: datetime.datetime = cast.NOW, now: datetime.datetime = cast.NOW) -> Approval:
    return configurations.approve(configuration=drafted, person=house.piet, pin=cast.PIN, effective_at=at, now=now)


def on_paper(house: cast.House, rule_text: str, game: str, wager: str) -> Progressive:
    return progressives.create(
        slug="paper", name="Paper", rule_text=rule_text, game=game, wager=wager, property=house.place, person=house.anna, now=cast.NOW
    )


EVERY_TABLE = [
    (text.id, game.id, wager.id, table.id)
    for text in rulebook.texts.__wrapped__().values()
    for game in text.games.values()
    for wager in game.wagers.values()
    if wager.has_meter
    for table in wager.pay_tables.values()
]


@pytest.mark.parametrize(("rule_text", "game", "wager", "pay_table"), EVERY_TABLE)
def test_every_pay_table_of_the_rule_book_can_be_configured(
    house: cast.House, rule_text: str, game: str, wager: str, pay_table: str
) -> None:
    paper = on_paper(house, rule_text, game, wager)
    table = configurations.pay_table_named(paper, pay_table)
    rates = {level: table.rates[level].value if level in table.rates else 500_000 for level in table.levels}
    least = table.initial.value if table.initial else dollars("1000.00")
    chosen = Choices(
        pay_table=pay_table, rates_ppm=rates, initial_micros=least, reset_micros=None if table.resets_from == "secondary" else least
    )
    made = configurations.draft(progressive=paper, choices=chosen, funded_by=house.place, person=house.anna, now=cast.NOW)
    approve(house, made)
    assert book.standings()[paper.pk].available[book.MAIN] == least
    assert configurations.rules_of(made)[1] == table


CARIBBEAN = ("caribbean-stud-massachusetts", "caribbean-stud", "progressive")
BONUS = ("caribbean-stud-massachusetts", "caribbean-stud", "five-card-hand-bonus")
FOUR_CARD = ("crazy-4-poker-massachusetts", "crazy-4-poker", "four-card-progressive")
FLUSH = ("high-card-flush-massachusetts", "high-card-flush", "progressive")
PAI_GOW = ("table-games-massachusetts", "pai-gow-poker", "progressive")
FLUSH_CHOICES = {"pay_table": "A", "rates_ppm": {"main": 240_000, "secondary": 20_000}, "reset_micros": None}
PAI_GOW_CHOICES: dict[str, Any] = {"pay_table": "one-dollar", "rates_ppm": {"main": 210_000}}


@pytest.mark.parametrize(
    ("rules", "changed", "code"),
    [
        (CARIBBEAN, {"rates_ppm": {"main": 699_999}}, "rate-too-low"),
        (CARIBBEAN, {"rates_ppm": {}}, "rate-missing"),
        (CARIBBEAN, {"rates_ppm": {"main": 700_000, "third": 1}}, "level-unknown"),
        (CARIBBEAN, {"rates_ppm": {"main": 900_000, "reserve": 200_000}}, "rates-impossible"),
        (CARIBBEAN, {"reset_micros": None}, "reset-missing"),
        (CARIBBEAN, {"cap_micros": money.parse("9999.99")}, "cap-below-reset"),
        (CARIBBEAN, {"initial_micros": money.parse("20000.00"), "cap_micros": money.parse("15000.00")}, "cap-below-initial"),
        (CARIBBEAN, {"amounts_micros": [money.parse("2.00")]}, "amount-not-offered"),
        (CARIBBEAN, {"awards": {"flush": 60_000_000}}, "award-too-high"),
        (CARIBBEAN, {"awards": {"full-house": 1}}, "award-too-low"),
        (BONUS, {"pay_table": "standard", "reset_micros": money.parse("9999.99")}, "reset-too-low"),
        (BONUS, {"pay_table": "standard", "initial_micros": money.parse("9999.99")}, "initial-too-low"),
        (FOUR_CARD, {"pay_table": "A", "reset_micros": money.parse("4999.99")}, "reset-too-low"),
        (FOUR_CARD, {"pay_table": "B", "reset_micros": money.parse("999.99")}, "reset-too-low"),
        (FLUSH, {**FLUSH_CHOICES, "rates_ppm": {"main": 240_000, "secondary": 30_000}}, "rate-not-the-tables"),
        (FLUSH, {**FLUSH_CHOICES, "reset_micros": money.parse("10000.00")}, "reset-not-configurable"),
        (FLUSH, {**FLUSH_CHOICES, "initial_micros": money.parse("10000.01")}, "initial-not-the-tables"),
        (PAI_GOW, {**PAI_GOW_CHOICES, "awards": {"flush": money.parse("2.99")}}, "award-too-low"),
        (PAI_GOW, {**PAI_GOW_CHOICES, "awards": {"flush": money.parse("3.001")}}, "award-impossible"),
        (PAI_GOW, {**PAI_GOW_CHOICES, "awards": {"five-aces": 1_000_000}}, "award-impossible"),
        (PAI_GOW, {**PAI_GOW_CHOICES, "awards": {"five-aces": 1_000_001}}, "award-impossible"),
        (PAI_GOW, {**PAI_GOW_CHOICES, "awards": {"pair": 1}}, "award-unknown"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_its_paragraph(
    house: cast.House, rules: tuple[str, str, str], changed: dict[str, Any], code: str
) -> None:
    paper = on_paper(house, *rules)
    with pytest.raises(Refusal) as refused:
        draft(house, paper, **changed)
    assert code in [error["field"] for error in refused.value.errors]
    assert isinstance(refused.value, configurations.ConfigurationBreaksRule | configurations.ConfigurationUnsound)
    if isinstance(refused.value, configurations.ConfigurationBreaksRule):
        assert str(refused.value.facts["paragraph"]) in refused.value.detail and refused.value.facts["paragraph"]
    assert not paper.configurations.exists()


def test_a_table_that_may_not_be_linked_is_refused_on_two_tables(house: cast.House) -> None:
    with pytest.raises(configurations.ConfigurationBreaksRule) as refused:
        draft(house, pay_table="B")
    assert refused.value.errors[0]["field"] == "linking-not-allowed" and refused.value.facts["paragraph"]


def test_it_is_checked_again_at_the_approval(house: cast.House) -> None:
    """Drafted for one table; by the time of the approval there are two."""
    made = draft(house, house.solo, pay_table="A")
    other = draft(house, house.solo, pay_table="D")
    approve(house, other)
    cast_table = cast.table(house, "CSP-04")
    links.link(progressive=house.solo, table=cast_table, person=house.anna, pin=cast.PIN, now=cast.NOW)
    with pytest.raises(configurations.ConfigurationBreaksRule, match="linked games"):
        approve(house, made)
    assert not Approval.objects.filter(configuration=made).exists()


def test_whoever_drafted_does_not_approve(house: cast.House) -> None:
    made = draft(house)
    posts.dismiss(person=house.anna, property=house.place, role="accounting", now=cast.NOW, actor=cast.INSTALLER)
    posts.appoint(person=house.anna, property=house.place, role="approver", now=cast.NOW, actor=cast.INSTALLER)
    with pytest.raises(configurations.OwnDraft):
        configurations.approve(configuration=made, person=house.anna, pin=cast.PIN, effective_at=cast.NOW, now=cast.NOW)


@pytest.mark.parametrize("name", ["sam", "shirin", "flo", "carla", "piet", "tess", "otto", "zoe"])
def test_only_accounting_drafts(house: cast.House, name: str) -> None:
    with pytest.raises(posts.RoleNeeded):
        configurations.draft(progressive=house.link, choices=choices(), funded_by=house.place, person=house.people[name], now=cast.NOW)


@pytest.mark.parametrize("name", ["sam", "shirin", "flo", "carla", "anna", "tess", "otto", "zoe"])
def test_only_an_approver_approves(house: cast.House, name: str) -> None:
    made = draft(house)
    with pytest.raises(posts.RoleNeeded):
        configurations.approve(configuration=made, person=house.people[name], pin=cast.PIN, effective_at=cast.NOW, now=cast.NOW)


def test_an_accountant_next_door_drafts_nothing_here_even_from_their_own_house(house: cast.House) -> None:
    next_door = house.zoe.appointments.get().property
    nadia = cast.person("nadia", place=next_door, role="accounting")
    with pytest.raises(posts.RoleNeeded):
        configurations.draft(progressive=house.link, choices=choices(), funded_by=next_door, person=nadia, now=cast.NOW)
    with pytest.raises(configurations.FunderNotOfTheLink):
        configurations.draft(progressive=house.link, choices=choices(), funded_by=next_door, person=house.anna, now=cast.NOW)


def test_a_wrong_pin_approves_nothing(house: cast.House) -> None:
    made = draft(house)
    with pytest.raises(signing.PinWrong):
        configurations.approve(configuration=made, person=house.piet, pin="0000", effective_at=cast.NOW, now=cast.NOW)
    assert not Approval.objects.filter(configuration=made).exists()


def test_it_is_approved_once(house: cast.House) -> None:
    made = draft(house)
    approve(house, made)
    with pytest.raises(configurations.AlreadyApproved):
        approve(house, made)
    with pytest.raises(configurations.AlreadyApproved):
        configurations.withdraw(configuration=made, person=house.anna, reason="second thoughts", now=cast.NOW)


def test_a_withdrawn_draft_stays_to_be_seen_and_is_never_approved(house: cast.House) -> None:
    made = draft(house)
    with pytest.raises(progressives.ReasonNeeded):
        configurations.withdraw(configuration=made, person=house.anna, reason="  ", now=cast.NOW)
    with pytest.raises(posts.RoleNeeded):
        configurations.withdraw(configuration=made, person=house.sam, reason="no", now=cast.NOW)
    configurations.withdraw(configuration=made, person=house.piet, reason="the cap is missing", now=cast.NOW)
    with pytest.raises(configurations.DraftWithdrawn, match="the cap is missing"):
        approve(house, made)
    with pytest.raises(configurations.DraftWithdrawn, match="the cap is missing"):
        configurations.withdraw(configuration=made, person=house.anna, reason="again", now=cast.NOW)
    assert made in configurations.versions(house.link)
    assert made not in configurations.drafts(property_ids=[house.place.pk])


def test_a_version_never_changes(house: cast.House) -> None:
    made = draft(house)
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE jackpots_configuration SET cap_micros = 1 WHERE id = %s", [made.pk])


def test_rounds_keep_the_version_they_began_under(house: cast.House) -> None:
    later = cast.NOW + 10 * MINUTE
    version = draft(house, rates_ppm={"main": 800_000})
    approve(house, version, at=later)
    dealer = cast.Dealer(house, "CSP-01", now=later - MINUTE)
    dealer.send("wager", seat=1, wager="progressive", amount="1.00")
    dealer.now = later + MINUTE
    assert dealer.lock_out({1: "1.00"})["outcome"]["contributed"] == {"caribbean-link": "0.700000"}
    dealer.settle()
    assert dealer.lock_out({1: "1.00"})["outcome"]["contributed"] == {"caribbean-link": "0.800000"}


def test_an_approval_never_reaches_into_the_past(house: cast.House) -> None:
    approval = approve(house, draft(house), at=cast.NOW - 60 * MINUTE, now=cast.NOW + MINUTE)
    assert approval.effective_at == cast.NOW + MINUTE


def test_only_some_of_the_amounts_may_be_offered(house: cast.House) -> None:
    approve(house, draft(house, amounts_micros=[dollars("1.00")]))
    dealer = cast.Dealer(house, "CSP-01", now=cast.NOW + MINUTE)
    assert dealer.send("wager", seat=1, wager="progressive", amount="5.00")["code"] == "amount-not-offered"
    assert dealer.send("wager", seat=1, wager="progressive", amount="1.00")["status"] == "applied"


def test_awards_above_a_printed_minimum_are_what_is_paid(house: cast.House) -> None:
    paper = on_paper(house, *PAI_GOW)
    raised = {"flush": dollars("7.50"), "five-aces": 150_000, "straight-flush": dollars("30.00")}
    made = draft(house, paper, **PAI_GOW_CHOICES, awards=raised)
    approve(house, made)
    _, table = configurations.rules_of(Configuration.objects.get(pk=made.pk))
    said = {hand: line.award.text for hand in (*raised, "flush-and-pair") if (line := table.line(hand))}
    assert said == {
        "flush": "$7.50",
        "five-aces": "15% of meter",
        "straight-flush": "$30.00 off the meter",
        "flush-and-pair": "$6.00",
    }
    shown = {pay["hand"]: pay["amount"] for pay in meters.reading(slug="paper", now=cast.NOW).pays}
    assert (shown["flush"], shown["five-aces"], shown["straight-flush"]) == ("7.50", "1500.00", "30.00")


def test_an_odds_award_can_be_written_anew() -> None:
    printed = rulebook.pay_table(rule_text=CARIBBEAN[0], game=CARIBBEAN[1], wager=CARIBBEAN[2], pay_table="D")
    line = next(line for line in printed.lines if line.award.kind == "for-one")
    offered = offers.offer(printed=printed, awards={line.hand: line.award.odds + 1}).line(line.hand)
    assert offered is not None and offered.award.odds == line.award.odds + 1
    assert offered.award.text == f"{line.award.odds + 1:,} for 1"


def test_the_first_approval_opens_and_a_later_funder_gets_accounts(house: cast.House) -> None:
    next_door = house.zoe.appointments.get().property
    pia = cast.person("pia", place=next_door, role="approver")
    posts.appoint(person=house.anna, property=next_door, role="accounting", now=cast.NOW, actor=cast.INSTALLER)
    paper = on_paper(house, *CARIBBEAN)
    theirs = floor.open_table(
        property=next_door,
        pit="P",
        name="N-01",
        rule_text=CARIBBEAN[0],
        game=CARIBBEAN[1],
        seats=6,
        person=cast.person("tom", place=next_door, role="technician"),
        now=cast.NOW,
    )
    links.link(progressive=paper, table=theirs, person=house.anna, now=cast.NOW)
    made = configurations.draft(progressive=paper, choices=choices(), funded_by=next_door, person=house.anna, now=cast.NOW)
    with pytest.raises(posts.RoleNeeded):
        approve(house, made)
    configurations.approve(configuration=made, person=pia, pin=cast.PIN, effective_at=cast.NOW, now=cast.NOW)
    assert book.standings()[paper.pk].available[book.MAIN] == dollars("10000.00")


def test_an_opening_of_nothing_moves_nothing(house: cast.House) -> None:
    paper = on_paper(house, *CARIBBEAN)
    approve(house, draft(house, paper, initial_micros=0, reset_micros=0))
    assert book.standings()[paper.pk].available[book.MAIN] == 0
    assert book.standings()[paper.pk].transfers == 0


# Caps


def test_a_cap_below_the_present_amount_is_refused_at_the_draft_and_at_the_approval(house: cast.House) -> None:
    fitting = draft(house, cap_micros=dollars("10000.00"))
    contribute(house)
    with pytest.raises(configurations.ConfigurationUnsound, match=r"below the present amount of \$10000\.70"):
        draft(house, cap_micros=dollars("10000.00"))
    with pytest.raises(configurations.ConfigurationUnsound, match="below the present amount"):
        approve(house, fitting)


def test_a_meter_above_its_cap_overflows_at_the_fold_and_never_shows_it(house: cast.House) -> None:
    approve(house, draft(house, cap_micros=dollars("10001.00")))
    contribute(house, times=3)
    assert meters.reading(slug="caribbean-link", now=cast.NOW).amount_micros == dollars("10001.00")
    meters.fold_all(now=cast.NOW)
    held = book.standings()[house.link.pk].available
    assert (held[book.MAIN], held[book.OVERFLOW]) == (dollars("10001.00"), dollars("1.10"))


def test_a_cap_the_meter_has_outgrown_by_its_time_leaves_the_old_one_and_accounting_is_told(house: cast.House) -> None:
    approve(house, draft(house, cap_micros=dollars("10005.00")))
    later = cast.NOW + 10 * MINUTE
    approve(house, draft(house, cap_micros=dollars("10001.00")), at=later)
    contribute(house, times=3)
    assert caps.in_force(house.link, later) == dollars("10005.00"), "nobody has ruled yet"
    assert caps.waiting(later) == [house.link.pk]
    meters.fold_all(now=later)
    ruling = CapRuling.objects.get(approval__effective_at=later)
    assert not ruling.is_taken and ruling.main_micros == dollars("10002.10")
    assert caps.in_force(house.link, later) == dollars("10005.00")
    assert journal.waiting() == {"cap-not-taken": 1}
    record = journal.records(kind="cap-not-taken")[0]
    assert '"in_force":"10005.000000"' in record.body and record.subject == "progressive:caribbean-link"
    assert caps.waiting(later) == []
    assert configurations.in_force(house.link, later) == ruling.approval.configuration, "the rest of the version is in force"


def test_a_cap_that_fits_at_its_time_is_taken_over_though_nobody_plays(house: cast.House) -> None:
    later = cast.NOW + 10 * MINUTE
    approve(house, draft(house, cap_micros=dollars("12000.00")), at=later)
    assert caps.in_force(house.link, later) is None
    meters.fold_all(now=later - MINUTE)
    before = meters.reading(slug="caribbean-link", now=later).version
    assert meters.fold_all(now=later) == 1, "no tail was left, only the cap to rule on"
    assert caps.in_force(house.link, later) == dollars("12000.00")
    assert caps.in_force(house.link, later - MINUTE) is None
    assert meters.reading(slug="caribbean-link", now=later).version > before
    assert journal.waiting() == {}


def test_what_is_above_the_old_cap_does_not_count_against_the_new_one(house: cast.House) -> None:
    approve(house, draft(house, cap_micros=dollars("10001.00")))
    later = cast.NOW + 10 * MINUTE
    approve(house, draft(house, cap_micros=dollars("10001.00")), at=later)
    contribute(house, times=3)
    meters.fold_all(now=later)
    assert CapRuling.objects.get(approval__effective_at=later).is_taken


def contribute(house: cast.House, *, times: int = 1) -> None:
    dealer = cast.Dealer(house, "CSP-01")
    for _ in range(times):
        dealer.lock_out({1: "1.00"})
        dealer.settle()
