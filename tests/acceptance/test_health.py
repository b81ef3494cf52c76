"""The health of accounts on a running gateway: who answers is noted, who does not is left."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acceptance.hook_receiver import HookReceiver, receiving_hooks, subscribe
from acceptance.running_program import Program, running, wait_for

pytestmark = pytest.mark.extra_fault

CHECK_EVERY, PATIENCE = 5, 20  # seconds


@pytest.fixture(scope="module")
def program(data_dir: Path) -> Iterator[Program]:
    with running(data_dir, health_check_interval=str(CHECK_EVERY)) as started:
        yield started


@pytest.fixture
def receiver() -> Iterator[HookReceiver]:
    with receiving_hooks() as receiver:
        yield receiver


def find_device(program: Program, session_name: str) -> dict[str, Any]:
    devices = program.get("/api/v1/devices")["devices"]
    return next(device for device in devices if device["session_name"] == session_name)


def test_a_dead_connection_is_found_out_and_replaced(
    program: Program, receiver: HookReceiver
) -> None:
    """Two accounts are checked in the same minute: one answers, the other's line is silent."""
    subscribe(program, receiver)
    program.cli(
        "accounts", "create", "--network", "sandbox", "--name", "Well", "--session-name", "well",
        "--set", "pair_automatically=true",
    )  # fmt: skip
    demo = program.demo["session_name"]
    program.cli("sandbox", "silence", "--account", program.account_id)
    waiting = program.send()

    [lost] = wait_for(
        lambda: [hook for hook in receiver.hooks if hook.type == "device.disconnected"],
        CHECK_EVERY + PATIENCE + 15,
    )

    assert (lost.data["session_name"], lost.data["reason"]) == (
        demo,
        f"no answer to a ping within {PATIENCE} s",
    )
    program.wait_for_status(waiting, "read", 60)
    wait_for(lambda: find_device(program, "well")["last_health_check_at"], 30)
    assert find_device(program, demo)["status"] == "connected"
