"""Tampering drills: real packs, changed in every way we can think of, each found by the stand-alone verifier and named."""

import json
import pathlib
import random
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings

from audit import sealing
from audit.sealing import notes
from tests import conftest
from tests.audit import night, verifier
from tests.audit.cellar import NOON
from tests.audit.forging import Drill, Forgery

stand_alone = verifier.load()


@pytest.fixture(scope="module")
def original(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[pathlib.Path]:
    """One night's pack, made once; the drills work on copies. The key that signed it lies beside it."""
    folder = tmp_path_factory.mktemp("night")
    with django_db_blocker.unblock(), override_settings(CHECKPOINT_KEY_FILE=folder / "checkpoint.key"):
        try:
            night.play()
            sealing.export(folder=folder / "pack", now=NOON)
        finally:
            conftest.empty_all_tables()
    yield folder / "pack"


@pytest.fixture
def pack(original: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    return shutil.copytree(original, tmp_path / "pack")


@pytest.fixture
def own_signer(original: pathlib.Path) -> notes.Signer:
    """The service's own key, in the hands of an insider."""
    return notes.Signer(key_file=original.parent / "checkpoint.key", origin="linkmeter")


@pytest.fixture
def other_signer(tmp_path: pathlib.Path) -> notes.Signer:
    return notes.Signer(key_file=tmp_path / "another.key", origin="linkmeter")


def assert_found(folder: pathlib.Path, sentence: str, *options: object) -> None:
    outcome = verifier.run(folder, *options)
    assert outcome.returncode == 1, outcome.stdout
    assert re.search(f"NOT AS SEALED: .*{sentence}", outcome.stderr), outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_an_untouched_pack_is_as_it_was_sealed(pack: pathlib.Path) -> None:
    outcome = verifier.run(pack)
    assert outcome.returncode == 0, outcome.stderr
    assert "Everything is as it was sealed." in outcome.stdout
    assert "4 signed checkpoints" in outcome.stdout
    assert "10 transfers: all 9 balances" in outcome.stdout
    assert "0 still waiting" in outcome.stdout


def flip_a_letter_of_a_record(forgery: Forgery) -> None:
    record = forgery.find("records", kind="approved", subject="H-000001")
    record["body"] = record["body"].replace("system:test", "system:tesu")


def delete_a_record(forgery: Forgery) -> None:
    forgery["records"].remove(forgery.find("records", subject="H-000002"))


def add_a_record(forgery: Forgery) -> None:
    first = forgery["records"][0]
    body = json.loads(first["body"])
    body["rows"] = {}
    forgery["records"].append({**first, "id": 999, "body": json.dumps(body)})


def add_a_record_twice(forgery: Forgery) -> None:
    forgery["records"].append(forgery["records"][-1])


def swap_two_records(forgery: Forgery) -> None:
    one, other = forgery["records"][2], forgery["records"][3]
    one["body"], other["body"] = other["body"], one["body"]


def reorder_two_leaves(forgery: Forgery) -> None:
    one, other = forgery["leaves"][3], forgery["leaves"][4]
    for column in ("record_id", "hash"):
        one[column], other[column] = other[column], one[column]


def change_a_records_place(forgery: Forgery) -> None:
    forgery["records"][4]["xid"] += 1


def relabel_a_record(forgery: Forgery) -> None:
    forgery.find("records", subject="H-000002")["kind"] = "approved"


def resubject_a_record(forgery: Forgery) -> None:
    forgery.find("records", kind="rejected")["subject"] = "H-000001"


def drop_a_leaf(forgery: Forgery) -> None:
    del forgery["leaves"][5]


def drop_the_last_record_and_leaf(forgery: Forgery) -> None:
    del forgery["records"][-1], forgery["leaves"][-1]
    forgery["nodes"][:] = [node for node in forgery["nodes"] if (node["index"] + 1) << node["level"] <= len(forgery["leaves"])]


def drop_the_last_checkpoint(forgery: Forgery) -> None:
    del forgery["checkpoints"][-1]


def change_a_root(forgery: Forgery) -> None:
    forgery["checkpoints"][1]["root"] = "00" * 32


def swap_two_notes(forgery: Forgery) -> None:
    one, other = forgery["checkpoints"][1], forgery["checkpoints"][2]
    one["note"], other["note"] = other["note"], one["note"]


def bend_a_signature(forgery: Forgery) -> None:
    note = forgery["checkpoints"][1]["note"]
    place = len(note) - 20
    forgery["checkpoints"][1]["note"] = note[:place] + ("A" if note[place] != "A" else "B") + note[place + 1 :]


def change_a_node(forgery: Forgery) -> None:
    forgery["nodes"][0]["hash"] = "00" * 32


def drop_a_node(forgery: Forgery) -> None:
    del forgery["nodes"][2]


def change_a_transfer(forgery: Forgery) -> None:
    forgery["rows/ledger_transfer"][1]["amount_micros"] += 1


def delete_a_transfer(forgery: Forgery) -> None:
    del forgery["rows/ledger_transfer"][1]


def add_a_transfer(forgery: Forgery) -> None:
    forgery["rows/ledger_transfer"].append({**forgery["rows/ledger_transfer"][1], "id": 999})


def swap_two_transfers(forgery: Forgery) -> None:
    one, other = forgery["rows/ledger_transfer"][1], forgery["rows/ledger_transfer"][2]
    one["id"], other["id"] = other["id"], one["id"]


def change_one_of_two_signatures(forgery: Forgery) -> None:
    forgery.find("rows/people_signature", subject="H-000004")["facts"]["award"] = "9.00"


def change_a_balance(forgery: Forgery) -> None:
    forgery["folds/ledger_balance"][0]["credits_posted"] += 1


def drop_a_balance(forgery: Forgery) -> None:
    del forgery["folds/ledger_balance"][0]


def fold_less(forgery: Forgery) -> None:
    forgery["folds/ledger_folded"][0]["folded_count"] -= 1


def fold_further(forgery: Forgery) -> None:
    forgery["folds/ledger_folded"][0]["folded_to"] += 2


def hide_a_table(forgery: Forgery) -> None:
    del forgery.manifest["evidence"]["people_signature"]


def double_a_transfer(forgery: Forgery) -> None:
    forgery["rows/ledger_transfer"].append(forgery["rows/ledger_transfer"][1])


def reorder_two_checkpoints(forgery: Forgery) -> None:
    forgery["checkpoints"][1:3] = forgery["checkpoints"][2:0:-1]


def garble_a_note(forgery: Forgery) -> None:
    forgery["checkpoints"][1]["note"] = "linkmeter\n5\n"


def claim_another_key(forgery: Forgery) -> None:
    forgery.manifest["public_key"] = "linkmeter+00000000+AAAA"


def come_from_the_future(forgery: Forgery) -> None:
    forgery.manifest["v"] = 2


DRILLS: list[tuple[Drill, str]] = [
    (double_a_transfer, r"Row 2 of ledger_transfer is there twice"),
    (reorder_two_checkpoints, r"The checkpoint over \d+ records stands after the one over \d+"),
    (garble_a_note, r"The checkpoint over \d+ records is not a signed note"),
    (claim_another_key, r"The public key beside the pack is not the one its manifest names"),
    (come_from_the_future, r"The pack is of version 2, which this verifier does not know"),
    (flip_a_letter_of_a_record, r"Record \d+ \(approved\), sealed as leaf \d+, is not what was sealed"),
    (delete_a_record, r"Record \d+, sealed as leaf \d+, is missing"),
    (add_a_record, r"Record 999 .* is not sealed, though later ones are"),
    (add_a_record_twice, r"Record \d+ is there twice"),
    (swap_two_records, r"Record 3 .*, sealed as leaf 2, is not what was sealed"),
    (reorder_two_leaves, r"Record \d+, leaf 4, stands after one that is later"),
    (change_a_records_place, r"Record 5 .*, sealed as leaf 4, is not what was sealed"),
    (relabel_a_record, r"Record \d+ says kind 'rejected', but its column says 'approved'"),
    (resubject_a_record, r"Record \d+ says subject 'H-000002', but its column says 'H-000001'"),
    (drop_a_leaf, r"Leaf 5 is missing"),
    (drop_the_last_record_and_leaf, r"The checkpoint over (\d+) records was signed, but only \d+ sealed records are left"),
    (drop_the_last_checkpoint, r"The last checkpoint covers \d+ records, but \d+ are sealed"),
    (change_a_root, r"The checkpoint over \d+ records is kept beside a note that says something else"),
    (swap_two_notes, r"The checkpoint over \d+ records is kept beside a note that says something else"),
    (bend_a_signature, r"The signature under the checkpoint over \d+ records is not by the key linkmeter\+"),
    (change_a_node, r"Node 0 on level 1 of the tree is not the hash of what is below it"),
    (drop_a_node, r"Node 2 on level 1 of the tree is missing"),
    (change_a_transfer, r"Row 2 of ledger_transfer is not what record \d+ \(contribution\) says it was"),
    (delete_a_transfer, r"Row 2 of ledger_transfer is missing: record \d+ \(contribution\) answers for it"),
    (add_a_transfer, r"Row 999 of ledger_transfer was added behind the service's back"),
    (swap_two_transfers, r"Row 2 of ledger_transfer is not what record \d+ \(contribution\) says it was"),
    (change_one_of_two_signatures, r"One of the rows \d+, \d+ of people_signature is not what record \d+ \(approved\) says it was"),
    (change_a_balance, r"The balance of account 1 \(main\) says credits_posted \d+, but its transfers come to \d+"),
    (drop_a_balance, r"The balance of account 1 \(main\) says credits_posted 0, but its transfers come to \d+"),
    (fold_less, r"Progressive 1 says \d+ transfers are folded, but \d+ are there"),
    (fold_further, r"The balance of account \d+ \(main\)"),
    (hide_a_table, r"answers for rows of people_signature, but the pack does not have that table"),
]


@pytest.mark.parametrize(("drill", "sentence"), DRILLS, ids=lambda value: getattr(value, "__name__", ""))
def test_what_was_changed_is_found_and_named(pack: pathlib.Path, drill: Drill, sentence: str) -> None:
    forgery = Forgery(pack)
    drill(forgery)
    forgery.save()
    assert_found(pack, sentence)


def test_taking_a_pack_apart_and_together_again_changes_nothing(pack: pathlib.Path) -> None:
    """The workshop itself leaves no trace, so what the drills find is what they changed."""
    Forgery(pack).save()
    assert verifier.run(pack).returncode == 0


def test_any_byte_flipped_in_any_file_is_found(pack: pathlib.Path) -> None:
    chance = random.Random(11)
    names = [path for path in sorted(pack.rglob("*")) if path.is_file() and path.name != "manifest.json" and path.stat().st_size]
    assert len(names) > 8
    for _ in range(300):
        path = chance.choice(names)
        before = path.read_bytes()
        place = chance.randrange(len(before))
        path.write_bytes(before[:place] + bytes([before[place] ^ 1 << chance.randrange(8)]) + before[place + 1 :])
        # One kind of white space for another at the end of the key is the same key.
        if path.name != "public.key" or path.read_bytes().strip() != before.strip():
            with pytest.raises((stand_alone.Bad, OSError, KeyError, TypeError, ValueError, AttributeError)):
                stand_alone.check_pack(pack)
        path.write_bytes(before)
    stand_alone.check_pack(pack)


@pytest.mark.parametrize("name", ["records.jsonl", "leaves.jsonl", "nodes.jsonl", "checkpoints.jsonl", "rows/people_signature.jsonl"])
def test_a_missing_file_is_found(pack: pathlib.Path, name: str) -> None:
    (pack / name).unlink()
    assert_found(pack, f"{name} is missing from the pack")


def test_a_file_that_was_put_in_is_found(pack: pathlib.Path) -> None:
    (pack / "rows" / "extra.jsonl").write_text("{}\n")
    assert_found(pack, "rows/extra.jsonl is in the pack but not in its manifest")


def test_a_row_that_cannot_be_read_is_found(pack: pathlib.Path) -> None:
    with (pack / "rows" / "ledger_transfer.jsonl").open("a") as file:
        file.write("not json\n")
    assert_found(pack, "Line 11 of rows/ledger_transfer.jsonl cannot be read")


def test_a_tail_cut_off_cleanly_is_found_by_whoever_kept_a_checkpoint(
    pack: pathlib.Path, own_signer: notes.Signer, tmp_path: pathlib.Path
) -> None:
    """With the service's own key the shorter history is flawless in itself; only a checkpoint kept elsewhere gives it away."""
    kept = tmp_path / "kept"
    assert verifier.run(pack, "--known", kept).returncode == 0
    forgery = Forgery(pack)
    last = forgery["records"].pop()
    gone = {table: set(group["keys"]) for table, group in json.loads(last["body"])["rows"].items()}
    for table, keys in gone.items():
        forgery[f"rows/{table}"][:] = [row for row in forgery[f"rows/{table}"] if row["id"] not in keys]
    forgery["checkpoints"][-1]["size"] -= 1
    forgery.seal_again(own_signer)
    forgery.save()
    assert verifier.run(pack).returncode == 0, "this forgery should be flawless in itself"
    assert_found(pack, r"kept proves that there were \d+ sealed records; only \d+ are left", "--known", kept)


def test_a_history_rewritten_with_our_own_key_is_found_by_whoever_kept_a_checkpoint(
    pack: pathlib.Path, own_signer: notes.Signer, tmp_path: pathlib.Path
) -> None:
    """Any note will do, such as one copied from GET audit/checkpoints/ weeks ago."""
    kept = tmp_path / "kept"
    note = Forgery(pack)["checkpoints"][1]["note"]
    kept.write_text(note, encoding="utf-8")
    assert verifier.run(pack, "--known", kept).returncode == 0
    kept.write_text(note, encoding="utf-8")
    forgery = Forgery(pack)
    record = forgery["records"][2]
    record["body"] = record["body"].replace("system:test", "system:else")
    forgery.seal_again(own_signer)
    forgery.save()
    assert verifier.run(pack).returncode == 0, "this forgery should be flawless in itself"
    assert_found(pack, r"The first \d+ records are no longer those that the checkpoint in .*kept was signed for", "--known", kept)


def test_what_another_key_signed_is_found(pack: pathlib.Path, other_signer: notes.Signer) -> None:
    forgery = Forgery(pack)
    forgery.seal_again(other_signer, with_its_key=False)
    forgery.save()
    assert_found(pack, "The checkpoint over \\d+ records is not signed by the key linkmeter\\+")


def test_a_pack_resigned_with_another_key_in_place_of_ours_is_found_by_whoever_knows_ours(
    pack: pathlib.Path, own_signer: notes.Signer, other_signer: notes.Signer, tmp_path: pathlib.Path
) -> None:
    kept = tmp_path / "kept"
    assert verifier.run(pack, "--known", kept, "--key", own_signer.public_key).returncode == 0
    forgery = Forgery(pack)
    forgery.seal_again(other_signer)
    forgery.save()
    assert verifier.run(pack).returncode == 0, "nothing inside this pack can give it away"
    assert_found(pack, "not by the key you trust", "--key", own_signer.public_key)
    assert_found(pack, "kept was signed by", "--known", kept)


def change_an_amount_everywhere(forgery: Forgery) -> None:
    forgery["rows/ledger_transfer"][1]["amount_micros"] += 1


def resolve_a_larger_amount(forgery: Forgery) -> None:
    forgery.find("rows/ledger_transfer", kind=3)["amount_micros"] += 1


def resolve_twice(forgery: Forgery) -> None:
    forgery.find("rows/ledger_transfer", kind=4)["resolves_id"] = forgery.find("rows/ledger_transfer", kind=3)["resolves_id"]


def lend_to_a_meter(forgery: Forgery) -> None:
    forgery["rows/ledger_transfer"][-1].update(debit_id=2, credit_id=1)


def strand_money_in_clearing(forgery: Forgery) -> None:
    clearing = forgery.find("rows/ledger_account", code="clearing")["id"]
    forgery["rows/ledger_transfer"][-1].update(credit_id=clearing)


def book_on_a_foreign_account(forgery: Forgery) -> None:
    forgery["rows/ledger_transfer"][0]["credit_id"] = 77


def move_nothing(forgery: Forgery) -> None:
    forgery["rows/ledger_transfer"][2]["amount_micros"] = 0


def reverse_twice(forgery: Forgery) -> None:
    for transfer in forgery["rows/ledger_transfer"][-2:]:
        transfer["reverses_id"] = 2


def resolve_with_a_plain_transfer(forgery: Forgery) -> None:
    forgery.find("rows/ledger_transfer", kind=3)["kind"] = 1


def speak_another_version(forgery: Forgery) -> None:
    record = forgery["records"][3]
    record["body"] = record["body"].replace('"v":1', '"v":2')


INSIDERS: list[tuple[Drill, str]] = [
    (move_nothing, r"Transfer 3 moves nothing"),
    (reverse_twice, r"Transfer 2 is resolved or reversed twice: by 9 and by 10"),
    (resolve_with_a_plain_transfer, r"Transfer \d+ of kind 1 and the reservation it resolves do not go together"),
    (speak_another_version, r"Record 4 is of version 2, which this verifier does not know"),
    (change_an_amount_everywhere, r"The balance of account \d+ \(main\) says credits_posted"),
    (resolve_a_larger_amount, r"Transfer \d+ does not match the reservation \d+ it resolves"),
    (resolve_twice, r"Transfer \d+ is resolved or reversed twice"),
    (lend_to_a_meter, r"Account 2 \(secondary\) has passed below zero"),
    (strand_money_in_clearing, r"The clearing accounts together are not zero"),
    (book_on_a_foreign_account, r"Transfer 1 names account 77, which is not its progressive's"),
]


@pytest.mark.parametrize(("drill", "sentence"), INSIDERS, ids=lambda value: getattr(value, "__name__", ""))
def test_money_that_does_not_add_up_is_found_though_an_insider_sealed_it(
    pack: pathlib.Path, own_signer: notes.Signer, drill: Drill, sentence: str
) -> None:
    forgery = Forgery(pack)
    drill(forgery)
    forgery.answer_again()
    forgery.seal_again(own_signer)
    forgery.save()
    assert_found(pack, sentence)


def test_a_checkpoint_over_another_history_is_found(pack: pathlib.Path, own_signer: notes.Signer) -> None:
    """Signed with the right key, and in itself without a flaw: but these records do not have that root."""
    forgery = Forgery(pack)
    checkpoint = forgery["checkpoints"][1]
    note = own_signer.sign(notes.Statement(origin="linkmeter", size=checkpoint["size"], root=b"r" * 32))
    checkpoint.update(root=(b"r" * 32).hex(), note=note)
    forgery.save()
    assert_found(pack, r"The checkpoint over \d+ records has another root than the records have")


def test_a_file_that_is_not_the_exported_one_is_found(pack: pathlib.Path) -> None:
    """Where the rows read the same, as with a space between them, the manifest still tells."""
    path = pack / "leaves.jsonl"
    path.write_text(path.read_text().replace("{", "{ ", 1))
    assert_found(pack, "leaves.jsonl is not the file that was exported")


def test_a_kept_checkpoint_that_nobody_signed_proves_nothing(pack: pathlib.Path, tmp_path: pathlib.Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text(Forgery(pack)["checkpoints"][1]["note"].replace("linkmeter\n", "linkmeter\n1", 1), encoding="utf-8")
    assert_found(pack, "The checkpoint in .*kept is not signed by", "--known", kept)


def test_a_row_that_two_records_answer_for_is_found(pack: pathlib.Path, own_signer: notes.Signer) -> None:
    forgery = Forgery(pack)
    one, other = (row for row in forgery["records"] if row["kind"] in {"approved", "rejected"} and row["subject"] < "H-000003")
    first, second = json.loads(one["body"]), json.loads(other["body"])
    second["rows"]["people_signature"] = first["rows"]["people_signature"]
    other["body"] = json.dumps(second)
    forgery.seal_again(own_signer)
    forgery.save()
    assert_found(pack, r"Row \d+ of people_signature is answered for twice: by record \d+ and by record \d+")


def test_what_is_no_pack_is_said_to_be_none(tmp_path: pathlib.Path) -> None:
    assert_found(tmp_path, "is not an evidence pack")
