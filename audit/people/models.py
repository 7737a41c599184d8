"""Properties, the people who work in them, the posts they hold and what they have signed."""

import datetime
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models


class Property(models.Model):
    """A casino. People, tables, displays, slips, gaming days and reports are a property's own."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    time_zone = models.CharField(max_length=60)
    # The local hour at which one gaming day ends and the next begins.
    day_boundary = models.TimeField(default=datetime.time(6, 0))
    # The open day. Only closing it moves it on; no clock does.
    gaming_day = models.DateField()

    class Meta:
        verbose_name_plural = "properties"

    def __str__(self) -> str:
        return self.slug


class Person(AbstractBaseUser):
    username = models.CharField(max_length=60, unique=True)
    name = models.CharField(max_length=80)
    # Hashed like the password; empty for people who never sign.
    pin = models.CharField(max_length=128, blank=True)
    is_active = models.BooleanField(default=True)
    # Wrong PINs since the last right one, and until when the PIN is not looked at.
    failures = models.PositiveIntegerField(default=0)
    paused_until = models.DateTimeField(null=True, blank=True)
    # The same for the login, kept apart: a stranger at the login page must not be able to stop a supervisor from signing.
    login_failures = models.PositiveIntegerField(default=0)
    login_paused_until = models.DateTimeField(null=True, blank=True)

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    objects = BaseUserManager["Person"]()

    class Meta:
        verbose_name_plural = "people"

    def __str__(self) -> str:
        return self.username


class Role(models.TextChoices):
    DEALER = "dealer"
    FLOORPERSON = "floorperson"
    SUPERVISOR = "supervisor"
    SHIFT_SUPERVISOR = "shift-supervisor"
    CASHIER = "cashier"
    ACCOUNTING = "accounting"
    APPROVER = "approver"
    TECHNICIAN = "technician"
    AUDITOR = "auditor"
    ADMINISTRATOR = "administrator"


class Appointment(models.Model):
    """A role that a person holds at a property."""

    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="appointments")
    property = models.ForeignKey(Property, on_delete=models.PROTECT, related_name="appointments")
    role = models.CharField(max_length=20, choices=Role)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "property", "role"], name="a_role_is_held_once")]

    def __str__(self) -> str:
        return f"{self.person} {self.role} {self.property}"


class Signature(models.Model):
    """A person's PIN under an act: what was signed, about what, and what the person saw."""

    is_evidence: ClassVar[bool] = True

    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="signatures")
    property = models.ForeignKey(Property, on_delete=models.PROTECT, related_name="signatures")
    act = models.CharField(max_length=40)
    subject = models.CharField(max_length=120)
    facts = models.JSONField()
    signed_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["subject"], name="signatures_under_a_subject")]

    def __str__(self) -> str:
        return f"{self.act} {self.subject} by {self.person}"
