"""Waiting for what nobody tells."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def until(is_so: Callable[[], object], within: float = 60.0) -> None:
    async with asyncio.timeout(within):
        while not is_so():  # noqa: ASYNC110 - a foreign thread or another process makes it so
            await asyncio.sleep(0.005)


async def seen_until(
    look: Callable[[], Awaitable[T]], is_it: Callable[[T], object], within: float = 60.0
) -> T:
    """What is seen once it is as it should be."""
    async with asyncio.timeout(within):
        while not is_it(seen := await look()):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.03)
    return seen
