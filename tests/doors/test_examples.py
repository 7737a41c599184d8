"""The integrators' guide is true: every block of it is run, in order, against a running server, and its answers are compared."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests import cast
from tests.conftest import empty_all_tables
from tests.house import document, files
from tests.serving import Running

GUIDE = files.ROOT / "docs" / "integrating.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
END_OF_BLOCK = "----- end of block -----"
# What differs from run to run: moments, the skew of a clock, and versions, which count what happened.
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")
VARYING = re.compile(r'("skew_ms": ?|"version": ?)-?\d+')


@dataclass(frozen=True)
class Shown:
    """A block that is run, and the answer that the guide prints under it, where it prints one."""

    language: str
    code: str
    answer: str | None


def blocks(language: str) -> list[Shown]:
    found = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    following = [*found[1:], ("", "")]
    answers = {"json", "text"}
    paired = zip(found, following, strict=True)
    return [Shown(kind, code, answer if after in answers else None) for (kind, code), (after, answer) in paired if kind == language]


def printed(command: list[str], program: str, *, folder: pathlib.Path, environment: dict[str, str]) -> list[str]:
    """What each block of a program printed."""
    done = subprocess.run(
        command, input=program, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(f"{END_OF_BLOCK}\n")[:-1]


def masked(text: str) -> Any:
    """An answer without what differs from run to run; as values, where it is JSON, so that it may be broken into lines."""
    told = VARYING.sub(r"\g<1>0", MOMENT.sub("moment", text))
    try:
        return list(_values(told))
    except ValueError:
        return told.split()


def _values(text: str) -> Iterator[Any]:
    decoder, place = json.JSONDecoder(), 0
    while place < len(text):
        value, place = decoder.raw_decode(text, place)
        yield value
        place += len(text[place:]) - len(text[place:].lstrip())


@pytest.fixture
def floor(committed: None) -> Iterator[tuple[Running, dict[str, str]]]:
    """A running server with the cast's floor, and what the guide's reader has put into the environment."""
    # Tests that were rolled back have still used up numbers, and the guide names its hits by theirs.
    empty_all_tables()
    house, served = cast.house(), Running()
    served.start()
    yield served, {"URL": served.address, "TOKEN": house.tokens["CSP-01"]}
    served.stop()


@pytest.fixture
def curl() -> None:
    if shutil.which("curl") is None or shutil.which("bash") is None:
        assert not os.environ.get("CI"), "there is no curl, so the guide's curl examples were not run"
        pytest.skip("there is no curl here")


def compare(shown: list[Shown], outputs: list[str]) -> None:
    assert len(outputs) == len(shown)
    for block, output in zip(shown, outputs, strict=True):
        if block.answer is None:
            assert output.strip() == "", f"the guide prints no answer under:\n{block.code}\nwhich was answered:\n{output}"
        else:
            assert masked(output) == masked(block.answer), f"\n{block.code}\nwas answered:\n{output}"


def test_the_curl_examples_are_answered_as_the_guide_says(floor: Any, curl: None, tmp_path: pathlib.Path) -> None:
    _, environment = floor
    shown = blocks("sh")
    program = "".join(f"{block.code}\necho '{END_OF_BLOCK}'\n" for block in shown)
    outputs = printed(["bash", "-s"], program, folder=tmp_path, environment=environment)
    compare(shown, outputs)
    for block, output in zip(shown, outputs, strict=True):
        if "post events/" in block.code:
            _fits_the_document(output)


def test_the_python_examples_print_what_the_guide_says(floor: Any, tmp_path: pathlib.Path) -> None:
    _, environment = floor
    shown = blocks("python")
    program = "".join(f"{block.code}\nprint({END_OF_BLOCK!r})\n" for block in shown)
    told = {**environment, "PYTHONPATH": str(files.ROOT / "docs" / "examples"), "PYTHONWARNINGS": "ignore::ResourceWarning"}
    compare(shown, printed([sys.executable, "-"], program, folder=tmp_path, environment=told))


def test_the_guide_shows_every_type_of_event() -> None:
    told = "".join(block.code for block in blocks("sh"))
    assert {kind for kind in ("wager", "lockout", "fold", "hit", "void", "settle") if f'"type": "{kind}"' not in told} == set()


def test_an_answer_that_has_changed_is_found() -> None:
    assert masked('{"award": "1.00"}\n201') != masked('{"award": "2.00"}\n201')
    assert masked('{"at": "2026-01-01T00:00:00Z"}\n201') == masked('{\n "at": "2027-01-01T00:00:00Z"}\n201')


def _fits_the_document(output: str) -> None:
    """A real answer has the shape that the document gives to its status."""
    *_, answer, status = _values(output)
    content = document.DOCUMENT["paths"]["/api/v1/events/"]["post"]["responses"][str(status)]["content"]
    schema = next(iter(content.values()))["schema"]
    assert [fault.message for fault in document.judge(schema).iter_errors(answer)] == []
