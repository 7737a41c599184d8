"""Accounts, transfers and balances. A transfer is one debit and one credit, so an unbalanced entry cannot be written down.

Transfers are only ever added; PostgreSQL itself refuses to change or remove one, to resolve a reservation twice, to reverse a
transfer twice, or to let money cross from one progressive to another. Balances are a fold of the transfers and nothing else:
only the database function ``ledger_fold`` writes them.
"""

from typing import ClassVar

from django.db import models


class Account(models.Model):
    is_evidence: ClassVar[bool] = True

    progressive = models.ForeignKey("jackpots.Progressive", on_delete=models.PROTECT, related_name="accounts")
    # Meters and pools belong to the progressive as a whole; players, house, payable and paid are kept for each property.
    property = models.ForeignKey("people.Property", on_delete=models.PROTECT, null=True, related_name="accounts")
    code = models.CharField(max_length=20)
    may_be_negative = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["progressive", "property", "code"], nulls_distinct=False, name="account_is_opened_once"),
            # What the two composite foreign keys of a transfer point at: both its accounts are its own progressive's.
            models.UniqueConstraint(fields=["id", "progressive"], name="account_and_its_progressive"),
        ]


class Transfer(models.Model):
    is_evidence: ClassVar[bool] = True

    class Kind(models.IntegerChoices):
        POSTED = 1
        RESERVED = 2
        RESERVATION_POSTED = 3
        RESERVATION_VOIDED = 4

    # That both accounts are there, and are this progressive's, the database keeps by two constraints over both columns; a second pair for
    # each column alone would only cost every contribution more.
    progressive = models.ForeignKey("jackpots.Progressive", on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    property = models.ForeignKey("people.Property", on_delete=models.PROTECT, related_name="+", db_index=False)
    gaming_day = models.DateField()
    reason = models.CharField(max_length=30)
    kind = models.PositiveSmallIntegerField(choices=Kind, default=Kind.POSTED)
    debit = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    credit = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    amount_micros = models.BigIntegerField()
    resolves = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    reverses = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    round = models.ForeignKey("tables.Round", on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    wager = models.ForeignKey("tables.Wager", on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    event = models.ForeignKey("tables.Event", on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    signature = models.ForeignKey("people.Signature", on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(amount_micros__gt=0), name="a_transfer_moves_something"),
            models.CheckConstraint(condition=~models.Q(debit=models.F("credit")), name="a_transfer_has_two_sides"),
            models.CheckConstraint(
                condition=models.Q(kind__in=[3, 4], resolves__isnull=False) | models.Q(kind__in=[1, 2], resolves__isnull=True),
                name="only_a_resolution_resolves",
            ),
            models.UniqueConstraint(fields=["resolves"], condition=models.Q(resolves__isnull=False), name="a_reservation_is_resolved_once"),
            models.UniqueConstraint(fields=["reverses"], condition=models.Q(reverses__isnull=False), name="a_transfer_is_reversed_once"),
            models.UniqueConstraint(fields=["wager", "credit"], condition=models.Q(reason="contribution"), name="a_wager_contributes_once"),
        ]
        indexes = [
            # The tail of a progressive, for the fold and for every display's reading.
            models.Index(
                fields=["progressive", "id"], include=["kind", "debit", "credit", "amount_micros"], name="transfer_tail_of_a_progressive"
            ),
            models.Index(fields=["round"], condition=models.Q(round__isnull=False), name="transfers_of_a_round"),
        ]


class Balance(models.Model):
    is_fold: ClassVar[bool] = True

    account = models.OneToOneField(Account, on_delete=models.PROTECT, primary_key=True, related_name="balance")
    credits_posted = models.BigIntegerField(default=0)
    debits_posted = models.BigIntegerField(default=0)
    credits_reserved = models.BigIntegerField(default=0)
    debits_reserved = models.BigIntegerField(default=0)
    may_be_negative = models.BooleanField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(may_be_negative=True)
                | models.Q(credits_posted__gte=models.F("debits_posted") + models.F("debits_reserved")),
                name="a_meter_never_passes_below_zero",
            ),
        ]


class Folded(models.Model):
    """How far a progressive's transfers have been folded into its balances."""

    is_fold: ClassVar[bool] = True

    progressive = models.OneToOneField("jackpots.Progressive", on_delete=models.PROTECT, primary_key=True, related_name="folded")
    folded_to = models.BigIntegerField(default=0)
    folded_count = models.BigIntegerField(default=0)
