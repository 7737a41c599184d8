"""Who holds which post where, and which posts one person may not hold together."""

import datetime
from collections.abc import Iterable

from django.db import transaction

from audit import journal
from audit.people.models import Appointment, Person, Property, Role
from audit.refusals import NotAllowed, Refusal

VALIDATORS = frozenset({Role.FLOORPERSON, Role.SUPERVISOR, Role.SHIFT_SUPERVISOR})


class PostsIncompatible(Refusal):
    """{person} is {held} at {property} and cannot be {role} as well: one person would hold both sides of a signature."""


class RoleUnknown(Refusal):
    """There is no role {role}."""

    category = "unreadable"


class RoleNeeded(NotAllowed):
    """This needs the role of {roles} at {property}."""


def _pairs() -> frozenset[frozenset[str]]:
    pairs: set[frozenset[str]] = set()

    def apart(role: Role, others: Iterable[Role]) -> None:
        pairs.update(frozenset({role.value, other.value}) for other in others if other != role)

    # Whoever deals, keeps the controllers or pays out does not also say that the hit was good.
    for role in (Role.DEALER, Role.TECHNICIAN, Role.CASHIER):
        apart(role, VALIDATORS)
    apart(Role.CASHIER, [Role.DEALER, Role.TECHNICIAN])
    # Whoever drafts or approves a configuration does not sign under it, nor draft and approve the same one, nor touch the cash.
    for role in (Role.ACCOUNTING, Role.APPROVER):
        apart(role, [*VALIDATORS, Role.DEALER, Role.CASHIER, Role.TECHNICIAN])
    apart(Role.ACCOUNTING, [Role.APPROVER])
    # An auditor changes nothing, and who appoints people moves no money.
    for role in (Role.AUDITOR, Role.ADMINISTRATOR):
        apart(role, Role)
    return frozenset(pairs)


INCOMPATIBLE = _pairs()


def appoint(*, person: Person, property: Property, role: str, now: datetime.datetime, actor: journal.Actor) -> Appointment:
    """Give a person a role at a property; refused where it goes against one already held there."""
    if role not in Role.values:
        raise RoleUnknown(role=role)
    with transaction.atomic():
        # Two administrators at once must not each give one half of a pair.
        Person.objects.select_for_update(no_key=True).get(pk=person.pk)
        for held in sorted(roles_of(person, property)):
            if frozenset({held, role}) in INCOMPATIBLE:
                raise PostsIncompatible(person=person.username, held=held, role=role, property=property.slug)
        appointment, is_new = Appointment.objects.get_or_create(person=person, property=property, role=role)
        if is_new:
            _journal("appointed", person=person, property=property, role=role, now=now, actor=actor)
    return appointment


def dismiss(*, person: Person, property: Property, role: str, now: datetime.datetime, actor: journal.Actor) -> None:
    """Take a role from a person."""
    with transaction.atomic():
        gone, _ = Appointment.objects.filter(person=person, property=property, role=role).delete()
        if gone:
            _journal("dismissed", person=person, property=property, role=role, now=now, actor=actor)


def roles_of(person: Person, property: Property) -> frozenset[str]:
    return frozenset(Appointment.objects.filter(person=person, property=property).values_list("role", flat=True))


def properties_of(person: Person, *roles: str) -> frozenset[int]:
    """The ids of the properties where the person holds one of the roles."""
    held = Appointment.objects.filter(person=person, role__in=roles)
    return frozenset(held.values_list("property_id", flat=True))


def require(person: Person, property: Property, *roles: str) -> None:
    """Refuse whoever holds none of the roles at that property."""
    if not person.is_active or not roles_of(person, property) & set(roles):
        raise RoleNeeded(roles=" or ".join(roles), property=property.slug)


def _journal(kind: str, *, person: Person, property: Property, role: str, now: datetime.datetime, actor: journal.Actor) -> None:
    facts = {"person": person.username, "role": str(role)}
    journal.append(kind=kind, now=now, actor=actor, facts=facts, property_id=property.pk, subject=f"person:{person.username}")
