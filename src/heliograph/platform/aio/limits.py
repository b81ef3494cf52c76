"""Limits on what may begin now: spread over time, or bounded for each organization. No I/O."""

import asyncio
from collections import defaultdict
from uuid import UUID


class Pacer:
    """Gives out turns `gap` seconds apart, each at most `max_delay` seconds after it was asked for.

    Where so many ask that the queue would be longer, those at its end begin together: this smooths
    bursts, and is no rate limit.
    """

    def __init__(self, gap: float, max_delay: float) -> None:
        self._gap = gap
        self._max_delay = max_delay
        self._next = 0.0

    def take(self, now: float) -> float:
        """Return the seconds until the caller's turn; 0 after a quiet moment. `now` never goes
        back."""
        turn = min(max(now, self._next), now + self._max_delay)
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

    def hold(self, organization_id: UUID) -> "_HeldPlace":
        """Return a context that waits for a place, and keeps it until the block ends."""
        return _HeldPlace(self, organization_id)

    async def acquire(self, organization_id: UUID) -> None:
        """Wait for a place, which `release` gives back."""
        self._holding[organization_id] += 1
        own = self._own[organization_id]
        try:
            await own.acquire()
            try:
                await self._all.acquire()
            except BaseException:
                own.release()
                raise
        except BaseException:
            self._forget(organization_id)
            raise

    def release(self, organization_id: UUID, *, rest: float = 0.0) -> None:
        """Give the place back; the organization can have it again only after `rest` seconds, others
        at once."""
        self._all.release()
        if rest:
            asyncio.get_running_loop().call_later(rest, self._release_own, organization_id)
        else:
            self._release_own(organization_id)

    def _release_own(self, organization_id: UUID) -> None:
        self._own[organization_id].release()
        self._forget(organization_id)

    def _forget(self, organization_id: UUID) -> None:
        self._holding[organization_id] -= 1
        if not self._holding[organization_id]:
            del self._holding[organization_id], self._own[organization_id]


class _HeldPlace:
    """A place of one `FairSemaphore`; a generator in its stead would take twice the time."""

    __slots__ = ("_organization_id", "_semaphore")

    def __init__(self, semaphore: FairSemaphore, organization_id: UUID) -> None:
        self._semaphore = semaphore
        self._organization_id = organization_id

    async def __aenter__(self) -> None:
        await self._semaphore.acquire(self._organization_id)

    async def __aexit__(self, *_: object) -> None:
        self._semaphore.release(self._organization_id)
