"""A ModelViewSet as the tutorials write it: a serializer reads, the meter's row is locked, rows are created, the balance is saved."""

import hashlib
import json
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone
from rest_framework import serializers, status, viewsets
from rest_framework.request import Request
from rest_framework.response import Response

from tables.api.authentication import controller_of
from tests.bench.door.plain.models import Lockout, Meter, Record, Round, Sender, Transfer, Wager

RATE = Decimal("0.70")


class WagerSerializer(serializers.Serializer[Any]):
    seat = serializers.IntegerField(min_value=1, max_value=7)
    wager = serializers.CharField(max_length=40)
    amount = serializers.DecimalField(max_digits=12, decimal_places=2)


class LockoutSerializer(serializers.ModelSerializer[Lockout]):
    id = serializers.UUIDField(source="told_id")
    type = serializers.ChoiceField(choices=["lockout"], write_only=True)
    wagers = WagerSerializer(many=True)

    class Meta:
        model = Lockout
        fields = ["id", "sequence", "table", "round", "type", "at", "wagers", "chips"]


class Lockouts(viewsets.ModelViewSet[Lockout]):
    queryset = Lockout.objects.all()
    serializer_class = LockoutSerializer
    schema = None

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        told = serializer.validated_data
        controller = controller_of(request).pk
        with transaction.atomic():
            sender, _ = Sender.objects.select_for_update().get_or_create(controller=controller, defaults={"next_sequence": 1})
            known = Lockout.objects.filter(told_id=told["told_id"]).first()
            if known:
                return Response(json.loads(known.answer))
            if told["sequence"] != sender.next_sequence:
                return Response({"expected": sender.next_sequence}, status=status.HTTP_409_CONFLICT)
            answer = self._take(told, controller)
            sender.next_sequence += 1
            sender.save()
        return Response(answer, status=status.HTTP_201_CREATED)

    def _take(self, told: dict[str, Any], controller: int) -> dict[str, Any]:
        now = timezone.now()
        meter = Meter.objects.select_for_update().get(pk=1)
        event = {name: told[name] for name in ("told_id", "sequence", "table", "round", "at", "chips")}
        lockout = Lockout(controller=controller, recorded_at=now, **event)
        answer = _answer(lockout, told)
        lockout.answer = json.dumps(answer)
        lockout.save()
        played = Round.objects.create(lockout=lockout, number=told["round"], state="locked")
        transfers = [_contribute(meter, played, line, now) for line in told["wagers"]]
        meter.balance_micros += sum(transfer.amount_micros for transfer in transfers)
        meter.save()
        body = json.dumps({"event": str(lockout.told_id), "transfers": [transfer.pk for transfer in transfers], "answer": answer})
        digest = hashlib.sha256(body.encode()).hexdigest()
        Record.objects.create(lockout=lockout, body=json.dumps({"sha256": digest, "body": body}), recorded_at=now)
        return answer


def _contribute(meter: Meter, played: Round, line: dict[str, Any], now: Any) -> Transfer:
    micros = int(line["amount"] * 1_000_000)
    wager = Wager.objects.create(round=played, seat=line["seat"], wager=line["wager"], amount_micros=micros)
    return Transfer.objects.create(meter=meter, wager=wager, amount_micros=int(micros * RATE), recorded_at=now)


def _answer(lockout: Lockout, told: dict[str, Any]) -> dict[str, Any]:
    added = [{"seat": line["seat"], "wager": line["wager"], "amount": str(line["amount"])} for line in told["wagers"]]
    said = {"count": "agrees", "wagers": len(added), "expected_chips": lockout.chips, "added": added, "withdrawn": []}
    return {"id": str(lockout.told_id), "sequence": lockout.sequence, "status": "applied", "outcome": said}
