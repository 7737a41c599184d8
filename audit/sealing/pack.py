"""The evidence pack: a folder of plain files from which a verifier that is not us can check everything."""

import datetime
import hashlib
import pathlib
import shutil
from collections.abc import Iterable, Iterator
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, models, transaction

from audit import journal, tree
from audit.models import Checkpoint, Leaf, Node, Record
from audit.sealing import notes

VERSION = 1


def export(*, folder: pathlib.Path, now: datetime.datetime) -> dict[str, Any]:
    """Write the pack, as of one moment, and return its manifest. An older pack in the folder is replaced."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "manifest.json").exists():
        raise FileExistsError(f"{folder} holds something that is not an evidence pack; name another folder.")
    unfinished = folder.with_name(folder.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    manifest = _write(unfinished, now=now)
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)
    return manifest


def evidence_models() -> list[type[models.Model]]:
    """Every model whose rows records answer for: all evidence but the cellar's own, which the tree itself covers."""
    return [model for model in _models_with("is_evidence") if model._meta.app_label != "audit"]


def fold_models() -> list[type[models.Model]]:
    """Every model that can be worked out from evidence; packed so that the working can be compared."""
    return _models_with("is_fold")


def _models_with(attribute: str) -> list[type[models.Model]]:
    marked = [model for model in apps.get_models() if getattr(model, attribute, False)]
    return sorted(marked, key=lambda model: model._meta.db_table)


def _write(folder: pathlib.Path, *, now: datetime.datetime) -> dict[str, Any]:
    signer = notes.Signer(key_file=settings.CHECKPOINT_KEY_FILE, origin=settings.CHECKPOINT_ORIGIN)
    files: dict[str, dict[str, Any]] = {}
    with transaction.atomic(), connection.cursor() as cursor:
        # One snapshot for every file: what is written while we read is in all of them or in none.
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for name, lines in _files():
            files[name] = _write_file(folder / name, lines)
    manifest = {
        "v": VERSION,
        "origin": signer.origin,
        "public_key": signer.public_key,
        "exported_at": journal.plain(now),
        # Each table with the column its rows are known by, which is how records name them.
        "evidence": {model._meta.db_table: model._meta.pk.column for model in evidence_models()},
        "folds": {model._meta.db_table: model._meta.pk.column for model in fold_models()},
        "files": files,
    }
    (folder / "public.key").write_text(signer.public_key + "\n", encoding="utf-8")
    (folder / "manifest.json").write_text(tree.canonical(manifest) + "\n", encoding="utf-8")
    return manifest


def _files() -> Iterator[tuple[str, Iterable[str]]]:
    yield "records.jsonl", _lines(Record, "id")
    yield "leaves.jsonl", _lines(Leaf, "index")
    yield "nodes.jsonl", _lines(Node, "level", "index")
    yield "checkpoints.jsonl", _lines(Checkpoint, "size")
    for model in evidence_models():
        yield f"rows/{model._meta.db_table}.jsonl", _lines(model, "pk")
    for model in fold_models():
        yield f"folds/{model._meta.db_table}.jsonl", _lines(model, "pk")


def _lines(model: type[models.Model], *order: str) -> Iterator[str]:
    for row in model._base_manager.order_by(*order).iterator(chunk_size=2000):
        # A number that evidence may not hold is written out all the same: finding it is the verifier's work, not ours.
        yield journal.line(row, is_strict=False)


def _write_file(path: pathlib.Path, lines: Iterable[str]) -> dict[str, Any]:
    path.parent.mkdir(exist_ok=True)
    digest, count = hashlib.sha256(), 0
    with path.open("wb") as file:
        for count, text in enumerate(lines, start=1):  # noqa: B007  (the last count is how many there were)
            encoded = text.encode() + b"\n"
            digest.update(encoded)
            file.write(encoded)
    return {"lines": count, "sha256": digest.hexdigest()}
