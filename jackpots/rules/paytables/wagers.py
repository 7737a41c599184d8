"""A wager of a rule text: who may be paid, what a fold does, who validates, and its pay tables."""

from collections.abc import Mapping

from jackpots.rules import hands
from jackpots.rules.book import Line, Sharing, Sources, Validation, Wager
from jackpots.rules.paytables import digest, phrases, tables
from jackpots.rules.paytables.parts import PLACES, ROLES, identifier, notes
from jackpots.rules.paytables.section import Section


def wager(path: tuple[str, ...], deck: int, hand_cards: int, section: Section) -> Wager:
    """Read one wager with its pay tables."""
    wager_id, fold = identifier(section), section.section("fold")
    frame = tables.Frame(
        hand_kind=_hand_kind(section, deck, hand_cards),
        has_meter=section.flag("has_meter", True),
        validations=_validations(section),
        sources=_sources(section),
        sharing=_sharing(section),
        choice=section.word("choice", ("highest-hand", "highest-payout"), "highest-hand"),  # type: ignore[arg-type]
    )
    read = Wager(
        id=wager_id,
        name=section.text("name"),
        hand_kind=frame.hand_kind,
        on=_on(section),
        has_meter=frame.has_meter,
        fold_forfeits=fold.flag("forfeits", True),
        envy_survives_fold=fold.flag("keeps_envy", False),
        fold_paragraph=fold.text("paragraph", ""),
        coupon=section.flag("coupon", False),
        choice=frame.choice,
        minimum_micros=section.read("minimum", phrases.dollars) if section.has("minimum") else 0,
        validations=frame.validations,
        sources=frame.sources,
        sharing=frame.sharing,
        extras=_extras(section, frame),
        notes=notes(section),
        paragraph=section.text("paragraph"),
        pay_tables=tables.pay_tables(frame, section),
    )
    fold.end()
    section.end()
    return digest.sealed(path, read)


def _hand_kind(section: Section, deck: int, hand_cards: int) -> str | None:
    if not section.has("hand_kind"):
        return None
    kind = hands.KINDS[section.word("hand_kind", tuple(hands.KINDS))]
    if kind.cards > hand_cards or kind.jokers > deck - 52:
        raise section.wrong(f"{kind.name} cannot be formed from {hand_cards} cards of a deck of {deck}")
    return kind.id


def _on(section: Section) -> tuple[str, ...]:
    on = section.texts("on", ["player"])
    if on not in (("player",), ("player", "dealer")):
        raise section.wrong('on must be ["player"] or ["player", "dealer"]')
    return on


def _validations(section: Section) -> tuple[Validation, ...]:
    return tuple(_validation(child) for child in section.sections("validation", "validation", by="awards"))


def _validation(section: Section) -> Validation:
    read = Validation(awards=section.text("awards"), by=section.word("by", ROLES), paragraph=section.text("paragraph"))
    section.end()
    return read


def _sources(section: Section) -> Sources:
    payment = section.section("paid_from")
    read = Sources(
        percent=payment.word("percent", PLACES, "cage"),
        deducted=payment.word("deducted", PLACES, "table"),
        other=payment.word("other", PLACES, "table"),
        paragraph=payment.text("paragraph", ""),
    )
    payment.end()
    return read


def _sharing(section: Section) -> Sharing:
    sharing = section.section("sharing")
    read = Sharing(
        hands=sharing.texts("hands", []),
        is_dealer_award_divided=sharing.flag("dealer_award_divided", False),
        paragraph=sharing.text("paragraph", ""),
    )
    sharing.end()
    return read


def _extras(section: Section, frame: tables.Frame) -> Mapping[str, Line]:
    read: dict[str, Line] = {}
    for child in section.sections("extra", "extra"):
        name = child.word("id", ("magic-card", "lucky-bonus"))
        award = child.read("pays", phrases.award)
        if award is None or award.meter is not None:
            raise child.wrong("an extra pays odds or a fixed amount, not from a meter")
        read[name] = Line(hand=name, award=frame.dressed(name, award), paragraph=child.text("paragraph"))
        child.end()
    return read
