"""The backlog in the database, for the metrics."""

from heliograph.core.cluster.backlog_sql import count_backlog
from heliograph.core.cluster.model import Backlog
from heliograph.platform.aio.cache import CachedValue
from heliograph.platform.database.pool import Database

TTL = 5.0
COUNT_TIMEOUT = 2.0


class BacklogService:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache = CachedValue(self._count, ttl=TTL, timeout=COUNT_TIMEOUT)

    async def count(self) -> Backlog:
        """Return the backlog, which is at most a few seconds old.

        Raises `UnavailableError` when the database does not answer.
        """
        return await self._cache.get()

    async def _count(self) -> Backlog:
        now = self._database.clock.now()
        return await self._database.within(COUNT_TIMEOUT).read(count_backlog, now)
