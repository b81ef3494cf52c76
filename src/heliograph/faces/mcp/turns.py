"""`Turns`: how much of the protocol's work a node does at once, and how much for one organization.

The protocol's library takes a millisecond and more for a request, five for a list of all tools, in
some thirty rounds of the event loop. Were all worked on side by side, each round would be as long
as there are requests, for everybody.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from uuid import UUID

from heliograph.platform.aio.shares import Shares

MOST, SHARE = 16, 2
"""Requests, in all and of one organization: waiting takes nothing from what is done in the end, for
one event loop does it."""


class Turn:
    """A place among those, kept while the block lasts."""

    def __init__(self, places: Shares, organization_id: UUID) -> None:
        self._places = places
        self._organization_id = organization_id
        self._held = AsyncExitStack()

    async def __aenter__(self) -> "Turn":
        await self._held.enter_async_context(self._places.hold(self._organization_id))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._held.aclose()

    @asynccontextmanager
    async def given_up(self) -> AsyncIterator[None]:
        """Without the place for as long as this lasts: a tool waits for a network, or for the
        database, and others of its organization do not wait for that."""
        await self._held.aclose()
        yield
        await self.__aenter__()


class Turns:
    """Serves one event loop."""

    def __init__(self) -> None:
        self._places = Shares(MOST, SHARE)

    def take(self, organization_id: UUID) -> Turn:
        return Turn(self._places, organization_id)
