"""tables/: the floor as it is set up."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jackpots import overview
from jackpots.api.hits import person_of


class FloorTableShape(serializers.Serializer[Any]):
    table = serializers.CharField()
    property = serializers.CharField()
    pit = serializers.CharField()
    rule_text = serializers.CharField()
    game = serializers.CharField()
    seats = serializers.IntegerField()
    is_open = serializers.BooleanField()
    progressives = serializers.ListField(child=serializers.CharField(), help_text="Those it plays for now.")
    controllers = serializers.ListField(child=serializers.CharField())


class Tables(APIView):
    @extend_schema(summary="The tables of your properties", responses=FloorTableShape(many=True))
    def get(self, request: Request) -> Response:
        return Response(overview.tables_for(person_of(request), now=timezone.now()))
