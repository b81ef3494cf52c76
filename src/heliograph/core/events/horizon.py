"""Up to which `seq` the events are settled: nothing is under way any more that will add one there.

Events get their `seq` when they are inserted, and are seen when their transaction commits: one with
a higher `seq` may be seen first. A reader who went past it would never see the other. So nobody
reads beyond the horizon.

It is found without any help of the writers. A look first asks which `seq` was given last, then
which transactions hold the lock that an INSERT takes on the table and keeps until it has ended.
Whatever got a lower `seq` is among them or has ended: once all of them have ended, everything up to
that `seq` is settled. See docs/decisions/0048.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from heliograph.core.events.log_sql import Assigned, get_assigned, is_prepared, list_writers
from heliograph.platform.aio.group_commit import GroupCommit
from heliograph.platform.database.pool import Connection, Database

SOON = 0.005
"""Seconds until another look, while transactions are under way."""
LONGEST_WAIT = 1.0
"""Seconds that `settle` waits for a transaction that stays open."""


@dataclass(slots=True)
class _Unsettled:
    """What is settled up to `seq` once these transactions have ended."""

    seq: int
    writers: set[str]


class Horizon:
    """The horizon of a database, as one process knows it.

    `server` is when the database server was started that it is true of. After a failover another
    one may give a `seq` again that the lost one had given, so what was known means nothing there.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._unsettled: _Unsettled | None = None
        self._looks: GroupCommit[None, None, Assigned] = GroupCommit(
            self._look_for_all, splits=False
        )
        self.server: datetime | None = None
        self.seq = 0

    @property
    def is_settled(self) -> bool:
        """Whether nothing was under way at the last look."""
        return self._unsettled is None

    async def look(self) -> Assigned:
        """Bring the horizon up to date, as far as nothing is under way. Return what was given last.

        Raises `UnavailableError`.
        """
        return await self._looks.submit(None, None)

    async def settle(self) -> int:
        """Return the horizon once it has reached what is there by now, or `LONGEST_WAIT` is over.

        Raises `UnavailableError`.
        """
        wanted, until = await self.look(), time.monotonic() + LONGEST_WAIT
        while self.server == wanted.server and self.seq < wanted.seq and time.monotonic() < until:
            await asyncio.sleep(SOON)
            await self.look()
        return self.seq

    async def _look_for_all(self, _: None, askers: Sequence[None]) -> Sequence[Assigned]:
        # what a look finds holds for those who had asked before it began, and for nobody else
        assigned, writers = await self._database.read(self._ask)
        if assigned.server != self.server:
            self.server, self.seq, self._unsettled = assigned.server, 0, None
        if writers is not None:
            self._apply(assigned.seq, writers)
        return [assigned] * len(askers)

    async def _ask(self, connection: Connection) -> tuple[Assigned, set[str] | None]:
        assigned = await get_assigned(connection)
        if assigned == (self.server, self.seq):
            return assigned, None  # nothing new
        return assigned, await list_writers(connection)  # in this order, see above

    def _apply(self, seq: int, writers: set[str]) -> None:
        if self._unsettled is not None:
            self._unsettled.writers &= writers
            # one that was prepared meanwhile goes by another name
            if self._unsettled.writers or any(map(is_prepared, writers)):
                return
            self.seq = self._unsettled.seq
            self._unsettled = None
        if writers:
            self._unsettled = _Unsettled(seq, writers)
        else:
            self.seq = seq
