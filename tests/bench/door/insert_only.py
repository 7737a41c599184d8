"""An endpoint that only inserts the event: the same server, the same proof of who sends, the same reading of what is sent, one
row, and an answer of the same size. What the product takes beyond it is what being a bank costs."""

import uuid_utils.compat
from django.db import connection, transaction
from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request

from jackpots.api.events import LARGEST_BODY, Events
from tables import messages
from tables.api.authentication import controller_of

# As long as what the product answers to such a lock-out.
ANSWER = '{"status":"applied","outcome":"' + "a" * 330 + '"}'
STATEMENT = """
INSERT INTO tables_event (id, controller_id, told_id, sequence, digest, round_id, type, told_at, recorded_at, body, answer)
VALUES (%s, %s, %s, %s, %s, NULL, %s, %s, %s, %s, %s)
"""


class InsertOnly(Events):
    """Permissions are those of the product's door, because it is that door; who sends is asked by itself, as at every other door: with no
    state to be read there is nothing to ask it with."""

    proves_its_senders = False
    schema = None

    def post(self, request: Request) -> HttpResponse:
        arrived = messages.arrived(messages.decode(request._request.read(LARGEST_BODY + 1)))
        controller_id = controller_of(request).pk
        assert arrived.message is not None, arrived.fault
        told = (arrived.told_id, arrived.sequence, arrived.digest, arrived.type, arrived.message.at)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(STATEMENT, [uuid_utils.compat.uuid7(), controller_id, *told, timezone.now(), arrived.body, ANSWER])
        return HttpResponse(ANSWER, content_type="application/json", status=201)
