"""Displays: what they report, and what technicians do with them."""

from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from audit.api.strict import StrictSerializer, told_in
from jackpots import displays, overview
from jackpots.api.fields import MoneyField
from jackpots.api.hits import person_of
from jackpots.api.technician import NEVER_KEPT, SignedShape
from jackpots.models import Display, Showing
from jackpots.rules import money
from tables.controllers import TokenUnknown

REFUSALS = {
    401: OpenApiResponse(Problem, "Who are you"),
    403: OpenApiResponse(Problem, "Not yours"),
    404: OpenApiResponse(Problem, "No such display or progressive"),
    409: OpenApiResponse(Problem, "The name is taken"),
    422: OpenApiResponse(Problem, "Cannot be read"),
}
VERDICTS = "agrees; behind, which a few seconds mend; stale, where they did not; differs, which nothing explains."


class DisplayAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`, a display's own."""

    def authenticate(self, request: Request) -> tuple[Display, None] | None:
        scheme, _, token = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        display = displays.of_token(token.decode("latin-1").strip())
        if display is None:
            raise TokenUnknown
        return display, None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class IsDisplay(BasePermission):
    message = "Only a display may do this."

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.user, Display)


class DisplayScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the published schema describes it."""

    target_class = DisplayAuthentication
    name = "display"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class ShowingShape(serializers.Serializer[Any]):
    progressive = serializers.CharField()
    amount = serializers.CharField()
    version = serializers.IntegerField()
    verdict = serializers.ChoiceField(choices=Showing.Verdict.values, help_text=VERDICTS)
    read_at = serializers.DateTimeField()


class DisplayShape(serializers.Serializer[Any]):
    display = serializers.CharField()
    property = serializers.CharField()
    made_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    shows = ShowingShape(many=True, help_text="What it said last that it shows, meter by meter.")


class PairedDisplayShape(DisplayShape):
    token = serializers.CharField(help_text="Said here once; only its hash is kept.")


class PairDisplayShape(SignedShape):
    display = serializers.CharField(max_length=40)
    property = serializers.CharField(max_length=40)


class ReadingShape(StrictSerializer):
    progressive = serializers.CharField(max_length=40)
    amount = MoneyField(help_text="What it is showing at this moment.")
    version = serializers.IntegerField(min_value=0, max_value=2**63 - 1, help_text="Of the reading that it shows, or rolls towards.")


class ComparedReadingShape(serializers.Serializer[Any]):
    verdict = serializers.ChoiceField(choices=Showing.Verdict.values, help_text=VERDICTS)
    amount = serializers.CharField(help_text="The truth.")
    version = serializers.IntegerField()


class Displays(APIView):
    @extend_schema(summary="The displays of your properties, and what each showed last", responses=DisplayShape(many=True))
    def get(self, request: Request) -> Response:
        return Response([_shown(one) for one in displays.displays_for(person_of(request), overview.READERS)])

    @extend_schema(
        operation_id="displays_pair",
        summary="Pair a display; the answer carries its token, once",
        request=PairDisplayShape,
        responses={201: PairedDisplayShape, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        told, person = told_in(PairDisplayShape, request), person_of(request)
        place = overview.property_for(person, told["property"])
        made, token = displays.pair(property=place, name=told["display"], person=person, pin=told["pin"], now=timezone.now())
        return Response({**_shown(made), "token": token}, status=201, headers=NEVER_KEPT)


class RevokeDisplay(APIView):
    @extend_schema(summary="Stop its token at once", request=SignedShape, responses={200: DisplayShape, **REFUSALS})
    def post(self, request: Request, name: str) -> Response:
        told, person = told_in(SignedShape, request), person_of(request)
        display = displays.display_for(person, name, overview.READERS)
        return Response(_shown(displays.revoke(display=display, person=person, pin=told["pin"], now=timezone.now())))


class DisplayReading(APIView):
    authentication_classes = [DisplayAuthentication]
    permission_classes = [IsAuthenticated, IsDisplay]

    @extend_schema(
        summary="What a display is showing, compared with what is true",
        request=ReadingShape,
        responses={200: ComparedReadingShape, **REFUSALS},
    )
    def post(self, request: Request, name: str) -> Response:
        told, user = told_in(ReadingShape, request), _display_of(request)
        showing, truth = displays.report(
            display=user, name=name, slug=told["progressive"], amount_micros=told["amount"], version=told["version"], now=timezone.now()
        )
        return Response({"verdict": showing.verdict, "amount": money.cents(truth.amount_micros), "version": truth.version})


def _display_of(request: Request) -> Display:
    user: object = request.user
    assert isinstance(user, Display), "the door is open to displays only"
    return user


def _shown(display: Display) -> dict[str, Any]:
    return {
        "display": display.name,
        "property": display.property.slug,
        "made_at": display.made_at,
        "revoked_at": display.revoked_at,
        "shows": [
            {
                "progressive": one.progressive.slug,
                "amount": money.cents(one.amount_micros),
                "version": one.version,
                "verdict": one.verdict,
                "read_at": one.read_at,
            }
            for one in display.showings.all()
        ],
    }
