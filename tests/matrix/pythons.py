"""Virtual environments for the versions of Python that are installed on this machine."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from repository import ROOT

VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def find_python(version: str) -> Path | None:
    """An interpreter of this version: on the PATH, or of pyenv's or uv's."""
    return next((found for found in _candidates(version) if _is_version(found, version)), None)


def _candidates(version: str) -> Iterator[Path]:
    if found := shutil.which(f"python{version}"):
        yield Path(found)
    yield from Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
    yield from Path.home().glob(f".local/share/uv/python/cpython-{version}.*/bin/python")


def _is_version(python: Path, version: str) -> bool:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], check=False, capture_output=True, text=True)
    return done.stdout.strip() == version


def make_environment(python: Path, folder: Path) -> Path:
    """Install what the tests need, as the Makefile does; the interpreter in it."""
    inside = folder / "bin" / "python"
    if not inside.exists():
        subprocess.run([python, "-m", "venv", folder], check=True)
    pip = [str(inside), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*pip, "--require-hashes", "-r", "requirements/dev.txt"], cwd=ROOT, check=True)
    subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--editable", "."], cwd=ROOT, check=True
    )
    return inside
