"""The wheel and the source distribution as this repository builds them, and environments for it."""

import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from repository import ROOT

SITE = Path("src", "heliograph", "faces", "help", "site")
"""Where the gateway looks for the documentation, below the root."""


def build(target: str, folder: Path, site: Path) -> Path:
    """Build `wheel` or `sdist` into a folder, with the documentation; return the file."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target]
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for source in list_sources():
            (root / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / source, root / source, follow_symlinks=False)
        shutil.copytree(site, root / SITE)
        subprocess.run([*command, "--directory", str(folder)], cwd=root, check=True)
    [file] = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return file


def list_sources(below: str = ".") -> list[str]:
    """The files that git knows, or would take."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", below]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.splitlines() if (ROOT / name).exists()]


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
