"""meters/: what a display may read. The stream of the same is served by the live process."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from jackpots import meters


class HappeningShape(serializers.Serializer[Any]):
    kind = serializers.CharField()
    hit = serializers.CharField()
    table = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)
    hand = serializers.CharField()
    amount = serializers.CharField()
    at = serializers.DateTimeField()


class PaysShape(serializers.Serializer[Any]):
    hand = serializers.CharField()
    award = serializers.CharField()
    amount = serializers.CharField()


class MeterShape(serializers.Serializer[Any]):
    progressive = serializers.CharField()
    name = serializers.CharField()
    amount = serializers.CharField()
    version = serializers.IntegerField()
    state = serializers.ChoiceField(choices=["live", "award-pending", "pending-adjustment", "suspended", "closed"])
    last = HappeningShape(allow_null=True)
    pending = HappeningShape(many=True)
    pays = PaysShape(many=True)


KNOWN = OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="The ETag of an earlier answer.")
UNCHANGED = OpenApiResponse(description="Nothing has changed since the answer with that ETag; there is no body.")


class Meters(APIView):
    # Meters hang on the wall for everybody to see; a property that wants its feed closed puts it behind its proxy.
    permission_classes: list[Any] = []

    @extend_schema(
        summary="Every meter: the amount to the cent and what each hand pays right now",
        parameters=[KNOWN],
        responses={200: MeterShape(many=True), 304: UNCHANGED},
    )
    def get(self, request: Request) -> Response:
        return _tagged(request, [reading.as_json() for reading in meters.readings(now=timezone.now())])


class Meter(APIView):
    permission_classes: list[Any] = []

    @extend_schema(
        summary="One meter",
        parameters=[KNOWN],
        responses={200: MeterShape, 304: UNCHANGED, 404: OpenApiResponse(Problem, "No such progressive")},
    )
    def get(self, request: Request, slug: str) -> Response:
        return _tagged(request, meters.reading(slug=slug, now=timezone.now()).as_json())


def _tagged(request: Request, body: Any) -> Response:
    """With an ETag made of the versions and states, so that whoever asks often is told briefly that nothing has changed."""
    shown = body if isinstance(body, list) else [body]
    tag = '"' + ",".join(f"{one['version']}-{one['state']}" for one in shown) + '"'
    response = Response(status=304) if request.headers.get("If-None-Match") == tag else Response(body)
    response["ETag"] = tag
    response["Cache-Control"] = "no-cache"
    return response
