"""configurations/: drafts, the second person's approval, and every version there ever was."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from audit.api.strict import PinField, StrictSerializer
from jackpots import configurations, overview
from jackpots.api.fields import MoneyField
from jackpots.api.hits import person_of
from jackpots.configurations import Choices
from jackpots.rules import money

STATES = ("draft", "approved", "in-force", "superseded", "withdrawn")

REFUSALS = {
    403: OpenApiResponse(Problem, "Not yours, not your PIN, or your own draft"),
    404: OpenApiResponse(Problem, "No such thing"),
    409: OpenApiResponse(Problem, "It breaks the rule text, whose paragraph is quoted; or it is decided already"),
    422: OpenApiResponse(Problem, "Cannot be read"),
    429: OpenApiResponse(Problem, "Too many wrong PINs"),
}


class RatesField(serializers.DictField):
    child = serializers.IntegerField(min_value=0, max_value=money.WHOLE_PPM)


class DraftShape(StrictSerializer):
    progressive = serializers.CharField(max_length=40)
    pay_table = serializers.CharField(max_length=20)
    rates_ppm = RatesField(help_text="Level to parts per million of each wager; reserve among them where resets are funded in advance.")
    initial = MoneyField()
    reset = MoneyField(required=False, allow_null=True, default=None, help_text="Left out where the secondary meter resets the main one.")
    cap = MoneyField(required=False, allow_null=True, default=None)
    awards = serializers.DictField(
        child=serializers.IntegerField(min_value=0),
        required=False,
        default=dict,
        help_text="Hand to an award above a printed minimum: parts per million of the meter, micros, or odds, as the table has it.",
    )
    amounts = serializers.ListField(child=MoneyField(), required=False, default=list, help_text="The wagers offered, where not all are.")
    funded_by = serializers.CharField(max_length=40, required=False, help_text="Whose house funds it; the progressive's own by default.")


class ConfigurationShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    progressive = serializers.CharField()
    version = serializers.IntegerField()
    state = serializers.ChoiceField(choices=STATES)
    pay_table = serializers.CharField()
    pay_table_digest = serializers.CharField()
    rates_ppm = serializers.DictField(child=serializers.IntegerField())
    initial = serializers.CharField()
    reset = serializers.CharField(allow_null=True)
    cap = serializers.CharField(allow_null=True)
    cap_taken = serializers.BooleanField(allow_null=True, help_text="Whether the meter fitted under the cap when the version began.")
    awards = serializers.DictField(child=serializers.IntegerField())
    amounts = serializers.ListField(child=serializers.CharField())
    funded_by = serializers.CharField()
    drafted_by = serializers.CharField()
    drafted_at = serializers.DateTimeField()
    approved_by = serializers.CharField(allow_null=True)
    approved_at = serializers.DateTimeField(allow_null=True)
    effective_at = serializers.DateTimeField(allow_null=True)
    withdrawn_by = serializers.CharField(allow_null=True)
    withdrawn_for = serializers.CharField(allow_null=True)


class ApproveShape(StrictSerializer):
    pin = PinField()
    effective_at = serializers.DateTimeField(required=False, help_text="Now, where it is left out; never in the past.")


class WithdrawShape(StrictSerializer):
    reason = serializers.CharField(max_length=200)


class Configurations(APIView):
    @extend_schema(
        summary="Configurations; state=draft is what waits for an approver",
        parameters=[OpenApiParameter("state", str, enum=STATES)],
        responses={200: ConfigurationShape(many=True), 422: OpenApiResponse(Problem, "No such state")},
    )
    def get(self, request: Request) -> Response:
        state = request.query_params.get("state")
        if state is not None and state not in STATES:
            raise serializers.ValidationError({"state": [f"There is no state {state}."]})
        return Response(overview.configurations_for(person_of(request), state=state, now=timezone.now()))

    @extend_schema(
        operation_id="configurations_draft",
        summary="Draft a new version, checked against the rule book",
        request=DraftShape,
        responses={201: ConfigurationShape, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        told = DraftShape(data=request.data)
        told.is_valid(raise_exception=True)
        person, now, asked = person_of(request), timezone.now(), told.validated_data
        progressive = overview.progressive_for(person, asked["progressive"])
        funder = overview.property_for(person, asked["funded_by"]) if "funded_by" in asked else progressive.property
        made = configurations.draft(progressive=progressive, choices=_choices(asked), funded_by=funder, person=person, now=now)
        return Response(overview.configuration_shown(configurations.get(made.pk), now=now), status=201)


class OneConfiguration(APIView):
    @extend_schema(operation_id="configurations_one", summary="One version", responses={200: ConfigurationShape, 404: REFUSALS[404]})
    def get(self, request: Request, number: int) -> Response:
        found = overview.configuration_for(person_of(request), number)
        return Response(overview.configuration_shown(found, now=timezone.now()))


class Approve(APIView):
    @extend_schema(
        operation_id="configurations_approve",
        summary="Approve another person's draft",
        request=ApproveShape,
        responses={200: ConfigurationShape, **REFUSALS},
    )
    def post(self, request: Request, number: int) -> Response:
        told = ApproveShape(data=request.data)
        told.is_valid(raise_exception=True)
        person, now, asked = person_of(request), timezone.now(), told.validated_data
        found = overview.configuration_for(person, number)
        effective_at = asked.get("effective_at", now)
        configurations.approve(configuration=found, person=person, pin=asked["pin"], effective_at=effective_at, now=now)
        return Response(overview.configuration_shown(configurations.get(found.pk), now=now))


class Withdraw(APIView):
    @extend_schema(
        operation_id="configurations_withdraw",
        summary="Take a draft back, or decline it",
        request=WithdrawShape,
        responses={200: ConfigurationShape, **REFUSALS},
    )
    def post(self, request: Request, number: int) -> Response:
        told = WithdrawShape(data=request.data)
        told.is_valid(raise_exception=True)
        person, now = person_of(request), timezone.now()
        found = overview.configuration_for(person, number)
        configurations.withdraw(configuration=found, person=person, reason=told.validated_data["reason"], now=now)
        return Response(overview.configuration_shown(configurations.get(found.pk), now=now))


class Versions(APIView):
    @extend_schema(
        operation_id="progressives_configurations",
        summary="Every version of a progressive's configuration, newest first",
        responses={200: ConfigurationShape(many=True), 404: REFUSALS[404]},
    )
    def get(self, request: Request, slug: str) -> Response:
        progressive = overview.progressive_for(person_of(request), slug, *overview.BOOKKEEPERS)
        return Response(overview.versions_shown(progressive, now=timezone.now()))


def _choices(asked: dict[str, Any]) -> Choices:
    return Choices(
        pay_table=asked["pay_table"],
        rates_ppm=asked["rates_ppm"],
        initial_micros=asked["initial"],
        reset_micros=asked["reset"],
        cap_micros=asked["cap"],
        awards=asked["awards"],
        amounts_micros=asked["amounts"],
    )
