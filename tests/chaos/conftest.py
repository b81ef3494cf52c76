"""The form of the chaos tests: short with all the others, long with `--long`."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Form:
    """How often, or how long, a fault is made."""

    is_long: bool

    def pick(self, short: int, long: int) -> int:
        return long if self.is_long else short


@pytest.fixture
def form(request: pytest.FixtureRequest) -> Form:
    return Form(bool(request.config.getoption("--long")))


@pytest.fixture
def folder(reachable_dir: Path) -> Path:
    """A folder that every user can pass through, for one test."""
    made = Path(tempfile.mkdtemp(dir=reachable_dir))
    made.chmod(0o755)
    return made
