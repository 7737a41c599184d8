"""progressives/: making one, its tables, stopping it and letting it go on, its figures."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from audit.api.strict import StrictSerializer, told_in
from jackpots import figures, links, overview, progressives
from jackpots.api.hits import ReasonShape, person_of
from jackpots.models import Progressive

REFUSALS = {
    403: OpenApiResponse(Problem, "Not yours, or not your PIN"),
    404: OpenApiResponse(Problem, "No such thing"),
    409: OpenApiResponse(Problem, "It conflicts with what is there, or with the rule text"),
    422: OpenApiResponse(Problem, "Cannot be read"),
    429: OpenApiResponse(Problem, "Too many wrong PINs"),
}


class LinkedTableShape(serializers.Serializer[Any]):
    table = serializers.CharField()
    property = serializers.CharField()
    linked_at = serializers.DateTimeField()
    unlinked_at = serializers.DateTimeField(allow_null=True)


class ProgressiveShape(serializers.Serializer[Any]):
    progressive = serializers.CharField()
    name = serializers.CharField()
    property = serializers.CharField()
    rule_text = serializers.CharField()
    game = serializers.CharField()
    wager = serializers.CharField()
    state = serializers.ChoiceField(choices=["not-open", "live", "suspended", "closed"])
    suspended_for = serializers.CharField(allow_null=True)
    opened_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    version = serializers.IntegerField(allow_null=True, help_text="Of the configuration in force.")
    tables = LinkedTableShape(many=True)


class NewProgressive(StrictSerializer):
    progressive = serializers.SlugField(max_length=40)
    name = serializers.CharField(max_length=80)
    property = serializers.CharField(max_length=40)
    rule_text = serializers.CharField(max_length=60)
    game = serializers.CharField(max_length=40)
    wager = serializers.CharField(max_length=40)


class LinkShape(StrictSerializer):
    table = serializers.CharField(max_length=20)
    property = serializers.CharField(max_length=40, required=False, help_text="Of the table, where you work at several.")
    at = serializers.DateTimeField(required=False, help_text="From when on; now, where it is left out.")
    pin = serializers.CharField(max_length=20, required=False, default="", help_text="Needed once the progressive is open.")


class LevelFigures(serializers.Serializer[Any]):
    level = serializers.CharField()
    balance = serializers.CharField()
    rate_ppm = serializers.IntegerField(allow_null=True)
    base = serializers.CharField(allow_null=True)
    limit = serializers.CharField(allow_null=True)
    contributions = serializers.CharField(help_text="Net of voids.")
    hits = serializers.IntegerField()
    wins = serializers.CharField()
    wins_pending = serializers.CharField()


class HandFigures(serializers.Serializer[Any]):
    hand = serializers.CharField()
    hits = serializers.IntegerField()
    wins = serializers.CharField()


class LastHit(serializers.Serializer[Any]):
    hit = serializers.CharField()
    state = serializers.CharField()
    table = serializers.CharField()
    round = serializers.IntegerField()
    seat = serializers.IntegerField(allow_null=True)
    hand = serializers.CharField()
    level = serializers.CharField()
    award = serializers.CharField()
    claimed_at = serializers.DateTimeField()


class FiguresShape(serializers.Serializer[Any]):
    progressive = serializers.CharField()
    name = serializers.CharField()
    as_of = serializers.DateTimeField()
    version = serializers.IntegerField(allow_null=True)
    display = serializers.CharField(allow_null=True, help_text="None where the wager has no meter.")
    progressive_in = serializers.IntegerField(help_text="Accepted wagers that have contributed, net of voids.")
    by_coupon = serializers.IntegerField(help_text="Those of them made with a coupon.")
    amount_wagered = serializers.CharField()
    levels = LevelFigures(many=True)
    overflow = serializers.CharField()
    reserve = serializers.CharField()
    awards = HandFigures(many=True)
    paid = serializers.DictField(child=serializers.CharField(), help_text="By where it was paid.")
    last_hits = LastHit(many=True)


class Progressives(APIView):
    @extend_schema(summary="The progressives of your properties", responses=ProgressiveShape(many=True))
    def get(self, request: Request) -> Response:
        now = timezone.now()
        return Response([overview.progressive_shown(one, now=now) for one in overview.progressives_for(person_of(request))])

    @extend_schema(
        operation_id="progressives_create",
        summary="Make a progressive on paper; it opens with its first approved configuration",
        request=NewProgressive,
        responses={201: ProgressiveShape, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        told = told_in(NewProgressive, request)
        person, now = person_of(request), timezone.now()
        place = overview.property_for(person, told.pop("property"))
        made = progressives.create(slug=told.pop("progressive"), property=place, person=person, now=now, **told)
        return Response(overview.progressive_shown(made, now=now), status=201)


class OneProgressive(APIView):
    @extend_schema(operation_id="progressives_one", summary="One progressive", responses={200: ProgressiveShape, 404: REFUSALS[404]})
    def get(self, request: Request, slug: str) -> Response:
        return _shown(overview.progressive_for(person_of(request), slug))


class Suspend(APIView):
    @extend_schema(summary="Take no more wagers, with a reason", request=ReasonShape, responses={200: ProgressiveShape, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        told, person = told_in(ReasonShape, request), person_of(request)
        progressive = overview.progressive_for(person, slug)
        progressives.suspend(progressive=progressive, person=person, now=timezone.now(), **told)
        return _shown(progressive)


class Resume(APIView):
    @extend_schema(summary="Take wagers again, with a reason", request=ReasonShape, responses={200: ProgressiveShape, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        told, person = told_in(ReasonShape, request), person_of(request)
        progressive = overview.progressive_for(person, slug)
        progressives.resume(progressive=progressive, person=person, now=timezone.now(), **told)
        return _shown(progressive)


class LinkTable(APIView):
    @extend_schema(
        operation_id="progressives_link",
        summary="Let a table play for a progressive",
        request=LinkShape,
        responses={200: ProgressiveShape, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        told, person = told_in(LinkShape, request), person_of(request)
        progressive = overview.progressive_for(person, slug)
        table = overview.table_for(person, told.get("property"), told["table"])
        links.link(progressive=progressive, table=table, person=person, pin=told["pin"], at=told.get("at"), now=timezone.now())
        return _shown(progressive)


class UnlinkTable(APIView):
    @extend_schema(
        operation_id="progressives_unlink",
        summary="Take a table off a progressive",
        request=LinkShape,
        responses={200: ProgressiveShape, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        told, person = told_in(LinkShape, request), person_of(request)
        progressive = overview.progressive_for(person, slug)
        table = overview.table_for(person, told.get("property"), told["table"])
        links.unlink(progressive=progressive, table=table, person=person, pin=told["pin"], at=told.get("at"), now=timezone.now())
        return _shown(progressive)


class Figures(APIView):
    @extend_schema(
        summary="The meters' figures as regulators name them", responses={200: FiguresShape, 404: OpenApiResponse(Problem, "No such thing")}
    )
    def get(self, request: Request, slug: str) -> Response:
        progressive = overview.progressive_for(person_of(request), slug, *overview.BOOKKEEPERS)
        return Response(figures.of(progressive=progressive, now=timezone.now()))


def _shown(progressive: Progressive) -> Response:
    progressive.refresh_from_db()
    return Response(overview.progressive_shown(progressive, now=timezone.now()))
