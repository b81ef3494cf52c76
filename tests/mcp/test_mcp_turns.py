"""How much of the tool server's work is done at once for one organization."""

import asyncio
from uuid import UUID

import pytest

from heliograph.faces.mcp.authentication import MAX_OF_ORGANIZATION, MAX_REQUESTS, HeldRequest
from heliograph.platform.aio.limits import FairSemaphore

ACME, EVIL = UUID(int=1), UUID(int=2)


def limits() -> FairSemaphore:
    return FairSemaphore(MAX_REQUESTS, MAX_OF_ORGANIZATION)


async def rounds(number: int = 9) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_an_organization_has_so_many_at_a_time_and_others_go_on() -> None:
    places, ended, begun = limits(), asyncio.Event(), list[UUID]()

    async def work(organization: UUID) -> None:
        async with HeldRequest(places, organization):
            begun.append(organization)
            await ended.wait()

    tasks = [asyncio.create_task(work(EVIL)) for _ in range(20)]
    tasks.append(asyncio.create_task(work(ACME)))
    await rounds()
    assert sorted(begun) == [ACME, *[EVIL] * MAX_OF_ORGANIZATION]
    ended.set()
    await asyncio.gather(*tasks)


async def test_a_tool_that_waits_holds_up_nobody_and_waits_again_for_its_turn() -> None:
    places, answered, steps = limits(), asyncio.Event(), list[str]()

    async def call() -> None:
        async with HeldRequest(places, ACME) as turn:
            async with turn.given_up():
                await answered.wait()
            steps.append("answered")

    tasks = [asyncio.create_task(call()) for _ in range(2 * MAX_OF_ORGANIZATION)]
    await rounds()
    async with HeldRequest(places, ACME), HeldRequest(places, ACME):
        answered.set()
        await rounds()
        assert steps == []
    await asyncio.gather(*tasks)
    assert steps == ["answered"] * 2 * MAX_OF_ORGANIZATION


@pytest.mark.parametrize("is_answered", [False, True])
async def test_a_call_that_is_given_up_keeps_no_place(is_answered: bool) -> None:
    places, answered = limits(), asyncio.Event()

    async def call() -> None:
        async with HeldRequest(places, ACME) as turn, turn.given_up():
            await answered.wait()

    task = asyncio.create_task(call())
    await rounds()
    async with HeldRequest(places, ACME), HeldRequest(places, ACME):
        if is_answered:
            answered.set()
        await rounds()
        task.cancel()
        await rounds()
    assert task.cancelled()
    async with asyncio.timeout(60), HeldRequest(places, ACME), HeldRequest(places, ACME):
        pass
