"""The shapes of what a controller may send, and reading them from bytes. A shape that does not fit is still a message: it has an
id and a sequence, and is recorded as refused; only what has neither cannot be answered at all."""

import hashlib
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec

from audit.refusals import Refusal

MOST_EVENTS = 1000
LARGEST_SEQUENCE = 2**63 - 1

Moment = Annotated[datetime, msgspec.Meta(tz=True)]
# No table was dealt before, none will send after; further off, adding an hour would leave the calendar.
EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
Seat = Annotated[int, msgspec.Meta(ge=1, le=99)]
# No control characters: they have no place in a name, and PostgreSQL cannot even keep one of them.
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f]+$")]
CardText = Annotated[str, msgspec.Meta(min_length=2, max_length=2, pattern=r"^[^\x00-\x1f\x7f]+$")]
# A round's number leaves room for more rounds after it than a table can ever deal.
Number = Annotated[int, msgspec.Meta(ge=1, le=10**15)]


class WagerLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seat: Seat
    wager: Word
    amount: Word
    on: Literal["player", "dealer"] = "player"
    coupon: bool = False


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="type"):
    id: uuid.UUID
    sequence: int
    table: Word
    round: Number
    at: Moment


class WagerMade(_Message, frozen=True, tag="wager"):
    seat: Seat
    wager: Word
    amount: Word
    on: Literal["player", "dealer"] = "player"
    coupon: bool = False


class LockedOut(_Message, frozen=True, tag="lockout"):
    chips: Annotated[int, msgspec.Meta(ge=0, le=9999)]
    wagers: Annotated[list[WagerLine], msgspec.Meta(max_length=400)] | None = None


class Folded(_Message, frozen=True, tag="fold"):
    seat: Seat


class HitClaimed(_Message, frozen=True, tag="hit"):
    seat: Seat | Literal["dealer"]
    wager: Word
    cards: Annotated[list[CardText], msgspec.Meta(min_length=1, max_length=8)]
    hand: Word


class Voided(_Message, frozen=True, tag="void"):
    reason: Word
    seats: Annotated[list[Seat], msgspec.Meta(min_length=1, max_length=20)] | None = None


class Settled(_Message, frozen=True, tag="settle"):
    pass


Message = WagerMade | LockedOut | Folded | HitClaimed | Voided | Settled


class Unreadable(Refusal):
    """The request cannot be read: {fault}."""

    category = "unreadable"


class TooManyEvents(Refusal):
    """An array holds 1 to {most} events; this one holds {found}."""

    category = "unreadable"


@dataclass(frozen=True, kw_only=True)
class Arrived:
    """One event as it came in: how it is known, what it said, and its message, or why it has none."""

    told_id: uuid.UUID
    sequence: int
    body: str
    digest: str
    type: str
    message: Message | None
    fault: str


def decode(content: bytes) -> Any:
    """The JSON of a request's body."""
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Unreadable(fault=f"it is not JSON ({fault})") from None


def arrived(raw: Any) -> Arrived:
    """One event from its JSON. Without a usable id and sequence there is nothing to record, so it is refused outright."""
    if not isinstance(raw, dict):
        raise Unreadable(fault="an event is a JSON object")
    told_id, sequence = _id(raw.get("id")), _sequence(raw.get("sequence"))
    body = msgspec.json.encode(raw, order="deterministic").decode()
    message, fault = _message(raw)
    told_type = raw.get("type")
    return Arrived(
        told_id=told_id,
        sequence=sequence,
        body=body,
        digest=hashlib.sha256(body.encode()).hexdigest(),
        type=told_type[:40].replace("\x00", "") if isinstance(told_type, str) else "",
        message=message,
        fault=fault,
    )


def missed(*, seat: int | None, wager: str, cards: list[str], hand: str, at: datetime) -> HitClaimed:
    """A claim as a person enters it, for a hand the table did not claim. It is no event: it has no sequence."""
    return HitClaimed(
        id=uuid.uuid4(), sequence=0, table="", round=1, at=at, seat="dealer" if seat is None else seat, wager=wager, cards=cards, hand=hand
    )


def _id(told: Any) -> uuid.UUID:
    try:
        return uuid.UUID(told) if isinstance(told, str) and len(told) == 36 else _no_id()
    except ValueError:
        return _no_id()


def _no_id() -> uuid.UUID:
    raise Unreadable(fault="an event needs an id, a UUID of the controller's own making")


def _sequence(told: Any) -> int:
    if isinstance(told, bool) or not isinstance(told, int) or not 1 <= told <= LARGEST_SEQUENCE:
        raise Unreadable(fault=f"an event needs a sequence, a whole number from 1 to {LARGEST_SEQUENCE}")
    return told


def _message(raw: dict[str, Any]) -> tuple[Message | None, str]:
    try:
        message: Message = msgspec.convert(raw, type=Message)
    except msgspec.ValidationError as fault:
        return None, str(fault)
    if not is_a_time_of_ours(message.at):
        return None, "`$.at` is no time at which a table was dealt"
    return message, ""


def is_a_time_of_ours(moment: datetime) -> bool:
    return EARLIEST <= moment <= LATEST
