"""The seal: records are put in order, hashed into a Merkle tree in batches, and each batch is closed by a signed checkpoint."""

import base64
import datetime
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction

from audit import tree
from audit.models import Checkpoint, Leaf, Node, Record
from audit.refusals import NotNow
from audit.sealing import notes
from audit.sealing.pack import export

__all__ = ["HistoryChanged", "NotSealedYet", "checkpoints", "export", "proof", "seal", "signer", "unsealed"]

# The advisory lock of the one sealer, in the two-number form that all our locks have.
LOCK = (7002, 1)
# A bound on one call; whoever seals every second catches up over the next ones.
BATCHES = 20

# Numbers from a sequence are not the order of commit: a reader of "id > last" passes over whatever commits late. Below the
# snapshot's horizon no transaction is still under way, so along (epoch, xid, id) nothing can appear behind the cursor. Records of
# an epoch that has been followed by another were written in another cluster, whose transactions are all over.
NEXT_RECORDS = """
SELECT id, epoch, xid, body FROM audit_record
WHERE (epoch, xid, id) > (%s, %s, %s)
  AND (xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint OR epoch < (SELECT max(epoch) FROM audit_record))
ORDER BY epoch, xid, id
LIMIT %s
"""

# Whole columns at a time: row by row, thousands of hashes take the better part of a second.
ADD_LEAVES = """
INSERT INTO audit_leaf (index, record_id, hash)
SELECT %s + place, record_id, hash FROM unnest(%s::bigint[], %s::bytea[]) WITH ORDINALITY AS added (record_id, hash, place)
"""
ADD_NODES = "INSERT INTO audit_node (level, index, hash) SELECT * FROM unnest(%s::smallint[], %s::bigint[], %s::bytea[])"

HORIZON = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, (SELECT max(epoch) FROM audit_record)"

PASSED_OVER = """
SELECT record.id FROM audit_record record LEFT JOIN audit_leaf leaf ON leaf.record_id = record.id
WHERE leaf.record_id IS NULL AND (record.epoch, record.xid, record.id) < (%s, %s, %s)
ORDER BY record.id LIMIT 1
"""


class HistoryChanged(RuntimeError):
    """What is in the database is not a continuation of what was signed; nothing more is signed until a person has looked."""


class NotSealedYet(NotNow):
    """Record {number} is not sealed yet; it will be within seconds."""


class Cursor(NamedTuple):
    """The place of the last sealed record in the order of sealing."""

    epoch: int
    xid: int
    record_id: int


def seal(*, now: datetime.datetime, limit: int = 5000) -> int:
    """Seal whatever is waiting and settled, and return how many records that was; 0 as well where another sealer is at it."""
    total = 0
    for _ in range(BATCHES):
        count = _seal_batch(now=now, limit=limit)
        total += count
        if count < limit:
            break
    return total


def unsealed() -> int:
    """How many records wait for the sealer."""
    return Record.objects.filter(leaf=None).count()


def checkpoints(*, before: int | None = None, limit: int = 50) -> list[Checkpoint]:
    """The newest checkpoints first."""
    found = Checkpoint.objects.order_by("-size")
    return list((found.filter(size__lt=before) if before is not None else found)[:limit])


def proof(*, record_id: int) -> dict[str, Any]:
    """All that is needed to check one record without us: the record, its path to the root, and the signed checkpoint."""
    leaf = Leaf.objects.select_related("record").filter(record_id=record_id).first()
    checkpoint = Checkpoint.objects.order_by("-size").first()
    if leaf is None or checkpoint is None or checkpoint.size <= leaf.index:
        raise NotSealedYet(number=record_id)
    record = leaf.record
    return {
        "v": 1,
        "record": {"id": record.pk, "epoch": record.epoch, "xid": record.xid, "body": record.body},
        "index": leaf.index,
        "path": [base64.b64encode(step).decode() for step in tree.inclusion_path(leaf.index, checkpoint.size, stored_hash)],
        "checkpoint": checkpoint.note,
        "public_key": signer().public_key,
    }


def signer() -> notes.Signer:
    return notes.Signer(key_file=settings.CHECKPOINT_KEY_FILE, origin=settings.CHECKPOINT_ORIGIN)


def stored_hash(level: int, index: int) -> bytes:
    """The hash of a complete subtree, from the database."""
    if level == 0:
        return bytes(Leaf.objects.values_list("hash", flat=True).get(index=index))
    return bytes(Node.objects.values_list("hash", flat=True).get(level=level, index=index))


def _seal_batch(*, now: datetime.datetime, limit: int) -> int:
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", LOCK)
        if not cursor.fetchone()[0]:
            return 0
        size, last = _end_of_tree()
        _refuse_lost_order(cursor, last)
        cursor.execute(NEXT_RECORDS, [*last, limit])
        batch = cursor.fetchall()
        if batch:
            _append(batch, size=size, now=now, is_last=len(batch) < limit)
        return len(batch)


def _end_of_tree() -> tuple[int, Cursor]:
    leaf = Leaf.objects.select_related("record").order_by("-index").first()
    if leaf is None:
        return 0, Cursor(0, 0, 0)
    return leaf.index + 1, Cursor(leaf.record.epoch, leaf.record.xid, leaf.record_id)


def _refuse_lost_order(cursor: Any, last: Cursor) -> None:
    cursor.execute(HORIZON)
    horizon, epoch = cursor.fetchone()
    if epoch is None or (epoch == last.epoch and horizon > last.xid):
        return
    # Only a database restored into another cluster counts its transactions from below what is sealed already, and only there is a
    # new epoch begun: the two moments at which something could be left behind for good.
    cursor.execute(PASSED_OVER, last)
    passed_over = cursor.fetchone()
    if passed_over:
        raise HistoryChanged(
            f"Record {passed_over[0]} was written under an older transaction number than what is sealed already: "
            "this database was restored into another cluster without raising the epoch of its records."
        )


def _append(batch: Sequence[tuple[int, int, int, str]], *, size: int, now: datetime.datetime, is_last: bool) -> None:
    hashes = [
        tree.leaf_hash(tree.record_bytes(record_id=record_id, epoch=epoch, xid=xid, body=body)) for record_id, epoch, xid, body in batch
    ]
    grown = tree.grow(size, hashes, stored_hash)
    inner = [(level, index, hashed) for (level, index), hashed in grown.items() if level]
    with connection.cursor() as cursor:
        cursor.execute(ADD_LEAVES, [size - 1, [row[0] for row in batch], hashes])
        if inner:
            cursor.execute(ADD_NODES, [list(column) for column in zip(*inner, strict=True)])
    _close(size + len(batch), grown, now=now, is_last=is_last)


def _close(size: int, grown: dict[tuple[int, int], bytes], *, now: datetime.datetime, is_last: bool) -> None:
    def lookup(level: int, index: int) -> bytes:
        return grown.get((level, index)) or stored_hash(level, index)

    signing = signer()
    remembered = signing.remembered()
    if remembered is not None and remembered.size > size and not is_last:
        # A crash came between signing and commit, and this call's batches are smaller: the next ones reach what was signed.
        return
    statement = notes.Statement(origin=signing.origin, size=size, root=tree.root(size, lookup))
    for earlier in filter(None, [remembered, _last_statement(signing)]):
        _refuse_another_history(earlier, statement, lookup)
    note = signing.sign(statement)
    Checkpoint.objects.create(size=size, root=statement.root, note=note, made_at=now)
    # Kept before the commit: should the commit fail, the same records will lead to the same root, but a signature given away
    # and then forgotten could be given again for another history.
    signing.remember(note)


def _last_statement(signing: notes.Signer) -> notes.Statement | None:
    last = Checkpoint.objects.order_by("-size").first()
    return notes.read(last.note, origin=signing.origin, public=signing.public) if last else None


def _refuse_another_history(earlier: notes.Statement, later: notes.Statement, lookup: tree.Lookup) -> None:
    if earlier.size > later.size:
        raise HistoryChanged(f"{earlier.size} records were signed for, but the tree now ends at {later.size}.")
    path = tree.consistency_path(earlier.size, later.size, lookup)
    if not tree.check_consistency(old=earlier.size, new=later.size, old_root=earlier.root, new_root=later.root, path=path):
        raise HistoryChanged(f"The first {earlier.size} records are no longer those that were signed for.")
