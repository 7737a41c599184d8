import pathlib
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def key_file(settings: Any, tmp_path: pathlib.Path) -> pathlib.Path:
    """A signing key of the test's own, which remembers no other test's history."""
    settings.CHECKPOINT_KEY_FILE = tmp_path / "keys" / "checkpoint.key"
    path: pathlib.Path = settings.CHECKPOINT_KEY_FILE
    return path
