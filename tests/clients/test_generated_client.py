"""What is generated of the clients is what `make clients` would write today."""

import filecmp
import subprocess
import sys
from pathlib import Path

import pytest

from api_description import api_description
from heliograph.faces.api.app import list_operations
from heliograph.faces.api.openapi import make_description
from python_generator import need_python_generator
from repository import ROOT

CLIENTS = ROOT / "clients"
GENERATED = Path("python/src/heliograph_client/generated")
OUTDATED = "the clients are not made from today's description: run make clients"


def files_in(folder: Path) -> set[Path]:
    return {
        path.relative_to(folder)
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_committed_description_is_todays() -> None:
    assert api_description() == make_description(list_operations()), OUTDATED


@pytest.mark.extra_fault
@pytest.mark.timeout(480)  # where the generator must be installed first
def test_the_committed_python_client_is_what_would_be_generated(tmp_path: Path) -> None:
    need_python_generator()
    subprocess.run(
        (sys.executable, "clients/generate.py", f"--output={tmp_path}"),
        cwd=ROOT,
        check=True,
        timeout=150,
    )
    assert (tmp_path / "openapi.json").read_bytes() == (CLIENTS / "openapi.json").read_bytes()
    made, committed = tmp_path / GENERATED, CLIENTS / GENERATED
    assert files_in(made) == files_in(committed), OUTDATED
    _, different, broken = filecmp.cmpfiles(
        made, committed, map(str, files_in(made)), shallow=False
    )
    assert (different, broken) == ([], []), OUTDATED
