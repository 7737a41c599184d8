"""`manage.py simulate` as the runner starts it: real process, real signals."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from tests.simulator import contract_server

ROOT = pathlib.Path(__file__).resolve().parents[2]


def start(contract: contract_server.ContractServer, folder: pathlib.Path, *options: str) -> subprocess.Popen[str]:
    cast = {"people": [], "controllers": [contract.add_table(table="CSP-01", progressive="caribbean-link")]}
    (folder / "demo.json").write_text(json.dumps(cast))
    command = [sys.executable, "manage.py", "simulate", "--demo", str(folder / "demo.json"), "--url", contract.url, *options]
    # The simulator reads no database; addresses that lead nowhere show that it does not try.
    nowhere = {"SECRET_KEY": "unused", "DATABASE_URL": "postgresql://127.0.0.1:9/none", "BROKER_URL": "redis://127.0.0.1:9"}
    environment = {**os.environ, **nowhere, "DJANGO_SETTINGS_MODULE": "settings.base", "LINKMETER_VAR": str(folder)}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


@pytest.mark.worker
def test_so_many_rounds_are_played_and_the_account_is_the_last_line(
    contract: contract_server.ContractServer, tmp_path: pathlib.Path
) -> None:
    running = start(contract, tmp_path, "--rounds", "2", "--pace", "1000", "--seed", "3")
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    last = lines(errors)[-1]
    assert last["event"] == "the floor is closed"
    assert last["account"]["rounds"] == {"CSP-01": 2}  # type: ignore[index]
    assert len(contract.applied("settle")) == 2


@pytest.mark.worker
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_closes_the_floor_cleanly_in_the_middle_of_a_round(
    contract: contract_server.ContractServer, tmp_path: pathlib.Path, number: signal.Signals
) -> None:
    running = start(contract, tmp_path, "--pace", "1")
    deadline = time.monotonic() + 60
    while not contract.applied("wager"):
        assert time.monotonic() < deadline and running.poll() is None
        time.sleep(0.02)
    running.send_signal(number)
    _, errors = running.communicate(timeout=30)
    assert running.returncode == 0, errors
    assert [line["event"] for line in lines(errors)][-2:] == ["the table closes", "the floor is closed"]


@pytest.mark.worker
def test_a_revoked_token_is_one_sentence(contract: contract_server.ContractServer, tmp_path: pathlib.Path) -> None:
    running = start(contract, tmp_path)
    contract.controllers.clear()
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "CommandError: CTL-CSP-01 was answered 401 not-authenticated" in errors
    assert "Traceback" not in errors


@pytest.mark.worker
def test_an_unknown_table_is_one_sentence(contract: contract_server.ContractServer, tmp_path: pathlib.Path) -> None:
    running = start(contract, tmp_path, "--tables", "CSP-77")
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "CommandError: No controller serves CSP-77." in errors
    assert "Traceback" not in errors
