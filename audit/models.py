"""What happened, and the seal over it. Records, leaves, nodes and checkpoints are only ever added; notices come and go."""

from typing import ClassVar

from django.db import models


class CurrentTransaction(models.Func):
    """The number of the transaction that writes the row. The cast goes through text, the only way from xid8 to a number."""

    function = "pg_current_xact_id"
    template = "(%(function)s()::text)::bigint"
    arity = 0
    output_field = models.BigIntegerField()


class Record(models.Model):
    """One happening: who, what, when, and the digests of the rows written with it. ``body`` is the evidence, the columns find it."""

    is_evidence: ClassVar[bool] = True

    # Transaction numbers begin again when a database is restored into a new cluster; the epoch, raised then, keeps the order.
    epoch = models.IntegerField(db_default=1)
    xid = models.BigIntegerField(db_default=CurrentTransaction())
    kind = models.CharField(max_length=40)
    property = models.ForeignKey("people.Property", on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    subject = models.CharField(max_length=120, blank=True)
    recorded_at = models.DateTimeField()
    body = models.TextField()

    class Meta:
        indexes = [
            # The sealer reads along this; ids alone are not the order of commit.
            models.Index(fields=["epoch", "xid", "id"], name="records_in_sealing_order"),
            models.Index(fields=["subject", "id"], name="records_of_a_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.pk} {self.kind}"


class Notice(models.Model):
    """The outbox row left beside a record: something is waiting to be done. Deleted when it is done."""

    topic = models.CharField(max_length=40)
    key = models.CharField(max_length=120)
    record = models.ForeignKey(Record, on_delete=models.PROTECT, related_name="notices", db_index=False)
    left_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["topic", "id"], name="notices_of_a_topic")]

    def __str__(self) -> str:
        return f"{self.topic} {self.key}"


class Leaf(models.Model):
    """A record's place in the tree. Places are dense: 0, 1, 2, and so on without a hole."""

    is_evidence: ClassVar[bool] = True

    index = models.BigIntegerField(primary_key=True)
    record = models.OneToOneField(Record, on_delete=models.PROTECT, related_name="leaf")
    hash = models.BinaryField()


class Node(models.Model):
    """The hash over a complete subtree above the leaves, kept so that a proof takes few look-ups."""

    is_evidence: ClassVar[bool] = True

    pk = models.CompositePrimaryKey("level", "index")
    level = models.PositiveSmallIntegerField()
    index = models.BigIntegerField()
    hash = models.BinaryField()


class Checkpoint(models.Model):
    """The signed statement that the first ``size`` records have this root."""

    is_evidence: ClassVar[bool] = True

    size = models.BigIntegerField(primary_key=True)
    root = models.BinaryField()
    note = models.TextField()
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.size} records"
