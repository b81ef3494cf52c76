"""The horizon of the event log, up to which it may be read (see `platform.database.horizon`)."""

import asyncio
import time
from collections.abc import Sequence

from heliograph.platform.aio.group_commit import GroupCommit
from heliograph.platform.database.horizon import Assigned, Horizon, Numbering
from heliograph.platform.database.pool import Database

EVENTS = Numbering("events_seq_seq", ("events",))
SOON = 0.005
"""Seconds until the next update, while transactions are open."""
SETTLE_TIMEOUT = 1.0
"""Seconds that `settle` waits for a transaction that stays open."""


class EventHorizon(Horizon):
    """The horizon of a database's events, for all readers of this process together."""

    def __init__(self, database: Database) -> None:
        super().__init__(EVENTS)
        self._database = database
        self._looks: GroupCommit[None, None, Assigned] = GroupCommit(
            self._look_for_all, splits=False
        )

    async def look(self) -> Assigned:
        """Advance the horizon as far as no transaction is open. Returns the last assigned `seq`.

        Raises `UnavailableError`.
        """
        return await self._looks.submit(None, None)

    async def settle(self) -> int:
        """Return the horizon once it has reached what is there by now, or `SETTLE_TIMEOUT` is over.

        Raises `UnavailableError`.
        """
        wanted, until = await self.look(), time.monotonic() + SETTLE_TIMEOUT
        while self.server == wanted.server and self.seq < wanted.seq and time.monotonic() < until:
            await asyncio.sleep(SOON)
            await self.look()
        return self.seq

    async def _look_for_all(self, _: None, askers: Sequence[None]) -> Sequence[Assigned]:
        # the result of an update is valid only for callers who asked before it began
        return [await self._database.read(self.update)] * len(askers)
