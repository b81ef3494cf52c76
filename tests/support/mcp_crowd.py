"""Many clients of the tool server at once, in a process of their own: in the gateway's, their work
would hold up the gateway by seconds, and its statements would run into their time limit."""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from mcp_calls import send
from mcp_scene import connect


async def ask_at_once(url: str, key: str, bodies: list[str]) -> list[str]:
    """Let a client for each body send it, and then read what the gateway has of the message."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
        return await asyncio.get_running_loop().run_in_executor(
            apart, _ask_at_once, url, key, bodies
        )


def _ask_at_once(url: str, key: str, bodies: list[str]) -> list[str]:
    async def ask(body: str) -> str:
        async with connect(url, key) as client:
            sent = await send(client, body)
            message = await client.call_tool("get_message", {"message_id": sent["message_id"]})
            return str(message.structured_content["content"])

    async def ask_all() -> list[str]:
        return await asyncio.gather(*map(ask, bodies))

    return asyncio.run(ask_all())
