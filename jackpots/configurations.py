"""Configurations: the licensee's choices for a progressive, drafted by one person, checked against the rule book, approved by another."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import models, transaction

from audit import journal
from audit.people import posts, signing
from audit.people.models import Person, Property, Signature
from audit.refusals import Refusal
from jackpots import progressives, rulebook
from jackpots.ledger import book
from jackpots.models import Approval, Configuration, Progressive
from jackpots.rules import constraints, money
from jackpots.rules.book import PayTable, Wager


class ConfigurationBreaksRule(Refusal):
    """The rule text does not allow this: {breach} ({paragraph})."""


class OwnDraft(Refusal):
    """Whoever drafted a configuration cannot approve it."""

    category = "forbidden"


class AlreadyApproved(Refusal):
    """Version {number} has been approved already."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What a licensee chooses for a progressive."""

    pay_table: str
    rates_ppm: Mapping[str, int]
    initial_micros: int
    reset_micros: int
    cap_micros: int | None = None


def draft(*, progressive: Progressive, choices: Choices, funded_by: Property, person: Person, now: datetime.datetime) -> Configuration:
    """A new version, checked against the rule book; it is in force only once another person has approved it."""
    posts.require(person, funded_by, "accounting")
    check(progressive, choices, linked_tables=progressives.linked_tables(progressive, now))
    with transaction.atomic():
        Progressive.objects.select_for_update().get(pk=progressive.pk)
        configuration = Configuration.objects.create(
            progressive=progressive,
            number=progressive.configurations.count() + 1,
            pay_table=choices.pay_table,
            pay_table_digest=pay_table_named(progressive, choices.pay_table).digest,
            rates_ppm=dict(choices.rates_ppm),
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
    """A second person's signature under a draft. The first one approved opens the progressive and funds its meter."""
    posts.require(person, configuration.funded_by, "approver")
    if person.pk == configuration.drafted_by_id:
        raise OwnDraft
    checked = signing.check_pin(person=person, pin=pin, now=now)
    with transaction.atomic():
        progressive = Progressive.objects.select_for_update().get(pk=configuration.progressive_id)
        if Approval.objects.filter(configuration=configuration).exists():
            raise AlreadyApproved(number=configuration.number)
        signature = signing.sign(
            person=person,
            pin=checked,
            property=configuration.funded_by,
            act="approve-configuration",
            subject=f"progressive:{progressive.slug}",
            facts={"version": configuration.number},
            now=now,
        )
        # Never in the past: a round that has begun keeps the version it began under.
        approval = Approval.objects.create(configuration=configuration, signature=signature, effective_at=max(effective_at, now))
        opening = _open(progressive, configuration, signature, now) if progressive.opened_at is None else []
        facts = {**_facts(configuration), "effective_at": approval.effective_at}
        _journal("configuration-approved", configuration, person, now, facts=facts, rows=[signature, approval, *opening])
    return approval


def in_force(progressive: Progressive, at: datetime.datetime) -> Configuration | None:
    """The version in force at a moment."""
    approvals = Approval.objects.filter(configuration__progressive=progressive, effective_at__lte=at)
    newest = approvals.select_related("configuration__funded_by").order_by("-effective_at", "-pk").first()
    return newest.configuration if newest else None


def rules_of(configuration: Configuration) -> tuple[Wager, PayTable]:
    progressive = configuration.progressive
    wager = rulebook.wager(rule_text=progressive.rule_text, game=progressive.game, wager=progressive.wager)
    table = pay_table_named(progressive, configuration.pay_table)
    assert table.digest == configuration.pay_table_digest, "the rule book's pay table is not the one this version was approved with"
    return wager, table


def pay_table_named(progressive: Progressive, name: str) -> PayTable:
    return rulebook.pay_table(rule_text=progressive.rule_text, game=progressive.game, wager=progressive.wager, pay_table=name)


def check(progressive: Progressive, choices: Choices, *, linked_tables: int) -> None:
    wager = rulebook.wager(rule_text=progressive.rule_text, game=progressive.game, wager=progressive.wager)
    breaches = constraints.check(
        wager=wager,
        pay_table=pay_table_named(progressive, choices.pay_table),
        rates_ppm=choices.rates_ppm,
        initial_micros=choices.initial_micros,
        reset_micros=choices.reset_micros,
        cap_micros=choices.cap_micros,
        linked_tables=linked_tables,
    )
    if breaches:
        errors = [{"field": breach.code, "detail": f"{breach.detail} ({breach.paragraph})"} for breach in breaches]
        raise ConfigurationBreaksRule(errors=errors, breach=breaches[0].detail, paragraph=breaches[0].paragraph)


def _open(progressive: Progressive, configuration: Configuration, signature: Signature, now: datetime.datetime) -> list[models.Model]:
    property_id = configuration.funded_by_id
    accounts = book.open_accounts(progressive_id=progressive.pk, property_id=property_id)
    cause = book.Cause(property_id=property_id, now=now, signature_id=signature.pk)
    with book.locked(progressive_ids=[progressive.pk], mode=book.Mode.EXCLUSIVE) as ledger:
        entry = book.Entry(
            debit=ledger.account(progressive.pk, book.HOUSE, property_id),
            credit=ledger.account(progressive.pk, book.MAIN),
            amount_micros=configuration.initial_micros,
            reason="opening",
        )
        transfers = ledger.post(progressive_id=progressive.pk, cause=cause, entries=[entry])
    progressive.opened_at = now
    progressive.save(update_fields=["opened_at"])
    return [*accounts, *transfers]


def choices_of(configuration: Configuration) -> Choices:
    return Choices(
        pay_table=configuration.pay_table,
        rates_ppm=configuration.rates_ppm,
        initial_micros=configuration.initial_micros,
        reset_micros=configuration.reset_micros,
        cap_micros=configuration.cap_micros,
    )


def _facts(configuration: Configuration) -> dict[str, object]:
    return {
        "version": configuration.number,
        "pay_table": configuration.pay_table,
        "rates_ppm": configuration.rates_ppm,
        "initial": money.exact(configuration.initial_micros),
        "reset": money.exact(configuration.reset_micros),
        "cap": None if configuration.cap_micros is None else money.exact(configuration.cap_micros),
    }


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
