"""A newcomer can hold it in the head: short functions, short modules, names from the trade, and text about the product only."""

import ast
import pathlib
import re
from collections.abc import Iterator

import pytest

from tests.house import files

LONGEST_FUNCTION = 70
LONGEST_MODULE = 500
LONG_ON_PURPOSE = {
    "bin/verify": "One file that an auditor can read, carry away and run; cutting it up would make it need a place to stand.",
}

# Words that say nothing of the trade, whatever they are put in front of.
BANNED = {"service", "services", "manager", "handler", "helper", "helpers", "util", "utils", "process", "data", "info"}
# Names that somebody else chose and calls: file, name, and why it is so.
GIVEN_NAMES = {
    ("audit/api/strict.py", "data"): "The REST framework names this parameter.",
}
# Where such a word is exact after all: the beginning of a path, the word, and what it means there.
EXACT_THERE = {
    ("settings/embedded/", "process"): "The runner starts and ends processes of the operating system.",
    ("tests/embedded_runner/", "process"): "As above.",
    ("settings/urls.py", "handler"): "Django looks for its error pages under names that begin so.",
    ("tests/audit/urls.py", "handler"): "As above.",
    ("bin/verify", "service"): "The verifier speaks of the service as of a stranger.",
    ("tests/", "data"): "Hypothesis calls what it draws from data.",
}

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

# Places of one machine, and talk of how the text came to be. Written in pieces, so that this file does not find itself.
MACHINE_PLACES = re.compile("|".join(["/wo" + "rk/", "/t" + "mp/lm", r"\.\./sha" + "red", "/ro" + "ot/", "/ho" + "me/[a-z]"]))
ABOUT_ITS_MAKING = re.compile(
    "|".join(["chat" + "gpt", "cla" + "ude", "anth" + "ropic", "open" + "ai", "lang" + "uage model", "ai-gen" + "erated"]), re.I
)
UNFINISHED = re.compile("|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"]))
# A lock file and the licence speak for others.
NOT_OUR_WORDS = {"requirements.txt", "requirements-dev.txt", "LICENSE", "OFL.txt"}


def test_functions_fit_on_a_screen() -> None:
    long = [f"{place} has {lines} lines" for place, lines in _functions() if lines > LONGEST_FUNCTION]
    assert not long, "\n".join(long)


def test_modules_are_one_room_each() -> None:
    for path in files.modules():
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if files.short(path) not in LONG_ON_PURPOSE:
            assert lines <= LONGEST_MODULE, f"{files.short(path)} has {lines} lines; it is two rooms"


def test_names_are_words_of_the_trade() -> None:
    found = [f"{files.short(path)}: {name}" for path in files.modules() for name in _names(path) if _is_empty_word(path, name)]
    assert not found, "\n".join(sorted(set(found)))


def test_every_exception_to_the_rule_of_names_is_still_needed() -> None:
    for place, name in GIVEN_NAMES:
        assert name in set(_names(files.ROOT / place)), f"{place} has no {name} any more"


def test_an_empty_word_is_found_in_any_dress() -> None:
    somewhere = files.ROOT / "jackpots" / "meters.py"
    assert all(_is_empty_word(somewhere, name) for name in ("PayoutManager", "meter_data", "handler", "HTTPHandler"))
    assert not any(_is_empty_word(somewhere, name) for name in ("processor_free", "database", "handle"))


@pytest.mark.parametrize(
    ("text", "pattern"),
    [("see /wo" + "rk/main", MACHINE_PLACES), ("written by Cla" + "ude", ABOUT_ITS_MAKING), ("# TO" + "DO later", UNFINISHED)],
)
def test_the_patterns_find_what_they_look_for(text: str, pattern: re.Pattern[str]) -> None:
    assert pattern.search(text)


@pytest.mark.parametrize("pattern", [MACHINE_PLACES, ABOUT_ITS_MAKING, UNFINISHED], ids=["places", "making", "unfinished"])
def test_text_speaks_of_the_product_only(pattern: re.Pattern[str]) -> None:
    found = [
        f"{files.short(path)}: {match[0]}" for path in _own_texts() for match in [pattern.search(path.read_text(encoding="utf-8"))] if match
    ]
    assert not found, "\n".join(found)


def _own_texts() -> list[pathlib.Path]:
    return [path for path in files.texts() if path.name not in NOT_OUR_WORDS]


def _functions() -> Iterator[tuple[str, int]]:
    for path in files.modules():
        for node in ast.walk(files.parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                yield f"{files.short(path)}: {node.name}", node.end_lineno - node.lineno + 1


def _names(path: pathlib.Path) -> Iterator[str]:
    """Every name that a module gives: its own, and those of classes, functions, parameters, variables and attributes.

    The name of a test is a sentence, and a sentence may speak of the service.
    """
    return (name for name in _all_names(path) if not name.startswith("test_"))


def _all_names(path: pathlib.Path) -> Iterator[str]:
    yield path.stem
    for node in ast.walk(files.parsed(path)):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr


def _is_empty_word(path: pathlib.Path, name: str) -> bool:
    place = files.short(path)
    exact = {word for beginning, word in EXACT_THERE if place.startswith(beginning)}
    words = {word.lower() for word in WORD.findall(name)}
    return bool(words & BANNED - exact) and (place, name) not in GIVEN_NAMES
