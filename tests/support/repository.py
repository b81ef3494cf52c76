"""Where things are in the repository."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TESTS = ROOT / "tests"
SUPPORT = TESTS / "support"
IMPORT_PATH = os.pathsep.join((str(SUPPORT), str(TESTS)))
"""PYTHONPATH of a program of the tests that runs in a process of its own."""
