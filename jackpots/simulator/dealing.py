"""The conformance kit's rules of a round, from lock-out to settle. Each rule's sentence is its docstring."""

import re
from collections.abc import Callable

from jackpots.simulator.kit import Kit, Skipped, expect

MONEY = re.compile(r"\d+\.\d{2}")


def lock_out_replaces(kit: Kit) -> None:
    """The wagers of a lock-out are the whole list and replace what wager events said; the count is compared."""
    number = kit.new_round()
    kit.applied("wager", number, **kit.line(seat=1))
    outcome = kit.applied("lockout", number, wagers=[kit.line(seat=2)], chips=1)
    expect(outcome["count"] == "agrees", "one chip for one wager agrees")


def count_differs(kit: Kit) -> None:
    """Where the chips differ nothing is contributed and no hit can be claimed, until another lock-out agrees."""
    number = kit.new_round()
    before = kit.meter()["version"]
    outcome = kit.applied("lockout", number, wagers=[kit.line(seat=1)], chips=3)
    expect(outcome["count"] == "differs", "three chips for one wager differ")
    expect("contributed" not in outcome, "nothing is contributed")
    hit = kit.applied("hit", number, seat=1, wager=kit.offer["wager"], cards=_five(), hand=kit.offer["hands"][0])
    expect((hit["state"], hit["reason"]) == ("refused", "count-differs"), "the claim is refused, count-differs")
    expect(kit.applied("lockout", number, chips=1)["count"] == "agrees", "the next count agrees")
    expect(kit.meter()["version"] != before, "the meter's version changes with its contributions")


def after_lock_out(kit: Kit) -> None:
    """A wager after lock-out is refused, round-locked."""
    kit.refused("round-locked", "wager", kit.locked_round(), **kit.line(seat=3))


def fold(kit: Kit) -> None:
    """A player may give up the hand, once."""
    number = kit.locked_round()
    kit.applied("fold", number, seat=1)
    kit.refused("", "fold", number, seat=1)


def next_round_waits(kit: Kit) -> None:
    """A higher round is refused while the last is still in play."""
    number = kit.locked_round()
    kit.refused("round-in-play", "wager", number + 1, **kit.line())


def claims_refused(kit: Kit) -> None:
    """A claim that can be read but not supported is an applied event whose hit is refused, with its reason."""
    claim = {"seat": 1, "wager": kit.offer["wager"], "hand": kit.offer["hands"][0]}
    number = kit.new_round()
    kit.applied("wager", number, **kit.line())
    hit = kit.applied("hit", number, cards=_five(), **claim)
    expect((hit["state"], hit["reason"]) == ("refused", "round-not-locked"), "before lock-out: round-not-locked")
    kit.applied("lockout", number, chips=1)
    hit = kit.applied("hit", number, cards=["AS"] * 5, **claim)
    expect((hit["state"], hit["reason"]) == ("refused", "impossible-cards"), "the same card five times: impossible-cards")
    kit.applied("settle", number)
    hit = kit.applied("hit", number, cards=_five(), **claim)
    expect((hit["state"], hit["reason"]) == ("refused", "round-settled"), "after settle: round-settled")


def claim_stands(kit: Kit) -> None:
    """A hit that stands is pending, with its award, its progressive and its payouts; a void rejects it and gives the wagers back."""
    if kit.table["game"] != "caribbean-stud" or "flush" not in kit.offer["hands"]:
        raise Skipped("the table does not deal Caribbean stud with a paying flush")
    number = kit.locked_round()
    hit = kit.applied("hit", number, seat=1, wager=kit.offer["wager"], cards=["2H", "5H", "9H", "JH", "KH"], hand="flush")
    expect(hit["state"] == "pending" and bool(MONEY.fullmatch(hit["award"])), "pending, with an award of money")
    expect(all(MONEY.fullmatch(one["amount"]) for one in hit["payouts"]), "its payouts are money")
    shown = kit.get(f"/api/v1/hits/{hit['hit']}/")
    expect(shown.status == 200 and shown.json["award"] == hit["award"], "hits/ shows the same award")
    kit.refused("", "void", number, reason="bad-luck")
    voided = kit.applied("void", number, reason="cards-face-up")
    expect(hit["hit"] in voided["rejected"] and len(voided["returned"]) == 2, "the claim is rejected and the wagers returned")


def claims_of_played_hands(kit: Kit) -> None:
    """A claim is held against the cards, the folds and the claims before it: hand-mismatch, folded, duplicate-claim, round-void."""
    if kit.table["game"] != "caribbean-stud" or "flush" not in kit.offer["hands"]:
        raise Skipped("the table does not deal Caribbean stud with a paying flush")
    number, flush = kit.locked_round(), {"wager": kit.offer["wager"], "cards": _five(), "hand": "flush"}
    kit.applied("fold", number, seat=2)
    asked: list[tuple[str, dict[str, object]]] = [
        ("hand-mismatch", {**flush, "seat": 1, "cards": ["2H", "5H", "9H", "JH", "KS"]}),
        ("folded", {**flush, "seat": 2}),
        ("", {**flush, "seat": 1}),
        ("duplicate-claim", {**flush, "seat": 1}),
    ]
    for reason, claim in asked:
        hit = kit.applied("hit", number, **claim)
        expect(hit.get("reason", "") == reason, f"the reason is {reason or 'none, for it stands'}, not {hit.get('reason', 'none')}")
    kit.applied("void", number, reason="cards-face-up")
    hit = kit.applied("hit", number, **{**flush, "seat": 1})
    expect((hit["state"], hit["reason"]) == ("refused", "round-void"), "after a void: round-void")


def void_of_a_hand(kit: Kit) -> None:
    """A void of single seats gives back their wagers and no others, and the round goes on."""
    if kit.table["game"] != "caribbean-stud":
        raise Skipped("the table does not deal Caribbean stud")
    number = kit.locked_round()
    outcome = kit.applied("void", number, reason="player-miscounted", seats=[1])
    expect([wager["seat"] for wager in outcome["returned"]] == [1] and outcome["round"] == "locked", "seat 1 alone is given back")
    kit.applied("settle", number)


def settle(kit: Kit) -> None:
    """A settled round takes nothing more."""
    number = kit.locked_round()
    kit.applied("settle", number)
    kit.refused("round-settled", "settle", number)


RULES: tuple[Callable[[Kit], None], ...] = (
    *(lock_out_replaces, count_differs, after_lock_out, fold, next_round_waits),
    *(claims_refused, claim_stands, claims_of_played_hands, void_of_a_hand, settle),
)


def _five() -> list[str]:
    return ["2H", "5H", "9H", "JH", "KH"]
