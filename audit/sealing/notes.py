"""Checkpoints as signed notes (C2SP tlog-checkpoint over signed-note, Ed25519), and the signer, who remembers what it signed."""

import base64
import contextlib
import hashlib
import os
import pathlib
import tempfile
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

# The signed-note number of Ed25519.
ED25519 = b"\x01"


class BadNote(ValueError):
    """The note is not a checkpoint signed by that key."""


@dataclass(frozen=True)
class Statement:
    """What a checkpoint says: the first size records have this root."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


class Signer:
    """Holds the private key, and beside it the last note it signed, so that a rewritten database cannot get a signature."""

    def __init__(self, *, key_file: pathlib.Path, origin: str) -> None:
        if not origin or "+" in origin or any(letter.isspace() for letter in origin):
            raise ValueError(f"A checkpoint's origin has no spaces and no plus sign: {origin!r}.")
        self.origin = origin
        self.memory = key_file.with_name(key_file.name + ".last")
        self._key = _load_or_make(key_file, origin)
        self.public = self._key.public_key().public_bytes_raw()

    @property
    def public_key(self) -> str:
        """The verifier key in the usual form: name, key id, key."""
        return f"{self.origin}+{key_id(self.origin, self.public).hex()}+{base64.b64encode(ED25519 + self.public).decode()}"

    def sign(self, statement: Statement) -> str:
        text = statement.text()
        signature = key_id(self.origin, self.public) + self._key.sign(text.encode())
        return f"{text}\n— {self.origin} {base64.b64encode(signature).decode()}\n"

    def remembered(self) -> Statement | None:
        """The last statement this signer put its name to, whatever the database says now."""
        if not self.memory.exists():
            return None
        return read(self.memory.read_text(encoding="utf-8"), origin=self.origin, public=self.public)

    def remember(self, note: str) -> None:
        _write_private(self.memory, note)


def key_id(name: str, public: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + ED25519 + public).digest()[:4]


def read(note: str, *, origin: str, public: bytes) -> Statement:
    """The statement of a note, if the note is signed by that key."""
    try:
        text, _, signed = note.partition("\n\n")
        name, size, root = text.split("\n")
        dash, signer, encoded = signed.removesuffix("\n").split(" ")
        signature = base64.b64decode(encoded, validate=True)
        statement = Statement(origin=name, size=int(size), root=base64.b64decode(root, validate=True))
        if (dash, signer, name, signature[:4]) != ("—", origin, origin, key_id(origin, public)):
            raise BadNote(f"The note is not signed by {origin}.")
        Ed25519PublicKey.from_public_bytes(public).verify(signature[4:], f"{text}\n".encode())
    except (InvalidSignature, ValueError) as wrong:
        raise BadNote("The note is not a checkpoint signed by this key.") from wrong
    return statement


def _load_or_make(key_file: pathlib.Path, origin: str) -> Ed25519PrivateKey:
    if not key_file.exists():
        key_file.parent.mkdir(parents=True, exist_ok=True)
        made = Ed25519PrivateKey.generate()
        hashed = key_id(origin, made.public_key().public_bytes_raw()).hex()
        secret = base64.b64encode(ED25519 + made.private_bytes_raw()).decode()
        # Two processes may start at once: the first to make the key wins, and the other uses that one.
        with contextlib.suppress(FileExistsError):
            _write_private(key_file, f"PRIVATE+KEY+{origin}+{hashed}+{secret}\n", must_be_new=True)
    return Ed25519PrivateKey.from_private_bytes(_seed(key_file.read_text(encoding="utf-8")))


def _seed(text: str) -> bytes:
    # The seed is base64 and may itself hold plus signs, so it is what follows the fourth.
    parts = text.strip().split("+", 4)
    if parts[:2] != ["PRIVATE", "KEY"] or len(parts) != 5:
        raise ValueError("The checkpoint key file does not hold a private key.")
    return base64.b64decode(parts[4], validate=True)[1:]


def _write_private(path: pathlib.Path, text: str, *, must_be_new: bool = False) -> None:
    # Written whole beside the file and then put in its place, so that a crash leaves the old one or the new one.
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if must_be_new:
            os.link(name, path)
        else:
            os.replace(name, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
