"""Programs and libraries of Debian's that a test needs: installed in CI, asked for elsewhere."""

import os
import shutil
import subprocess
import time
from ctypes.util import find_library
from functools import cache
from pathlib import Path

from missing import skip_or_fail

_OPTIONS = ("-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3")
_TRIES, _PAUSE = 3, 5.0  # seconds; a mirror may be away for a moment
_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"  # where servers are for root alone
_POSTGRES = Path("/usr/lib/postgresql")


def need_program(program: str, package: str) -> None:
    """Go on with the program, or skip. In CI it is installed where root runs the tests, and a
    program that is missing all the same is a failure."""
    if shutil.which(program, path=_PATH) is None:
        _install(package)
    if shutil.which(program, path=_PATH) is None:
        skip_or_fail(f"needs {program}: apt-get install {package}")


def find_one_of(preferred: str, *others: str) -> str:
    """The path of `preferred`, of the package of that name, or else of another that is there; where
    there is none, the same."""
    if shutil.which(preferred, path=_PATH) is None:
        _install(preferred)
    found = (shutil.which(program, path=_PATH) for program in (preferred, *others))
    path = next(filter(None, found), None)
    if path is None:
        skip_or_fail(f"needs {preferred}: apt-get install {preferred}")
    return path


def need_library(name: str, package: str) -> None:
    """The same for a shared library; to be called where a test's module is loaded."""
    if find_library(name) is None:
        _install(package)
    if find_library(name) is None:
        skip_or_fail(f"needs lib{name}: apt-get install {package}")


def need_postgres() -> Path:
    """The same for Debian's PostgreSQL, the newest that is there; the folder of its programs."""
    if not list(_POSTGRES.glob("*/bin/postgres")):
        _install("postgresql")
    found = sorted(_POSTGRES.glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if not found:
        skip_or_fail("needs Debian's PostgreSQL: apt-get install postgresql")
    return found[-1].parent


@cache
def _install(package: str) -> None:
    """In CI alone: elsewhere the machine is somebody's."""
    if not os.environ.get("CI") or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    for _ in range(_TRIES):
        if _apt("update") and _apt("install", "--yes", "--no-install-recommends", package):
            return
        time.sleep(_PAUSE)


def _apt(*arguments: str) -> bool:
    """Whether it succeeded."""
    done = subprocess.run(
        ("apt-get", "-qq", *_OPTIONS, *arguments),
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return done.returncode == 0
