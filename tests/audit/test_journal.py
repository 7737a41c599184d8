"""One record for each happening, written with it or not at all; notices claimed once."""

import datetime
import decimal
import hashlib
import json
import threading
import uuid
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from audit import journal, tree
from audit.people.models import Property, Signature
from tests.audit import cellar
from tests.audit.cellar import NOON, SYSTEM, Elsewhere


def as_stored(value: Any) -> Any:
    return json.loads(value)


@pytest.mark.django_db
def test_a_record_says_who_what_when_and_which_rows() -> None:
    harbor = cellar.make_property()
    sam = cellar.make_person("sam")
    told = NOON - datetime.timedelta(seconds=3)
    signatures = [
        Signature.objects.create(person=sam, property=harbor, act="approve", subject=subject, facts={"seen": "1.00"}, signed_at=NOON)
        for subject in ("H-1", "H-2")
    ]
    record = journal.append(
        kind="approved",
        now=NOON,
        actor=journal.Actor("person", "sam"),
        facts={"amount_micros": 5, "hand": "royal-flush"},
        property_id=harbor.pk,
        subject="H-1",
        told_at=told,
        rows=signatures[::-1],
    )
    lines = "".join(journal.line(signature) + "\n" for signature in signatures)
    assert as_stored(record.body) == {
        "v": 1,
        "kind": "approved",
        "actor": "person:sam",
        "property": harbor.pk,
        "subject": "H-1",
        "told_at": "2026-11-18T11:59:57.000000Z",
        "recorded_at": "2026-11-18T12:00:00.000000Z",
        "facts": {"amount_micros": 5, "hand": "royal-flush"},
        "rows": {"people_signature": {"keys": [each.pk for each in signatures], "sha256": hashlib.sha256(lines.encode()).hexdigest()}},
    }


@pytest.mark.usefixtures("committed")
def test_a_record_outside_a_transaction_is_refused_and_inside_goes_with_it() -> None:
    with pytest.raises(journal.NotInTransaction):
        journal.append(kind="happened", now=NOON, actor=SYSTEM, facts={})
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        cellar.write("gone", notices=[("topic", "gone")])
        raise ZeroDivisionError
    assert journal.records() == []
    assert journal.waiting() == {}


@pytest.mark.django_db
def test_a_rows_line_is_the_same_before_and_after_the_database() -> None:
    """What the caller set may be looser than what is stored: a day as text, a time in another zone, facts with a tuple."""
    harbor = Property.objects.create(slug="harbor", name="Hafen Ä", time_zone="UTC", gaming_day="2026-11-18")
    sam = cellar.make_person("sam")
    boston = datetime.timezone(datetime.timedelta(hours=-5))
    signature = Signature.objects.create(
        person=sam, property=harbor, act="approve", subject="H-1", facts={"b": (1, 2), "a": None}, signed_at=NOON.astimezone(boston)
    )
    for row in (harbor, signature):
        assert journal.line(row) == journal.line(type(row)._base_manager.get(pk=row.pk))
    assert '"facts":{"a":null,"b":[1,2]}' in journal.line(signature)
    assert '"signed_at":"2026-11-18T12:00:00.000000Z"' in journal.line(signature)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (datetime.date(2026, 11, 18), "2026-11-18"),
        (datetime.time(6, 0), "06:00:00"),
        (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (b"\x00\xff", "00ff"),
        (decimal.Decimal("1.10"), "1.10"),
        (journal.Record, None),
        (0.5, None),
        ({"deep": [1, 0.5]}, None),
        (datetime.datetime(2026, 11, 18), None),  # noqa: DTZ001  (a time without its zone is what is refused)
    ],
)
def test_only_what_json_says_without_loss_is_evidence(value: Any, said: str | None) -> None:
    if said is None:
        with pytest.raises(TypeError, match="no place in evidence"):
            journal.plain(value)
    else:
        assert journal.plain(value) == said


@pytest.mark.django_db
def test_a_row_that_is_not_evidence_is_refused() -> None:
    with pytest.raises(TypeError, match=r"people\.Property is not evidence"):
        cellar.write("x", rows=[cellar.make_property()])


def test_an_actor_is_of_a_known_kind() -> None:
    assert str(journal.Actor("controller", "CSP-01")) == "controller:CSP-01"
    with pytest.raises(ValueError, match="no kind of actor"):
        journal.Actor("ghost", "x")


@pytest.mark.django_db
def test_records_are_found_by_subject_kind_and_property_newest_first() -> None:
    harbor, bay = cellar.make_property(), cellar.make_property("bay")
    written = [cellar.write("H-1", property_id=place) for place in (harbor.pk, bay.pk, None)]
    cellar.write("H-2")
    assert journal.records(subject="H-1") == written[::-1]
    assert journal.records(subject="H-1", property_ids=[bay.pk]) == [written[2], written[1]]
    assert journal.records(subject="H-1", limit=1, before=written[2].pk) == [written[1]]
    assert journal.records(kind="nothing") == []
    assert journal.record(number=written[0].pk) == written[0]
    assert journal.record(number=0) is None


@pytest.mark.django_db
def test_notices_are_counted_claimed_oldest_first_and_taken_off() -> None:
    cellar.write("one", notices=[("payout-due", "H-1"), ("payout-due", "H-2"), ("announce", "H-1")])
    assert journal.waiting() == {"payout-due": 2, "announce": 1}
    first = journal.claim_notices(topic="payout-due", limit=1)
    assert [notice.key for notice in first] == ["H-1"]
    journal.done(first[0])
    assert [notice.key for notice in journal.claim_notices(topic="payout-due", limit=5)] == ["H-2"]
    assert journal.waiting() == {"payout-due": 1, "announce": 1}


@pytest.mark.usefixtures("committed")
def test_a_claimed_notice_is_passed_over_by_others_and_free_again_after_a_rollback() -> None:
    cellar.write("one", notices=[("payout-due", "H-1"), ("payout-due", "H-2")])
    claimed, may_end, mine = threading.Event(), threading.Event(), list[str]()

    def worker_that_dies() -> None:
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            (notice,) = journal.claim_notices(topic="payout-due", limit=1)
            mine.append(notice.key)
            journal.done(notice)
            claimed.set()
            assert may_end.wait(60)
            raise ZeroDivisionError

    other = Elsewhere(worker_that_dies)
    assert claimed.wait(60)
    with transaction.atomic():
        assert [notice.key for notice in journal.claim_notices(topic="payout-due", limit=5)] == ["H-2"]
    may_end.set()
    other.finish()
    assert mine == ["H-1"]
    with transaction.atomic():
        assert [notice.key for notice in journal.claim_notices(topic="payout-due", limit=5)] == ["H-1", "H-2"]


@given(
    st.dictionaries(
        st.text(),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
        ),
    )
)
def test_the_body_of_a_record_is_canonical_whatever_the_facts(facts: dict[str, Any]) -> None:
    """The journal writes faster than the tree does, and must write the very same."""
    body = journal.draft(kind="happened", now=NOON, actor=SYSTEM, facts=facts).body
    assert body == tree.canonical(json.loads(body))
    assert json.loads(body)["facts"] == facts
