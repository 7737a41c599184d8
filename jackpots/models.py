"""The bank: progressives, what governs them, claims on them and what is paid."""

from typing import ClassVar

from django.db import models


class Progressive(models.Model):
    """A jackpot with its meters. Its id is also its place in the one order in which progressives are locked."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    # Whose it is: there it is configured and suspended. Tables of other properties may be linked to it.
    property = models.ForeignKey("people.Property", on_delete=models.PROTECT, related_name="progressives")
    rule_text = models.CharField(max_length=60)
    game = models.CharField(max_length=40)
    wager = models.CharField(max_length=40)
    # A wager may have no meter and still give envy; then the house pays everything and no sign shows it.
    has_meter = models.BooleanField(default=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    # Where its players' money went when it was discontinued.
    heir = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    # Counts what displays must hear of though no money moved: a suspension, an award of 0.00.
    state_changes = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.slug


class Configuration(models.Model):
    """One version of the licensee's choices for a progressive. Never edited: a change is a new version."""

    is_evidence: ClassVar[bool] = True

    progressive = models.ForeignKey(Progressive, on_delete=models.PROTECT, related_name="configurations")
    number = models.PositiveIntegerField()
    pay_table = models.CharField(max_length=20)
    pay_table_digest = models.CharField(max_length=64)
    # Level -> parts per million of each wager; "reserve" where resets are funded in advance.
    rates_ppm = models.JSONField()
    # Hand -> what it is paid instead of the printed award, where the text prints minimums: parts per million of the meter, micros or odds.
    awards = models.JSONField(default=dict)
    # The wager amounts offered, where not all that the table knows are.
    amounts_micros = models.JSONField(default=list)
    initial_micros = models.BigIntegerField()
    # None where the main meter is reset from the secondary one.
    reset_micros = models.BigIntegerField(null=True)
    cap_micros = models.BigIntegerField(null=True)
    # Whose house funds the opening and the resets.
    funded_by = models.ForeignKey("people.Property", on_delete=models.PROTECT, related_name="+")
    drafted_by = models.ForeignKey("people.Person", on_delete=models.PROTECT, related_name="+")
    drafted_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["progressive", "number"], name="configuration_versions_are_numbered")]


class Approval(models.Model):
    """A second person's signature under a configuration, and the moment from which it is in force."""

    is_evidence: ClassVar[bool] = True

    configuration = models.OneToOneField(Configuration, on_delete=models.PROTECT, related_name="approval")
    signature = models.OneToOneField("people.Signature", on_delete=models.PROTECT, related_name="+")
    effective_at = models.DateTimeField()


class Withdrawal(models.Model):
    """A draft that will not be approved: taken back by accounting, or declined by the approver."""

    is_evidence: ClassVar[bool] = True

    configuration = models.OneToOneField(Configuration, on_delete=models.PROTECT, related_name="withdrawal")
    person = models.ForeignKey("people.Person", on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=200)
    withdrawn_at = models.DateTimeField()


class CapRuling(models.Model):
    """Whether a version's cap was taken over when the version came into force, judged by the meter as it stood then."""

    is_evidence: ClassVar[bool] = True

    approval = models.OneToOneField(Approval, on_delete=models.PROTECT, related_name="cap_ruling")
    is_taken = models.BooleanField()
    main_micros = models.BigIntegerField()
    ruled_at = models.DateTimeField()


class Link(models.Model):
    """A table that plays for a progressive, and for how long it has."""

    progressive = models.ForeignKey(Progressive, on_delete=models.PROTECT, related_name="links")
    table = models.ForeignKey("tables.Table", on_delete=models.PROTECT, related_name="links")
    linked_at = models.DateTimeField()
    unlinked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["progressive", "table"], condition=models.Q(unlinked_at__isnull=True), name="a_table_is_linked_once"
            )
        ]


class Suspension(models.Model):
    progressive = models.ForeignKey(Progressive, on_delete=models.PROTECT, related_name="suspensions")
    reason = models.CharField(max_length=200)
    suspended_at = models.DateTimeField()
    resumed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["progressive"], condition=models.Q(resumed_at__isnull=True), name="one_suspension_at_a_time")
        ]


class Revision(models.Model):
    """One row, with another token after every change of what tables play for. The database itself changes it."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    token = models.UUIDField()


class Terms(models.Model):
    """What a round is played under for one progressive: the version in force when it began, and its place on the meter."""

    # Every lock-out writes one, so it has the indexes that are looked into, and no others.
    round = models.ForeignKey("tables.Round", on_delete=models.PROTECT, related_name="terms", db_index=False)
    progressive = models.ForeignKey(Progressive, on_delete=models.PROTECT, related_name="+", db_index=False)
    configuration = models.ForeignKey(Configuration, on_delete=models.PROTECT, related_name="+", db_index=False)
    # Set by the round's first claim on the meter, under its lock: the order among tables, the number of the last transfer before
    # it, and what the pools held then.
    place = models.BigIntegerField(null=True)
    position = models.BigIntegerField(null=True)
    base = models.JSONField(null=True)
    # The round belongs to a progressive that was discontinued since, and plays for its heir.
    is_inherited = models.BooleanField(default=False)
    # What the generator drew at lock-out, before any card was known: the magic card, and the position of the lucky bonus.
    draw = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "progressive"], name="terms_are_bound_once"),
            models.UniqueConstraint(fields=["progressive", "place"], name="each_place_on_a_meter_is_taken_once"),
        ]


class Hit(models.Model):
    """A claimed winning hand, from the dealer's claim to the last payment."""

    class State(models.TextChoices):
        REFUSED = "refused"
        PENDING = "pending"
        HELD = "held"
        REJECTED = "rejected"
        APPROVED = "approved"
        CANCELLED = "cancelled"
        PAID = "paid"

    round = models.ForeignKey("tables.Round", on_delete=models.PROTECT, related_name="hits")
    terms = models.ForeignKey(Terms, on_delete=models.PROTECT, null=True, related_name="hits")
    event = models.ForeignKey("tables.Event", on_delete=models.PROTECT, null=True, related_name="+", db_constraint=True)
    # None is the dealer's own hand.
    seat = models.PositiveSmallIntegerField(null=True)
    wager = models.CharField(max_length=40)
    claimed_hand = models.CharField(max_length=60)
    hand = models.CharField(max_length=60, blank=True)
    cards = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State)
    refused_for = models.CharField(max_length=30, blank=True)
    award_micros = models.BigIntegerField(default=0)
    meter = models.CharField(max_length=20, blank=True)
    meter_before_micros = models.BigIntegerField(null=True)
    meter_after_micros = models.BigIntegerField(null=True)
    takes_all = models.BooleanField(default=False)
    is_late = models.BooleanField(default=False)
    is_out_of_turn = models.BooleanField(default=False)
    claimed_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=200, blank=True)
    # How much was wagered for it, and among how many an award on the dealer's hand is divided.
    wagered_micros = models.BigIntegerField(default=0)
    ways = models.PositiveSmallIntegerField(default=1)
    # A claim on a meter: after which transfer it is settled and what the pools held there; after which it was made; after which its
    # amount last changed.
    position = models.BigIntegerField(null=True)
    base = models.JSONField(null=True)
    claimed_after = models.BigIntegerField(null=True)
    changed_after = models.BigIntegerField(null=True)
    # What it is due by the last settlement, and how much of that its meter has given. Differs from the award only once that stands.
    due_micros = models.BigIntegerField(default=0)
    drawn_micros = models.BigIntegerField(default=0)
    # The award went down after the player was told of it.
    is_reduced = models.BooleanField(default=False)

    class Meta:
        indexes = [
            models.Index(fields=["state", "id"], name="hits_by_state"),
            models.Index(fields=["terms", "position"], name="hits_by_position"),
        ]

    @property
    def number(self) -> str:
        return f"H-{self.pk:06d}"

    def __str__(self) -> str:
        return self.number


class Award(models.Model):
    """One person's share of a hit: the holder's own, or the envy of another seat."""

    class Kind(models.TextChoices):
        JACKPOT = "jackpot"
        DEDUCTED = "deducted"
        FIXED = "fixed"
        ENVY = "envy"
        DIFFERENCE = "difference"

    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="awards")
    seat = models.PositiveSmallIntegerField(null=True)
    kind = models.CharField(max_length=10, choices=Kind)
    amount_micros = models.BigIntegerField()
    paid_from = models.CharField(max_length=12)
    # Where the money was set aside, and where the house made up what a meter could not give; an award of 0.00 moves none.
    reservation = models.OneToOneField("ledger.Transfer", on_delete=models.PROTECT, null=True, related_name="+")
    house_reservation = models.OneToOneField("ledger.Transfer", on_delete=models.PROTECT, null=True, related_name="+")


class Item(models.Model):
    """A difference put before accounting: what was told, what was due, and what becomes of it by two signatures."""

    class Kind(models.TextChoices):
        DIFFERENCE = "difference"
        OUT_OF_TURN = "out-of-turn"
        LATE = "late"
        PAID_AND_VOIDED = "paid-and-voided"

    class State(models.TextChoices):
        OPEN = "open"
        GRANTED = "granted"
        RETURNED = "returned"

    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="items")
    kind = models.CharField(max_length=16, choices=Kind)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    told_micros = models.BigIntegerField()
    due_micros = models.BigIntegerField()
    # Money already set aside for it, in the ledger.
    reservations = models.JSONField(default=list)
    made_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)

    @property
    def difference_micros(self) -> int:
        return self.due_micros - self.told_micros


class Motion(models.Model):
    """Something that takes two signatures, after the first: what exactly was signed waits here for another person's."""

    progressive = models.ForeignKey(Progressive, on_delete=models.PROTECT, related_name="motions")
    # What it is about, such as "item:7"; one motion at a time about one thing.
    subject = models.CharField(max_length=80)
    act = models.CharField(max_length=40)
    facts = models.JSONField()
    first = models.OneToOneField("people.Signature", on_delete=models.PROTECT, related_name="+")
    second = models.OneToOneField("people.Signature", on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["subject", "act"], condition=models.Q(second__isnull=True), name="one_motion_at_a_time")
        ]


class HitSignature(models.Model):
    """A signature that counts towards a hit's approval. A hit that is settled again loses those it had."""

    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="signatures")
    signature = models.OneToOneField("people.Signature", on_delete=models.PROTECT, related_name="+")
    person = models.ForeignKey("people.Person", on_delete=models.PROTECT, related_name="+")
    is_lost = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hit", "person"], condition=models.Q(is_lost=False), name="a_second_signature_is_anothers")
        ]


class Tier(models.Model):
    """From which amount an award of a kind needs how many signatures, and whether it gets a slip: the property's own rule."""

    property = models.ForeignKey("people.Property", on_delete=models.PROTECT, related_name="tiers")
    kind = models.CharField(max_length=10, choices=Award.Kind)
    from_micros = models.BigIntegerField()
    signatures = models.PositiveSmallIntegerField()
    has_slip = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["property", "kind", "from_micros"], name="a_tier_begins_once")]


class Payout(models.Model):
    class State(models.TextChoices):
        DUE = "due"
        PAID = "paid"
        VOID = "void"

    award = models.OneToOneField(Award, on_delete=models.PROTECT, related_name="payout")
    state = models.CharField(max_length=4, choices=State, default=State.DUE)
    made_at = models.DateTimeField()
    paid_at = models.DateTimeField(null=True)
    paid_by = models.CharField(max_length=80, blank=True)

    @property
    def number(self) -> str:
        return f"P-{self.pk:06d}"


class Slip(models.Model):
    """The paper of a payout. Numbers run without a gap within a property and are never used again."""

    is_evidence: ClassVar[bool] = True

    property = models.ForeignKey("people.Property", on_delete=models.PROTECT, related_name="slips")
    number = models.BigIntegerField()
    payout = models.OneToOneField(Payout, on_delete=models.PROTECT, related_name="slip")
    # What the slip says, fixed when it was made.
    facts = models.JSONField()
    made_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["property", "number"], name="slip_numbers_run_within_a_property")]


class Display(models.Model):
    """A sign that says who it is, so that what it shows can be compared with what is true."""

    # Asked of whoever stands behind a request: a display is only ever found by its token.
    is_authenticated: ClassVar[bool] = True

    property = models.ForeignKey("people.Property", on_delete=models.PROTECT, related_name="displays")
    name = models.CharField(max_length=40, unique=True)
    hash = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class Showing(models.Model):
    """What a display said last that it shows of one meter, and how that stood to the truth."""

    class Verdict(models.TextChoices):
        AGREES = "agrees"
        BEHIND = "behind"
        STALE = "stale"
        DIFFERS = "differs"

    display = models.ForeignKey(Display, on_delete=models.PROTECT, related_name="showings")
    progressive = models.ForeignKey(Progressive, on_delete=models.PROTECT, related_name="+")
    amount_micros = models.BigIntegerField()
    version = models.BigIntegerField()
    verdict = models.CharField(max_length=8, choices=Verdict)
    # Since when it has been showing just this version.
    since = models.DateTimeField()
    read_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["display", "progressive"], name="a_display_shows_a_meter_once")]
