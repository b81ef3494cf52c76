"""Waiting for what nobody tells of: a row, another program, another thread."""

import asyncio
import time
from collections.abc import Callable
from inspect import isawaitable

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


def wait_until(holds: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait without a loop. Raises `TimeoutError`, as the other does."""
    ends_at = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > ends_at:
            raise TimeoutError
        time.sleep(0.02)
