"""One running gateway of two nodes for the tests that do it no harm, and a receiver beside it.

Processes that share the tests leave this folder to one of them, so that it is started once.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.hook_receiver import Subscribed, receiving_hooks, subscribe
from acceptance.running_program import Program, running


@pytest.fixture(scope="session")
def program(reachable_dir: Path) -> Iterator[Program]:
    data_dir = Path(tempfile.mkdtemp(dir=reachable_dir)) / "data"
    with running(data_dir, nodes="2") as started:
        started.receipts_at_once()
        yield started


@pytest.fixture(scope="session")
def hooks(program: Program) -> Iterator[Subscribed]:
    with receiving_hooks() as receiver:
        yield subscribe(program, receiver)
