"""POST events/: what the tables say. Parse, one call, answer."""

import json
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from audit.api.problems import Problem
from audit.refusals import Refusal
from jackpots import gathering, intake
from jackpots.api import schema
from tables import messages
from tables.api.authentication import IsController, sender_of
from tables.inbox import Sender

LARGEST_BODY = 2_000_000


class TooLarge(Refusal):
    """A request holds at most {most} bytes."""

    category = "too-large"


class Events(APIView):
    """Events of one controller are taken exactly once and in order."""

    proves_its_senders = True
    permission_classes = [IsAuthenticated, IsController]

    @extend_schema(
        summary="Send one event, or an array of 1 to 1,000 of them",
        request={"application/json": schema.EVENT_OR_EVENTS},
        responses={
            201: OpenApiResponse(schema.ANSWER, "Recorded: applied, or refused with code and detail"),
            200: OpenApiResponse(schema.AGAIN_OR_RESULTS, "The same event again with its first answer; or the results of an array"),
            409: OpenApiResponse(Problem, "id-reused, sequence-reused or sequence-gap"),
            413: OpenApiResponse(Problem, "Too large"),
            422: OpenApiResponse(Problem, "Unreadable; nothing is recorded and the sequence is not used up"),
            503: OpenApiResponse(Problem, "Try again"),
        },
    )
    def post(self, request: Request) -> HttpResponse:
        if "Content-Length" not in request.headers:
            raise messages.Unreadable(fault="its length is not told; send a Content-Length")
        content = request._request.read(LARGEST_BODY + 1)
        if len(content) > LARGEST_BODY:
            raise TooLarge(most=LARGEST_BODY)
        raw = messages.decode(content)
        sender = sender_of(request)
        if isinstance(raw, list):
            return self._many(sender, raw)
        answer = gathering.receive(sender=sender, arrived=messages.arrived(raw), now=timezone.now())
        return HttpResponse(answer.text, content_type="application/json", status=201 if answer.is_new else 200)

    def _many(self, sender: Sender, raw: list[Any]) -> HttpResponse:
        if not 1 <= len(raw) <= messages.MOST_EVENTS:
            raise messages.TooManyEvents(most=messages.MOST_EVENTS, found=len(raw))
        arrived = [_arrived(one) for one in raw]
        answers, stopped, next_sequence = intake.receive_all(sender=sender, arrived=arrived, now=timezone.now())
        results = [answer.text for answer in answers]
        if stopped:
            results.append(json.dumps(_stopped(raw[stopped.at], stopped.refusal)))
            results += [json.dumps({**_named(one), "status": "not-processed"}) for one in raw[stopped.at + 1 :]]
        text = f'{{"results":[{",".join(results)}],"next_sequence":{next_sequence}}}'
        return HttpResponse(text, content_type="application/json")


def _arrived(raw: Any) -> messages.Arrived | Refusal:
    try:
        return messages.arrived(raw)
    except Refusal as refusal:
        return refusal


def _stopped(raw: Any, refusal: Refusal) -> dict[str, Any]:
    expected = {"expected": refusal.facts["expected"]} if "expected" in refusal.facts else {}
    said = {"status": "stopped", "code": refusal.code, "detail": refusal.detail, "retryable": refusal.retryable}
    return {**_named(raw), **said, **expected}


def _named(raw: Any) -> dict[str, Any]:
    """What it is known by, as far as that can be told back."""
    kinds = (("id", str), ("sequence", int))
    return {name: raw[name] for name, kind in kinds if isinstance(raw.get(name), kind)} if isinstance(raw, dict) else {}
