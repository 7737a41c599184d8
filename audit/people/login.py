"""Logging in, with wrong passwords slowed as wrong PINs are."""

import datetime
from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.http import HttpRequest

from audit import journal
from audit.people import slowing
from audit.people.models import Person


class SlowedBackend(BaseBackend):
    """Django's way in. Whoever is unknown, dismissed or paused gets the same "no" as whoever gave a wrong password."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **_others: Any
    ) -> Person | None:
        if not username or password is None:
            return None
        # Django calls this without a time, so the clock is read here.
        now = datetime.datetime.now(datetime.UTC)  # noqa: TID251
        return log_in(username=username, password=password, now=now)

    def get_user(self, user_id: int) -> Person | None:
        return Person.objects.filter(pk=user_id, is_active=True).first()


def log_in(*, username: str, password: str, now: datetime.datetime) -> Person | None:
    """The person, if the password is right and they are not paused; failures are counted in a transaction of their own."""
    with transaction.atomic(durable=True):
        person = Person.objects.select_for_update(no_key=True).filter(username=username).first()
        if person is None or not person.is_active or _is_paused(person, now=now):
            # Hashing anyway, so that the time an answer takes tells nobody which names there are.
            make_password(password)
            return None
        return _judge(person, password=password, now=now)


def _is_paused(person: Person, *, now: datetime.datetime) -> bool:
    return person.login_paused_until is not None and now < person.login_paused_until


def _judge(person: Person, *, password: str, now: datetime.datetime) -> Person | None:
    is_right = person.check_password(password)
    failures = 0 if is_right else person.login_failures + 1
    pause = slowing.pause_after(failures) if failures else None
    person.login_failures, person.login_paused_until = failures, now + pause if pause else None
    person.save(update_fields=["login_failures", "login_paused_until"])
    journal.append(
        kind="logged-in" if is_right else "login-refused",
        now=now,
        actor=journal.Actor("person", person.username),
        facts={} if is_right else {"failures": failures},
        subject=f"person:{person.username}",
    )
    return person if is_right else None
