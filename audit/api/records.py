"""Evidence, to be read: records, the proof of each, and the checkpoints that cover them."""

import base64
import json
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit import journal, sealing
from audit.api.problems import Problem
from audit.api.strict import StrictSerializer
from audit.people import posts
from audit.people.models import Person, Role
from audit.refusals import NoSuchThing, NotAllowed

READERS = (Role.AUDITOR, Role.ACCOUNTING, Role.SUPERVISOR, Role.SHIFT_SUPERVISOR)
MOST_AT_ONCE = 500

PROBLEMS = {401: Problem, 403: Problem, 404: Problem}


class EvidenceNotYours(NotAllowed):
    """Evidence is read by auditors, accounting and supervisors."""


class Page(StrictSerializer):
    before = serializers.IntegerField(required=False, min_value=1, help_text="Only what is older than this number.")
    limit = serializers.IntegerField(default=50, min_value=1, max_value=MOST_AT_ONCE)


class RecordQuery(Page):
    subject = serializers.CharField(required=False, help_text="For example H-000123.")
    kind = serializers.CharField(required=False)


class RecordBody(serializers.Serializer[dict[str, Any]]):
    """What the record says. The proof carries the same, byte for byte as it was sealed."""

    v = serializers.IntegerField()
    kind = serializers.CharField()
    actor = serializers.CharField()
    property = serializers.IntegerField(allow_null=True)
    subject = serializers.CharField(allow_blank=True)
    told_at = serializers.DateTimeField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    facts = serializers.DictField()
    rows = serializers.DictField(help_text="Table to the keys of the rows written with this, and one SHA-256 over them.")


class RecordAnswer(serializers.Serializer[dict[str, Any]]):
    number = serializers.IntegerField()
    kind = serializers.CharField()
    subject = serializers.CharField(allow_blank=True)
    recorded_at = serializers.DateTimeField()
    sealed_as = serializers.IntegerField(allow_null=True, help_text="Its place in the tree, once it is sealed.")
    body = RecordBody()


class RecordsAnswer(serializers.Serializer[dict[str, Any]]):
    records = RecordAnswer(many=True)
    next_before = serializers.IntegerField(allow_null=True, help_text="Pass as `before` for the next older ones.")


class SealedRecord(serializers.Serializer[dict[str, Any]]):
    id = serializers.IntegerField()
    epoch = serializers.IntegerField()
    xid = serializers.IntegerField()
    body = serializers.CharField(help_text="The sealed text, byte for byte.")


class ProofAnswer(serializers.Serializer[dict[str, Any]]):
    v = serializers.IntegerField()
    record = SealedRecord()
    index = serializers.IntegerField()
    path = serializers.ListField(child=serializers.CharField(), help_text="RFC 6962 inclusion path, base64, lowest first.")
    checkpoint = serializers.CharField(help_text="A signed note (C2SP tlog-checkpoint).")
    public_key = serializers.CharField(help_text="The signed-note verifier key.")


class CheckpointAnswer(serializers.Serializer[dict[str, Any]]):
    size = serializers.IntegerField()
    root = serializers.CharField()  # type: ignore[assignment]  # a field, not the property of that name
    note = serializers.CharField()
    made_at = serializers.DateTimeField()


class CheckpointsAnswer(serializers.Serializer[dict[str, Any]]):
    checkpoints = CheckpointAnswer(many=True)
    public_key = serializers.CharField()
    next_before = serializers.IntegerField(allow_null=True)


class Records(APIView):
    @extend_schema(operation_id="audit_records", parameters=[RecordQuery], responses={200: RecordsAnswer, 422: Problem, **PROBLEMS})
    def get(self, request: Request) -> Response:
        """Records, the newest first."""
        chosen = _query(RecordQuery, request)
        found = journal.records(property_ids=_properties(request), **chosen)
        return Response({"records": [_shown(record) for record in found], "next_before": _next(found, chosen["limit"])})


class OneRecord(APIView):
    @extend_schema(operation_id="audit_record", responses={200: RecordAnswer, **PROBLEMS})
    def get(self, request: Request, number: int) -> Response:
        """One record."""
        return Response(_shown(_readable(request, number)))


class Proof(APIView):
    @extend_schema(operation_id="audit_record_proof", responses={200: ProofAnswer, 503: Problem, **PROBLEMS})
    def get(self, request: Request, number: int) -> Response:
        """The record with its path to a signed root: save it, and check it with `bin/verify --proof`."""
        return Response(sealing.proof(record_id=_readable(request, number).pk))


class Checkpoints(APIView):
    @extend_schema(operation_id="audit_checkpoints", parameters=[Page], responses={200: CheckpointsAnswer, 422: Problem, **PROBLEMS})
    def get(self, request: Request) -> Response:
        """Signed checkpoints, the newest first. Keep one elsewhere: no later history can do without it."""
        chosen = _query(Page, request)
        _properties(request)
        found = sealing.checkpoints(**chosen)
        shown = [
            {"size": each.size, "root": base64.b64encode(each.root).decode(), "note": each.note, "made_at": journal.plain(each.made_at)}
            for each in found
        ]
        return Response({"checkpoints": shown, "public_key": sealing.signer().public_key, "next_before": _next(found, chosen["limit"])})


def _query(kind: type[Page], request: Request) -> dict[str, Any]:
    told = kind(data=request.query_params)
    told.is_valid(raise_exception=True)
    return dict(told.validated_data)


def _properties(request: Request) -> frozenset[int]:
    person = request.user
    properties = posts.properties_of(person, *READERS) if isinstance(person, Person) else frozenset[int]()
    if not properties:
        raise EvidenceNotYours
    return properties


def _readable(request: Request, number: int) -> journal.Record:
    properties = _properties(request)
    record = journal.record(number=number)
    # Another property's record is as unknown to this person as one that does not exist.
    if record is None or (record.property_id is not None and record.property_id not in properties):
        raise NoSuchThing
    return record


def _shown(record: journal.Record) -> dict[str, Any]:
    leaf = getattr(record, "leaf", None)
    return {
        "number": record.pk,
        "kind": record.kind,
        "subject": record.subject,
        "recorded_at": journal.plain(record.recorded_at),
        "sealed_as": leaf.index if leaf else None,
        "body": json.loads(record.body),
    }


def _next(found: list[Any], limit: int) -> int | None:
    return found[-1].pk if len(found) == limit else None
