"""bin/verify as a newcomer uses it: no arguments, against the service's own database, before and after a change behind its back."""

import os
import pathlib
import re
import subprocess

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from audit import sealing
from tests import embedded
from tests.audit import cellar, night, verifier
from tests.audit.cellar import NOON

pytestmark = pytest.mark.usefixtures("committed")

ENVIRONMENT = ("SECRET_KEY", "DATABASE_URL", "BROKER_URL")


@pytest.fixture
def var(tmp_path: pathlib.Path, key_file: pathlib.Path) -> pathlib.Path:
    """The folder that bin/run keeps, as far as the verifier needs it."""
    var = tmp_path / "var"
    var.mkdir()
    kept = {name: os.environ[name] for name in ENVIRONMENT}
    kept |= {
        "LINKMETER_VAR": str(var),
        "CHECKPOINT_KEY_FILE": str(key_file),
        "LINKMETER_PSQL": embedded.database_server.psql(embedded.DATABASE),
    }
    (var / "run.env").write_text("".join(f"{name}={value}\n" for name, value in kept.items()))
    return var


def commands_shown_in(output: str) -> list[str]:
    """The commands that the verifier suggests to its reader, to change a row and to put it back."""
    return [line.strip() for line in output.splitlines() if "session_replication_role" in line]


def type_in(command: str) -> None:
    outcome = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602  (as its reader would)
    assert "UPDATE 1" in outcome.stdout, outcome.stderr


def test_what_the_verifier_suggests_is_found_and_put_back(var: pathlib.Path) -> None:
    night.play()
    first = verifier.run(LINKMETER_VAR=str(var))
    assert first.returncode == 0, first.stderr
    change, put_back = commands_shown_in(first.stdout)
    type_in(change)
    found = verifier.run(LINKMETER_VAR=str(var))
    assert found.returncode == 1
    assert re.search(r"NOT AS SEALED: Row 1 of ledger_transfer is not what record \d+ \(initial\) says it was", found.stderr)
    type_in(put_back)
    assert verifier.run(LINKMETER_VAR=str(var)).returncode == 0


CHANGES = [
    (
        "UPDATE audit_record SET body = replace(body, 'approved', 'approvee') WHERE kind = 'approved'",
        r"Record \d+ .* is not what was sealed",
    ),
    ("UPDATE people_signature SET facts = '{\"award\": 0.5}' WHERE id = 1", r"Row 1 of people_signature is not what record"),
    ("DELETE FROM people_signature WHERE id = 1", "Row 1 of people_signature is missing"),
    (
        "INSERT INTO people_signature SELECT 99, act, subject, facts, signed_at, person_id, property_id FROM people_signature WHERE id = 1",
        "Row 99 of people_signature was added behind the service's back",
    ),
    ("UPDATE ledger_account SET may_be_negative = true WHERE code = 'main'", "One of the rows .* of ledger_account is not what record"),
    ("UPDATE ledger_balance SET credits_posted = credits_posted + 1, debits_posted = debits_posted + 1", "The balance of account 1"),
    ("DELETE FROM audit_leaf WHERE index = 2", "Leaf 2 is missing"),
    ("DELETE FROM audit_checkpoint WHERE size = (SELECT max(size) FROM audit_checkpoint)", "The last checkpoint covers"),
]


@pytest.mark.parametrize(("change", "sentence"), CHANGES)
def test_a_change_made_in_the_database_itself_is_found(tmp_path: pathlib.Path, change: str, sentence: str) -> None:
    night.play()
    with cellar.behind_the_back() as cursor:
        cursor.execute(change)
        assert cursor.rowcount > 0
    sealing.export(folder=tmp_path / "pack", now=NOON)
    found = verifier.run(tmp_path / "pack")
    assert found.returncode == 1
    assert re.search(f"NOT AS SEALED: {sentence}", found.stderr), found.stderr


def test_a_tail_cut_off_in_the_database_is_found_by_what_the_verifier_kept(var: pathlib.Path) -> None:
    for number in range(4):
        cellar.write(str(number))
    assert verifier.run(LINKMETER_VAR=str(var)).returncode == 0
    with cellar.behind_the_back() as cursor:
        cursor.execute("TRUNCATE audit_leaf, audit_node, audit_checkpoint, audit_record CASCADE")
    found = verifier.run(LINKMETER_VAR=str(var))
    assert found.returncode == 1
    assert "there were 4 sealed records; only 0 are left" in found.stderr


def test_the_pack_is_written_even_where_nothing_more_is_signed(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    cellar.write("one")
    sealing.seal(now=NOON)
    with cellar.behind_the_back() as cursor:
        cursor.execute("UPDATE audit_leaf SET hash = sha256(hash)")
    cellar.write("two")
    call_command("evidence", tmp_path / "pack")
    assert "Not sealed: The first 1 records are no longer" in capsys.readouterr().err
    assert "Record 1 (happened), sealed as leaf 0, is not what was sealed" in verifier.run(tmp_path / "pack").stderr


def test_a_record_that_waits_for_its_seal_is_counted_and_not_condemned(tmp_path: pathlib.Path) -> None:
    cellar.write("one")
    sealing.seal(now=NOON)
    cellar.write("two")
    sealing.export(folder=tmp_path / "pack", now=NOON)
    outcome = verifier.run(tmp_path / "pack")
    assert outcome.returncode == 0, outcome.stderr
    assert "2 records: 1 sealed, in order and unchanged; 1 still waiting" in outcome.stdout


def test_a_pack_replaces_a_pack_but_nothing_else(tmp_path: pathlib.Path) -> None:
    call_command("evidence", tmp_path / "pack")
    call_command("evidence", tmp_path / "pack")
    assert verifier.run(tmp_path / "pack").returncode == 0
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "love.txt").write_text("keep me")
    with pytest.raises(CommandError, match="not an evidence pack"):
        call_command("evidence", tmp_path / "letters")
    assert (tmp_path / "letters" / "love.txt").exists()


def test_where_nothing_runs_it_says_so(tmp_path: pathlib.Path) -> None:
    outcome = verifier.run(LINKMETER_VAR=str(tmp_path))
    assert outcome.returncode == 1
    assert "Start bin/run first" in outcome.stderr
