"""items/: differences before accounting, and the corrections that take two signatures."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from audit.api.strict import PinField, StrictSerializer
from jackpots import corrections, endings, items, nudges, viewing
from jackpots.api.fields import PatternedMoneyField
from jackpots.api.hits import person_of
from jackpots.api.payouts import PinShape
from jackpots.models import Item, Motion

REFUSALS = {
    403: OpenApiResponse(Problem, "Not yours, or not your PIN"),
    404: OpenApiResponse(Problem, "No such item or progressive"),
    409: OpenApiResponse(Problem, "Answered already, or the second signature is not another's or not for the same"),
    422: OpenApiResponse(Problem, "Cannot be read"),
    429: OpenApiResponse(Problem, "Too many wrong PINs"),
}


class ItemShape(serializers.Serializer[Any]):
    item = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=Item.Kind.values)
    state = serializers.ChoiceField(choices=Item.State.values)
    hit = serializers.CharField()
    table = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)
    told = serializers.CharField()
    due = serializers.CharField()
    difference = serializers.CharField(help_text="May be below zero: told too much")


class MotionShape(serializers.Serializer[Any]):
    subject = serializers.CharField()
    act = serializers.CharField()
    state = serializers.ChoiceField(choices=["signed-once", "carried-out"])
    signed_by = serializers.ListField(child=serializers.CharField())


class CorrectionShape(StrictSerializer):
    pin = PinField()
    level = serializers.ChoiceField(choices=["main", "secondary"])
    amount = PatternedMoneyField(r"^-?\d{1,12}(\.\d{1,6})?$", help_text="Above zero from the house, below zero to it")
    reason = serializers.CharField(max_length=200)


class ReleaseShape(StrictSerializer):
    pin = PinField()
    amount = PatternedMoneyField(r"^\d{1,12}(\.\d{1,6})?$")
    to = serializers.ChoiceField(choices=["main", "reserve"])


class Items(APIView):
    @extend_schema(
        summary="Differences put before accounting, newest first",
        parameters=[OpenApiParameter("state", str, enum=Item.State.values)],
        responses={200: ItemShape(many=True), 422: REFUSALS[422]},
    )
    def get(self, request: Request) -> Response:
        state = request.query_params.get("state")
        if state is not None and state not in Item.State.values:
            raise serializers.ValidationError({"state": [f"There is no state {state}."]})
        return Response([viewing.item_shown(item) for item in viewing.items_for(person_of(request), state=state)])


class Grant(APIView):
    @extend_schema(summary="Pay the difference; takes two signatures", request=PinShape, responses={200: MotionShape, **REFUSALS})
    def post(self, request: Request, number: int) -> Response:
        told = PinShape(data=request.data)
        told.is_valid(raise_exception=True)
        motion = items.grant(number=number, person=person_of(request), pin=told.validated_data["pin"], now=timezone.now())
        nudges.nudge(nudges.PAYOUTS)
        return Response(_shown(motion))


class LetGo(APIView):
    @extend_schema(
        summary="Give what is set aside back to the meter; takes two signatures", request=PinShape, responses={200: MotionShape, **REFUSALS}
    )
    def post(self, request: Request, number: int) -> Response:
        told = PinShape(data=request.data)
        told.is_valid(raise_exception=True)
        motion = items.let_go(number=number, person=person_of(request), pin=told.validated_data["pin"], now=timezone.now())
        return Response(_shown(motion))


class Correct(APIView):
    @extend_schema(
        summary="Put a meter right by hand; takes two signatures", request=CorrectionShape, responses={200: MotionShape, **REFUSALS}
    )
    def post(self, request: Request, slug: str) -> Response:
        told = CorrectionShape(data=request.data)
        told.is_valid(raise_exception=True)
        return Response(_shown(corrections.correct(slug=slug, person=person_of(request), now=timezone.now(), **told.validated_data)))


class ReleaseOverflow(APIView):
    @extend_schema(
        summary="Give what a cap has kept back to a pool; takes two signatures",
        request=ReleaseShape,
        responses={200: MotionShape, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        told = ReleaseShape(data=request.data)
        told.is_valid(raise_exception=True)
        return Response(
            _shown(corrections.release_overflow(slug=slug, person=person_of(request), now=timezone.now(), **told.validated_data))
        )


class DiscontinueShape(StrictSerializer):
    pin = PinField()
    to = serializers.SlugField(max_length=40, help_text="The progressive on which the players' money goes on")


class Discontinue(APIView):
    @extend_schema(summary="End a progressive; takes two signatures", request=DiscontinueShape, responses={200: MotionShape, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        told = DiscontinueShape(data=request.data)
        told.is_valid(raise_exception=True)
        return Response(_shown(endings.discontinue(slug=slug, person=person_of(request), now=timezone.now(), **told.validated_data)))


def _shown(motion: Motion) -> dict[str, Any]:
    signatures = [one for one in (motion.first, motion.second) if one is not None]
    return {
        "subject": motion.subject,
        "act": motion.act,
        "state": "signed-once" if motion.second is None else "carried-out",
        "signed_by": [one.person.name for one in signatures],
    }
