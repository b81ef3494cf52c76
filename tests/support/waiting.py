"""Waiting for what nobody tells."""

import asyncio
from collections.abc import Callable


async def until(is_so: Callable[[], bool], within: float = 60.0) -> None:
    async with asyncio.timeout(within):
        while not is_so():  # noqa: ASYNC110 - a foreign thread or another process makes it so
            await asyncio.sleep(0.005)
