"""One meter with a balance, and a row for everything that is kept of a lock-out."""

from typing import ClassVar

from django.db import models


class Meter(models.Model):
    objects: ClassVar[models.Manager["Meter"]]

    balance_micros = models.BigIntegerField()

    class Meta:
        app_label = "plain"
        managed = False


class Sender(models.Model):
    """A controller, and which event of its comes next."""

    objects: ClassVar[models.Manager["Sender"]]

    controller = models.BigIntegerField(primary_key=True)
    next_sequence = models.BigIntegerField()

    class Meta:
        app_label = "plain"
        managed = False


class Lockout(models.Model):
    """The event, with what it was answered."""

    objects: ClassVar[models.Manager["Lockout"]]

    told_id = models.UUIDField(unique=True)
    controller = models.BigIntegerField()
    sequence = models.BigIntegerField()
    table = models.CharField(max_length=60)
    round = models.BigIntegerField()
    at = models.DateTimeField()
    chips = models.IntegerField()
    recorded_at = models.DateTimeField()
    answer = models.TextField()

    class Meta:
        app_label = "plain"
        managed = False


class Round(models.Model):
    objects: ClassVar[models.Manager["Round"]]

    lockout = models.ForeignKey(Lockout, on_delete=models.PROTECT, related_name="+")
    number = models.BigIntegerField()
    state = models.CharField(max_length=8)

    class Meta:
        app_label = "plain"
        managed = False


class Wager(models.Model):
    objects: ClassVar[models.Manager["Wager"]]

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="wagers")
    seat = models.IntegerField()
    wager = models.CharField(max_length=40)
    amount_micros = models.BigIntegerField()

    class Meta:
        app_label = "plain"
        managed = False


class Transfer(models.Model):
    objects: ClassVar[models.Manager["Transfer"]]

    meter = models.ForeignKey(Meter, on_delete=models.PROTECT)
    wager = models.ForeignKey(Wager, on_delete=models.PROTECT)
    amount_micros = models.BigIntegerField()
    recorded_at = models.DateTimeField()

    class Meta:
        app_label = "plain"
        managed = False


class Record(models.Model):
    """What happened, with a digest over the rows written with it."""

    objects: ClassVar[models.Manager["Record"]]

    lockout = models.ForeignKey(Lockout, on_delete=models.PROTECT, related_name="+")
    body = models.TextField()
    recorded_at = models.DateTimeField()

    class Meta:
        app_label = "plain"
        managed = False
