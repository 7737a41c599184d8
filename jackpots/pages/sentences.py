"""The rules of a wager or a fund in plain sentences, each with the paragraph it comes from."""

from collections.abc import Iterator
from dataclasses import dataclass

from jackpots.printed import Printed, hand_name

PLACES = {"cage": "at the cage", "table": "at the table", "game-account": "from the game account"}
AWARDS = {"every": "Every winning payout", "percent": "A percentage of the meter", "off-meter": "Whatever comes off the meter"}


@dataclass(frozen=True)
class Rule:
    label: str
    sentence: str
    paragraph: str = ""


def of_wager(wager: Printed) -> list[Rule]:
    """Everything the text says of a wager, whichever pay table is chosen."""
    return [*_hand(wager), *_made(wager), *_fold(wager), *_validations(wager), *_payment(wager), *_sharing(wager), *_extras(wager)]


def of_fund(fund: Printed) -> list[Rule]:
    """A bad beat fund, with the figures the licensee sets."""
    figures, paragraph = fund["licensee_sets"], fund["licensee_sets"]["paragraph"]
    shares = ", ".join(f"{share['to'].replace('-', ' ')} {share['percent']}%" for share in figures["shares"])
    most, least = dollars(figures["contribution_at_most"]), dollars(figures["minimum_pot"])
    return [
        Rule("Contribution", f"{figures['contribution']}% of a pot of {least} or more, at most {most}.", paragraph),
        Rule("Losing hand", f"{hand_name(figures['losing_hand_at_least'])} or better.", paragraph),
        Rule("Shares", f"{shares[0].upper()}{shares[1:]}.", paragraph),
        Rule("Verified", f"By a {_role(fund['verified_by'])} before it is paid.", fund["paragraph"]),
        Rule("Paid", f"{_place(fund['paid_from'])}.", fund["paragraph"]),
    ]


def counted(wager: Printed, game: Printed) -> str:
    """Over which hands the odds are counted; empty where the hands are not ranked."""
    odds = next((line["odds"] for table in wager["pay_tables"] for line in table["lines"] if line["odds"]), None)
    if odds is None:
        return ""
    judged = " The row that pays most is judged with the meter at its initial amount." if _is_judged_by_meter(wager) else ""
    return f"The odds are exact: counted over all {odds['total']:,} hands that can be dealt from {game['deck']} cards.{judged}"


def dollars(amount: str) -> str:
    """A decimal string as people write money.

    >>> dollars("10000.00"), dollars("2.50")
    ('$10,000', '$2.50')
    """
    whole, _, cents = amount.partition(".")
    return f"${int(whole):,}" if cents == "00" else f"${int(whole):,}.{cents}"


def _is_judged_by_meter(wager: Printed) -> bool:
    return bool(wager["choice"] == "highest-payout" and wager["has_meter"])


def _hand(wager: Printed) -> Iterator[Rule]:
    if wager["hand_is"]:
        decides = "the highest payout" if wager["choice"] == "highest-payout" else "the highest hand"
        yield Rule("Hand", f"{_sentence(wager['hand_is'])}; {decides} is paid, and only that.")
    if "dealer" in wager["on"]:
        yield Rule("On", "The player's hand, the dealer's, or both.", wager["paragraph"])


def _made(wager: Printed) -> Iterator[Rule]:
    if wager["minimum"]:
        yield Rule("Least wager", f"{dollars(wager['minimum'])}.", wager["paragraph"])
    if wager["is_by_coupon_too"]:
        yield Rule("Coupon", "It may be made by coupon.", wager["paragraph"])


def _fold(wager: Printed) -> Iterator[Rule]:
    fold = wager["fold"]
    if not fold["paragraph"]:
        return
    ends = "ends the wager" if fold["forfeits"] else "does not touch the wager"
    envy = "; the right to an envy bonus stays" if fold["keeps_envy"] else ""
    yield Rule("Fold", f"A fold {ends}{envy}.", fold["paragraph"])


def _validations(wager: Printed) -> Iterator[Rule]:
    for one in wager["validations"]:
        awards = AWARDS.get(one["awards"], f"A payout of {one['awards']}")
        yield Rule("Validation", f"{awards} is validated by a {_role(one['by'])}.", one["paragraph"])


def _payment(wager: Printed) -> Iterator[Rule]:
    if not wager["has_meter"]:
        return
    source, awards = wager["paid_from"], [line["award"] for table in wager["pay_tables"] for line in table["lines"]]
    paid = [("percentages", source["percent"])] if any(award["kind"] == "percent" for award in awards) else []
    paid += [("amounts off the meter", source["deducted"])] if any(award["is_deducted"] for award in awards) else []
    paid.append(("all else", source["other"]))
    yield Rule("Paid", _sentence(", ".join(f"{what} {PLACES[place]}" for what, place in paid)) + ".", source["paragraph"])


def _sharing(wager: Printed) -> Iterator[Rule]:
    sharing = wager["sharing"]
    if sharing["hands"]:
        hands = " and ".join(hand_name(hand).lower() for hand in sharing["hands"])
        told = f"Several hands at one table ({hands}) share equally in the meter as it stood for the first."
        yield Rule("Sharing", told, sharing["paragraph"])
    if sharing["is_dealer_award_divided"]:
        told = "A percentage won by the dealer's hand is divided among the players who wagered on it."
        yield Rule("Sharing", told, sharing["paragraph"])


def _extras(wager: Printed) -> Iterator[Rule]:
    for line in wager["extras"]:
        chance = f"one in {line['odds']['one_in']}" if line["odds"] else "one position is picked, the dealer's among them"
        yield Rule(line["name"], f"Pays {line['award']['text']}; {chance}.", line["paragraph"])


def _place(place: str) -> str:
    return _sentence(PLACES[place])


def _role(role: str) -> str:
    return role.replace("-", " ")


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]
