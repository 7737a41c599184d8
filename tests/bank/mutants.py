"""The code with one thing taken out of it, over and over: every lock, constraint and check must be missed by a test. Run by bin/mutants.

Each mutant is one exact replacement in one file. It is made in a copy of the tree, where only the tests that ought to miss it are run.
They are first run on an untouched copy: a test that fails anyway proves nothing.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tests.bank.mutations import MUTANTS, Mutant

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Each starts a PostgreSQL of its own.
AT_ONCE = 2
SECONDS = 300


@dataclass(frozen=True)
class Fate:
    mutant: Mutant
    word: str
    by: str


def main(words: Sequence[str]) -> int:
    chosen = [mutant for mutant in MUTANTS if not words or any(word in mutant.name for word in words)]
    if not chosen:
        return _say(f"No mutant has {' or '.join(words)} in its name.") or 1
    with tempfile.TemporaryDirectory(prefix="linkmeter-untouched-", ignore_cleanup_errors=True) as folder:
        # Copied once, so that all mutants are of the same code whatever is edited meanwhile.
        untouched = pathlib.Path(folder) / "tree"
        _copy(untouched)
        return _judge(chosen, untouched)


def _judge(chosen: Sequence[Mutant], untouched: pathlib.Path) -> int:
    tests = sorted({test for mutant in chosen for test in mutant.tests})
    _say(f"{len(chosen)} mutants. First their tests, with nothing taken out.")
    fate = _judged(Mutant("nothing", "", "", "", tuple(tests)), _run(untouched, tests))
    if fate.word != "survived":
        return _say(f"That already fails: {fate.by}") or 1
    with ThreadPoolExecutor(AT_ONCE) as pool:
        fates = list(pool.map(lambda mutant: _told(mutant, untouched), chosen))
    _say("")
    for fate in fates:
        _say(f"{fate.word:<10}{fate.mutant.name:<55}{fate.by}")
    killed = [fate for fate in fates if fate.word == "killed"]
    _say(f"\n{len(killed)} of {len(fates)} killed.")
    return 0 if len(killed) == len(fates) else 1


def _told(mutant: Mutant, untouched: pathlib.Path) -> Fate:
    fate = _fate(mutant, untouched)
    _say(f"  {fate.word}: {mutant.name}")
    return fate


def _fate(mutant: Mutant, untouched: pathlib.Path) -> Fate:
    with tempfile.TemporaryDirectory(prefix="linkmeter-mutant-", ignore_cleanup_errors=True) as folder:
        tree = shutil.copytree(untouched, pathlib.Path(folder) / "tree", symlinks=True)
        changed = tree / mutant.path
        found = changed.read_text(encoding="utf-8")
        if found.count(mutant.text) != 1:
            return Fate(mutant, "stale", f"its text is {found.count(mutant.text)} times in {mutant.path}")
        changed.write_text(found.replace(mutant.text, mutant.instead), encoding="utf-8")
        return _judged(mutant, _run(tree, mutant.tests))


def _copy(tree: pathlib.Path) -> None:
    """What is or would be committed, as it lies here."""
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in listed.stdout.split("\0"):
        source = ROOT / name
        if name and source.is_file() and not source.is_symlink():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, tree / name)
    (tree / ".venv").symlink_to((ROOT / ".venv").resolve())


def _run(tree: pathlib.Path, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tree / ".venv/bin/python", "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", *tests],
        cwd=tree,
        # The copy comes before whatever else may be found under the same names.
        env={**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "240"},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )


def _judged(mutant: Mutant, done: subprocess.CompletedProcess[str]) -> Fate:
    if done.returncode == 0:
        return Fate(mutant, "survived", "")
    failed = re.search(r"^FAILED (\S+)", done.stdout, re.MULTILINE)
    if failed:
        return Fate(mutant, "killed", failed[1].partition("::")[2])
    # No test has judged: the mutant cannot be built, or the tests are not there.
    return Fate(mutant, "broken", (done.stdout + done.stderr).strip().splitlines()[-1])


def _say(sentence: str) -> int:
    sys.stdout.write(sentence + "\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
