"""The stand-alone verifier, loaded from its file (it is no module of ours) or run as anybody would run it."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
from typing import Any

FILE = pathlib.Path(__file__).resolve().parent.parent.parent / "bin" / "verify"


def load() -> Any:
    loader = importlib.machinery.SourceFileLoader("stand_alone_verifier", str(FILE))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    # Compiled code beside bin/verify would be one more thing to explain.
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Isolated from our packages and environment: -I leaves Python nothing but its own library."""
    command = [sys.executable, "-I", "-S", str(FILE), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin", **environment}, cwd="/")
