"""What each type of event leads to, in the published schema. A test holds real answers against these shapes."""

from typing import Any

Shape = dict[str, Any]

CENTS = {"type": "string", "pattern": r"^\d+\.\d{2}$", "description": "Dollars and cents."}
EXACT = {"type": "string", "pattern": r"^\d+\.\d{6}$", "description": "Dollars, to the micro."}
SEAT = {"type": "integer", "minimum": 1}
SEAT_OR_DEALER = {"oneOf": [SEAT, {"const": "dealer"}]}
HIT_NUMBER = {"type": "string", "examples": ["H-000123"]}
WORD = {"type": "string"}
NAMED: Shape = {"id": {"type": "string", "format": "uuid"}, "sequence": {"type": "integer", "minimum": 1}}

CLAIM_REASONS = (
    "hand-mismatch",
    "not-a-paying-hand",
    "no-accepted-wager",
    "folded",
    "round-not-locked",
    "count-differs",
    "round-void",
    "round-settled",
    "duplicate-claim",
    "impossible-cards",
)


def _reference(name: str) -> Shape:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(description: str, required: Shape, **optional: Any) -> Shape:
    return {"type": "object", "description": description, "required": list(required), "properties": {**required, **optional}}


def _many(items: Shape) -> Shape:
    return {"type": "array", "items": items}


def _or_null(shape: Shape) -> Shape:
    return {"oneOf": [shape, {"type": "null"}]}


_HIT = {"hit": HIT_NUMBER, "progressive": WORD, "hand": WORD, "seat": SEAT_OR_DEALER}
_SHARE_KINDS = ["jackpot", "deducted", "fixed", "envy", "difference"]

COMPONENTS: dict[str, Shape] = {
    "WagerOutcome": _object("An accepted wager.", {"seat": SEAT, "wager": WORD, "amount": CENTS}),
    "WagerSaid": _object("A wager of the round.", {"seat": SEAT, "wager": WORD, "on": {"enum": ["player", "dealer"]}, "amount": CENTS}),
    "LockoutOutcome": _object(
        "The wagers are fixed. Where the count agrees, the contributions are on the meters.",
        {
            "count": {"enum": ["agrees", "differs"]},
            "wagers": {"type": "integer", "description": "How many wagers stand."},
            "amount": {**CENTS, "description": "How much they come to, those made with a coupon too."},
            "expected_chips": {"type": "integer", "description": "How many of them were made without a coupon."},
            "added": _many(_reference("WagerSaid")),
            "withdrawn": _many(_reference("WagerSaid")),
        },
        contributed={"type": "object", "description": "Progressive to what went to its meters.", "additionalProperties": EXACT},
        draw={"type": "object", "description": "Progressive to what was drawn.", "additionalProperties": _reference("Draw")},
    ),
    "Draw": {
        "type": "object",
        "description": "What was drawn at lock-out, on record before any card is known.",
        "required": ["payouts"],
        "properties": {
            "magic-card": {"type": "string", "pattern": "^[AKQJT2-9][SHDC]$"},
            "lucky-bonus": SEAT_OR_DEALER,
            "payouts": _many(_object("A lucky seat is paid.", {"hit": HIT_NUMBER, "seat": SEAT, "amount": CENTS, "paid_from": WORD})),
        },
    },
    "FoldOutcome": _object("The hand is given up.", {"seat": SEAT, "folded": {"const": True}}),
    "HitOutcome": {"oneOf": [_reference("StandingHit"), _reference("RefusedHit")]},
    "StandingHit": _object(
        "The claim stands. What was true then; hits/{hit}/ says what is true now.",
        {
            **_HIT,
            "state": {"enum": ["pending", "approved", "paid"]},
            "award": CENTS,
            "meter": _or_null(WORD),
            "meter_before": _or_null(EXACT),
            "meter_after": _or_null(EXACT),
            "validation": _or_null({"type": "string", "description": "The post whose signature it waits for."}),
            "cards_stay": {"type": "boolean", "description": "The cards stay on the felt until it is decided."},
            "late": {"type": "boolean"},
            "out_of_turn": {"type": "boolean"},
            "payouts": _many(
                _object(
                    "One person's share.",
                    {"seat": _or_null(SEAT), "kind": {"enum": _SHARE_KINDS}, "amount": CENTS, "paid_from": WORD},
                )
            ),
        },
        resettled={
            "type": "array",
            "description": "Every other claim of the round whose award this one changed.",
            "items": _object("Another claim, with its new award.", {"hit": HIT_NUMBER, "award": CENTS}),
        },
    ),
    "RefusedHit": _object(
        "The rules do not support the claim. It is on record; nothing is paid on it.",
        {**_HIT, "state": {"const": "refused"}, "reason": {"enum": list(CLAIM_REASONS)}},
    ),
    "VoidOutcome": _object(
        "An irregularity undid the round or single hands.",
        {
            "returned": _many(_reference("WagerSaid")),
            "rejected": _many(HIT_NUMBER),
            "round": {"enum": ["open", "locked", "void"]},
        },
    ),
    "SettleOutcome": _object("Nothing more will be claimed.", {"round": {"const": "settled"}}),
}

BY_TYPE = [_reference(f"{name}Outcome") for name in ("Wager", "Lockout", "Fold", "Hit", "Void", "Settle")]
