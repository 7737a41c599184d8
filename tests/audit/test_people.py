"""Posts that do not go together, PINs and passwords that are slowed when guessed."""

import datetime
import itertools
import threading
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.db import transaction

from audit import journal
from audit.people import login, posts, signing, slowing
from audit.people.models import Appointment, Person, Property, Role, Signature
from audit.refusals import NotAllowed, Refusal
from tests.audit import cellar
from tests.audit.cellar import NOON, SYSTEM, Elsewhere


def after(seconds: float) -> datetime.datetime:
    return NOON + datetime.timedelta(seconds=seconds)


def guess(person: Person, pin: str = "0000", *, now: datetime.datetime = NOON) -> str:
    try:
        signing.check_pin(person=person, pin=pin, now=now)
    except Refusal as refusal:
        return refusal.code
    return "right"


@pytest.fixture
def harbor(db: None) -> Property:
    return cellar.make_property()


@pytest.fixture
def sam(harbor: Property) -> Person:
    return cellar.make_person("sam", property=harbor, role="supervisor", pin="1234", password="correct horse")


def kinds() -> list[str]:
    return [record.kind for record in journal.records()]


class TestPosts:
    def test_a_role_is_held_at_its_property_only(self, harbor: Property, sam: Person) -> None:
        bay = cellar.make_property("bay")
        posts.require(sam, harbor, "supervisor", "shift-supervisor")
        with pytest.raises(NotAllowed, match="This needs the role of supervisor at bay"):
            posts.require(sam, bay, "supervisor")
        with pytest.raises(NotAllowed):
            posts.require(sam, harbor, "cashier")
        assert posts.roles_of(sam, harbor) == {"supervisor"}
        assert posts.properties_of(sam, "supervisor", "auditor") == {harbor.pk}

    def test_who_is_no_longer_active_may_nothing(self, harbor: Property, sam: Person) -> None:
        sam.is_active = False
        with pytest.raises(NotAllowed):
            posts.require(sam, harbor, "supervisor")

    def test_both_sides_of_a_signature_cannot_be_one_person(self, harbor: Property, sam: Person) -> None:
        with pytest.raises(posts.PostsIncompatible, match="sam is supervisor at harbor and cannot be cashier as well"):
            posts.appoint(person=sam, property=harbor, role="cashier", now=NOON, actor=SYSTEM)
        assert posts.roles_of(sam, harbor) == {"supervisor"}
        posts.appoint(person=sam, property=cellar.make_property("bay"), role="cashier", now=NOON, actor=SYSTEM)

    def test_the_pairs_that_go_together_are_few(self) -> None:
        together = [pair for pair in itertools.combinations(Role.values, 2) if frozenset(pair) not in posts.INCOMPATIBLE]
        assert sorted(map(sorted, together)) == [
            ["dealer", "technician"],
            ["floorperson", "shift-supervisor"],
            ["floorperson", "supervisor"],
            ["shift-supervisor", "supervisor"],
        ]

    def test_appointing_twice_is_one_appointment_and_one_record(self, harbor: Property, sam: Person) -> None:
        posts.appoint(person=sam, property=harbor, role="supervisor", now=NOON, actor=SYSTEM)
        assert Appointment.objects.count() == 1
        assert kinds().count("appointed") == 1

    def test_a_dismissal_is_recorded_and_ends_the_role(self, harbor: Property, sam: Person) -> None:
        posts.dismiss(person=sam, property=harbor, role="supervisor", now=NOON, actor=SYSTEM)
        posts.dismiss(person=sam, property=harbor, role="supervisor", now=NOON, actor=SYSTEM)
        assert posts.roles_of(sam, harbor) == frozenset()
        assert kinds().count("dismissed") == 1

    def test_there_is_no_role_that_is_not_in_the_list(self, harbor: Property, sam: Person) -> None:
        with pytest.raises(posts.RoleUnknown, match="There is no role king"):
            posts.appoint(person=sam, property=harbor, role="king", now=NOON, actor=SYSTEM)


@pytest.mark.usefixtures("committed")
def test_two_halves_of_a_pair_given_at_once_do_not_both_stand() -> None:
    harbor = cellar.make_property()
    sam = cellar.make_person("sam")
    is_given, other_is_done, outcomes = threading.Event(), threading.Event(), list[str]()

    def give_slowly() -> None:
        with transaction.atomic():
            posts.appoint(person=sam, property=harbor, role="supervisor", now=NOON, actor=SYSTEM)
            is_given.set()
            # Without the lock the other half would be given in this moment; with it, the other waits for our commit.
            other_is_done.wait(0.5)

    def give_the_other_half() -> None:
        assert is_given.wait(60)
        try:
            posts.appoint(person=sam, property=harbor, role="cashier", now=NOON, actor=SYSTEM)
        except posts.PostsIncompatible:
            outcomes.append("refused")
        other_is_done.set()

    for each in [Elsewhere(give_slowly), Elsewhere(give_the_other_half)]:
        each.finish()
    assert outcomes == ["refused"]
    assert posts.roles_of(sam, harbor) == {"supervisor"}


class TestPin:
    def test_the_right_pin_signs(self, harbor: Property, sam: Person) -> None:
        checked = signing.check_pin(person=sam, pin="1234", now=NOON)
        signature = signing.sign(person=sam, pin=checked, property=harbor, act="approve", subject="H-1", facts={"award": "1.00"}, now=NOON)
        assert Signature.objects.get() == signature

    def test_one_persons_pin_does_not_sign_for_another(self, harbor: Property, sam: Person) -> None:
        checked = signing.check_pin(person=sam, pin="1234", now=NOON)
        with pytest.raises(AssertionError):
            signing.sign(person=cellar.make_person("eve"), pin=checked, property=harbor, act="a", subject="s", facts={}, now=NOON)

    def test_wrong_pins_are_slowed_and_the_wait_doubles(self, sam: Person, settings: Any) -> None:
        settings.PIN_FAILURES_BEFORE_PAUSE, settings.PIN_PAUSE_SECONDS = 3, 60
        assert [guess(sam) for _ in range(4)] == ["pin-wrong", "pin-wrong", "pin-wrong", "pin-paused"]
        assert guess(sam, "1234", now=after(59)) == "pin-paused", "during the pause even the right PIN is not looked at"
        assert guess(sam, now=after(60)) == "pin-wrong"
        assert guess(sam, "1234", now=after(60 + 119)) == "pin-paused"
        assert guess(sam, "1234", now=after(60 + 120)) == "right"
        assert [guess(sam, now=after(300)) for _ in range(3)] == ["pin-wrong"] * 3, "the right PIN wipes the slate clean"
        assert kinds().count("pin-wrong") == 7

    def test_a_pause_says_how_long_it_lasts(self, sam: Person, settings: Any) -> None:
        settings.PIN_FAILURES_BEFORE_PAUSE, settings.PIN_PAUSE_SECONDS = 1, 60
        assert guess(sam) == "pin-wrong"
        with pytest.raises(signing.PinPaused, match="try again in 60 seconds") as refused:
            signing.check_pin(person=sam, pin="1234", now=after(0.5))
        assert refused.value.category == "too-fast"

    def test_the_wait_is_never_longer_than_an_hour(self) -> None:
        assert slowing.pause_after(4) is None
        assert slowing.pause_after(5) == datetime.timedelta(seconds=60)
        assert slowing.pause_after(5000) == datetime.timedelta(hours=1)

    def test_who_has_no_pin_or_has_left_cannot_sign(self, sam: Person) -> None:
        assert guess(cellar.make_person("new"), "") == "pin-missing"
        Person.objects.filter(pk=sam.pk).update(is_active=False)
        assert guess(sam, "1234") == "pin-missing"

    @pytest.mark.parametrize("pin", ["", "123", "12a4", "1234567890123", "12 4", "١٢٣٤"])
    def test_a_pin_is_four_to_twelve_digits(self, sam: Person, pin: str) -> None:
        with pytest.raises(signing.PinTooShort):
            signing.set_pin(person=sam, pin=pin, now=NOON, actor=SYSTEM)

    def test_a_pin_is_kept_only_as_a_hash_and_stands_in_no_record(self, sam: Person) -> None:
        assert "1234" not in sam.pin
        assert all("1234" not in record.body for record in journal.records(subject="person:sam"))


@pytest.mark.usefixtures("committed")
class TestPinsThatAreReallyCommitted:
    def test_a_wrong_pin_is_remembered_though_everything_else_is_rolled_back(self) -> None:
        sam = cellar.make_person("sam", pin="1234")
        with pytest.raises(signing.PinWrong):
            signing.check_pin(person=sam, pin="0000", now=NOON)
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            cellar.write("the caller's own work")
            raise ZeroDivisionError
        sam.refresh_from_db()
        assert sam.failures == 1
        assert "pin-wrong" in kinds()

    def test_a_pin_is_not_checked_inside_the_callers_transaction(self) -> None:
        """There a failure could be rolled back, and guessing would be free."""
        sam = cellar.make_person("sam", pin="1234")
        with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
            signing.check_pin(person=sam, pin="0000", now=NOON)

    def test_guesses_sent_side_by_side_are_all_counted(self, settings: Any) -> None:
        settings.PIN_FAILURES_BEFORE_PAUSE = 5
        sam = cellar.make_person("sam", pin="1234")
        outcomes: list[str] = []
        start = threading.Barrier(12)

        def try_one() -> None:
            start.wait(60)
            outcomes.append(guess(sam))

        for each in [Elsewhere(try_one) for _ in range(12)]:
            each.finish()
        assert sorted(outcomes) == ["pin-paused"] * 7 + ["pin-wrong"] * 5


class TestLogin:
    def test_the_right_password_lets_in_and_is_recorded(self, sam: Person) -> None:
        assert authenticate(username="sam", password="correct horse") == sam
        assert kinds()[0] == "logged-in"

    def test_wrong_passwords_are_slowed(self, sam: Person, settings: Any) -> None:
        settings.PIN_FAILURES_BEFORE_PAUSE, settings.PIN_PAUSE_SECONDS = 2, 60
        for _ in range(2):
            assert login.log_in(username="sam", password="guess", now=NOON) is None
        assert login.log_in(username="sam", password="correct horse", now=after(59)) is None
        assert login.log_in(username="sam", password="correct horse", now=after(60)) == sam
        assert kinds()[:3] == ["logged-in", "login-refused", "login-refused"]

    def test_guessing_a_password_does_not_stop_the_person_from_signing(self, sam: Person) -> None:
        for _ in range(20):
            login.log_in(username="sam", password="guess", now=NOON)
        assert guess(sam, "1234") == "right"

    def test_strangers_and_people_who_have_left_are_refused_alike(self, sam: Person) -> None:
        Person.objects.filter(pk=sam.pk).update(is_active=False)
        assert authenticate(username="sam", password="correct horse") is None
        assert authenticate(username="nobody", password="correct horse") is None
        assert authenticate(username="sam") is None
        assert login.SlowedBackend().get_user(sam.pk) is None
