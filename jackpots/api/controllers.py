"""controllers/me/: what a controller may know about itself, and its heartbeat."""

import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from audit.api.strict import StrictSerializer
from jackpots import stations, workshop
from jackpots.api.fields import MoneyField
from tables import watching
from tables.api.authentication import IsController, controller_of
from tables.counts import Tally

MOST_TABLES = 100
MOST_COUNTED = 2**63 - 2


class OfferedShape(serializers.Serializer[Any]):
    progressive = serializers.CharField()
    wager = serializers.CharField()
    amounts = serializers.ListField(child=serializers.CharField())
    hands = serializers.ListField(child=serializers.CharField())


class TableShape(serializers.Serializer[Any]):
    table = serializers.CharField()
    game = serializers.CharField()
    seats = serializers.IntegerField()
    accepts_wagers = serializers.BooleanField()
    open_round = serializers.IntegerField(allow_null=True)
    next_round = serializers.IntegerField()
    progressives = OfferedShape(many=True)


class MeShape(serializers.Serializer[Any]):
    controller = serializers.CharField()
    next_sequence = serializers.IntegerField()
    tables = TableShape(many=True)


class Me(APIView):
    permission_classes = [IsAuthenticated, IsController]

    @extend_schema(summary="Which tables, which sequence next, and whether each table may take wagers now", responses=MeShape)
    def get(self, request: Request) -> Response:
        now, controller = timezone.now(), controller_of(request)
        watching.note_heard(controller_id=controller.pk, now=now)
        return Response(stations.station_of(controller, now=now))


class TallyShape(StrictSerializer):
    wagers = serializers.IntegerField(min_value=0, max_value=MOST_COUNTED)
    amount = MoneyField()


class ClockField(serializers.DateTimeField):
    """A moment with its zone: without one it could be any hour of the day."""

    def enforce_timezone(self, value: datetime.datetime) -> datetime.datetime:
        if timezone.is_naive(value):
            raise serializers.ValidationError("A time needs its zone; write Z behind it for UTC.")
        return super().enforce_timezone(value)


class HeartbeatShape(StrictSerializer):
    clock = ClockField()
    version = serializers.CharField(max_length=60, required=False, default="")
    counts = serializers.DictField(
        child=TallyShape(),
        required=False,
        default=dict,
        help_text="By table: the wagers of all its lock-outs whose count agreed, behind since_sequence and up to sequence.",
    )
    sequence = serializers.IntegerField(
        required=False, min_value=0, max_value=MOST_COUNTED, help_text="The last the controller had an answer for when it counted."
    )
    since_sequence = serializers.IntegerField(
        required=False,
        default=0,
        min_value=0,
        max_value=MOST_COUNTED,
        help_text="The last before the counts began; only ever raised, when a controller begins to count anew.",
    )

    def validate_counts(self, told: dict[str, Any]) -> dict[str, Any]:
        if len(told) > MOST_TABLES:
            raise serializers.ValidationError(f"At most {MOST_TABLES} tables.")
        return {serializers.CharField(max_length=20).run_validation(table): tally for table, tally in told.items()}

    def validate(self, told: dict[str, Any]) -> dict[str, Any]:
        if "sequence" in told and told["sequence"] < told["since_sequence"]:
            raise serializers.ValidationError({"sequence": ["It lies before since_sequence."]})
        return told


class ToldTallyShape(serializers.Serializer[Any]):
    wagers = serializers.IntegerField()
    amount = serializers.CharField()


class ComparedShape(serializers.Serializer[Any]):
    counted = ToldTallyShape()
    booked = ToldTallyShape()
    agrees = serializers.BooleanField()


class CountsShape(serializers.Serializer[Any]):
    since_sequence = serializers.IntegerField()
    sequence = serializers.IntegerField()
    agrees = serializers.BooleanField()
    tables = serializers.DictField(child=ComparedShape(), help_text="By table.")


class HeartbeatAnswer(serializers.Serializer[Any]):
    clock = serializers.DateTimeField()
    skew_ms = serializers.IntegerField()
    counts = CountsShape(required=False, help_text="Where counts were told: what they say beside what we booked.")


class Heartbeat(APIView):
    permission_classes = [IsAuthenticated, IsController]

    @extend_schema(
        summary="The controller's clock, version and counts; the answer carries ours",
        request=HeartbeatShape,
        responses={
            200: HeartbeatAnswer,
            409: OpenApiResponse(Problem, "counts-begin-earlier, counts-begin-later or counts-overtaken"),
            422: OpenApiResponse(Problem, "Cannot be read"),
            429: OpenApiResponse(Problem, "Too fast"),
        },
    )
    def post(self, request: Request) -> Response:
        shape = HeartbeatShape(data=request.data)
        shape.is_valid(raise_exception=True)
        told, now, controller = shape.validated_data, timezone.now(), controller_of(request)
        counted = {table: Tally(one["wagers"], one["amount"]) for table, one in told["counts"].items()}
        beat = watching.beat(
            controller=controller,
            clock=told["clock"],
            version=told["version"],
            counted=counted,
            sequence=told.get("sequence"),
            since_sequence=told["since_sequence"],
            now=now,
        )
        compared = {"counts": workshop.comparison_shown(beat.compared)} if beat.compared else {}
        return Response({"clock": now, "skew_ms": beat.skew_ms, **compared})
