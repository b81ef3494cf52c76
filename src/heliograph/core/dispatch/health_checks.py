"""When accounts last answered a ping: gathered here, written every few seconds for all of a
node."""

import asyncio
from collections import defaultdict
from datetime import datetime
from uuid import UUID

import structlog

from heliograph.core.accounts.sql import set_health_checked
from heliograph.core.cluster.model import Lease
from heliograph.platform.database.pool import Connection, Database

log = structlog.get_logger()

INTERVAL = 5.0


class HealthChecks:
    """A loop that writes one statement a shard for all accounts that answered since the last one.

    What is lost when a node dies is a time that its next owner writes within a minute.
    """

    def __init__(self, database: Database, *, interval: float = INTERVAL) -> None:
        self._database = database
        self._interval = interval
        self._answered: dict[Lease, datetime] = {}

    def record(self, lease: Lease) -> None:
        """The account of this lease has answered; costs no I/O."""
        self._answered[lease] = self._database.clock.now()

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self._interval)
            try:
                await self.flush()
            except Exception:
                log.warning("the times of health checks are not written", exc_info=True)

    async def flush(self) -> None:
        """Write now."""
        answered, self._answered = self._answered, {}
        by_shard: defaultdict[int, list[tuple[UUID, UUID, datetime]]] = defaultdict(list)
        for lease, at in answered.items():
            tenant = lease.tenant
            by_shard[tenant.shard].append((tenant.organization_id, lease.resource_id, at))
        for shard, checks in by_shard.items():
            await self._write(shard, checks)

    async def _write(self, shard: int, checks: list[tuple[UUID, UUID, datetime]]) -> None:
        async def work(connection: Connection) -> None:
            await set_health_checked(connection, shard, checks)

        await self._database.transact(work)
