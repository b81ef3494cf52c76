"""Long work on the event loop, done in pieces."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

T = TypeVar("T")


async def in_pieces(items: Iterable[T], size: int) -> AsyncIterator[T]:
    """Yield the items. After each `size` of them, other tasks have their turn."""
    for place, item in enumerate(items):
        if place and place % size == 0:
            await asyncio.sleep(0)
        yield item
