"""Make the figures of the rule book anew: python -m tests.rules.figures.make

Counts every hand of every kind and writes jackpots/rules/figures.py, and beside this script the joker's part of the pai gow
figures, which a test counts again. It takes a few minutes.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from jackpots.rules import hands, joker, suited
from tests.rules.figures import counting

TARGET = Path(hands.__file__).parent / "figures.py"
WITH_JOKER = Path(__file__).parent / "pai-gow-with-joker.json"
HEAD = '''"""How many hands take which forms, for every kind of hand. Written by tests/rules/figures/make.py; not to be edited.

Each entry is the rows a hand may be paid as, best first, and the number of such hands. Together they are every hand of the deck.
"""

# ruff: noqa: E501
# fmt: off
'''


def counts() -> Iterator[tuple[str, Counter[tuple[str, ...]]]]:
    """Count kind after kind."""
    for kind in ("five-card", "four-of-five"):
        yield kind, counting.by_suit_pattern(hands.KINDS[kind].forms, 5)
    yield "three-card", counting.one_by_one(hands.KINDS["three-card"].forms, 3)
    yield "straight-flush-of-seven", counting.by_suit(suited.longest_run, counting.straight_flush_name)
    yield "flush-of-seven", counting.by_suit(int.bit_count, counting.flush_name)
    yield "pai-gow-three-card", counting.one_by_one(joker.three_card, 3, jokers=1)
    for kind in ("pai-gow", "pai-gow-bonus", "pai-gow-seven-card", "pai-gow-insurance"):
        forms = hands.KINDS[kind].forms
        yield kind, counting.by_ranks_and_flush(forms, has_joker=True) + counting.by_ranks_and_flush(forms, has_joker=False)


def written(kind: str, counted: Counter[tuple[str, ...]]) -> str:
    """One kind as Python."""
    rows = hands.KINDS[kind].rows
    ordered = sorted(counted.items(), key=lambda entry: [rows.index(form) for form in entry[0]] or [len(rows)])
    lines = "".join(f'        ("{" ".join(forms)}", {count}),\n' for forms, count in ordered)
    return f'    "{kind}": (\n{lines}    ),\n'


def module(body: str) -> str:
    """The whole module."""
    return f"{HEAD}\nCOUNTS: dict[str, tuple[tuple[str, int], ...]] = {{\n{body}}}\n"


def main() -> None:
    """Write the module, saying which kind is done."""
    body = ""
    for kind, counted in counts():
        sys.stdout.write(f"{kind}: {sum(counted.values()):,} hands, {len(counted)} forms\n")
        sys.stdout.flush()
        body += written(kind, counted)
    with_joker = counting.by_ranks_and_flush(joker.progressive, has_joker=True)
    parts = {" ".join(forms): count for forms, count in sorted(with_joker.items())}
    WITH_JOKER.write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")
    TARGET.write_text(module(body), encoding="utf-8")


if __name__ == "__main__":
    main()
