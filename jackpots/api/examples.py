"""One example of every event, every answer and every refusal, for the published document.

Refusals are made from their very classes, so an example says what the service says: a class whose sentence names a fact that has
no sample here stops the document from being made. Events and answers are of one table; a test sends the like of them.
"""

import string
from collections.abc import Iterable
from typing import Any

from audit.api import problems
from audit.refusals import Refusal
from jackpots.api import outcomes

Example = dict[str, Any]

# What a sentence's facts look like, by their names. Where one name means different things, SAMPLES_OF says which.
SAMPLES: dict[str, Any] = {
    "amount": "250.00",
    "award": "18342.17",
    "breach": "the rate of the main meter is above 100 %",
    "clock": "1970-01-01T00:00:00+00:00",
    "configuration": 12,
    "controller": "CTL-CSP-01",
    "days": 7,
    "dealt": "caribbean-stud",
    "due": "18342.17",
    "expected": 4711,
    "fault": "Object missing required field `seat`",
    "found": 1001,
    "game": "three-card-poker",
    "held": "120.50",
    "hit": "H-000123",
    "id": "019a9555-7d3c-7000-8000-0b7d1f7a9c11",
    "in_play": 1200,
    "item": 7,
    "known": "cards-face-up, player-miscounted",
    "latest": 1201,
    "level": "main",
    "line": "gifts",
    "meter": "third",
    "most": 1000,
    "number": 1201,
    "offered": "$1.00",
    "on": "dealer",
    "paid_from": "table",
    "paragraph": "section 12(c)",
    "pay_table": "D",
    "payout": "P-000123",
    "person": "Anna",
    "progressive": "caribbean-link",
    "property": "harborlight",
    "rate": 50,
    "reason": "the sign shows another amount",
    "roles": "supervisor or shift-supervisor",
    "round": "CSP-01-1201",
    "seat": 5,
    "seats": 7,
    "seconds": 60,
    "display": "WALL-1",
    "seen": "18341.47",
    "sequence": 4711,
    "signed": "the amount 250.00",
    "since": 4500,
    "slug": "caribbean-link",
    "state": "approved",
    "summed_to": 4700,
    "table": "CSP-01",
    "taken": 4710,
    "told": "18342.17",
    "voids": "the whole round, not single seats",
    "wager": "progressive",
    "what": "game whist",
    "why": "its top hand is not as likely",
}
SAMPLES_OF: dict[str, dict[str, Any]] = {
    "already-approved": {"number": 3},
    "amount-not-offered": {"amount": "$2.00"},
    "award-unreadable": {"award": "18,342.17"},
    "draft-withdrawn": {"number": 3, "reason": "a rate was mistyped"},
    "irregularity-voids-otherwise": {"reason": "cards-face-up"},
    "item-answered": {"state": "granted"},
    "counts-begin-earlier": {"told": 4000},
    "counts-begin-later": {"told": 4800},
    "counts-overtaken": {"told": 4600},
    "no-such-level": {"level": "secondary"},
    "no-such-seat": {"seat": 9},
    "not-sealed-yet": {"number": 90210},
    "pay-table-changed": {"number": 3},
    "pay-table-off-the-shelf": {"number": 3},
    "payout-not-due": {"state": "paid"},
    "payout-not-paid": {"state": "due"},
    "rate-out-of-bounds": {"most": 10_000},
    "round-in-play": {"number": 1201},
    "round-over": {"state": "settled"},
    "round-passed": {"number": 1199},
    "sequence-gap": {"sequence": 4713},
    "sequence-moved-on": {"sequence": 4709},
    "sequence-reused": {"sequence": 4709},
    "still-played": {"round": 1201},
    "too-fast": {"seconds": 1},
    "too-large": {"most": 2_000_000},
    "unknown-irregularity": {"reason": "wet-felt"},
    "unreadable": {"fault": "an event needs an id, a UUID of the controller's own making"},
    "wager-not-offered": {"wager": "bonus"},
}


def refusal(kind: type[Refusal]) -> Refusal:
    """A refusal as it might be said."""
    own = SAMPLES_OF.get(kind.code, {})
    return kind(**{name: own[name] if name in own else _sample(name, kind) for name in _facts(kind)})


def _sample(name: str, kind: type[Refusal]) -> Any:
    if name not in SAMPLES:
        raise KeyError(f"{kind.__name__} speaks of {name}; give it a sample in {__name__}.SAMPLES.")
    return SAMPLES[name]


def _facts(kind: type[Refusal]) -> list[str]:
    return sorted({name for _, name, _, _ in string.Formatter().parse(kind.__doc__ or "") if name})


def of_refusal(kind: type[Refusal], *, status: int | None = None) -> Example:
    """The problem document of a refusal; under another status, where a door answers with one of its own."""
    body, _ = problems.document(refusal(kind))
    own = {} if status is None else {"status": status, "title": problems.TITLES[status]}
    return {"summary": body["detail"], "value": {**body, **own}}


def of_foreign(code: str, status: int) -> Example:
    """The problem document of what the framework refuses by itself."""
    body = problems.of_code(code, status=status)
    return {"summary": body["detail"], "value": body}


def of_refused_event(kind: type[Refusal]) -> Example:
    """The answer to an event that the rules or the state of the table do not allow: recorded, with its sequence used up."""
    said = refusal(kind)
    answer = {"id": ID, "sequence": SEQUENCE, "status": "refused", "code": said.code, "detail": said.detail}
    return {"summary": f"Refused: {said.detail}", "value": answer}


ID = "019a9555-7d3c-7000-8000-0b7d1f7a9c11"
SEQUENCE = 4711
_PLACE = {"id": ID, "sequence": SEQUENCE, "table": "CSP-01", "round": 1201, "at": "2026-11-18T05:04:29.123Z"}
_LINES = [{"seat": 1, "wager": "progressive", "amount": "1.00"}, {"seat": 5, "wager": "progressive", "amount": "1.00"}]
_SAID_OF_SEAT = {"wager": "progressive", "on": "player", "amount": "1.00"}


def _event(summary: str, kind: str, **fields: Any) -> Example:
    return {"summary": summary, "value": {**_PLACE, "type": kind, **fields}}


EVENTS: dict[str, Example] = {
    "wager": _event("An acceptor light went on", "wager", seat=5, wager="progressive", amount="1.00"),
    "wager-on-the-dealer": _event(
        "A wager on the dealer's hand",
        "wager",
        seat=5,
        wager="five-card-hand-bonus",
        amount="1.00",
        on="dealer",
    ),
    "wager-by-coupon": _event("A wager made with a coupon", "wager", seat=5, wager="progressive", amount="1.00", coupon=True),
    "lockout": _event("No more bets; the wagers are those the acceptors told", "lockout", chips=2),
    "lockout-with-wagers": _event("No more bets, with the whole list of wagers", "lockout", chips=2, wagers=_LINES),
    "fold": _event("A player gave up the hand", "fold", seat=1),
    "hit": _event("A claimed winning hand", "hit", seat=5, wager="progressive", cards=["AS", "KS", "QS", "JS", "TS"], hand="royal-flush"),
    "hit-of-the-dealer": _event(
        "The dealer's own hand, for those who wagered on it",
        "hit",
        seat="dealer",
        wager="five-card-hand-bonus",
        cards=["7S", "7H", "7D", "7C", "2S"],
        hand="four-of-a-kind",
    ),
    "hit-by-the-magic-card": _event(
        "A hand that has the magic card",
        "hit",
        seat=5,
        wager="five-card-hand-bonus",
        cards=["QH", "9C", "8S", "4D", "2C"],
        hand="magic-card",
    ),
    "void": _event("An irregularity voids the whole round", "void", reason="cards-face-up"),
    "void-of-seats": _event("An irregularity voids single hands", "void", reason="player-miscounted", seats=[5]),
    "settle": _event("Every hand has been turned over", "settle"),
    "array": {
        "summary": "A backlog, after the line was cut",
        "value": [
            {**_PLACE, "type": "lockout", "chips": 2, "wagers": _LINES},
            {**_PLACE, "id": "019a9555-8a11-7000-8000-0b7d1f7a9c12", "sequence": SEQUENCE + 1, "type": "settle"},
        ],
    },
}


def _applied(summary: str, outcome: dict[str, Any]) -> Example:
    return {"summary": summary, "value": {"id": ID, "sequence": SEQUENCE, "status": "applied", "outcome": outcome}}


_HIT = {"hit": "H-000123", "state": "pending", "progressive": "caribbean-link", "hand": "royal-flush", "seat": 5}
_STANDING: dict[str, Any] = {
    **_HIT,
    "award": "18342.17",
    "meter": "main",
    "meter_before": "18342.178800",
    "meter_after": "10000.008800",
    "validation": "supervisor",
    "cards_stay": True,
    "late": False,
    "out_of_turn": False,
    "payouts": [
        {"seat": 5, "kind": "jackpot", "amount": "18342.17", "paid_from": "cage"},
        {"seat": 1, "kind": "envy", "amount": "1000.00", "paid_from": "table"},
    ],
}
_LOCKED: dict[str, Any] = {"count": "agrees", "wagers": 2, "amount": "2.00", "expected_chips": 2, "added": [], "withdrawn": []}
_DRAWN = {"magic-card": "QH", "lucky-bonus": 5, "payouts": [{"hit": "H-000124", "seat": 5, "amount": "5.00", "paid_from": "table"}]}
OUTCOMES: dict[str, Example] = {
    "wager": _applied("A wager was accepted", {"seat": 5, "wager": "progressive", "amount": "1.00"}),
    "lockout": _applied("Locked out; the contributions are on the meters", {**_LOCKED, "contributed": {"caribbean-link": "1.400000"}}),
    "lockout-corrects-the-wagers": _applied(
        "Locked out; the list added seat 5 and withdrew seat 3",
        {
            **_LOCKED,
            "added": [{"seat": 5, **_SAID_OF_SEAT}],
            "withdrawn": [{"seat": 3, **_SAID_OF_SEAT}],
            "contributed": {"caribbean-link": "1.400000"},
        },
    ),
    "lockout-count-differs": _applied("The chips differ: nothing is contributed until they agree", {**_LOCKED, "count": "differs"}),
    "lockout-with-a-draw": _applied(
        "Locked out, with what was drawn", {**_LOCKED, "contributed": {"bonus-link": "1.400000"}, "draw": {"bonus-link": _DRAWN}}
    ),
    "fold": _applied("The hand is given up", {"seat": 1, "folded": True}),
    "hit": _applied("The claim stands and waits for a signature", _STANDING),
    "hit-settles-others-again": _applied(
        "The claim stands, and changed another of the round",
        {**_STANDING, "resettled": [{"hit": "H-000122", "award": "1000.00"}]},
    ),
    "hit-of-the-dealer": _applied(
        "The dealer's hand; whoever wagered on it is paid",
        {
            **_STANDING,
            "seat": "dealer",
            "hand": "four-of-a-kind",
            "award": "500.00",
            "meter": None,
            "meter_before": None,
            "meter_after": None,
            "payouts": [{"seat": 5, "kind": "fixed", "amount": "500.00", "paid_from": "table"}],
        },
    ),
    **{
        f"hit-refused-{reason}": _applied(f"The claim is refused: {reason}", {**_HIT, "state": "refused", "reason": reason})
        for reason in outcomes.CLAIM_REASONS
    },
    "void": _applied(
        "The round is void; wagers go back", {"returned": [{"seat": 5, **_SAID_OF_SEAT}], "rejected": ["H-000123"], "round": "void"}
    ),
    "void-of-seats": _applied("Single hands are void", {"returned": [{"seat": 5, **_SAID_OF_SEAT}], "rejected": [], "round": "locked"}),
    "settle": _applied("The round is settled", {"round": "settled"}),
}

AGAIN: dict[str, Example] = {
    "duplicate": {
        "summary": "The same event again: its first answer, byte for byte",
        "value": {"status": "duplicate", "first": OUTCOMES["settle"]["value"]},
    },
}


def results(stopped_by: Iterable[type[Refusal]]) -> dict[str, Example]:
    """Answers to an array: taken whole, and stopped by each refusal that can stop one."""
    first, second = OUTCOMES["lockout"]["value"], {**OUTCOMES["settle"]["value"], "sequence": SEQUENCE + 1}
    whole = {"results": [first, second], "next_sequence": SEQUENCE + 2}
    return {
        "array": {"summary": "The whole array was taken", "value": whole},
        **{f"array-stopped-{kind.code}": _stopped(kind, first) for kind in stopped_by},
    }


def _stopped(kind: type[Refusal], first: dict[str, Any]) -> Example:
    said = refusal(kind)
    why = {"status": "stopped", "code": said.code, "detail": said.detail, "retryable": said.retryable}
    expected = {"expected": said.facts["expected"]} if "expected" in said.facts else {}
    named = {} if kind.category == "unreadable" else {"id": said.facts.get("id", ID), "sequence": said.facts.get("sequence", SEQUENCE + 1)}
    left = {"id": "019a9555-9b20-7000-8000-0b7d1f7a9c13", "sequence": SEQUENCE + 2, "status": "not-processed"}
    value = {"results": [first, {**named, **why, **expected}, left], "next_sequence": said.facts.get("expected", SEQUENCE + 1)}
    return {"summary": f"Stopped: {said.detail}", "value": value}
