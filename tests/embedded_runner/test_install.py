"""What a newcomer is told while, and if, the packages do not come."""

import pathlib
import subprocess
import sys

import pytest

from settings.embedded import install

FOUND_NOWHERE = "Collecting granian==2.8.7\nERROR: No matching distribution found for granian==2.8.7 (from -r requirements.txt (line 1))\n"
NO_NETWORK = "WARNING: Retrying after connection broken by 'NewConnectionError(...)': /simple/granian/\n" + FOUND_NOWHERE
BAD_HASH = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n    granian==2.8.7\n"


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (FOUND_NOWHERE, "There is no ready-made package (wheel) of granian==2.8.7 for this machine"),
        (NO_NETWORK, "the package index cannot be reached"),
        (BAD_HASH, "DO NOT MATCH THE HASHES"),
        ("", "pip gave no reason"),
    ],
)
def test_a_failed_installation_is_one_sentence(log: str, sentence: str) -> None:
    assert sentence in install._reason(log)
    assert "\n" not in install._reason(log)


def test_progress_counts_every_package_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        *(f"Collecting package-{number}==1.0 (from -r requirements.txt (line {number}))\n  Downloading package\n" for number in "abcdefgh"),
        "Processing /wheels/typing_extensions-4.16.0-py3-none-any.whl (from -r requirements.txt (line 9))\n",
        "Requirement already satisfied: argon2-cffi==25.1.0 in ./lib (from -r requirements.txt (line 7)) (25.1.0)\n",
        "Installing collected packages: all\n",
    ]
    install._follow(lines, lambda line: None, total=12)
    assert capsys.readouterr().out.splitlines() == ["  fetching 10 of about 12: argon2-cffi 25.1.0", "  unpacking"]


def test_an_environment_reached_by_a_link_leads_to_the_project_it_was_reached_from(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "__init__.py").touch()
    asked = [str(tmp_path / ".venv" / "bin" / "python"), "-c", "import settings; print(settings.__file__)"]
    answer = subprocess.run(asked, cwd="/", capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == str(tmp_path / "settings" / "__init__.py")
