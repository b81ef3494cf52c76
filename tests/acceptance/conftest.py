"""What all acceptance tests may need."""

import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def fresh_dir(reachable_dir: Path) -> Path:
    """A data directory for a gateway of this test's own."""
    return Path(tempfile.mkdtemp(dir=reachable_dir)) / "data"
