"""A rule text of a site's own, as it is dropped into its folder."""

import pathlib
import re
from collections.abc import Iterator

import pytest
from django.test import override_settings

from jackpots import rulebook

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "rulebook.md"


def worked_example() -> str:
    """The text that the document shows to those who write their own."""
    (text,) = re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    return str(text)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """The site's folder, still empty."""
    with override_settings(RULE_TEXT_FOLDER=str(tmp_path)):
        rulebook.texts.cache_clear()
        yield tmp_path
    rulebook.texts.cache_clear()


def drop(path: pathlib.Path, text: str | bytes) -> pathlib.Path:
    """Put a text into the folder and start again, as far as the rule book goes."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    rulebook.texts.cache_clear()
    return path
