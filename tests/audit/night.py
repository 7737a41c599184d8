"""A short night with a little of everything that is evidence: accounts, transfers of each kind, signatures, several checkpoints."""

from django.db import transaction

from audit import journal, sealing
from audit.people import signing
from audit.people.models import Person, Property
from jackpots.ledger import book
from jackpots.models import Progressive
from tests.audit import cellar
from tests.audit.cellar import NOON, SYSTEM

DOLLAR = 1_000_000


def play() -> None:
    """Opening, contributions, an award that is approved and one that is rejected, a void; the last contributions are not folded."""
    harbor = cellar.make_property()
    sam = cellar.make_person("sam", property=harbor, role="supervisor", pin="1234")
    link = Progressive.objects.create(
        slug="link", name="Link", property=harbor, rule_text="caribbean-stud-massachusetts", game="caribbean-stud", wager="progressive"
    )
    _open(link, harbor)
    sealing.seal(now=NOON)
    for amount in (700_000, 1_400_000, 2_100_000):
        _post(link, harbor, "contribution", [("players", "main", amount)])
    sealing.seal(now=NOON)
    _award(link, harbor, sam, subject="H-000001", is_good=True)
    sealing.seal(now=NOON)
    _award(link, harbor, sam, subject="H-000002", is_good=False)
    cellar.write_signed(sam, harbor, "H-000003", "H-000004")
    _post(link, harbor, "contribution", [("players", "main", 700_000), ("players", "secondary", 50_000)], is_folded=False)
    sealing.seal(now=NOON)


def _open(link: Progressive, harbor: Property) -> None:
    with transaction.atomic():
        accounts = book.open_accounts(progressive_id=link.pk, property_id=harbor.pk)
        journal.append(kind="accounts-opened", now=NOON, actor=SYSTEM, facts={}, subject="link", rows=accounts)
    _post(link, harbor, "initial", [("house", "main", 10_000 * DOLLAR)])


def _post(
    link: Progressive, harbor: Property, reason: str, moves: list[tuple[str, str, int]], *, is_folded: bool = True
) -> list[book.Transfer]:
    with transaction.atomic(), book.locked(progressive_ids=[link.pk], mode=book.Mode.EXCLUSIVE) as open_book:
        entries = [
            book.Entry(
                debit=open_book.account(link.pk, debit, harbor.pk),
                credit=open_book.account(link.pk, credit, harbor.pk),
                amount_micros=amount,
                reason=reason,
                kind=book.Kind.RESERVED if reason == "award" else book.Kind.POSTED,
            )
            for debit, credit, amount in moves
        ]
        cause = book.Cause(property_id=harbor.pk, now=NOON)
        transfers = open_book.post(progressive_id=link.pk, cause=cause, entries=entries)
        journal.append(kind=reason, now=NOON, actor=SYSTEM, facts={}, property_id=harbor.pk, rows=transfers)
        if is_folded:
            open_book.fold(link.pk)
    return transfers


def _award(link: Progressive, harbor: Property, sam: Person, *, subject: str, is_good: bool) -> None:
    reserved = _post(link, harbor, "award", [("main", "payable", 500 * DOLLAR)])[0]
    checked = signing.check_pin(person=sam, pin="1234", now=NOON)
    with transaction.atomic(), book.locked(progressive_ids=[link.pk], mode=book.Mode.EXCLUSIVE) as open_book:
        act = "approved" if is_good else "rejected"
        signature = signing.sign(person=sam, pin=checked, property=harbor, act=act, subject=subject, facts={"award": "500.00"}, now=NOON)
        resolve = open_book.post_reservation if is_good else open_book.void_reservation
        cause = book.Cause(property_id=harbor.pk, now=NOON, signature_id=signature.pk)
        transfers = open_book.post(progressive_id=link.pk, cause=cause, entries=[resolve(reserved, reason=act)])
        rows = [signature, *transfers]
        journal.append(kind=act, now=NOON, actor=SYSTEM, facts={}, property_id=harbor.pk, subject=subject, rows=rows)
        open_book.fold(link.pk)
