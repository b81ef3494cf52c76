"""Waiting for what a running gateway does a moment after a command has asked for it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 10.0
_LOOK_EVERY = 0.1


async def look_until(look: Callable[[], Awaitable[T]], suits: Callable[[T], bool]) -> T:
    """What is found once it suits, or after `PATIENCE` seconds, suitable or not."""
    found = await look()
    for _ in range(int(PATIENCE / _LOOK_EVERY)):
        if suits(found):
            break
        await asyncio.sleep(_LOOK_EVERY)
        found = await look()
    return found
