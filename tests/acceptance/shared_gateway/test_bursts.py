"""Many messages at once: all read, each webhook once and in order."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence

import httpx

from acceptance.hook_receiver import Hook, Subscribed
from acceptance.running_program import BUTTONS, Program, buttons, wait_for

STEPS = ["message.sent", "message.delivered", "message.read"]


def send_burst(program: Program, count: int, people: int) -> list[str]:
    """Send to so many people, to each one message after another; the message ids by number."""

    async def send(client: httpx.AsyncClient, person: int, number: int) -> str:
        body = buttons(f"+1555017{person:04}", f"Message {number}")
        answer = await client.post(BUTTONS, json=body)
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

    return asyncio.run(send_all())


def check_order(program: Program, hooks: list[Hook], message_ids: Sequence[str]) -> None:
    """Every message is read; each event came, in the order of its message and its conversation."""
    told = defaultdict(list)
    sent = defaultdict(list)
    numbers = {message_id: number for number, message_id in enumerate(message_ids)}
    for hook in hooks:
        if (number := numbers.get(hook.data.get("id", ""))) is not None:
            told[hook.data["id"]].append(hook.type)
            if hook.type == "message.sent":
                sent[hook.data["conversation_id"]].append(number)
    assert [id_ for id_ in message_ids if told[id_] != STEPS] == []
    assert [each for each in sent.values() if each != sorted(each)] == []
    rows = program.rows("SELECT status FROM messages WHERE id = ANY($1::uuid[])", message_ids)
    assert [row["status"] for row in rows] == ["read"] * len(message_ids)


def test_a_thousand_at_once(program: Program, hooks: Subscribed) -> None:
    message_ids = send_burst(program, 1000, 40)
    wanted = {(message_id, step) for message_id in message_ids for step in STEPS}
    came = hooks.receiver.hooks
    wait_for(lambda: wanted <= {(hook.data.get("id"), hook.type) for hook in list(came)})
    assert [name for name, n in Counter(hook.id for hook in came).items() if n > 1] == []
    check_order(program, came, message_ids)
