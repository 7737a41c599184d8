"""Rows written together are the rows that the models would have written."""

import datetime

import pytest
from django.db import IntegrityError

from audit import rows
from audit.people.models import Property

pytestmark = pytest.mark.django_db

TODAY = datetime.date(2026, 1, 15)


def place(slug: str, pk: int | None = None) -> Property:
    return Property(pk=pk, slug=slug, name="100 % o'clock; --", time_zone="UTC", gaming_day=TODAY)


def test_rows_are_written_as_they_are_told() -> None:
    writing = rows.Writing()
    writing.insert([place("one"), place("two")])
    writing.send()
    assert list(Property.objects.order_by("pk").values_list("slug", "name", "gaming_day")) == [
        ("one", "100 % o'clock; --", TODAY),
        ("two", "100 % o'clock; --", TODAY),
    ]


def test_numbers_are_taken_beforehand() -> None:
    ((numbers,),) = rows.Writing().ask(f"SELECT {rows.numbers_of([Property])}", rows.how_many({Property: 3}))
    writing = rows.Writing()
    writing.insert([place("one", pk=numbers[1])])
    writing.send()
    assert Property.objects.get().pk == numbers[1] == numbers[0] + 1


def test_what_one_row_says_is_not_left_out_because_the_first_says_nothing_of_it() -> None:
    writing = rows.Writing()
    writing.insert([place("one"), place("two", pk=77)])
    with pytest.raises(IntegrityError, match='null value in column "id"'):
        writing.send()


def test_what_has_changed_is_brought_up_to_date() -> None:
    one, two = Property.objects.bulk_create([place("one"), place("two")])
    one.name = "Harborlight"
    writing = rows.Writing()
    writing.update([one], ["name"])
    writing.update([two], [])
    writing.send()
    assert list(Property.objects.order_by("pk").values_list("name", flat=True)) == ["Harborlight", "100 % o'clock; --"]


def test_nothing_gathered_is_nothing_sent(django_assert_num_queries: object) -> None:
    writing = rows.Writing()
    writing.insert([])
    with django_assert_num_queries(0):  # type: ignore[operator]
        writing.send()


def test_one_refused_row_refuses_them_all() -> None:
    writing = rows.Writing()
    writing.insert([place("one", pk=7)])
    writing.insert([place("two", pk=7)])
    with pytest.raises(IntegrityError):
        writing.send()
