"""Events of one controller are taken exactly once and in order. The controller's row is the lock under which that is judged."""

import uuid
from datetime import datetime

from audit.refusals import Refusal
from tables.messages import Arrived
from tables.models import Controller, Event


class IdReused(Refusal):
    """Event {id} was sent before with other content; a new event needs a new id."""


class SequenceReused(Refusal):
    """Sequence {sequence} has been used by another event; the next is {expected}."""


class SequenceGap(Refusal):
    """Sequence {sequence} is beyond the next one, {expected}; send what is missing first."""


def lock(*, controller_id: int) -> Controller:
    """The controller, with its row held until the transaction ends."""
    return Controller.objects.select_for_update(no_key=True).get(pk=controller_id)


def first_answer(*, controller: Controller, arrived: Arrived) -> str | None:
    """What this very event was answered the first time, or None where it is the next new one. The id is judged before the sequence."""
    known = Event.objects.filter(controller=controller, told_id=arrived.told_id).values_list("digest", "answer").first()
    if known:
        digest, answer = known
        if digest != arrived.digest:
            raise IdReused(id=str(arrived.told_id))
        return answer
    if arrived.sequence < controller.next_sequence:
        raise SequenceReused(sequence=arrived.sequence, expected=controller.next_sequence)
    if arrived.sequence > controller.next_sequence:
        raise SequenceGap(sequence=arrived.sequence, expected=controller.next_sequence)
    return None


def keep(*, controller: Controller, arrived: Arrived, event_id: uuid.UUID, round_id: int | None, answer: str, now: datetime) -> Event:
    """Write the event with its answer, and use up its sequence."""
    event = Event.objects.create(
        id=event_id,
        controller=controller,
        told_id=arrived.told_id,
        sequence=arrived.sequence,
        digest=arrived.digest,
        round_id=round_id,
        type=arrived.type,
        told_at=arrived.message.at if arrived.message else None,
        recorded_at=now,
        body=arrived.body,
        answer=answer,
    )
    Controller.objects.filter(pk=controller.pk).update(next_sequence=arrived.sequence + 1, last_seen_at=now)
    return event
