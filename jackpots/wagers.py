"""Wagers into meters: what a round adds at lock-out, and what a void gives back."""

from collections.abc import Sequence
from dataclasses import dataclass

from jackpots import windows
from jackpots.ledger import book
from jackpots.models import Terms
from jackpots.rules import contributions
from tables.models import Wager


@dataclass(frozen=True, kw_only=True)
class Share:
    """What one wager adds to one level of a meter."""

    wager: Wager
    level: str
    micros: int


def shares(*, terms: Terms, wagers: Sequence[Wager]) -> list[Share]:
    """Each wager's shares, exact to the micro."""
    rates = terms.configuration.rates_ppm
    return [
        Share(wager=wager, level=level, micros=micros)
        for wager in wagers
        for level, micros in contributions.contributions(amount_micros=wager.amount_micros, rates_ppm=rates).items()
        if micros
    ]


def entries(*, ledger: book.Book, terms: Terms, shares: Sequence[Share], cause: book.Cause) -> list[book.Entry]:
    """The shares as transfers about to be made, from the players to the meters."""
    players = ledger.account(terms.progressive_id, book.PLAYERS, cause.property_id)
    return [
        book.Entry(
            debit=players,
            credit=ledger.account(terms.progressive_id, share.level),
            amount_micros=share.micros,
            reason="contribution",
            wager_id=share.wager.pk,
        )
        for share in shares
    ]


def give_back(*, ledger: book.Book, terms: Terms, wagers: Sequence[Wager], cause: book.Cause) -> list[book.Transfer]:
    """Take the contributions of voided wagers off the meters again, to the micro.

    Where a standing award has since taken the whole meter, it took these contributions too: the house makes them good before they
    are given back, so that neither the winner nor the meter pays for the irregularity.
    """
    progressive_id = terms.progressive_id
    returned = {wager.pk for wager in wagers}
    given = [
        transfer
        for transfer in ledger.contributions_of(round_id=terms.round_id, progressive_id=progressive_id)
        if transfer.wager_id in returned
    ]
    posted = []
    taken = _taken_whole(progressive_id)
    for transfer in given:
        held = ledger.available(progressive_id)
        was_taken = any(position >= transfer.pk for position in taken)
        made_good = transfer.amount_micros if was_taken else _shortfall(ledger, progressive_id, transfer, held)
        entries = [ledger.reversal(transfer, reason="void")]
        if made_good > 0:
            entries.insert(0, _make_good(ledger, terms, transfer, made_good))
        posted += ledger.post(progressive_id=progressive_id, cause=cause, entries=entries)
    return posted


def _taken_whole(progressive_id: int) -> list[int]:
    """After which transfers standing awards have taken the whole meter."""
    standing = windows.on_meter(progressive_id).filter(state__in=windows.STANDING, takes_all=True)
    return [position for position in standing.values_list("position", flat=True) if position is not None]


def _shortfall(ledger: book.Book, progressive_id: int, transfer: book.Transfer, held: dict[str, int]) -> int:
    level = next(code for code in held if ledger.account(progressive_id, code) == transfer.credit_id)
    return max(0, transfer.amount_micros - held[level])


def _make_good(ledger: book.Book, terms: Terms, transfer: book.Transfer, amount_micros: int) -> book.Entry:
    funder = terms.configuration.funded_by_id
    return book.Entry(
        debit=ledger.account(terms.progressive_id, book.HOUSE, funder),
        credit=transfer.credit_id,
        amount_micros=amount_micros,
        reason="make-good",
        wager_id=transfer.wager_id,
    )
