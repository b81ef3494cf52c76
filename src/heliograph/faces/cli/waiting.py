"""Waiting until the gateway has done something."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 10.0
_LOOK_EVERY = 0.1


async def look_until(look: Callable[[], Awaitable[T]], suits: Callable[[T], bool]) -> T:
    """Look until what is found suits; return it, or what there is after `PATIENCE` seconds."""
    found = await look()
    for _ in range(int(PATIENCE / _LOOK_EVERY)):
        if suits(found):
            break
        await asyncio.sleep(_LOOK_EVERY)
        found = await look()
    return found
