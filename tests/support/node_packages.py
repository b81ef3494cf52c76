"""Packages of npm's that a test needs: installed once, as their lock file has them."""

import os
import subprocess
import time
from functools import cache
from hashlib import sha256
from pathlib import Path

from debian_programs import need_program
from missing import skip_or_fail
from only_one import only_one

FOLDERS = Path(__file__).parent / "node"
_TRIES = 3 if os.environ.get("CI") else 1  # who has no network is not kept waiting
_PAUSE = 5.0  # seconds; a registry may be away for a moment


def need_packages(name: str) -> Path:
    """Go on with the folder `tests/support/node/<name>`, whose packages are installed, or skip."""
    return need_packages_of(FOLDERS / name)


def need_packages_of(folder: Path) -> Path:
    """Go on with this folder, whose packages are installed, or skip. In CI packages that can't be
    had are a failure."""
    need_program("node", "nodejs")
    need_program("npm", "npm")
    problem = _install(folder)
    if problem:
        skip_or_fail(f"needs the packages of {folder}: {problem}")
    return folder


@cache
def _install(folder: Path) -> str:
    """What went wrong, "" when all is there. Processes that share the tests install once."""
    wanted = sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    stamp = folder / "node_modules" / ".installed"
    with only_one(folder / ".lock"):
        if stamp.exists() and stamp.read_text() == wanted:
            return ""
        problem = _run_npm(folder)
        if not problem:
            stamp.write_text(wanted)
        return problem


def _run_npm(folder: Path) -> str:
    """`npm ci` removes what is there, and refuses what does not have the hash of the lock file."""
    problem = ""
    for attempt in range(_TRIES):
        time.sleep(_PAUSE if attempt else 0)
        done = subprocess.run(
            ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"),
            cwd=folder,
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            return ""
        problem = " ".join(done.stderr.split())[-300:] or f"npm ended with {done.returncode}"
    return problem
