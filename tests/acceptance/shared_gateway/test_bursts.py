"""Many messages at once: all read, each webhook once and in order; through a kill and a stop."""

import asyncio
import json
import os
import signal
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from acceptance.hook_receiver import Hook, HookReceiver, Subscribed, receiving_hooks, subscribe
from acceptance.running_program import BUTTONS, Program, buttons, running, wait_for

STEPS = ["message.sent", "message.delivered", "message.read"]


def send_burst(program: Program, count: int, people: int, *, persist: bool = False) -> list[str]:
    """Send to so many people, to each one message after another; the message ids by number.

    One who persists repeats a request that got no answer, under its key.
    """

    async def send(client: httpx.AsyncClient, person: int, number: int) -> str:
        body = buttons(f"+1555017{person:04}", f"Message {number}")
        headers = {"Idempotency-Key": f"burst {run} {number}"}
        while True:
            try:
                answer = await client.post(BUTTONS, json=body, headers=headers)
            except httpx.TransportError:
                assert persist, "the gateway hung up"
                await asyncio.sleep(0.2)
                continue
            if answer.status_code != 503 or not persist:
                assert answer.status_code == 200, answer.text
                return str(answer.json()["message_id"])

    async def send_to(client: httpx.AsyncClient, person: int) -> dict[int, str]:
        numbers = range(person, count, people)
        return {number: await send(client, person, number) for number in numbers}

    async def send_all() -> list[str]:
        key = {"Authorization": f"Bearer {program.demo['api_key']}"}
        base_url = program.demo["base_url"]
        async with httpx.AsyncClient(base_url=base_url, headers=key, timeout=30) as client:
            sent = await asyncio.gather(*[send_to(client, person) for person in range(people)])
        by_number = {number: each for some in sent for number, each in some.items()}
        return [by_number[number] for number in range(count)]

    run = uuid4()
    return asyncio.run(send_all())


def wait_until_told(receiver: HookReceiver, message_ids: Sequence[str], seconds: float) -> None:
    """Until every step of every message has come."""
    wanted = {(message_id, step) for message_id in message_ids for step in STEPS}

    def told() -> bool:
        return wanted <= {(hook.data.get("id"), hook.type) for hook in list(receiver.hooks)}

    wait_for(told, seconds)


def check_once(receiver: HookReceiver) -> None:
    """No webhook came twice."""
    assert [name for name, n in Counter(hook.id for hook in receiver.hooks).items() if n > 1] == []


def check_order(program: Program, receiver: HookReceiver, message_ids: Sequence[str]) -> None:
    """Every message is read; each event came, and, doubles left out, in its conversation's order.

    A webhook whose answer was cut off by the end of a node is posted again, under the same id.
    """
    wanted = set(message_ids)
    first: dict[str, Hook] = {}
    for hook in receiver.hooks:
        first.setdefault(hook.id, hook)
    came = [hook for hook in first.values() if hook.data.get("id") in wanted]
    told = defaultdict(list)
    for hook in came:
        told[hook.data["id"]].append(hook.type)
    assert [id_ for id_ in message_ids if told[id_] != STEPS] == []
    rows = program.rows("SELECT status FROM messages WHERE id = ANY($1::uuid[])", message_ids)
    assert [row["status"] for row in rows] == ["read"] * len(message_ids)
    numbers = {message_id: number for number, message_id in enumerate(message_ids)}
    sent = defaultdict(list)
    for hook in came:
        if hook.type == "message.sent":
            sent[hook.data["conversation_id"]].append(numbers[hook.data["id"]])
    assert [each for each in sent.values() if each != sorted(each)] == []


def check_once_on_the_network(program: Program, count: int) -> None:
    """The phones show each message of the burst once."""
    rows = program.rows(
        "SELECT content FROM sandbox.messages WHERE account_id = $1", program.account_id
    )
    shown = Counter(json.loads(row["content"])["body"] for row in rows)
    assert shown == {f"Message {number}": 1 for number in range(count)}


def test_a_thousand_at_once(program: Program, hooks: Subscribed) -> None:
    message_ids = send_burst(program, 1000, 40)
    wait_until_told(hooks.receiver, message_ids, 60)
    check_once(hooks.receiver)
    check_order(program, hooks.receiver, message_ids)


def test_the_counts_add_up_after_it(program: Program) -> None:
    told, rows = program.statistics("status")
    assert told["by_status"] == {row["status"]: row["n"] for row in rows}
    negative = program.rows(
        """
        SELECT organization_id FROM message_counts
        GROUP BY organization_id, day, direction, status HAVING sum(n) < 0
        """
    )
    assert negative == []


@pytest.mark.extra_fault
def test_a_node_killed_in_the_middle_loses_and_doubles_nothing(fresh_dir: Path) -> None:
    count = 400
    with running(fresh_dir) as program, receiving_hooks() as receiver:
        program.cli("sandbox", "delays", "--delivered", "0", "--read", "0")
        subscribe(program, receiver)
        killer = threading.Thread(target=kill_after, args=(program, receiver, 60))
        killer.start()

        message_ids = send_burst(program, count, 20, persist=True)

        killer.join()
        wait_until_told(receiver, message_ids, 60)
        check_once_on_the_network(program, count)
        distinct = {(hook.id, hook.data["id"], hook.type) for hook in receiver.hooks}
        assert Counter(each[1:] for each in distinct if each[1] in message_ids) == {
            (message_id, step): 1 for message_id in message_ids for step in STEPS
        }


def kill_after(program: Program, receiver: HookReceiver, hooks: int) -> None:
    wait_for(lambda: len(receiver.hooks) >= hooks)
    os.kill(program.nodes()[0], signal.SIGKILL)


@pytest.mark.extra_fault
def test_a_stop_in_the_middle_is_quick_and_a_later_start_goes_on(fresh_dir: Path) -> None:
    with running(fresh_dir) as program, receiving_hooks() as receiver:
        program.cli("sandbox", "delays", "--delivered", "0", "--read", "0")
        subscribe(program, receiver)
        message_ids = send_burst(program, 300, 20)
        assert program.interrupt() < 10
        with running(fresh_dir) as again:
            wait_until_told(receiver, message_ids, 60)
            check_once_on_the_network(again, 300)
            check_order(again, receiver, message_ids)
