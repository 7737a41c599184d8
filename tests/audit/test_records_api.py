"""Evidence through the door: who may read it, page by page, and a proof that stands without us."""

import json
import pathlib
import re
from typing import Any

import pytest
from django.test import Client

from audit import sealing
from tests.audit import cellar, verifier
from tests.audit.cellar import NOON
from tests.audit.test_problems import assert_problem

pytestmark = [pytest.mark.usefixtures("committed"), pytest.mark.urls("tests.audit.urls")]


@pytest.fixture
def harbor(committed: None) -> Any:
    return cellar.make_property()


@pytest.fixture
def auditor(harbor: Any) -> Client:
    return client_of("ada", harbor, "auditor")


def client_of(username: str, property: Any, role: str) -> Client:
    client = Client()
    client.force_login(cellar.make_person(username, property=property, role=role))
    return client


def test_records_are_read_page_by_page_newest_first(auditor: Client, harbor: Any) -> None:
    written = [cellar.write("H-1", property_id=harbor.pk) for _ in range(5)]
    sealing.seal(now=NOON)
    page = auditor.get("/api/v1/audit/records/?subject=H-1&limit=2").json()
    assert [record["number"] for record in page["records"]] == [written[4].pk, written[3].pk]
    assert page["records"][0]["body"]["actor"] == "system:test"
    assert page["records"][0]["sealed_as"] == sealing.proof(record_id=written[4].pk)["index"]
    last = auditor.get(f"/api/v1/audit/records/?subject=H-1&limit=4&before={page['next_before']}").json()
    assert [record["number"] for record in last["records"]] == [written[2].pk, written[1].pk, written[0].pk]
    assert last["next_before"] is None


def test_one_record_and_its_proof_stand_without_us(auditor: Client, tmp_path: pathlib.Path) -> None:
    records = [cellar.write(str(number)) for number in range(7)]
    sealing.seal(now=NOON)
    cellar.write("more")
    sealing.seal(now=NOON)
    for record in records:
        shown = auditor.get(f"/api/v1/audit/records/{record.pk}/").json()
        assert shown["subject"] == record.subject
        proof = auditor.get(f"/api/v1/audit/records/{record.pk}/proof/")
        (tmp_path / "proof.json").write_bytes(proof.content)
        outcome = verifier.run("--proof", tmp_path / "proof.json", "--key", sealing.signer().public_key)
        assert outcome.returncode == 0, outcome.stderr
        assert f"Record {record.pk} (happened, system:test" in outcome.stdout


BENT: list[tuple[str, Any, str]] = [
    ("index", lambda proof: proof["index"] + 1, "The path has|is not what was sealed"),
    ("index", lambda proof: 999, "Leaf 999 is not among the 9"),
    ("path", lambda proof: proof["path"][::-1], "is not what was sealed as leaf"),
    ("path", lambda proof: proof["path"][1:], "The path has 3 steps where a tree of 9 leaves asks for 4"),
    (
        "record",
        lambda proof: {**proof["record"], "body": proof["record"]["body"].replace("test", "tent")},
        "is not what was sealed as leaf",
    ),
    ("record", lambda proof: {**proof["record"], "id": 77}, "Record 77 is not what was sealed"),
    ("checkpoint", lambda proof: proof["checkpoint"].replace("\n9\n", "\n10\n"), "The signature under the proof's checkpoint"),
    ("public_key", lambda proof: proof["public_key"][:-4] + "AAAA", "This is not an Ed25519 public key"),
]


def test_a_bent_proof_is_refused(auditor: Client, tmp_path: pathlib.Path) -> None:
    record = [cellar.write(str(number)) for number in range(8)][2]
    sealing.seal(now=NOON)
    proof = auditor.get(f"/api/v1/audit/records/{record.pk}/proof/").json()
    assert "\n9\n" in proof["checkpoint"], "appointing the auditor and eight records make nine"
    for member, bend, sentence in BENT:
        (tmp_path / "proof.json").write_text(json.dumps({**proof, member: bend(proof)}))
        outcome = verifier.run("--proof", tmp_path / "proof.json")
        assert outcome.returncode == 1, (member, outcome.stdout)
        assert re.search(sentence, outcome.stderr), outcome.stderr
    (tmp_path / "proof.json").write_text(json.dumps(proof))
    assert "not by the key you trust" in verifier.run("--proof", tmp_path / "proof.json", "--key", "linkmeter+00000000+AAAA").stderr


def test_a_record_not_sealed_yet_asks_to_try_again(auditor: Client) -> None:
    record = cellar.write("fresh")
    response = auditor.get(f"/api/v1/audit/records/{record.pk}/proof/")
    assert_problem(response, status=503, code="not-sealed-yet", retryable=True)


def test_checkpoints_are_signed_notes_newest_first(auditor: Client) -> None:
    for _ in range(3):
        cellar.write("one")
        sealing.seal(now=NOON)
    answer = auditor.get("/api/v1/audit/checkpoints/", {"limit": 2}).json()
    sizes = [checkpoint["size"] for checkpoint in answer["checkpoints"]]
    assert sizes == sorted(sizes, reverse=True)
    assert answer["next_before"] == sizes[-1]
    assert answer["public_key"] == sealing.signer().public_key
    assert answer["checkpoints"][0]["note"].startswith(f"linkmeter\n{sizes[0]}\n{answer['checkpoints'][0]['root']}\n\n— linkmeter ")


@pytest.mark.parametrize("role", ["auditor", "accounting", "supervisor", "shift-supervisor"])
def test_readers_may_read(harbor: Any, role: str) -> None:
    assert client_of("ada", harbor, role).get("/api/v1/audit/records/").status_code == 200


@pytest.mark.parametrize("role", ["dealer", "floorperson", "cashier", "approver", "technician", "administrator"])
@pytest.mark.parametrize("path", ["records/", "records/1/", "records/1/proof/", "checkpoints/"])
def test_others_may_not(harbor: Any, role: str, path: str) -> None:
    assert_problem(client_of("bob", harbor, role).get(f"/api/v1/audit/{path}"), status=403, code="evidence-not-yours")


def test_strangers_are_asked_who_they_are(committed: None) -> None:
    assert_problem(Client().get("/api/v1/audit/records/"), status=401, code="not-authenticated")


def test_another_propertys_records_are_not_there(auditor: Client) -> None:
    theirs = cellar.write("theirs", property_id=cellar.make_property("bay").pk)
    assert auditor.get("/api/v1/audit/records/", {"subject": "theirs"}).json()["records"] == []
    for path in (f"records/{theirs.pk}/", f"records/{theirs.pk}/proof/", "records/999999/"):
        assert_problem(auditor.get(f"/api/v1/audit/{path}"), status=404, code="no-such-thing")


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 501}, {"before": "x"}, {"limit": "1.5"}, {"sujbect": "H-1"}])
def test_a_query_that_cannot_be_read_is_refused(auditor: Client, query: dict[str, Any]) -> None:
    body = assert_problem(auditor.get("/api/v1/audit/records/", query), status=422, code="invalid")
    assert [error["field"] for error in body["errors"]] == list(query)
