"""The floor: pits, tables, controllers, what they sent, rounds and wagers. No money moves here."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models


class Pit(models.Model):
    property = models.ForeignKey("people.Property", on_delete=models.PROTECT, related_name="pits")
    name = models.CharField(max_length=40)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["property", "name"], name="pit_name_is_the_propertys_own")]

    def __str__(self) -> str:
        return self.name


class Table(models.Model):
    property = models.ForeignKey("people.Property", on_delete=models.PROTECT, related_name="tables")
    pit = models.ForeignKey(Pit, on_delete=models.PROTECT, related_name="tables")
    name = models.CharField(max_length=20)
    rule_text = models.CharField(max_length=60)
    game = models.CharField(max_length=40)
    seats = models.PositiveSmallIntegerField()
    is_open = models.BooleanField(default=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["property", "name"], name="table_name_is_the_propertys_own")]

    def __str__(self) -> str:
        return self.name


class Controller(models.Model):
    """A device at one or more tables. Its row is the lock that keeps its events in order."""

    # Asked of whoever stands behind a request: a controller is only ever found by its token.
    is_authenticated: ClassVar[bool] = True

    property = models.ForeignKey("people.Property", on_delete=models.PROTECT, related_name="controllers")
    name = models.CharField(max_length=40)
    tables = models.ManyToManyField(Table, related_name="controllers")
    next_sequence = models.BigIntegerField(default=1)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    # How far the controller's clock runs ahead of ours, from its last heartbeat.
    skew_ms = models.BigIntegerField(default=0)
    version = models.CharField(max_length=60, blank=True)
    # Requests a second; empty where the site's own setting holds.
    rate = models.PositiveIntegerField(null=True, blank=True)
    # Set while none of its tokens works and none may be made; pairing it again under its name takes it back.
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["property", "name"], name="controller_name_is_the_propertys_own")]

    def __str__(self) -> str:
        return self.name


class Watch(models.Model):
    """What is kept in mind of a controller beside its row, so that the row under which events are taken stays small."""

    controller = models.OneToOneField(Controller, on_delete=models.PROTECT, primary_key=True, related_name="watch")
    # Gaps that were refused, and the last of them.
    gaps = models.BigIntegerField(default=0)
    gap_expected = models.BigIntegerField(null=True)
    gap_sent = models.BigIntegerField(null=True)
    gap_at = models.DateTimeField(null=True)
    # The controller's own counts: since which sequence, up to which sequence we have added ours up, and both sides by table.
    since_sequence = models.BigIntegerField(null=True)
    summed_to = models.BigIntegerField(default=0)
    booked = models.JSONField(default=dict)
    counted = models.JSONField(default=dict)
    counted_at = models.DateTimeField(null=True)


class Alarm(models.Model):
    """Something about a controller that people should look at, from when until when. One of a kind at a time."""

    class Kind(models.TextChoices):
        SILENT = "silent"
        COUNTS_DIFFER = "counts-differ"

    controller = models.ForeignKey(Controller, on_delete=models.PROTECT, related_name="alarms")
    kind = models.CharField(max_length=20, choices=Kind)
    # When it began to be so, which is before it was noticed.
    since = models.DateTimeField()
    raised_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    facts = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["controller", "kind"], condition=models.Q(ended_at__isnull=True), name="one_alarm_of_a_kind_at_a_time"
            )
        ]


class Token(models.Model):
    """A controller's credential: only its hash is kept. Two may be live at once, so that one can be rotated without a gap."""

    controller = models.ForeignKey(Controller, on_delete=models.PROTECT, related_name="tokens")
    hash = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)


class Round(models.Model):
    class State(models.TextChoices):
        OPEN = "open"
        LOCKED = "locked"
        SETTLED = "settled"
        VOID = "void"

    class Count(models.TextChoices):
        NOT_COUNTED = "not-counted"
        AGREES = "agrees"
        DIFFERS = "differs"

    # The constraints below begin with it, so it needs no index of its own. Likewise for events.
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="rounds", db_index=False)
    number = models.BigIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    count = models.CharField(max_length=12, choices=Count, default=Count.NOT_COUNTED)
    # The moment whose links, suspensions and configuration versions this round is played under.
    bound_at = models.DateTimeField()
    opened_at = models.DateTimeField()
    locked_at = models.DateTimeField(null=True, blank=True)
    contributed_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    folded_seats = ArrayField(models.PositiveSmallIntegerField(), default=list)
    void_seats = ArrayField(models.PositiveSmallIntegerField(), default=list)
    void_reason = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="round_number_is_used_once"),
            models.UniqueConstraint(
                fields=["table"], condition=models.Q(state__in=["open", "locked"]), name="one_round_in_play_at_a_table"
            ),
        ]

    @property
    def reference(self) -> str:
        """How people's doors name a round: numbers are a table's own, references are everybody's."""
        return f"R-{self.pk:06d}"

    def __str__(self) -> str:
        return f"{self.table.name}/{self.number}"


class Wager(models.Model):
    class State(models.TextChoices):
        ACCEPTED = "accepted"
        WITHDRAWN = "withdrawn"
        RETURNED = "returned"

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="wagers")
    seat = models.PositiveSmallIntegerField()
    wager = models.CharField(max_length=40)
    on = models.CharField(max_length=6, default="player")
    amount_micros = models.BigIntegerField()
    is_coupon = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State, default=State.ACCEPTED)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "seat", "wager", "on"], condition=models.Q(state="accepted"), name="one_accepted_wager_a_seat_and_kind"
            ),
            models.CheckConstraint(condition=models.Q(amount_micros__gt=0), name="a_wager_is_more_than_nothing"),
        ]


# What the stored answer of a refused event holds, and that of no other: quotes inside a text of an answer are escaped.
REFUSED = '"status":"refused"'


class Event(models.Model):
    """What a controller sent and what it was answered, word for word. Never changed."""

    is_evidence: ClassVar[bool] = True

    # Made by us before the row is written, so that transfers can name their event while its answer is still being found.
    id = models.UUIDField(primary_key=True)
    controller = models.ForeignKey(Controller, on_delete=models.PROTECT, related_name="events", db_index=False)
    told_id = models.UUIDField()
    sequence = models.BigIntegerField()
    digest = models.CharField(max_length=64)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, null=True, related_name="events")
    type = models.CharField(max_length=40)
    told_at = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField()
    body = models.TextField()
    answer = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["controller", "told_id"], name="event_id_is_used_once"),
            models.UniqueConstraint(fields=["controller", "sequence"], name="event_sequence_is_used_once"),
        ]
        indexes = [
            # For the technician's page. Refused events are few, so it costs next to nothing to keep.
            models.Index(fields=["controller", "-sequence"], condition=models.Q(answer__contains=REFUSED), name="events_that_were_refused")
        ]
