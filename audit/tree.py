"""Canonical bytes, and the Merkle tree of RFC 6962 over them: roots, inclusion and consistency proofs, made and checked.

The tree is never held whole. Whoever asks passes a way to look up the hash of a complete subtree by level and index (level 0
is a leaf), and each question needs only about as many look-ups as the tree has levels.
"""

import hashlib
import json
from collections.abc import Callable, Sequence

Lookup = Callable[[int, int], bytes]

EMPTY_ROOT = hashlib.sha256(b"").digest()


# Made once: json.dumps would make a new one for every line.
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical(value: object) -> str:
    """JSON with sorted keys, no spaces and no escapes beyond what JSON demands: the same value is always the same text."""
    return _ENCODER.encode(value)


def record_bytes(*, record_id: int, epoch: int, xid: int, body: str) -> bytes:
    """What is sealed of a record: its place in the order, then its words."""
    return f"{record_id} {epoch} {xid}\n{body}".encode()


def leaf_hash(content: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def root(size: int, lookup: Lookup) -> bytes:
    return range_hash(0, size, lookup) if size else EMPTY_ROOT


def range_hash(begin: int, end: int, lookup: Lookup) -> bytes:
    """The hash over the leaves from begin up to end, where begin is a multiple of the largest power of two that fits."""
    count = end - begin
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return lookup(level, begin >> level)
    middle = begin + split(count)
    return node_hash(range_hash(begin, middle, lookup), range_hash(middle, end, lookup))


def split(count: int) -> int:
    """The largest power of two smaller than count: where RFC 6962 divides a tree."""
    return 1 << ((count - 1).bit_length() - 1)


def grow(size: int, leaves: Sequence[bytes], lookup: Lookup) -> dict[tuple[int, int], bytes]:
    """Every complete subtree that appending these leaves to a tree of that size completes, the leaves included."""
    grown: dict[tuple[int, int], bytes] = {}
    for index, leaf in enumerate(leaves, start=size):
        level, place, hashed = 0, index, leaf
        grown[level, place] = hashed
        while place & 1:
            left = grown.get((level, place - 1)) or lookup(level, place - 1)
            level, place, hashed = level + 1, place >> 1, node_hash(left, hashed)
            grown[level, place] = hashed
    return grown


def inclusion_path(index: int, size: int, lookup: Lookup) -> list[bytes]:
    """The hashes that lead from a leaf to the root of the first size leaves, lowest first."""
    assert 0 <= index < size
    path: list[bytes] = []
    begin, end = 0, size
    while end - begin > 1:
        middle = begin + split(end - begin)
        if index < middle:
            path.append(range_hash(middle, end, lookup))
            end = middle
        else:
            path.append(range_hash(begin, middle, lookup))
            begin = middle
    return path[::-1]


def consistency_path(old: int, new: int, lookup: Lookup) -> list[bytes]:
    """The hashes which show that the tree of the first old leaves is the beginning of the tree of the first new ones."""
    assert 0 < old <= new
    path: list[bytes] = []
    begin, end, is_whole = 0, new, True
    while old < end:
        middle = begin + split(end - begin)
        if old <= middle:
            path.append(range_hash(middle, end, lookup))
            end = middle
        else:
            path.append(range_hash(begin, middle, lookup))
            begin, is_whole = middle, False
    # The old tree's root itself is known to whoever checks, so it is left out where it is the starting point.
    if not is_whole:
        path.append(range_hash(begin, end, lookup))
    return path[::-1]


def root_from_inclusion(*, index: int, size: int, leaf: bytes, path: Sequence[bytes]) -> bytes | None:
    """The root that a leaf and its path lead to, or nothing where the path has not the shape it must have."""
    if not 0 <= index < size:
        return None
    place, last, hashed = index, size - 1, leaf
    for step in path:
        if last == 0:
            return None
        if place & 1 or place == last:
            hashed = node_hash(step, hashed)
            place, last = _up_to_a_right_turn(place, last)
        else:
            hashed = node_hash(hashed, step)
        place, last = place >> 1, last >> 1
    return hashed if last == 0 else None


def check_inclusion(*, index: int, size: int, leaf: bytes, path: Sequence[bytes], root: bytes) -> bool:
    return root_from_inclusion(index=index, size=size, leaf=leaf, path=path) == root


def check_consistency(*, old: int, new: int, old_root: bytes, new_root: bytes, path: Sequence[bytes]) -> bool:
    """Whether the path shows the old tree to be the beginning of the new one."""
    if not 0 < old <= new:
        return False
    if old == new:
        return not path and old_root == new_root
    steps = [old_root, *path] if old & (old - 1) == 0 else list(path)
    return bool(steps) and _roots_of_consistency(old, new, steps) == (old_root, new_root)


def _roots_of_consistency(old: int, new: int, steps: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    place, last = old - 1, new - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old_hash = new_hash = steps[0]
    for step in steps[1:]:
        if last == 0:
            return None
        if place & 1 or place == last:
            old_hash, new_hash = node_hash(step, old_hash), node_hash(step, new_hash)
            place, last = _up_to_a_right_turn(place, last)
        else:
            new_hash = node_hash(new_hash, step)
        place, last = place >> 1, last >> 1
    return (old_hash, new_hash) if last == 0 else None


def _up_to_a_right_turn(place: int, last: int) -> tuple[int, int]:
    # A last node without a sibling is carried up as it is, so levels without a step are passed over.
    while place and not place & 1:
        place, last = place >> 1, last >> 1
    return place, last
