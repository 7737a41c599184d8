"""payouts/: what is due, paying it, and its paper."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from audit.api.strict import PinField, StrictSerializer
from jackpots import payouts, viewing
from jackpots.api.hits import ReasonShape, person_of
from jackpots.models import Payout
from jackpots.reports import slip


class PayoutShape(serializers.Serializer[Any]):
    payout = serializers.CharField()
    state = serializers.ChoiceField(choices=Payout.State.values)
    hit = serializers.CharField()
    table = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)
    kind = serializers.ChoiceField(choices=["jackpot", "deducted", "fixed", "envy", "difference"])
    hand = serializers.CharField()
    amount = serializers.CharField()
    paid_from = serializers.CharField()
    slip = serializers.CharField(allow_null=True)
    made_at = serializers.DateTimeField()
    paid_at = serializers.DateTimeField(allow_null=True)
    paid_by = serializers.CharField(allow_null=True)


class PinShape(StrictSerializer):
    pin = PinField()


class Payouts(APIView):
    @extend_schema(
        summary="Payouts, newest first",
        parameters=[OpenApiParameter("state", str, enum=Payout.State.values)],
        responses={200: PayoutShape(many=True), 422: OpenApiResponse(Problem, "No such state")},
    )
    def get(self, request: Request) -> Response:
        state = request.query_params.get("state")
        if state is not None and state not in Payout.State.values:
            raise serializers.ValidationError({"state": [f"There is no state {state}."]})
        return Response([viewing.payout_shown(one) for one in viewing.payouts_for(person_of(request), state=state)])


class Paid(APIView):
    @extend_schema(
        summary="Mark a payout paid",
        request=PinShape,
        responses={
            200: PayoutShape,
            403: OpenApiResponse(Problem, "Not yours, or not your PIN"),
            404: OpenApiResponse(Problem, "No such payout"),
            409: OpenApiResponse(Problem, "payout-not-due"),
            422: OpenApiResponse(Problem, "Cannot be read"),
            429: OpenApiResponse(Problem, "Too many wrong PINs"),
        },
    )
    def post(self, request: Request, number: str) -> Response:
        told = PinShape(data=request.data)
        told.is_valid(raise_exception=True)
        paid = payouts.pay(number=number, person=person_of(request), pin=told.validated_data["pin"], now=timezone.now())
        return Response(viewing.payout_shown(paid))


class VoidPayment(APIView):
    @extend_schema(
        summary="Take back a payment that was marked by mistake",
        request=ReasonShape,
        responses={
            200: PayoutShape,
            403: OpenApiResponse(Problem, "Not yours, or not your PIN"),
            404: OpenApiResponse(Problem, "No such payout"),
            409: OpenApiResponse(Problem, "payout-not-paid"),
            422: OpenApiResponse(Problem, "Cannot be read"),
            429: OpenApiResponse(Problem, "Too many wrong PINs"),
        },
    )
    def post(self, request: Request, number: str) -> Response:
        told = ReasonShape(data=request.data)
        told.is_valid(raise_exception=True)
        taken_back = payouts.take_back(number=number, person=person_of(request), now=timezone.now(), **told.validated_data)
        return Response(viewing.payout_shown(taken_back))


class SlipPaper(APIView):
    @extend_schema(
        summary="The slip of a payout, as PDF",
        responses={(200, "application/pdf"): OpenApiTypes.BINARY, 404: OpenApiResponse(Problem, "No such payout, or no slip")},
    )
    def get(self, request: Request, number: str) -> HttpResponse:
        viewing.payout_for(person_of(request), number)
        paper = payouts.slip_of(number)
        named = f'inline; filename="slip-{paper.number:06d}.pdf"'
        return HttpResponse(slip.render(paper.facts), content_type="application/pdf", headers={"Content-Disposition": named})
