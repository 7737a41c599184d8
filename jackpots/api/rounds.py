"""rounds/: what supervisors and shift supervisors may do to a round, with a PIN and a reason."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from audit.api.strict import told_in
from jackpots import interventions, nudges, viewing
from jackpots.api.hits import HitShape, ReasonShape, person_of
from jackpots.api.payouts import PinShape
from tables import messages
from tables.models import Round

REFUSALS = {
    403: OpenApiResponse(Problem, "Not yours, or not your PIN"),
    404: OpenApiResponse(Problem, "No such round"),
    409: OpenApiResponse(Problem, "The round does not allow it"),
    422: OpenApiResponse(Problem, "Cannot be read"),
    429: OpenApiResponse(Problem, "Too many wrong PINs"),
}


class RoundShape(serializers.Serializer[Any]):
    round = serializers.CharField()
    table = serializers.CharField()
    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Round.State.values)
    count = serializers.ChoiceField(choices=Round.Count.values)
    folded_seats = serializers.ListField(child=serializers.IntegerField())
    void_seats = serializers.ListField(child=serializers.IntegerField())
    void_reason = serializers.CharField()


class VoidShape(ReasonShape):
    irregularity = serializers.CharField(max_length=60)
    seats = serializers.ListField(child=serializers.IntegerField(min_value=1, max_value=99), required=False, default=None, min_length=1)


class MissedShape(ReasonShape):
    seat = serializers.IntegerField(min_value=1, max_value=99, required=False, default=None, help_text="Left out for the dealer's hand")
    wager = serializers.CharField(max_length=60)
    cards = serializers.ListField(child=serializers.CharField(max_length=2), min_length=1, max_length=8)
    hand = serializers.CharField(max_length=60)


class OneRound(APIView):
    @extend_schema(summary="One round", responses={200: RoundShape, 404: REFUSALS[404]})
    def get(self, request: Request, reference: str) -> Response:
        return Response(_shown(viewing.round_for(person_of(request), reference)))


class AcceptCount(APIView):
    @extend_schema(
        summary="Let the accepted wagers stand though the chips differ", request=ReasonShape, responses={200: RoundShape, **REFUSALS}
    )
    def post(self, request: Request, reference: str) -> Response:
        told = told_in(ReasonShape, request)
        return Response(_shown(interventions.accept_count(reference=reference, person=person_of(request), now=timezone.now(), **told)))


class Close(APIView):
    @extend_schema(summary="End an abandoned round", request=ReasonShape, responses={200: RoundShape, **REFUSALS})
    def post(self, request: Request, reference: str) -> Response:
        told = told_in(ReasonShape, request)
        return Response(_shown(interventions.close(reference=reference, person=person_of(request), now=timezone.now(), **told)))


class Void(APIView):
    @extend_schema(summary="Void a round or single hands", request=VoidShape, responses={200: RoundShape, **REFUSALS})
    def post(self, request: Request, reference: str) -> Response:
        told = told_in(VoidShape, request)
        return Response(_shown(interventions.void(reference=reference, person=person_of(request), now=timezone.now(), **told)))


class MissedHit(APIView):
    @extend_schema(
        summary="Enter a winning hand found after the round was settled", request=MissedShape, responses={200: RoundShape, **REFUSALS}
    )
    def post(self, request: Request, reference: str) -> Response:
        told = told_in(MissedShape, request)
        person, now = person_of(request), timezone.now()
        claimed = messages.missed(seat=told["seat"], wager=told["wager"], cards=told["cards"], hand=told["hand"], at=now)
        entered = interventions.enter_missed(
            reference=reference, person=person, pin=told["pin"], reason=told["reason"], told=claimed, now=now
        )
        return Response(_shown(entered))


class ApproveFixed(APIView):
    @extend_schema(
        summary="One PIN for all fixed and deducted awards of a round", request=PinShape, responses={200: HitShape(many=True), **REFUSALS}
    )
    def post(self, request: Request, reference: str) -> Response:
        told = told_in(PinShape, request)
        approved = interventions.approve_fixed(reference=reference, person=person_of(request), pin=told["pin"], now=timezone.now())
        nudges.nudge(nudges.PAYOUTS)
        return Response([viewing.hit_shown(hit) for hit in approved])


def _shown(round: Round) -> dict[str, Any]:
    return {
        "round": round.reference,
        "table": round.table.name,
        "number": round.number,
        "state": round.state,
        "count": round.count,
        "folded_seats": round.folded_seats,
        "void_seats": round.void_seats,
        "void_reason": round.void_reason,
    }
