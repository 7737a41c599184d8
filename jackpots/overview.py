"""Running a property: who may see which progressives, configurations and tables, and how they are shown."""

import datetime
from typing import Any

from django.db.models import Q

from audit.people import posts
from audit.people.models import Person, Property
from audit.refusals import NoSuchThing
from jackpots import configurations, progressives, proofline
from jackpots.ledger import reading
from jackpots.models import Configuration, Hit, Link, Progressive
from jackpots.rules import money
from tables.models import Table

READERS = ("floorperson", "supervisor", "shift-supervisor", "cashier", "accounting", "approver", "technician", "auditor")
# Who may look into configurations, figures and the books behind a meter.
BOOKKEEPERS = ("supervisor", "shift-supervisor", "accounting", "approver", "auditor")


class NoSuchTable(NoSuchThing):
    """There is no table {table} here."""


class NoSuchProperty(NoSuchThing):
    """There is no property {property} here."""


def progressives_for(reader: Person) -> list[Progressive]:
    """The progressives of a person's properties, and those that their tables play for."""
    own = posts.properties_of(reader, *READERS)
    found = Progressive.objects.filter(Q(property__in=own) | Q(links__table__property__in=own))
    return list(found.select_related("property").distinct().order_by("slug"))


def progressive_for(reader: Person, slug: str, *roles: str) -> Progressive:
    """One progressive, if the reader may see it; to others it does not exist."""
    found = progressives.get(slug)
    if not progressives.properties_of(found) & posts.properties_of(reader, *(roles or READERS)):
        raise progressives.NoSuchProgressive(slug=slug)
    return found


def configuration_for(reader: Person, number: int) -> Configuration:
    found = configurations.get(number)
    concerned = {found.funded_by_id, *progressives.properties_of(found.progressive)}
    if not concerned & posts.properties_of(reader, *BOOKKEEPERS):
        raise configurations.NoSuchConfiguration(configuration=number)
    return found


def configurations_for(reader: Person, *, state: str | None = None, now: datetime.datetime) -> list[dict[str, Any]]:
    """The newest versions of everything the reader may look into; of one state, where asked."""
    own = posts.properties_of(reader, *BOOKKEEPERS)
    if state == "draft":
        return [configuration_shown(one, now=now) for one in configurations.drafts(property_ids=own)]
    seen = Progressive.objects.filter(Q(property__in=own) | Q(links__table__property__in=own)).distinct()
    shown = [version for progressive in seen.order_by("slug") for version in versions_shown(progressive, now=now)]
    return [one for one in shown if state is None or one["state"] == state]


def versions_shown(progressive: Progressive, *, now: datetime.datetime) -> list[dict[str, Any]]:
    """Every version of a progressive's configuration, newest first."""
    return [configuration_shown(version, now=now) for version in configurations.versions(progressive)]


def table_for(reader: Person, property_slug: str | None, name: str) -> Table:
    """A table by its name; names are a property's own, so where it may be several properties' the property is named too."""
    own = posts.properties_of(reader, *READERS)
    found = Table.objects.filter(name=name, property__in=own).select_related("property").order_by("property__slug")
    table = (found.filter(property__slug=property_slug) if property_slug else found).first()
    if table is None:
        raise NoSuchTable(table=name)
    return table


def property_for(reader: Person, slug: str) -> Property:
    found = Property.objects.filter(slug=slug, pk__in=posts.properties_of(reader, *READERS)).first()
    if found is None:
        raise NoSuchProperty(property=slug)
    return found


def tables_for(reader: Person, *, now: datetime.datetime) -> list[dict[str, Any]]:
    own = posts.properties_of(reader, *READERS)
    found = Table.objects.filter(property__in=own).select_related("property", "pit").prefetch_related("controllers")
    return [_table_shown(table, now=now) for table in found.order_by("property__slug", "name")]


def progressive_shown(progressive: Progressive, *, now: datetime.datetime) -> dict[str, Any]:
    in_force = configurations.in_force(progressive, now)
    suspension = progressive.suspensions.filter(resumed_at__isnull=True).first()
    links = progressives.links_from(progressive, now).select_related("table__property").order_by("table__property__slug", "table__name")
    return {
        "progressive": progressive.slug,
        "name": progressive.name,
        "property": progressive.property.slug,
        "rule_text": progressive.rule_text,
        "game": progressive.game,
        "wager": progressive.wager,
        "state": _state(progressive, is_suspended=suspension is not None),
        "suspended_for": suspension.reason if suspension else None,
        "opened_at": progressive.opened_at,
        "closed_at": progressive.closed_at,
        "version": in_force.number if in_force else None,
        "tables": [_link_shown(link) for link in links],
    }


def configuration_shown(configuration: Configuration, *, now: datetime.datetime) -> dict[str, Any]:
    approval, withdrawal = getattr(configuration, "approval", None), getattr(configuration, "withdrawal", None)
    ruling = getattr(approval, "cap_ruling", None)
    return {
        "id": configuration.pk,
        "progressive": configuration.progressive.slug,
        "version": configuration.number,
        "state": _configuration_state(configuration, now),
        "pay_table": configuration.pay_table,
        "pay_table_digest": configuration.pay_table_digest,
        "rates_ppm": configuration.rates_ppm,
        "initial": money.cents(configuration.initial_micros),
        "reset": _cents(configuration.reset_micros),
        "cap": _cents(configuration.cap_micros),
        "cap_taken": ruling.is_taken if ruling else None,
        "awards": configuration.awards,
        "amounts": [money.cents(amount) for amount in configuration.amounts_micros],
        "funded_by": configuration.funded_by.slug,
        "drafted_by": configuration.drafted_by.name,
        "drafted_at": configuration.drafted_at,
        "approved_by": approval.signature.person.name if approval else None,
        "approved_at": approval.signature.signed_at if approval else None,
        "effective_at": approval.effective_at if approval else None,
        "withdrawn_by": withdrawal.person.name if withdrawal else None,
        "withdrawn_for": withdrawal.reason if withdrawal else None,
    }


def proof_shown(proof: proofline.Proof, *, now: datetime.datetime) -> dict[str, Any]:
    question, since = proof.question, proof.since
    return {
        "progressive": question.progressive.slug,
        "meter": question.meter,
        "at": question.at or (question.hit.claimed_at if question.hit else now),
        "up_to_hit": question.hit.number if question.hit else None,
        "since": _since_shown(since, proof.forward_micros) if since else None,
        "lines": [_line_shown(line) for line in proof.lines],
        "balance": money.exact(proof.balance_micros),
        "stored": None if proof.stored_micros is None else money.exact(proof.stored_micros),
        "verdict": proof.verdict,
    }


def transfer_shown(transfer: reading.Transfer, effect_micros: int) -> dict[str, Any]:
    """One transfer with whatever caused it."""
    event, signature, round_, wager = transfer.event, transfer.signature, transfer.round, transfer.wager
    return {
        "transfer": transfer.pk,
        "recorded_at": transfer.recorded_at,
        "gaming_day": transfer.gaming_day,
        "property": transfer.property.slug,
        "reason": transfer.reason,
        "from": transfer.debit.code,
        "to": transfer.credit.code,
        "kind": transfer.get_kind_display().lower(),
        "amount": money.exact(effect_micros),
        "table": round_.table.name if round_ else None,
        "round": round_.number if round_ else None,
        "seat": wager.seat if wager else None,
        "resolves": transfer.resolves_id,
        "reverses": transfer.reverses_id,
        "event": _event_shown(event) if event else None,
        "signature": (
            {"person": signature.person.name, "act": signature.act, "subject": signature.subject, "signed_at": signature.signed_at}
            if signature
            else None
        ),
    }


def _event_shown(event: Any) -> dict[str, Any]:
    return {
        "id": event.told_id,
        "controller": event.controller.name,
        "sequence": event.sequence,
        "type": event.type,
        "told_at": event.told_at,
        "recorded_at": event.recorded_at,
    }


def _since_shown(hit: Hit, forward_micros: int) -> dict[str, Any]:
    return {
        "hit": hit.number,
        "claimed_at": hit.claimed_at,
        "stood_at": money.exact(forward_micros),
        "award": money.cents(hit.award_micros),
    }


def _line_shown(line: proofline.Line) -> dict[str, Any]:
    parts = [
        {"reason": part.reason, "other": part.other, "amount": money.exact(part.amount_micros), "count": part.count} for part in line.parts
    ]
    return {"line": line.name, "amount": money.exact(line.amount_micros), "count": line.count, "parts": parts}


def _state(progressive: Progressive, *, is_suspended: bool) -> str:
    if progressive.closed_at is not None:
        return "closed"
    if progressive.opened_at is None:
        return "not-open"
    return "suspended" if is_suspended else "live"


def _configuration_state(configuration: Configuration, now: datetime.datetime) -> str:
    if getattr(configuration, "withdrawal", None) is not None:
        return "withdrawn"
    approval = getattr(configuration, "approval", None)
    if approval is None:
        return "draft"
    if approval.effective_at > now:
        return "approved"
    in_force = configurations.in_force(configuration.progressive, now)
    return "in-force" if in_force is not None and in_force.pk == configuration.pk else "superseded"


def _link_shown(link: Link) -> dict[str, Any]:
    return {
        "table": link.table.name,
        "property": link.table.property.slug,
        "linked_at": link.linked_at,
        "unlinked_at": link.unlinked_at,
    }


def _table_shown(table: Table, *, now: datetime.datetime) -> dict[str, Any]:
    links = progressives.links_of(table, now).select_related("progressive").order_by("progressive__slug")
    return {
        "table": table.name,
        "property": table.property.slug,
        "pit": table.pit.name,
        "rule_text": table.rule_text,
        "game": table.game,
        "seats": table.seats,
        "is_open": table.is_open,
        "progressives": [link.progressive.slug for link in links],
        "controllers": sorted(one.name for one in table.controllers.all()),
    }


def _cents(micros: int | None) -> str | None:
    return None if micros is None else money.cents(micros)
