"""The sealer under writers that commit late and out of order, under a second sealer, and over a history that was changed."""

import contextlib
import functools
import random
import stat
import threading
import time

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from audit import sealing, tree
from audit.models import Checkpoint, Leaf, Record
from audit.sealing import notes
from tests import conftest
from tests.audit import cellar
from tests.audit.cellar import NOON, Elsewhere

pytestmark = pytest.mark.usefixtures("committed")


class ReaderByNumber:
    """The reader everybody writes first: whatever has a higher number than the last one seen."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def read(self) -> None:
        last = max(self.seen, default=0)
        self.seen += Record.objects.filter(id__gt=last).order_by("id").values_list("id", flat=True)


def late_writer(written: threading.Event, may_commit: threading.Event) -> None:
    with transaction.atomic():
        cellar.write("late")
        written.set()
        assert may_commit.wait(60)


def sealed() -> list[str]:
    return list(Leaf.objects.order_by("index").values_list("record__subject", flat=True))


def test_a_record_that_commits_late_is_missed_by_number_and_not_by_the_sealer() -> None:
    reader, written, may_commit = ReaderByNumber(), threading.Event(), threading.Event()
    late = Elsewhere(lambda: late_writer(written, may_commit))
    assert written.wait(60)
    cellar.write("quick")
    reader.read()
    assert sealing.seal(now=NOON) == 0, "nothing may be sealed past a transaction that is still under way"
    may_commit.set()
    late.finish()
    reader.read()
    assert sealing.seal(now=NOON) == 2
    missed = set(Record.objects.values_list("id", flat=True)) - set(reader.seen)
    assert Record.objects.get(subject="late").pk in missed, "the reader by number should have missed the late record"
    assert sealed() == ["late", "quick"]


def test_a_lower_number_in_a_later_transaction_is_not_missed_either() -> None:
    """Numbers are drawn before commit and apart from transaction numbers: here the older transaction takes the higher number."""
    has_number, may_write = threading.Event(), threading.Event()

    def older() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_current_xact_id()")
            has_number.set()
            assert may_write.wait(60)
            cellar.write("older transaction, higher number")

    writer = Elsewhere(older)
    assert has_number.wait(60)
    lower = cellar.write("later transaction, lower number")
    assert sealing.seal(now=NOON) == 0
    may_write.set()
    writer.finish()
    higher = Record.objects.exclude(pk=lower.pk).get()
    assert higher.pk > lower.pk
    assert higher.xid < lower.xid
    assert sealing.seal(now=NOON) == 2
    assert sealed() == ["older transaction, higher number", "later transaction, lower number"]


class ChangedItsMind(Exception):
    """A transaction that is rolled back after its records were written."""


def write_at_leisure(*, name: int, kept: list[str]) -> None:
    """Transactions of one to three records that dawdle before they commit; about one in ten does not."""
    chance = random.Random(name)
    for turn in range(30):
        subjects = [f"{name}.{turn}.{each}" for each in range(chance.randint(1, 3))]
        with contextlib.suppress(ChangedItsMind), transaction.atomic():
            for subject in subjects:
                cellar.write(subject)
                time.sleep(chance.choice([0, 0, 0.001, 0.01]))
            if chance.random() < 0.1:
                raise ChangedItsMind
            transaction.on_commit(lambda subjects=subjects: kept.extend(subjects))  # type: ignore[misc]


def test_many_late_writers_and_two_sealers_leave_nothing_out_and_nothing_twice() -> None:
    is_over, kept = threading.Event(), list[str]()

    def sealer() -> None:
        while not is_over.is_set():
            sealing.seal(now=NOON, limit=7)

    sealers = [Elsewhere(sealer), Elsewhere(sealer)]
    writers = [Elsewhere(functools.partial(write_at_leisure, name=name, kept=kept)) for name in range(8)]
    for each in writers:
        each.finish()
    is_over.set()
    for each in sealers:
        each.finish()
    sealing.seal(now=NOON)
    assert len(kept) > 300
    assert sorted(sealed()) == sorted(kept)
    assert list(Leaf.objects.order_by("index").values_list("index", flat=True)) == list(range(len(kept)))
    assert_every_root_is_that_of_the_records()


def assert_every_root_is_that_of_the_records() -> None:
    signing = sealing.signer()
    contents = [
        tree.leaf_hash(tree.record_bytes(record_id=row.pk, epoch=row.epoch, xid=row.xid, body=row.body))
        for row in Record.objects.exclude(leaf=None).order_by("leaf__index")
    ]
    hashes = tree.grow(0, contents, lambda level, index: b"")
    for checkpoint in Checkpoint.objects.all():
        said = notes.read(checkpoint.note, origin=signing.origin, public=signing.public)
        assert said == notes.Statement(origin=signing.origin, size=checkpoint.size, root=bytes(checkpoint.root))
        assert said.root == tree.root(said.size, lambda level, index: hashes[level, index])


def test_while_one_sealer_is_at_it_another_does_nothing() -> None:
    cellar.write("one")
    holds, may_end = threading.Event(), threading.Event()

    def other_sealer() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", sealing.LOCK)
            holds.set()
            assert may_end.wait(60)

    other = Elsewhere(other_sealer)
    assert holds.wait(60)
    assert sealing.seal(now=NOON) == 0
    may_end.set()
    other.finish()
    assert sealing.seal(now=NOON) == 1
    assert sealing.unsealed() == 0


def test_nothing_new_makes_no_checkpoint() -> None:
    assert sealing.seal(now=NOON) == 0
    cellar.write("one")
    assert sealing.seal(now=NOON) == 1
    assert sealing.seal(now=NOON) == 0
    assert [each.size for each in sealing.checkpoints()] == [1]


def test_the_key_is_private_and_stays_the_same(key_file: object) -> None:
    first = sealing.signer().public_key
    assert sealing.signer().public_key == first
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600  # type: ignore[attr-defined]


def test_a_note_is_good_only_under_its_own_key_and_unchanged(tmp_path: object) -> None:
    signing = sealing.signer()
    note = signing.sign(notes.Statement(origin="linkmeter", size=3, root=b"r" * 32))
    other = notes.Signer(key_file=tmp_path / "other.key", origin="linkmeter")  # type: ignore[operator]
    assert notes.read(note, origin="linkmeter", public=signing.public).size == 3
    for bent, public in ((note, other.public), (note.replace("\n3\n", "\n4\n"), signing.public), ("", signing.public)):
        with pytest.raises(notes.BadNote):
            notes.read(bent, origin="linkmeter", public=public)


def test_a_rewritten_history_gets_no_signature() -> None:
    for number in range(5):
        cellar.write(str(number))
    sealing.seal(now=NOON)
    with cellar.behind_the_back() as cursor:
        cursor.execute("UPDATE audit_record SET body = replace(body, '\"2\"', '\"9\"')")
        cursor.execute("TRUNCATE audit_leaf, audit_node, audit_checkpoint")
    with pytest.raises(sealing.HistoryChanged, match="first 5 records are no longer"):
        sealing.seal(now=NOON)
    assert not Checkpoint.objects.exists()


def test_a_shortened_history_gets_no_signature() -> None:
    for number in range(5):
        cellar.write(str(number))
    sealing.seal(now=NOON)
    with cellar.behind_the_back() as cursor:
        cursor.execute("TRUNCATE audit_leaf, audit_node, audit_checkpoint")
        cursor.execute("DELETE FROM audit_record WHERE id = (SELECT max(id) FROM audit_record)")
    with pytest.raises(sealing.HistoryChanged, match="5 records were signed for, but the tree now ends at 4"):
        sealing.seal(now=NOON)


def test_a_changed_leaf_gets_no_signature() -> None:
    for number in range(5):
        cellar.write(str(number))
    sealing.seal(now=NOON)
    with cellar.behind_the_back() as cursor:
        cursor.execute("UPDATE audit_leaf SET hash = sha256(hash) WHERE index = 4")
    cellar.write("after")
    with pytest.raises(sealing.HistoryChanged, match="first 5 records are no longer"):
        sealing.seal(now=NOON)


def test_a_crash_between_signing_and_commit_is_made_good(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(10):
        cellar.write(str(number))
    keep = notes.Signer.remember

    def keep_and_die(signer: notes.Signer, note: str) -> None:
        keep(signer, note)
        raise SystemExit("killed")

    monkeypatch.setattr(notes.Signer, "remember", keep_and_die)
    with pytest.raises(SystemExit):
        sealing.seal(now=NOON)
    monkeypatch.undo()
    assert not Leaf.objects.exists()
    cellar.write("after")
    assert sealing.seal(now=NOON, limit=4) == 11
    assert [each.size for each in sealing.checkpoints()] == [11]


def test_a_database_restored_elsewhere_is_not_sealed_out_of_order() -> None:
    """Transaction numbers begin again in another cluster; here the sealed ones are pushed up instead, which comes to the same."""
    cellar.write("before")
    sealing.seal(now=NOON)
    with cellar.behind_the_back() as cursor:
        cursor.execute("UPDATE audit_record SET xid = xid + 1000000")
    assert sealing.seal(now=NOON) == 0
    cellar.write("after, in the old epoch")
    with pytest.raises(sealing.HistoryChanged, match="restored into another cluster"):
        sealing.seal(now=NOON)


def test_a_new_epoch_goes_on_where_the_old_one_ended() -> None:
    cellar.write("sealed before")
    sealing.seal(now=NOON)
    cellar.write("written before, not sealed")
    with cellar.behind_the_back() as cursor:
        cursor.execute("UPDATE audit_record SET xid = xid + 1000000")
    with conftest.as_owner():
        call_command("new_epoch", verbosity=0)
    try:
        cellar.write("after")
        assert sealing.seal(now=NOON) == 2
        assert sealed() == ["sealed before", "written before, not sealed", "after"]
        assert Record.objects.get(subject="after").epoch == 2
    finally:
        with cellar.behind_the_back() as cursor:
            cursor.execute("ALTER TABLE audit_record ALTER COLUMN epoch SET DEFAULT 1")
