"""`Shares`: what a process can do at once, of which one organization has a share at most."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID


class Shares:
    """`most` at once, and `share` of one organization; the others wait, in the order of coming.

    Who waits for the organization's share holds nothing of the whole. Serves one event loop.
    """

    def __init__(self, most: int, share: int) -> None:
        self._all = asyncio.Semaphore(most)
        self._own: defaultdict[UUID, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(share)
        )
        self._holding: defaultdict[UUID, int] = defaultdict(int)

    @asynccontextmanager
    async def hold(self, organization_id: UUID) -> AsyncIterator[None]:
        """Wait for a place, and keep it until the block ends."""
        self._holding[organization_id] += 1
        try:
            async with self._own[organization_id], self._all:
                yield
        finally:
            self._holding[organization_id] -= 1
            if not self._holding[organization_id]:
                del self._holding[organization_id], self._own[organization_id]
