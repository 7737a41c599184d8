"""hits/: the floor's queue, and the signatures given there."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from audit.api.strict import PinField, StrictSerializer
from audit.people.models import Person
from audit.refusals import NotAllowed
from jackpots import hits, nudges, viewing
from jackpots.api.fields import WrittenMoneyField
from jackpots.models import Hit
from tables.models import Controller

REFUSALS = {
    403: OpenApiResponse(Problem, "Not yours, or not your PIN"),
    404: OpenApiResponse(Problem, "No such hit"),
    409: OpenApiResponse(Problem, "amount-changed, hit-not-pending, second-signature-is-anothers"),
    422: OpenApiResponse(Problem, "Cannot be read"),
    429: OpenApiResponse(Problem, "Too many wrong PINs"),
}


class PersonNeeded(NotAllowed):
    """Only a person may do this."""


class ShareShape(serializers.Serializer[Any]):
    seat = serializers.IntegerField(allow_null=True)
    kind = serializers.ChoiceField(choices=["jackpot", "deducted", "fixed", "envy", "difference"])
    amount = serializers.CharField()
    paid_from = serializers.CharField()


class HitShape(serializers.Serializer[Any]):
    hit = serializers.CharField()
    state = serializers.ChoiceField(choices=Hit.State.values)
    progressive = serializers.CharField()
    table = serializers.CharField()
    round = serializers.IntegerField()
    round_reference = serializers.CharField(help_text="How rounds/ names the round")
    seat = serializers.JSONField(help_text="The seat's number, or dealer")
    wager = serializers.CharField()
    hand = serializers.CharField()
    cards = serializers.ListField(child=serializers.CharField())
    claimed_at = serializers.DateTimeField()
    reason = serializers.CharField(required=False)
    award = serializers.CharField(required=False)
    meter = serializers.CharField(required=False, allow_null=True)
    meter_before = serializers.CharField(required=False, allow_null=True)
    meter_after = serializers.CharField(required=False, allow_null=True)
    place = serializers.IntegerField(required=False, allow_null=True)
    validation = serializers.CharField(required=False, allow_null=True)
    signatures_needed = serializers.IntegerField(required=False)
    signatures = serializers.ListField(child=serializers.CharField(), required=False)
    cards_stay = serializers.BooleanField(required=False)
    late = serializers.BooleanField(required=False)
    out_of_turn = serializers.BooleanField(required=False)
    payouts = ShareShape(many=True, required=False)


class Hits(APIView):
    @extend_schema(
        summary="Hits, newest first",
        parameters=[OpenApiParameter("state", str, enum=Hit.State.values)],
        responses={200: HitShape(many=True), 422: OpenApiResponse(Problem, "No such state")},
    )
    def get(self, request: Request) -> Response:
        state = request.query_params.get("state")
        if state is not None and state not in Hit.State.values:
            raise serializers.ValidationError({"state": [f"There is no state {state}."]})
        shown = viewing.hits_for(_reader(request), state=state)
        return Response([viewing.hit_shown(hit) for hit in shown])


class OneHit(APIView):
    @extend_schema(summary="One hit, as it is now", responses={200: HitShape, 404: REFUSALS[404]})
    def get(self, request: Request, number: str) -> Response:
        return Response(viewing.hit_shown(viewing.hit_for(_reader(request), number)))


class ApprovalShape(StrictSerializer):
    pin = PinField()
    award = WrittenMoneyField(max_length=30)


class ReasonShape(StrictSerializer):
    pin = PinField()
    reason = serializers.CharField(max_length=200)


class Approve(APIView):
    @extend_schema(summary="Sign a hit, naming the award that was seen", request=ApprovalShape, responses={200: HitShape, **REFUSALS})
    def post(self, request: Request, number: str) -> Response:
        told = ApprovalShape(data=request.data)
        told.is_valid(raise_exception=True)
        hit = hits.approve(number=number, person=person_of(request), now=timezone.now(), **told.validated_data)
        nudges.nudge(nudges.PAYOUTS)
        return Response(viewing.hit_shown(hit))


class Reject(APIView):
    @extend_schema(summary="Reject a hit", request=ReasonShape, responses={200: HitShape, **REFUSALS})
    def post(self, request: Request, number: str) -> Response:
        told = ReasonShape(data=request.data)
        told.is_valid(raise_exception=True)
        return Response(viewing.hit_shown(hits.reject(number=number, person=person_of(request), now=timezone.now(), **told.validated_data)))


class Hold(APIView):
    @extend_schema(summary="Hold a hit while it is in dispute", request=ReasonShape, responses={200: HitShape, **REFUSALS})
    def post(self, request: Request, number: str) -> Response:
        told = ReasonShape(data=request.data)
        told.is_valid(raise_exception=True)
        return Response(viewing.hit_shown(hits.hold(number=number, person=person_of(request), now=timezone.now(), **told.validated_data)))


def person_of(request: Request) -> Person:
    user: object = request.user
    if not isinstance(user, Person):
        raise PersonNeeded
    return user


def _reader(request: Request) -> Person | Controller:
    user: object = request.user
    assert isinstance(user, Person | Controller), "the door is open to controllers and people"
    return user
