"""The tree against a second, naive writing of RFC 6962, against the published vectors, and against the verifier's own."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit import tree
from tests.audit import verifier

stand_alone = verifier.load()

# The inputs and roots that certificate transparency implementations test themselves with.
PUBLISHED_LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
PUBLISHED_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]

sizes = st.integers(min_value=1, max_value=130)


def naive_root(leaves: list[bytes]) -> bytes:
    """RFC 6962 section 2.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    k = naive_split(len(leaves))
    return hashlib.sha256(b"\x01" + naive_root(leaves[:k]) + naive_root(leaves[k:])).digest()


def naive_split(n: int) -> int:
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def naive_path(m: int, leaves: list[bytes]) -> list[bytes]:
    """Section 2.1.1."""
    if len(leaves) == 1:
        return []
    k = naive_split(len(leaves))
    if m < k:
        return [*naive_path(m, leaves[:k]), naive_root(leaves[k:])]
    return [*naive_path(m - k, leaves[k:]), naive_root(leaves[:k])]


def naive_consistency(m: int, leaves: list[bytes], is_whole: bool = True) -> list[bytes]:
    """Section 2.1.2."""
    n = len(leaves)
    if m == n:
        return [] if is_whole else [naive_root(leaves)]
    k = naive_split(n)
    if m <= k:
        return [*naive_consistency(m, leaves[:k], is_whole), naive_root(leaves[k:])]
    return [*naive_consistency(m - k, leaves[k:], False), naive_root(leaves[:k])]


def contents(size: int) -> list[bytes]:
    return [f"record {number}".encode() for number in range(size)]


def grown(leaves: list[bytes], *, steps: int = 1) -> dict[tuple[int, int], bytes]:
    """Our tree over the leaves, grown in batches of the given length."""
    hashes: dict[tuple[int, int], bytes] = {}
    for begin in range(0, len(leaves), steps):
        batch = [tree.leaf_hash(leaf) for leaf in leaves[begin : begin + steps]]
        hashes.update(tree.grow(begin, batch, lambda level, index: hashes[level, index]))
    return hashes


def lookup_in(hashes: dict[tuple[int, int], bytes]) -> tree.Lookup:
    return lambda level, index: hashes[level, index]


def test_the_published_roots_come_out() -> None:
    leaves = [bytes.fromhex(text) for text in PUBLISHED_LEAVES]
    lookup = lookup_in(grown(leaves))
    assert [tree.root(size, lookup).hex() for size in range(1, 9)] == PUBLISHED_ROOTS
    assert tree.root(0, lookup).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@given(sizes, st.integers(1, 40))
def test_a_tree_grown_in_batches_has_the_naive_root(size: int, steps: int) -> None:
    leaves = contents(size)
    hashes = grown(leaves, steps=steps)
    assert tree.root(size, lookup_in(hashes)) == naive_root(leaves)
    # Exactly the complete subtrees are kept: on each level as many as fit.
    assert len(hashes) == sum(size >> level for level in range(size.bit_length()))


@given(sizes, st.randoms(use_true_random=False))
def test_inclusion_paths_are_the_naive_ones_and_lead_to_the_root(size: int, random: object) -> None:
    leaves = contents(size)
    index = random.randrange(size)  # type: ignore[attr-defined]
    path = tree.inclusion_path(index, size, lookup_in(grown(leaves)))
    assert path == naive_path(index, leaves)
    leaf = tree.leaf_hash(leaves[index])
    assert tree.check_inclusion(index=index, size=size, leaf=leaf, path=path, root=naive_root(leaves))
    assert stand_alone.root_of_path(index, size, leaf, path) == naive_root(leaves)


@given(sizes, sizes)
def test_consistency_paths_are_the_naive_ones_and_hold(one: int, other: int) -> None:
    old, new = sorted((one, other))
    leaves = contents(new)
    path = tree.consistency_path(old, new, lookup_in(grown(leaves)))
    assert path == naive_consistency(old, leaves)
    roots = {"old_root": naive_root(leaves[:old]), "new_root": naive_root(leaves)}
    assert tree.check_consistency(old=old, new=new, path=path, **roots)


@given(st.integers(2, 70), st.data())
def test_a_changed_step_leaf_index_or_length_is_noticed(size: int, data: st.DataObject) -> None:
    leaves = contents(size)
    index = data.draw(st.integers(0, size - 1))
    path = tree.inclusion_path(index, size, lookup_in(grown(leaves)))
    good: dict[str, Any] = {"index": index, "size": size, "leaf": tree.leaf_hash(leaves[index]), "path": path, "root": naive_root(leaves)}
    place = data.draw(st.integers(0, len(path) - 1))
    bent = [*path[:place], hashlib.sha256(path[place]).digest(), *path[place + 1 :]]
    others: list[dict[str, Any]] = [
        {"path": bent},
        {"path": path[:-1]},
        {"path": [*path, path[-1]]},
        {"leaf": tree.leaf_hash(b"another")},
        {"index": (index + 1) % size},
        {"index": size},
        {"root": hashlib.sha256(b"another").digest()},
    ]
    for other in others:
        assert not tree.check_inclusion(**{**good, **other})


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_a_rewritten_beginning_is_not_consistent(old: int, more: int, data: st.DataObject) -> None:
    """Whatever path a rewritten log offers, the roots of the two histories are never joined by it."""
    leaves, new = contents(old + more), old + more
    changed = data.draw(st.integers(0, old - 1))
    rewritten = [*leaves[:changed], b"rewritten", *leaves[changed + 1 :]]
    for offered in (leaves, rewritten):
        path = tree.consistency_path(old, new, lookup_in(grown(offered)))
        roots = {"old_root": naive_root(leaves[:old]), "new_root": naive_root(rewritten)}
        assert not tree.check_consistency(old=old, new=new, path=path, **roots)


@given(st.integers(2, 60), st.data())
def test_consistency_refuses_bent_shortened_and_lengthened_paths(new: int, data: st.DataObject) -> None:
    leaves = contents(new)
    old = data.draw(st.integers(1, new - 1))
    path = tree.consistency_path(old, new, lookup_in(grown(leaves)))
    place = data.draw(st.integers(0, len(path) - 1))
    for other in (path[:-1], [*path, path[0]], [*path[:place], b"\x00" * 32, *path[place + 1 :]], []):
        assert not tree.check_consistency(old=old, new=new, old_root=naive_root(leaves[:old]), new_root=naive_root(leaves), path=other)
    assert not tree.check_consistency(old=0, new=new, old_root=b"", new_root=naive_root(leaves), path=[])
    assert not tree.check_consistency(old=new, new=old, old_root=naive_root(leaves), new_root=naive_root(leaves[:old]), path=path)


@given(sizes)
def test_the_verifiers_own_tree_agrees(size: int) -> None:
    leaves = contents(size)
    hashes, theirs = grown(leaves), stand_alone.Tree()
    inner = {}
    for leaf in leaves:
        inner.update({(level, index): hashed for level, index, hashed in theirs.append(tree.leaf_hash(leaf))})
    assert theirs.root() == naive_root(leaves)
    assert inner == {place: hashed for place, hashed in hashes.items() if place[0]}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(json_values)
def test_the_same_value_is_always_the_same_text(value: object) -> None:

    text = tree.canonical(value)
    assert json.loads(text) == value
    assert tree.canonical(json.loads(text)) == text


def test_canonical_text_is_sorted_tight_and_refuses_what_is_not_a_number() -> None:
    assert tree.canonical({"b": [1, "é"], "a": {"d": None, "c": True}}) == '{"a":{"c":true,"d":null},"b":[1,"é"]}'
    with pytest.raises(ValueError, match="Out of range"):
        tree.canonical(float("nan"))
