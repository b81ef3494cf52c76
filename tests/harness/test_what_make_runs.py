"""No test is left out by all targets of make."""

import re
from pathlib import Path

from repository import ROOT

TESTS = ROOT / "tests"


def named_by_make() -> list[Path]:
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    [paths] = re.findall(r"^FAULTS = (.+)$", text, re.MULTILINE)
    return [ROOT / path for path in paths.split()]


def test_make_faults_comes_upon_every_test_that_make_test_leaves_to_it() -> None:
    marked = [path for path in TESTS.rglob("test_*.py") if "mark.extra_fault" in path.read_text()]
    named = named_by_make()
    assert [path for path in named if not path.exists()] == []
    assert [
        path for path in marked if not any(path.is_relative_to(folder) for folder in named)
    ] == [Path(__file__)], "of which this one only says the word"
