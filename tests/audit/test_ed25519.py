"""The verifier's own Ed25519: the vectors of RFC 8032, and agreement with a library that signs."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.audit import verifier

stand_alone = verifier.load()

# RFC 8032 section 7.1: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("public", "message", "signature"), VECTORS)
def test_the_published_signatures_are_good_and_bent_ones_are_not(public: str, message: str, signature: str) -> None:
    key, signed, good = (bytes.fromhex(text) for text in (public, message, signature))
    assert stand_alone.all_signed(key, [(signed, good)])
    for place in (0, 31, 32, 50):
        bent = good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :]
        assert not stand_alone.all_signed(key, [(signed, bent)])
    assert not stand_alone.all_signed(key, [(signed + b"!", good)])
    assert not stand_alone.all_signed(key, [(signed, good[:63])])
    assert not stand_alone.all_signed(bytes.fromhex(VECTORS[0][0] if public != VECTORS[0][0] else VECTORS[1][0]), [(signed, good)])


def test_a_signature_with_the_groups_order_added_is_refused() -> None:
    """The same signature in another dress: refusing it keeps one statement to one signature."""
    public, message, signature = (bytes.fromhex(text) for text in VECTORS[1])
    larger = int.from_bytes(signature[32:], "little") + stand_alone.ORDER
    assert not stand_alone.all_signed(public, [(message, signature[:32] + larger.to_bytes(32, "little"))])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.binary(max_size=50), min_size=1, max_size=12), st.data())
def test_many_signatures_together_and_the_first_bad_one_named(messages: list[bytes], data: st.DataObject) -> None:
    private = Ed25519PrivateKey.from_private_bytes(data.draw(st.binary(min_size=32, max_size=32)))
    public = private.public_key().public_bytes_raw()
    signed = [(message, private.sign(message)) for message in messages]
    assert stand_alone.first_unsigned(public, signed, together=5) is None
    bad = data.draw(st.integers(0, len(signed) - 1))
    bit = data.draw(st.integers(0, 511))
    bent = (int.from_bytes(signed[bad][1], "little") ^ 1 << bit).to_bytes(64, "little")
    signed[bad] = (signed[bad][0], bent)
    assert stand_alone.first_unsigned(public, signed, together=5) == bad
