"""Programs and libraries of Debian's that a test needs: installed in CI, asked for elsewhere."""

import os
import shutil
import subprocess
from ctypes.util import find_library
from functools import cache

import pytest


def need_program(program: str, package: str) -> None:
    """Go on with the program, or skip and say why in one line. In CI it is installed where root
    runs the tests, and a program that is missing all the same is a failure."""
    if shutil.which(program) is not None:
        return
    if not os.environ.get("CI"):
        pytest.skip(f"needs {program}: apt-get install {package}")
    _install(package)
    if shutil.which(program) is None:
        pytest.fail(f"{program} is missing, and CI must not skip: apt-get install {package}")


def need_library(name: str, package: str) -> None:
    """The same for a shared library; to be called where a test's module is loaded."""
    if find_library(name) is not None:
        return
    if not os.environ.get("CI"):
        pytest.skip(f"needs lib{name}: apt-get install {package}", allow_module_level=True)
    _install(package)
    if find_library(name) is None:
        pytest.fail(f"lib{name} is missing, and CI must not skip: apt-get install {package}")


@cache
def _install(package: str) -> None:
    if os.geteuid() == 0 and shutil.which("apt-get") is not None:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        lock = ("-o", "DPkg::Lock::Timeout=300")
        for command in (("update",), ("install", "--yes", "--no-install-recommends", package)):
            subprocess.run(
                ("apt-get", "-qq", *lock, *command),
                env=environment,
                check=False,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
