"""The bad beat fund of a rule text."""

from collections.abc import Mapping

from jackpots.rules import hands, money
from jackpots.rules.badbeat import SHARES
from jackpots.rules.book import Fund
from jackpots.rules.paytables import phrases
from jackpots.rules.paytables.parts import PLACES, ROLES, identifier, notes
from jackpots.rules.paytables.section import Section


def fund(section: Section) -> Fund:
    """Read a fund and the figures the text leaves to the licensee."""
    figures = section.section("licensee_sets")
    read = Fund(
        id=identifier(section),
        name=section.text("name"),
        verified_by=section.word("verified_by", ROLES),
        paid_from=section.word("paid_from", PLACES),
        paragraph=section.text("paragraph"),
        contribution_ppm=figures.read("contribution", phrases.percent),
        contribution_cap_micros=figures.read("contribution_at_most", phrases.dollars),
        minimum_pot_micros=figures.read("minimum_pot", phrases.dollars),
        qualifying_hand=figures.word("losing_hand_at_least", hands.KINDS["five-card"].rows),
        shares_ppm=_shares(figures),
        settings_paragraph=figures.text("paragraph"),
        notes=notes(section),
    )
    figures.end()
    section.end()
    return read


def _shares(figures: Section) -> Mapping[str, int]:
    shares = figures.section("shares")
    read = {who: shares.read(who, phrases.percent) for who in SHARES}
    shares.end()
    if sum(read.values()) != money.WHOLE_PPM:
        raise shares.wrong("the shares together must be 100%")
    return read
