"""A node that joins gets its share, and what was under way for it is not done twice."""

import asyncio
from uuid import uuid4

from waiting import until
from webhook_receiver import ANSWER_200, Received, receiving
from webhook_scene import Node, playing


async def holds(node: Node, count: int) -> None:
    async def has() -> bool:
        return len(node.keeper.held) == count

    await until(has)


async def test_posts_under_way_end_where_they_began(database_url: str) -> None:
    async def take_time(_: Received) -> bytes:
        await asyncio.sleep(2.5)
        return ANSWER_200

    async with playing(database_url) as scene, receiving(take_time) as receiver:
        for number in range(4):
            await scene.webhooks.create(scene.principal, receiver.url(f"/{number}"))
        async with scene.node("a") as first:
            await holds(first, 4)
            await scene.emit(scene.event(of=uuid4()))
            await receiver.wait_for(4)
            async with scene.node("b") as second:
                await holds(second, 2)
                await scene.until_statuses(*["delivered"] * 4)
                await scene.emit(scene.event(of=uuid4()))
                await receiver.wait_for(8)
                await scene.until_statuses(*["delivered"] * 8)
    assert len(receiver.received) == 8
