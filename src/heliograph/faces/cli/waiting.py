"""Waiting until the gateway has done something."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")
WAIT_TIMEOUT = 10.0
_LOOK_INTERVAL = 0.1


async def look_until(look: Callable[[], Awaitable[T]], suits: Callable[[T], bool]) -> T:
    """Look until the result suits, for at most `WAIT_TIMEOUT` seconds; return the last one."""
    found = await look()
    for _ in range(int(WAIT_TIMEOUT / _LOOK_INTERVAL)):
        if suits(found):
            break
        await asyncio.sleep(_LOOK_INTERVAL)
        found = await look()
    return found
