"""The magic card and the lucky bonus: drawn at lock-out by a cryptographic generator, on record before any card is known."""

import secrets
from collections.abc import Sequence

from jackpots import configurations, hits
from jackpots.ledger import book
from jackpots.models import Award, Hit, Terms
from jackpots.rules import awards, cards
from tables.models import Round, Wager

MAGIC_CARD = "magic-card"
LUCKY_BONUS = "lucky-bonus"
DEALER = "dealer"


def draw(*, round: Round, terms: Terms, placed: Sequence[Wager], ledger: book.Book, cause: book.Cause) -> list[book.Transfer]:
    """Draw for one progressive, where its wager has something to draw for, and pay the lucky position."""
    wager, _ = configurations.rules_of(terms.configuration)
    if not wager.extras:
        return []
    drawn: dict[str, str | int] = {}
    if MAGIC_CARD in wager.extras:
        drawn[MAGIC_CARD] = str(secrets.choice(cards.deck()))
    if LUCKY_BONUS in wager.extras:
        position = secrets.randbelow(round.table.seats + 1)
        drawn[LUCKY_BONUS] = position or DEALER
    terms.draw = drawn
    terms.save(update_fields=["draw"])
    lucky = [one for one in placed if _is_lucky(one, drawn.get(LUCKY_BONUS))]
    transfers: list[book.Transfer] = []
    for one in lucky:
        transfers += _pay_lucky(round, terms, one, ledger, cause)
    return transfers


def magic_card_of(terms: Terms) -> str | None:
    """The card drawn for a round, where one was."""
    drawn = (terms.draw or {}).get(MAGIC_CARD)
    return drawn if isinstance(drawn, str) else None


def _is_lucky(wager: Wager, position: str | int | None) -> bool:
    """A wager on the own hand is lucky when its seat is drawn, one on the dealer's hand when the dealer's position is."""
    return position == (DEALER if wager.on == DEALER else wager.seat)


def _pay_lucky(round: Round, terms: Terms, placed: Wager, ledger: book.Book, cause: book.Cause) -> list[book.Transfer]:
    wager, _ = configurations.rules_of(terms.configuration)
    settled = awards.extra(wager=wager, name=LUCKY_BONUS, amount_micros=placed.amount_micros)
    assert settled is not None, "the wager has a lucky bonus"
    hit = Hit.objects.create(
        round=round,
        terms=terms,
        event_id=cause.event_id,
        seat=placed.seat,
        wager=placed.wager,
        claimed_hand=LUCKY_BONUS,
        hand=LUCKY_BONUS,
        cards="",
        state=Hit.State.PENDING,
        wagered_micros=placed.amount_micros,
        award_micros=settled.amount_micros,
        due_micros=settled.amount_micros,
        claimed_at=cause.now,
    )
    share = Award(hit=hit, seat=placed.seat, kind=Award.Kind.FIXED, amount_micros=settled.amount_micros, paid_from=settled.award.paid_from)
    transfers = hits.set_aside(hit=hit, shares=[share], ledger=ledger, cause=cause)
    return [*transfers, *hits.make_due(hit=hit, ledger=ledger, cause=cause, by="the rules")]
