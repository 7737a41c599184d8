"""What is written down is true: variables, refusals, links, words and the version."""

import pathlib
import re
import tomllib

import pytest

from tests.house import files, refusals

OPERATING = files.ROOT / "docs" / "operating"
GLOSSARY = files.ROOT / "docs" / "glossary.md"

READ = re.compile(r'(?:\benv\.\w+\(|environ(?:ment)?(?:\.get\(|\[))\s*"([A-Z][A-Z_]+)"')
TABLE_ROW = re.compile(r"^\| `([A-Z][A-Z_]+)`", re.M)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.M)
TERM = re.compile(r"^\*\*([^*]+)\*\*", re.M)

# Django's own, and what the runner looks up only to be found by other programs; neither is a setting of ours.
NOT_OURS = {"PATH", "DJANGO_SETTINGS_MODULE"}

# fmt: off
WORDS = [
    "award", "base", "cage", "cap", "checkpoint", "claim", "configuration", "contribution", "controller", "display", "envy", "epoch",
    "event", "evidence", "evidence pack", "fold (a hand)", "fold (the ledger)", "gaming day", "hit", "hold", "house", "journal", "leaf",
    "level", "link", "lock-out", "main", "make-good", "meter", "micro", "notice", "out of turn", "overflow", "pay table", "payable",
    "payout", "PIN", "pit", "place", "players", "posted", "ppm", "progressive", "property", "rate", "record", "refusal", "reject",
    "reservation", "reserve", "reset", "round", "rule text", "seal", "seat", "secondary", "sequence", "settle", "sign", "signature",
    "simulator", "slip", "suspension", "sweep", "table", "tail", "terms", "tier", "transfer", "version", "void", "wager",
]
# fmt: on


def variables_read() -> set[str]:
    places = [*files.ROOT.glob("settings/**/*.py"), files.ROOT / "bin" / "verify"]
    found = {name for path in places for name in READ.findall(path.read_text(encoding="utf-8"))}
    return found - NOT_OURS


def variables_documented() -> set[str]:
    return {name for path in OPERATING.glob("*.md") for name in TABLE_ROW.findall(path.read_text(encoding="utf-8"))}


def test_every_variable_that_is_read_is_documented() -> None:
    assert {"DATABASE_URL", "CHECKPOINT_KEY_FILE", "LINKMETER_VAR"} <= variables_read()
    assert variables_read() <= variables_documented()


def test_no_variable_is_documented_that_nothing_reads() -> None:
    elsewhere = "".join((files.ROOT / "bin" / name).read_text(encoding="utf-8") for name in ("environment.sh", "test", "check"))
    in_shell = {name for name in variables_documented() if f"${{{name}" in elsewhere}
    assert variables_documented() <= variables_read() | in_shell


def test_every_refusal_is_documented() -> None:
    assert refusals.PAPER.read_text(encoding="utf-8") == refusals.document(), "write it anew: .venv/bin/python -m tests.house.refusals"


def test_no_two_refusals_mean_different_things_by_one_code() -> None:
    by_code: dict[str, set[str]] = {}
    for category, code, _, _, _ in refusals.all_refusals():
        by_code.setdefault(code, set()).add(category)
    assert {code: kinds for code, kinds in by_code.items() if len(kinds) > 1} == {}


@pytest.mark.parametrize("path", files.documents(), ids=files.short)
def test_every_link_leads_somewhere(path: pathlib.Path) -> None:
    for link in LINK.findall(path.read_text(encoding="utf-8")):
        place, _, heading = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        assert target.exists(), f"{files.short(path)} points at {link}"
        if heading:
            assert heading in anchors(target), f"{files.short(path)} points at {link}"


@pytest.mark.parametrize("word", WORDS)
def test_the_glossary_has(word: str) -> None:
    assert word in TERM.findall(GLOSSARY.read_text(encoding="utf-8"))


def test_the_glossary_is_in_the_order_of_the_alphabet() -> None:
    terms = [term.lower() for term in TERM.findall(GLOSSARY.read_text(encoding="utf-8"))]
    assert terms == sorted(terms)


def test_the_changelog_opens_with_the_version_that_this_is() -> None:
    version = tomllib.loads((files.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    newest = re.search(r"^## (\S+)", (files.ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert newest is not None
    assert newest[1] == version


def test_every_decision_says_why_and_what_it_costs() -> None:
    papers = sorted((files.ROOT / "docs" / "adr").glob("[0-9]*.md"))
    assert [path.name[:4] for path in papers] == [f"{number:04d}" for number in range(1, len(papers) + 1)]
    for path in papers:
        text = path.read_text(encoding="utf-8")
        assert "## Why" in text, f"{path.name} gives no reason"
        assert "## What we gave up" in text, f"{path.name} names no cost"


def anchors(path: pathlib.Path) -> set[str]:
    """The anchors of a document's headings, as forges make them."""
    headings = HEADING.findall(path.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
