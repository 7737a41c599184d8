"""A forger's workshop: a pack taken apart, changed, and put together again, sealed afresh where the forger has a key."""

import hashlib
import json
import pathlib
from collections.abc import Callable
from typing import Any

from audit import tree
from audit.sealing import notes

Row = dict[str, Any]


class Forgery:
    """The files of a pack as lists of rows. What is changed here is written back by ``save``."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        self.files = {name: self._read(name) for name in self.manifest["files"]}

    def __getitem__(self, name: str) -> list[Row]:
        return self.files[f"{name}.jsonl"]

    def find(self, name: str, **columns: object) -> Row:
        return next(row for row in self[name] if all(row[column] == value for column, value in columns.items()))

    def save(self) -> None:
        for name, rows in self.files.items():
            text = "".join(tree.canonical(row) + "\n" for row in rows)
            (self.folder / name).write_text(text, encoding="utf-8")
            self.manifest["files"][name] = {"lines": len(rows), "sha256": hashlib.sha256(text.encode()).hexdigest()}
        (self.folder / "manifest.json").write_text(tree.canonical(self.manifest) + "\n", encoding="utf-8")

    def answer_again(self) -> None:
        """Make every record's digests fit the rows as they are now."""
        for record in self["records"]:
            body = json.loads(record["body"])
            for table, group in body["rows"].items():
                key = self.manifest["evidence"][table]
                rows = {row[key]: row for row in self[f"rows/{table}"]}
                lines = "".join(tree.canonical(rows[each]) + "\n" for each in group["keys"])
                group["sha256"] = hashlib.sha256(lines.encode()).hexdigest()
            record["body"] = tree.canonical(body)

    def seal_again(self, signer: notes.Signer, *, with_its_key: bool = True) -> None:
        """A new tree and new signatures over whatever the records are now."""
        records = sorted(self["records"], key=lambda row: (row["epoch"], row["xid"], row["id"]))
        hashes = [
            tree.leaf_hash(tree.record_bytes(record_id=row["id"], epoch=row["epoch"], xid=row["xid"], body=row["body"])) for row in records
        ]
        grown = tree.grow(0, hashes, lambda level, index: b"")
        self.files["leaves.jsonl"] = [
            {"index": place, "record_id": row["id"], "hash": hashed.hex()}
            for place, (row, hashed) in enumerate(zip(records, hashes, strict=True))
        ]
        self.files["nodes.jsonl"] = [
            {"level": level, "index": index, "hash": hashed.hex()} for (level, index), hashed in sorted(grown.items()) if level
        ]
        self["checkpoints"][:] = [row for row in self["checkpoints"] if row["size"] <= len(records)]
        for checkpoint in self["checkpoints"]:
            root = tree.root(checkpoint["size"], lambda level, index: grown[level, index])
            note = signer.sign(notes.Statement(origin=signer.origin, size=checkpoint["size"], root=root))
            checkpoint.update(root=root.hex(), note=note)
        if with_its_key:
            self.manifest["public_key"] = signer.public_key
            (self.folder / "public.key").write_text(signer.public_key + "\n", encoding="utf-8")

    def _read(self, name: str) -> list[Row]:
        return [json.loads(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]


Drill = Callable[[Forgery], None]
