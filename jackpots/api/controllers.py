"""controllers/me/: what a controller may know about itself, and its heartbeat."""

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
from jackpots import stations
from tables import controllers
from tables.api.authentication import IsController, controller_of


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
        return Response(stations.station_of(controller_of(request), now=timezone.now()))


class HeartbeatShape(StrictSerializer):
    clock = serializers.DateTimeField()
    version = serializers.CharField(max_length=60, required=False, default="")
    counts = serializers.DictField(required=False, default=dict)


class HeartbeatAnswer(serializers.Serializer[Any]):
    clock = serializers.DateTimeField()
    skew_ms = serializers.IntegerField()


class Heartbeat(APIView):
    permission_classes = [IsAuthenticated, IsController]

    @extend_schema(
        summary="The controller's clock and version; the answer carries ours",
        request=HeartbeatShape,
        responses={200: HeartbeatAnswer, 422: OpenApiResponse(Problem, "Cannot be read")},
    )
    def post(self, request: Request) -> Response:
        told = HeartbeatShape(data=request.data)
        told.is_valid(raise_exception=True)
        now = timezone.now()
        clock, version = told.validated_data["clock"], told.validated_data["version"]
        skew_ms = controllers.note_heartbeat(controller=controller_of(request), clock=clock, version=version, now=now)
        return Response({"clock": now, "skew_ms": skew_ms})
