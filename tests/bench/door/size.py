"""How much is measured: enough to trust, or just enough to look."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    controllers: int
    tables: int
    slices: int
    seconds: float
    array_lockouts: int
    array_senders: int
    array_slices: int
    claims: int
    claim_slices: int
    few: int
    many: int
    displays: int
    display_seconds: float


FULL = Size(
    controllers=16,
    # As many as make a slice of lock-outs about as long as the slices that it is compared with.
    tables=80,
    slices=9,
    seconds=2.0,
    array_lockouts=500,
    array_senders=4,
    array_slices=3,
    claims=40,
    claim_slices=5,
    few=10_000,
    many=1_000_000,
    displays=1000,
    display_seconds=20.0,
)
QUICK = Size(
    controllers=16,
    tables=20,
    slices=3,
    seconds=1.0,
    array_lockouts=500,
    array_senders=2,
    array_slices=1,
    claims=20,
    claim_slices=2,
    few=10_000,
    many=200_000,
    displays=1000,
    display_seconds=8.0,
)
# Whether every piece runs, and nothing about speed.
TINY = Size(
    controllers=2,
    tables=2,
    slices=1,
    seconds=0.2,
    array_lockouts=3,
    array_senders=2,
    array_slices=1,
    claims=2,
    claim_slices=1,
    few=8,
    many=40,
    displays=5,
    display_seconds=2.0,
)
