"""What may begin now: spread over time, or bounded for each organization. No I/O."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID


class Pacer:
    """Gives out turns `gap` seconds apart, each at most `longest` seconds after it was asked for.

    Where so many ask that the queue would be longer, those at its end begin together: this smooths
    bursts, and is no rate limit.
    """

    def __init__(self, gap: float, longest: float) -> None:
        self._gap = gap
        self._longest = longest
        self._next = 0.0

    def take(self, now: float) -> float:
        """Return the seconds until the caller's turn; 0 after a quiet moment. `now` never goes
        back."""
        turn = min(max(now, self._next), now + self._longest)
        self._next = turn + self._gap
        return turn - now


class FairSemaphore:
    """A semaphore that lets in `most` at once, and of each organization `share`, in order.

    One that waits for its organization's share takes no place of the total. Serves one event loop.
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
