"""Which way imports go is a test, because a rule that is only written down is broken quietly."""

import pathlib
import subprocess
import sys
import tomllib

from tests.house import files

# A contract that is taken out is a decision, and shows here.
CONTRACTS = {
    "One staircase",
    "Rooms of jackpots",
    "Rooms of tables",
    "Rooms of audit",
    "The rules and the tree are pure",
    "Only the book opens the ledger",
    "Only the cellar opens the records",
}


def test_imports_go_downstairs_only() -> None:
    program = pathlib.Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache"], cwd=files.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(CONTRACTS)} kept, 0 broken" in done.stdout


def test_no_contract_has_been_dropped() -> None:
    written = tomllib.loads((files.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {contract["name"] for contract in written["tool"]["importlinter"]["contracts"]} == CONTRACTS
