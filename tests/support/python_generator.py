"""The generator of Python clients, in an environment of its own: its requirements differ."""

import subprocess
import sys
from functools import cache
from pathlib import Path

from missing import skip_or_fail
from only_one import only_one
from repository import ROOT

_ENVIRONMENT = Path(sys.prefix) / "clients"
_LOCKED = ROOT / "requirements" / "clients.txt"
_STAMP = _ENVIRONMENT / "installed.stamp"


def need_python_generator() -> Path:
    """Go on with the folder of its programs, installed as `requirements/clients.txt` has them, or
    skip. In CI a generator that can't be had is a failure."""
    problem = _install()
    if problem:
        skip_or_fail(f"needs the packages of {_LOCKED}: {problem}")
    return _ENVIRONMENT / "bin"


@cache
def _install() -> str:
    """What went wrong, "" when all is there. Processes that share the tests install once."""
    with only_one(_ENVIRONMENT.with_suffix(".lock")):
        if _STAMP.exists() and _STAMP.stat().st_mtime >= _LOCKED.stat().st_mtime:
            return ""
        pip = (str(_ENVIRONMENT / "bin" / "python"), "-m", "pip", "--quiet", "install")
        problem = _run(sys.executable, "-m", "venv", "--clear", str(_ENVIRONMENT)) or _run(
            *pip, "--require-hashes", "--requirement", str(_LOCKED)
        )
        if not problem:
            _STAMP.touch()
        return problem


def _run(*command: str) -> str:
    """Return what it said when it failed, else ""."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return "" if done.returncode == 0 else " ".join(done.stderr.split())[-300:] or command[0]
