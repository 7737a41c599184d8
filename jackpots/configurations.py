"""Configurations: the licensee's choices for a progressive, drafted by one person, checked against the rule book, approved by another."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import models, transaction

from audit import journal
from audit.people import posts, signing
from audit.people.models import Person, Property, Signature
from audit.refusals import NoSuchThing, Refusal
from jackpots import caps, progressives, rulebook
from jackpots.ledger import book
from jackpots.models import Approval, Configuration, Progressive, Withdrawal
from jackpots.rules import constraints, money, offers
from jackpots.rules.book import PayTable, Wager


class NoSuchConfiguration(NoSuchThing):
    """There is no configuration {configuration}."""


class ConfigurationBreaksRule(Refusal):
    """The rule text does not allow this: {breach} ({paragraph})."""


class ConfigurationUnsound(Refusal):
    """This cannot be: {breach}."""


class FunderNotOfTheLink(Refusal):
    """{property} has no table that plays for {progressive}; it cannot fund it."""


class PayTableOffTheShelf(Refusal):
    """The rule book's pay table {pay_table} is not the one version {number} of {progressive} was approved with; put that text back."""

    # Not the table's fault and not its decision: what it sends is taken once the text is back.
    category = "not-now"


class OwnDraft(Refusal):
    """Whoever drafted a configuration cannot approve it."""

    category = "forbidden"


class AlreadyApproved(Refusal):
    """Version {number} has been approved already."""


class DraftWithdrawn(Refusal):
    """Version {number} was withdrawn: {reason}."""


class PayTableChanged(Refusal):
    """Pay table {pay_table} is not the one version {number} was drafted with; draft it again."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What a licensee chooses for a progressive."""

    pay_table: str
    rates_ppm: Mapping[str, int]
    initial_micros: int
    # None where the main meter is reset from the secondary one.
    reset_micros: int | None = None
    cap_micros: int | None = None
    # Hand -> award above the printed one, where the text prints minimums; the wager amounts offered, where not all of them are.
    awards: Mapping[str, int] = field(default_factory=dict)
    amounts_micros: Sequence[int] = ()


def draft(*, progressive: Progressive, choices: Choices, funded_by: Property, person: Person, now: datetime.datetime) -> Configuration:
    """A new version, checked against the rule book; it is in force only once another person has approved it."""
    posts.require(person, progressive.property, "accounting")
    if funded_by.pk not in progressives.properties_of(progressive):
        raise FunderNotOfTheLink(property=funded_by.slug, progressive=progressive.slug)
    table = pay_table_named(progressive, choices.pay_table)
    with transaction.atomic():
        held = progressives.hold(progressive)
        check(held, choices, linked_tables=progressives.linked_tables(held, now), main_micros=_main_now(held, choices, now))
        configuration = Configuration.objects.create(
            progressive=held,
            number=held.configurations.count() + 1,
            pay_table=choices.pay_table,
            pay_table_digest=table.digest,
            rates_ppm=dict(choices.rates_ppm),
            awards=dict(choices.awards),
            amounts_micros=list(choices.amounts_micros),
            initial_micros=choices.initial_micros,
            reset_micros=choices.reset_micros,
            cap_micros=choices.cap_micros,
            funded_by=funded_by,
            drafted_by=person,
            drafted_at=now,
        )
        _journal("configuration-drafted", configuration, person, now, facts=_facts(configuration), rows=[configuration])
    return configuration


def approve(*, configuration: Configuration, person: Person, pin: str, effective_at: datetime.datetime, now: datetime.datetime) -> Approval:
    """A second person's signature under a draft, checked once more. The first one approved opens the progressive and funds its meter."""
    posts.require(person, configuration.funded_by, "approver")
    if person.pk == configuration.drafted_by_id:
        raise OwnDraft
    checked = signing.check_pin(person=person, pin=pin, now=now)
    with transaction.atomic(), book.locked(progressive_ids=[configuration.progressive_id], mode=book.Mode.EXCLUSIVE) as ledger:
        progressive = progressives.hold(configuration.progressive)
        _require_draft(configuration)
        accounts = book.open_accounts(progressive_id=progressive.pk, property_id=configuration.funded_by_id)
        main = _check_again(progressive, configuration, ledger, now)
        signature = _sign(configuration, progressive, person, checked, now)
        # Never in the past: a round that has begun keeps the version it began under.
        approval = Approval.objects.create(configuration=configuration, signature=signature, effective_at=max(effective_at, now))
        rows: list[models.Model] = [*accounts, signature, approval]
        if progressive.opened_at is None:
            rows += _open(progressive, configuration, signature, ledger, now)
        if approval.effective_at <= now:
            rows.append(caps.take(approval=approval, main_micros=main, now=now))
        facts = {**_facts(configuration), "effective_at": approval.effective_at}
        _journal("configuration-approved", configuration, person, now, facts=facts, rows=rows)
    return approval


def withdraw(*, configuration: Configuration, person: Person, reason: str, now: datetime.datetime) -> Withdrawal:
    """Take a draft back, or decline it: it can no longer be approved."""
    posts.require(person, configuration.funded_by, "accounting", "approver")
    if not reason.strip():
        raise progressives.ReasonNeeded
    with transaction.atomic():
        progressives.hold(configuration.progressive)
        _require_draft(configuration)
        withdrawal = Withdrawal.objects.create(configuration=configuration, person=person, reason=reason.strip()[:200], withdrawn_at=now)
        facts = {"version": configuration.number, "reason": withdrawal.reason}
        _journal("configuration-withdrawn", configuration, person, now, facts=facts, rows=[withdrawal])
    return withdrawal


def get(number: int) -> Configuration:
    found = _with_all().filter(pk=number).first()
    if found is None:
        raise NoSuchConfiguration(configuration=number)
    return found


def versions(progressive: Progressive) -> list[Configuration]:
    """Every version there ever was, newest first, drafts and withdrawn ones among them."""
    return list(_with_all().filter(progressive=progressive).order_by("-number"))


def drafts(*, property_ids: Sequence[int] | frozenset[int]) -> list[Configuration]:
    """What waits for an approver of some properties, oldest first."""
    waiting = _with_all().filter(approval__isnull=True, withdrawal__isnull=True, progressive__closed_at__isnull=True)
    return list(waiting.filter(models.Q(funded_by__in=property_ids) | models.Q(progressive__property__in=property_ids)).order_by("pk"))


def in_force(progressive: Progressive, at: datetime.datetime) -> Configuration | None:
    """The version in force at a moment."""
    approvals = Approval.objects.filter(configuration__progressive=progressive, effective_at__lte=at)
    newest = approvals.select_related("configuration__funded_by").order_by("-effective_at", "-pk").first()
    return newest.configuration if newest else None


def rules_of(configuration: Configuration) -> tuple[Wager, PayTable]:
    """The wager, and the pay table as this version offers it."""
    progressive = configuration.progressive
    wager = rulebook.wager(rule_text=progressive.rule_text, game=progressive.game, wager=progressive.wager)
    table = pay_table_named(progressive, configuration.pay_table)
    if table.digest != configuration.pay_table_digest:
        raise PayTableOffTheShelf(pay_table=configuration.pay_table, number=configuration.number, progressive=progressive.slug)
    if configuration.awards or configuration.amounts_micros:
        table = offers.offer(printed=table, awards=configuration.awards, amounts_micros=configuration.amounts_micros)
    return wager, table


def pay_table_named(progressive: Progressive, name: str) -> PayTable:
    return rulebook.pay_table(rule_text=progressive.rule_text, game=progressive.game, wager=progressive.wager, pay_table=name)


def check(progressive: Progressive, choices: Choices, *, linked_tables: int, main_micros: int | None = None) -> None:
    """Refuse what breaks the rule text, with the paragraph; every breach is listed."""
    wager = rulebook.wager(rule_text=progressive.rule_text, game=progressive.game, wager=progressive.wager)
    printed = pay_table_named(progressive, choices.pay_table)
    breaches = constraints.check(
        wager=wager,
        pay_table=printed,
        rates_ppm=choices.rates_ppm,
        initial_micros=choices.initial_micros,
        reset_micros=choices.reset_micros,
        cap_micros=choices.cap_micros,
        linked_tables=linked_tables,
        amounts_micros=choices.amounts_micros or None,
        main_micros=main_micros,
    )
    breaches += offers.check(printed=printed, awards=choices.awards)
    if breaches:
        first = breaches[0]
        errors = [{"field": one.code, "detail": f"{one.detail} ({one.paragraph})" if one.paragraph else one.detail} for one in breaches]
        # What no text speaks of, such as a cap below the meter, cannot quote one.
        refusal = ConfigurationBreaksRule if first.paragraph else ConfigurationUnsound
        raise refusal(errors=errors, breach=first.detail, paragraph=first.paragraph)


def choices_of(configuration: Configuration) -> Choices:
    return Choices(
        pay_table=configuration.pay_table,
        rates_ppm=configuration.rates_ppm,
        initial_micros=configuration.initial_micros,
        reset_micros=configuration.reset_micros,
        cap_micros=configuration.cap_micros,
        awards=configuration.awards,
        amounts_micros=configuration.amounts_micros,
    )


def _require_draft(configuration: Configuration) -> None:
    if Approval.objects.filter(configuration=configuration).exists():
        raise AlreadyApproved(number=configuration.number)
    withdrawal = Withdrawal.objects.filter(configuration=configuration).first()
    if withdrawal is not None:
        raise DraftWithdrawn(number=configuration.number, reason=withdrawal.reason)


def _main_now(progressive: Progressive, choices: Choices, now: datetime.datetime) -> int:
    """What a cap must leave room for: the meter as it stands, or what it is to be opened with."""
    if progressive.opened_at is None:
        return choices.initial_micros
    return caps.standing(book.standings()[progressive.pk].available[book.MAIN], progressive, now)


def _check_again(progressive: Progressive, configuration: Configuration, ledger: book.Book, now: datetime.datetime) -> int:
    """Between draft and approval tables may have been linked, the meter has risen and the rule book may have changed."""
    if pay_table_named(progressive, configuration.pay_table).digest != configuration.pay_table_digest:
        raise PayTableChanged(pay_table=configuration.pay_table, number=configuration.number)
    main = configuration.initial_micros
    if progressive.opened_at is not None:
        main = caps.standing(ledger.available(progressive.pk)[book.MAIN], progressive, now)
    check(progressive, choices_of(configuration), linked_tables=progressives.linked_tables(progressive, now), main_micros=main)
    return main


def _sign(
    configuration: Configuration, progressive: Progressive, person: Person, checked: signing.CheckedPin, now: datetime.datetime
) -> Signature:
    tables = progressives.links_from(progressive, now).order_by("table__name").values_list("table__name", flat=True)
    return signing.sign(
        person=person,
        pin=checked,
        property=configuration.funded_by,
        act="approve-configuration",
        subject=f"progressive:{progressive.slug}",
        facts={"version": configuration.number, "tables": list(tables)},
        now=now,
    )


def _open(
    progressive: Progressive, configuration: Configuration, signature: Signature, ledger: book.Book, now: datetime.datetime
) -> list[book.Transfer]:
    property_id = configuration.funded_by_id
    cause = book.Cause(property_id=property_id, now=now, signature_id=signature.pk)
    entry = book.Entry(
        debit=ledger.account(progressive.pk, book.HOUSE, property_id),
        credit=ledger.account(progressive.pk, book.MAIN),
        amount_micros=configuration.initial_micros,
        reason="opening",
    )
    progressive.opened_at = now
    progressive.save(update_fields=["opened_at"])
    return ledger.post(progressive_id=progressive.pk, cause=cause, entries=[entry] if entry.amount_micros else [])


def _facts(configuration: Configuration) -> dict[str, object]:
    return {
        "version": configuration.number,
        "pay_table": configuration.pay_table,
        "rates_ppm": configuration.rates_ppm,
        "awards": configuration.awards,
        "amounts": [money.cents(amount) for amount in configuration.amounts_micros],
        "initial": money.exact(configuration.initial_micros),
        "reset": _exact(configuration.reset_micros),
        "cap": _exact(configuration.cap_micros),
    }


def _exact(micros: int | None) -> str | None:
    return None if micros is None else money.exact(micros)


def _with_all() -> models.QuerySet[Configuration]:
    return Configuration.objects.select_related(
        "progressive__property", "funded_by", "drafted_by", "approval__signature__person", "approval__cap_ruling", "withdrawal__person"
    )


def _journal(
    kind: str,
    configuration: Configuration,
    person: Person,
    now: datetime.datetime,
    *,
    facts: Mapping[str, object],
    rows: Sequence[models.Model],
) -> None:
    journal.append(
        kind=kind,
        now=now,
        actor=journal.Actor("person", person.username),
        facts=facts,
        property_id=configuration.funded_by_id,
        subject=f"progressive:{configuration.progressive.slug}",
        rows=rows,
    )
