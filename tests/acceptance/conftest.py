"""One running gateway of two nodes for the tests that do it no harm, and a receiver beside it."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from acceptance.hook_receiver import HookReceiver, receiving_hooks
from acceptance.running_program import Program, running


@dataclass(frozen=True)
class Subscribed:
    """A webhook that takes everything, and where it leads."""

    receiver: HookReceiver
    webhook_id: str
    secret: str


@pytest.fixture
def fresh_dir(reachable_dir: Path) -> Path:
    """A data directory for a gateway of this test's own."""
    return Path(tempfile.mkdtemp(dir=reachable_dir)) / "data"


@pytest.fixture(scope="session")
def program(reachable_dir: Path) -> Iterator[Program]:
    data_dir = Path(tempfile.mkdtemp(dir=reachable_dir)) / "data"
    with running(data_dir, nodes="2") as started:
        started.cli("sandbox", "delays", "--delivered", "0", "--read", "0")
        yield started


@pytest.fixture(scope="session")
def hooks(program: Program) -> Iterator[Subscribed]:
    with receiving_hooks() as receiver:
        yield subscribe(program, receiver)


def subscribe(program: Program, receiver: HookReceiver) -> Subscribed:
    made = json.loads(program.cli("webhooks", "create", "--url", receiver.url, "--json"))
    return Subscribed(receiver, made["id"], made["secret"])
