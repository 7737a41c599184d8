"""Wagers into meters: what a round adds at lock-out, and what a void gives back."""

from collections.abc import Sequence

from jackpots import windows
from jackpots.ledger import book
from jackpots.models import Terms
from jackpots.rules import contributions
from tables.models import Wager


def contribute(*, ledger: book.Book, terms: Terms, wagers: Sequence[Wager], cause: book.Cause) -> list[book.Transfer]:
    """Add each wager's share to the meters, exact to the micro."""
    progressive_id = terms.progressive_id
    players = ledger.account(progressive_id, book.PLAYERS, cause.property_id)
    entries = [
        book.Entry(
            debit=players,
            credit=ledger.account(progressive_id, level),
            amount_micros=micros,
            reason="contribution",
            wager_id=wager.pk,
        )
        for wager in wagers
        for level, micros in contributions.contributions(amount_micros=wager.amount_micros, rates_ppm=terms.configuration.rates_ppm).items()
        if micros
    ]
    return ledger.post(progressive_id=progressive_id, cause=cause, entries=entries)


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
