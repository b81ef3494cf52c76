"""Waiting for what nobody tells of: a row, another program, another thread."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds: a machine that runs other tests beside this one may be slow."""


async def until(holds: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until what `holds` gives back, or gives to whoever awaits it, is true."""
    async with asyncio.timeout(seconds):
        while not await _found(holds):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def _found(holds: Callable[[], object]) -> object:
    found = holds()
    return await found if isawaitable(found) else found


async def seen_until(
    look: Callable[[], Awaitable[T]], is_it: Callable[[T], object], seconds: float = PATIENCE
) -> T:
    """What is seen once it is as it should be."""
    async with asyncio.timeout(seconds):
        while not is_it(seen := await look()):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.03)
    return seen


def wait_until(holds: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait without a loop. Raises `TimeoutError`, as the others do."""
    ends_at = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > ends_at:
            raise TimeoutError
        time.sleep(0.02)
