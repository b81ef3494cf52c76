"""What a gateway takes that was started as the README does it, and has nothing to do."""

import contextlib
import sys
from pathlib import Path

import pytest

from acceptance.running_program import running, wait_for
from process_memory import family_of, memory_of

MOST = 190  # MiB, the private PostgreSQL and the local sign-in included

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells what a process has for itself"
)


def test_an_idle_demo_takes_little_memory(fresh_dir: Path) -> None:
    with running(fresh_dir, nodes="1") as program:

        def together() -> float:
            """Processes of PostgreSQL come and go while they are counted."""
            sizes = 0.0
            for process in family_of(program.process.pid):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    sizes += memory_of(process)
            return sizes

        wait_for(lambda: together() < MOST, 60)
