"""The wheel and the source distribution as this repository builds them, and environments for it."""

import re
import subprocess
import sys
import venv
from pathlib import Path

from repository import ROOT


def build(target: str, folder: Path) -> Path:
    """Build `wheel` or `sdist` into a folder; return the file."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target]
    subprocess.run([*command, "--directory", str(folder)], cwd=ROOT, check=True)
    [file] = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return file


def write_constraints(folder: Path) -> Path:
    """Write the versions of `requirements/run.txt`, for installations by name."""
    locked = (ROOT / "requirements" / "run.txt").read_text()
    file = folder / "constraints.txt"
    pins = re.findall(r"^([\w.-]+==\S+(?: ; .*?)?) \\$", locked, re.MULTILINE)
    file.write_text("\n".join(pins) + "\n")
    return file


def install(folder: Path, *wanted: str, constraints: Path) -> Path:
    """Install into a new, empty environment; return the folder of its programs."""
    venv.create(folder, with_pip=True, clear=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--quiet", "install"]
    subprocess.run([*pip, "--constraint", str(constraints), *wanted], check=True)
    return folder / "bin"
