"""Makers for the cellar's tests: plain functions that leave records, people and signatures behind."""

import contextlib
import datetime
import threading
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection, transaction

from audit import journal
from audit.people import posts, signing
from audit.people.models import Person, Property, Signature
from settings.embedded import postgres, roles
from tests import embedded

NOON = datetime.datetime(2026, 11, 18, 12, 0, tzinfo=datetime.UTC)
SYSTEM = journal.Actor("system", "test")


def make_property(slug: str = "harbor") -> Property:
    return Property.objects.create(slug=slug, name=slug.title(), time_zone="America/New_York", gaming_day=datetime.date(2026, 11, 18))


def make_person(username: str, *, property: Property | None = None, role: str = "", pin: str = "", password: str = "") -> Person:
    person = Person(username=username, name=username.title())
    person.set_password(password or None)
    person.save()
    if pin:
        signing.set_pin(person=person, pin=pin, now=NOON, actor=SYSTEM)
    if property is not None and role:
        posts.appoint(person=person, property=property, role=role, now=NOON, actor=SYSTEM)
    return person


def write(subject: str = "", **more: Any) -> journal.Record:
    with transaction.atomic():
        return journal.append(kind="happened", now=NOON, actor=SYSTEM, facts={}, subject=subject, **more)


def write_signed(person: Person, property: Property, *subjects: str) -> journal.Record:
    """One record that answers for a signature under each subject."""
    checked = signing.CheckedPin(person_id=person.pk, checked_at=NOON)
    with transaction.atomic():
        rows: list[Signature] = [
            signing.sign(person=person, pin=checked, property=property, act="approve", subject=each, facts={"award": "1.00"}, now=NOON)
            for each in subjects
        ]
        return journal.append(kind="approved", now=NOON, actor=SYSTEM, facts={}, property_id=property.pk, subject=subjects[0], rows=rows)


@contextlib.contextmanager
def behind_the_back() -> Iterator[Any]:
    """The database's superuser with every trigger off: what the evidence has to withstand."""
    with roles.connected(embedded.database_server.address(postgres.SUPERUSER, embedded.DATABASE)) as cursor:
        cursor.execute("SET session_replication_role = replica")
        yield cursor


class Elsewhere(threading.Thread):
    """A piece of work in a thread, and so on a database connection, of its own; what it raises is raised where it is awaited."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.work = work
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self.work()
        except BaseException as error:
            self.error = error
        finally:
            connection.close()

    def finish(self) -> None:
        self.join(60)
        assert not self.is_alive(), "the other thread did not finish"
        if self.error is not None:
            raise self.error
