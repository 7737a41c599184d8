"""progressives/{slug}/proof-line/: how a meter came to what it holds, down to the events."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from audit.api.strict import StrictSerializer
from jackpots import overview, proofline
from jackpots.api.hits import person_of
from jackpots.models import Progressive

MOST_AT_ONCE = 500


class ProofQuery(StrictSerializer):
    meter = serializers.ChoiceField(choices=proofline.METERS, default="main")
    at = serializers.DateTimeField(required=False, help_text="A past moment; now, where it is left out.")
    hit = serializers.CharField(required=False, max_length=30, help_text="Up to the claim of this hit.")
    since = serializers.ChoiceField(choices=[proofline.LAST_HIT], required=False, help_text="From the last time the whole meter was won.")
    line = serializers.ChoiceField(choices=proofline.LINES, required=False, help_text="Open this line down to its transfers.")
    before = serializers.IntegerField(required=False, min_value=1, help_text="Only transfers older than this one.")
    limit = serializers.IntegerField(default=50, min_value=1, max_value=MOST_AT_ONCE)


class PartShape(serializers.Serializer[Any]):
    reason = serializers.CharField()
    other = serializers.CharField(help_text="The other side of the transfers.")
    amount = serializers.CharField()
    count = serializers.IntegerField()


class LineShape(serializers.Serializer[Any]):
    line = serializers.ChoiceField(choices=proofline.LINES)
    amount = serializers.CharField()
    count = serializers.IntegerField()
    parts = PartShape(many=True)


class SinceShape(serializers.Serializer[Any]):
    hit = serializers.CharField()
    claimed_at = serializers.DateTimeField()
    stood_at = serializers.CharField(help_text="What the meter held when the hit was claimed; the sum begins with it.")
    award = serializers.CharField()


class EventShape(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    controller = serializers.CharField()
    sequence = serializers.IntegerField()
    type = serializers.CharField()
    told_at = serializers.DateTimeField(allow_null=True)
    recorded_at = serializers.DateTimeField()


class SignatureShape(serializers.Serializer[Any]):
    person = serializers.CharField()
    act = serializers.CharField()
    subject = serializers.CharField()
    signed_at = serializers.DateTimeField()


class TransferShape(serializers.Serializer[Any]):
    transfer = serializers.IntegerField()
    recorded_at = serializers.DateTimeField()
    gaming_day = serializers.DateField()
    property = serializers.CharField()
    reason = serializers.CharField()
    to = serializers.CharField()
    kind = serializers.CharField()
    amount = serializers.CharField(help_text="Its effect on the meter.")
    table = serializers.CharField(allow_null=True)
    round = serializers.IntegerField(allow_null=True)
    seat = serializers.IntegerField(allow_null=True)
    resolves = serializers.IntegerField(allow_null=True)
    reverses = serializers.IntegerField(allow_null=True)
    event = EventShape(allow_null=True)
    signature = SignatureShape(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        # A field cannot be declared under the name of a keyword.
        return {**super().get_fields(), "from": serializers.CharField()}


class OpenedShape(serializers.Serializer[Any]):
    line = serializers.CharField()
    transfers = TransferShape(many=True)
    next_before = serializers.IntegerField(allow_null=True, help_text="Pass as `before` for the next older ones.")


class ProofShape(serializers.Serializer[Any]):
    progressive = serializers.CharField()
    meter = serializers.CharField()
    at = serializers.DateTimeField()
    up_to_hit = serializers.CharField(allow_null=True)
    since = SinceShape(allow_null=True)
    lines = LineShape(many=True)
    balance = serializers.CharField()
    stored = serializers.CharField(allow_null=True, help_text="The balance the ledger keeps, where the moment is now.")
    verdict = serializers.ChoiceField(choices=["agrees", "differs"], allow_null=True)
    opened = OpenedShape(required=False, help_text="Where a line was asked for.")


class ProofLine(APIView):
    @extend_schema(
        summary="A meter added up from its transfers alone: opening, contributions, funding, awards, moves, balance",
        parameters=[ProofQuery],
        responses={200: ProofShape, 404: OpenApiResponse(Problem, "No such thing"), 422: OpenApiResponse(Problem, "Cannot be read")},
    )
    def get(self, request: Request, slug: str) -> Response:
        told = ProofQuery(data=request.query_params.dict())
        told.is_valid(raise_exception=True)
        now, asked = timezone.now(), told.validated_data
        question = _question(overview.progressive_for(person_of(request), slug, *overview.BOOKKEEPERS), asked)
        shown = overview.proof_shown(proofline.prove(question=question, now=now), now=now)
        if "line" in asked:
            found = proofline.open_line(question=question, line=asked["line"], before=asked.get("before"), limit=asked["limit"], now=now)
            transfers = [overview.transfer_shown(transfer, effect) for transfer, effect in found.transfers]
            shown["opened"] = {"line": found.line, "transfers": transfers, "next_before": found.next_before}
        return Response(shown)


def _question(progressive: Progressive, asked: dict[str, Any]) -> proofline.Question:
    return proofline.Question(
        progressive=progressive,
        meter=asked["meter"],
        at=asked.get("at"),
        hit=proofline.hit_on(progressive, asked["hit"]) if "hit" in asked else None,
        since_last_hit="since" in asked,
    )
