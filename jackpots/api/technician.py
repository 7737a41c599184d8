"""controllers/: the technician's doors. A token is in the answer to its making and nowhere else."""

import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from audit.api.strict import PinField, StrictSerializer, told_in
from audit.people.models import Person
from jackpots import overview, workshop
from jackpots.api.controllers import CountsShape
from jackpots.api.hits import person_of
from tables import controllers
from tables.models import Controller

REFUSALS = {
    403: OpenApiResponse(Problem, "Not yours, or not your PIN"),
    404: OpenApiResponse(Problem, "No such controller, or no such table"),
    409: OpenApiResponse(Problem, "name-taken, controller-revoked, table-elsewhere, sequence-moved-on"),
    422: OpenApiResponse(Problem, "Cannot be read"),
    429: OpenApiResponse(Problem, "Too many wrong PINs"),
}
PROPERTY = OpenApiParameter("property", str, description="Of the controller, where you work at several.")
NEVER_KEPT = {"Cache-Control": "no-store"}
MOST_TABLES = 100


class TokenShape(serializers.Serializer[Any]):
    made_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True, help_text="The end of its overlap, once a newer one was made.")


class GapShape(serializers.Serializer[Any]):
    expected = serializers.IntegerField()
    sent = serializers.IntegerField()
    at = serializers.DateTimeField()


class AlarmShape(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=["silent", "counts-differ"])
    since = serializers.DateTimeField()


class LastCountsShape(CountsShape):
    at = serializers.DateTimeField()


class ControllerShape(serializers.Serializer[Any]):
    controller = serializers.CharField()
    property = serializers.CharField()
    tables = serializers.ListField(child=serializers.CharField())
    next_sequence = serializers.IntegerField()
    last_seen_at = serializers.DateTimeField(allow_null=True)
    version = serializers.CharField(allow_blank=True)
    skew_ms = serializers.IntegerField(help_text="How far its clock runs ahead of ours.")
    state = serializers.ChoiceField(choices=["alive", "silent", "never-heard", "revoked"])
    revoked_at = serializers.DateTimeField(allow_null=True)
    rate = serializers.IntegerField(help_text="Requests a second that it may make; 0 is without limit.")
    own_rate = serializers.IntegerField(allow_null=True, help_text="Empty where the site's setting holds.")
    tokens = TokenShape(many=True, help_text="Those that work now, the oldest first.")
    gaps = serializers.IntegerField(help_text="How often it sent a sequence beyond its next.")
    last_gap = GapShape(allow_null=True)
    refused = serializers.IntegerField(help_text="How many of its events were refused.")
    counts = LastCountsShape(allow_null=True, help_text="What it counted last, beside what we had booked.")
    alarms = AlarmShape(many=True)


class RefusedEventShape(serializers.Serializer[Any]):
    id = serializers.CharField()
    sequence = serializers.IntegerField()
    type = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()
    recorded_at = serializers.DateTimeField()


class PairedShape(ControllerShape):
    token = serializers.CharField(help_text="Said here once; only its hash is kept.")


class SignedShape(StrictSerializer):
    pin = PinField()


class TablesShape(SignedShape):
    tables = serializers.ListField(child=serializers.CharField(max_length=20), min_length=1, max_length=MOST_TABLES)


class PairShape(TablesShape):
    controller = serializers.CharField(max_length=40)
    property = serializers.CharField(max_length=40)


class RotateShape(SignedShape):
    overlap_seconds = serializers.IntegerField(
        required=False,
        default=3600,
        min_value=0,
        max_value=int(controllers.LONGEST_OVERLAP.total_seconds()),
        help_text="How long the tokens before it go on working.",
    )


class RateShape(SignedShape):
    rate = serializers.IntegerField(allow_null=True, min_value=1, max_value=controllers.FASTEST, help_text="Null leaves it to the site.")


class PassOverShape(SignedShape):
    sequence = serializers.IntegerField(min_value=1, max_value=2**63 - 2, help_text="The next sequence, as you saw it.")
    reason = serializers.CharField(max_length=200)


class Controllers(APIView):
    @extend_schema(summary="The controllers of your properties", responses=ControllerShape(many=True))
    def get(self, request: Request) -> Response:
        return Response(workshop.controllers_for(person_of(request), now=timezone.now()))

    @extend_schema(
        operation_id="controllers_pair",
        summary="Pair a controller with tables; the answer carries its token, once",
        request=PairShape,
        responses={201: PairedShape, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        told, person, now = told_in(PairShape, request), person_of(request), timezone.now()
        place = overview.property_for(person, told["property"])
        tables = workshop.tables_named(person, place, told["tables"])
        name, pin = told["controller"], told["pin"]
        made, token = controllers.pair(property=place, name=name, tables=tables, person=person, pin=pin, now=now)
        return _shown(person, made, status=201, token=token)


class OneController(APIView):
    @extend_schema(
        operation_id="controllers_one",
        summary="One controller",
        parameters=[PROPERTY],
        responses={200: ControllerShape, 404: REFUSALS[404]},
    )
    def get(self, request: Request, name: str) -> Response:
        person, controller = _found(request, name)
        return _shown(person, controller)


class RefusedEvents(APIView):
    @extend_schema(
        operation_id="controllers_refused",
        summary="Events of a controller that were refused, newest first",
        parameters=[PROPERTY, OpenApiParameter("before", int, description="Only sequences below this one.")],
        responses={200: RefusedEventShape(many=True), 404: REFUSALS[404], 422: REFUSALS[422]},
    )
    def get(self, request: Request, name: str) -> Response:
        _, controller = _found(request, name)
        before = serializers.IntegerField(min_value=1, max_value=2**63 - 1).run_validation(request.query_params.get("before", 2**63 - 1))
        return Response(workshop.refused_of(controller, before=before))


class Move(APIView):
    @extend_schema(
        summary="Let it speak for these tables and no others",
        parameters=[PROPERTY],
        request=TablesShape,
        responses={200: ControllerShape, **REFUSALS},
    )
    def post(self, request: Request, name: str) -> Response:
        told, (person, controller) = told_in(TablesShape, request), _found(request, name)
        tables = workshop.tables_named(person, controller.property, told["tables"])
        controllers.move(controller=controller, tables=tables, person=person, pin=told["pin"], now=timezone.now())
        return _shown(person, controller)


class Rotate(APIView):
    @extend_schema(
        summary="Make a new token; those before it go on working for the overlap",
        parameters=[PROPERTY],
        request=RotateShape,
        responses={200: PairedShape, **REFUSALS},
    )
    def post(self, request: Request, name: str) -> Response:
        told, (person, controller) = told_in(RotateShape, request), _found(request, name)
        overlap = datetime.timedelta(seconds=told["overlap_seconds"])
        token = controllers.rotate(controller=controller, person=person, overlap=overlap, pin=told["pin"], now=timezone.now())
        return _shown(person, controller, token=token)


class Revoke(APIView):
    @extend_schema(
        summary="Stop all its tokens at once",
        parameters=[PROPERTY],
        request=SignedShape,
        responses={200: ControllerShape, **REFUSALS},
    )
    def post(self, request: Request, name: str) -> Response:
        told, (person, controller) = told_in(SignedShape, request), _found(request, name)
        controllers.revoke(controller=controller, person=person, pin=told["pin"], now=timezone.now())
        return _shown(person, controller)


class Rate(APIView):
    @extend_schema(
        summary="How many requests a second it may make",
        parameters=[PROPERTY],
        request=RateShape,
        responses={200: ControllerShape, **REFUSALS},
    )
    def post(self, request: Request, name: str) -> Response:
        told, (person, controller) = told_in(RateShape, request), _found(request, name)
        controllers.set_rate(controller=controller, rate=told["rate"], person=person, pin=told["pin"], now=timezone.now())
        return _shown(person, controller)


class PassOver(APIView):
    @extend_schema(
        summary="Go on behind a sequence that will never come, with a reason",
        parameters=[PROPERTY],
        request=PassOverShape,
        responses={200: ControllerShape, **REFUSALS},
    )
    def post(self, request: Request, name: str) -> Response:
        told, (person, controller) = told_in(PassOverShape, request), _found(request, name)
        controllers.pass_over(controller=controller, person=person, now=timezone.now(), **told)
        return _shown(person, controller)


def _found(request: Request, name: str) -> tuple[Person, Controller]:
    person = person_of(request)
    return person, workshop.controller_for(person, name, request.query_params.get("property"))


def _shown(person: Person, controller: Controller, *, status: int = 200, **more: str) -> Response:
    fresh = workshop.controller_for(person, controller.name, controller.property.slug)
    return Response({**workshop.one_shown(fresh, now=timezone.now()), **more}, status=status, headers=NEVER_KEPT)
