"""What must happen by the clock: scheduled messages start, old idempotency keys go."""

import asyncio
from datetime import datetime

import structlog

from heliograph.model.messages import Direction, MessageStatus
from heliograph.store import due
from heliograph.store import idempotency as idempotency_store
from heliograph.store import messages as message_store
from heliograph.store.counts import CountMoves, move_message_counts
from heliograph.store.database import Connection, Database
from heliograph.store.notifications import Notifications

log = structlog.get_logger()

LOOK_EVERY = 1.0
SWEEP_EVERY = 60
BATCH = 500


class Janitor:
    """`stripe` is this node's stripe of the counters."""

    def __init__(self, database: Database, notifications: Notifications, *, stripe: int) -> None:
        self._database = database
        self._notifications = notifications
        self._stripe = stripe

    async def run(self) -> None:
        looks = 0
        while True:
            await asyncio.sleep(LOOK_EVERY)
            looks += 1
            try:
                await self.start_scheduled()
                if looks % SWEEP_EVERY == 0:
                    await self.forget_expired_keys()
            except Exception:
                log.warning("the janitor stumbled and goes on", exc_info=True)

    async def start_scheduled(self) -> None:
        """Queue the scheduled messages whose time has come."""
        now = self._database.clock.now()
        shards = await self._database.read(
            lambda connection: due.list_scheduled_shards(connection, now)
        )
        for shard in shards:
            await self._start_in(shard)

    async def _start_in(self, shard: int) -> None:
        now = self._database.clock.now()

        async def work(connection: Connection) -> set[str]:
            started = await message_store.start_scheduled(connection, shard, now, BATCH)
            moves = CountMoves()
            for organization_id, _, created_at in started:
                moves.move(
                    organization_id,
                    created_at,
                    Direction.OUTBOUND,
                    MessageStatus.SCHEDULED,
                    MessageStatus.QUEUED,
                )
            await move_message_counts(connection, shard, self._stripe, moves)
            return {f"messages:{account_id}" for _, account_id, _ in started}

        self._notifications.notify(*await self._database.transact(work))

    async def forget_expired_keys(self) -> None:
        """Delete idempotency keys whose 24 hours are over, in small batches."""
        now = self._database.clock.now()
        shards = await self._database.read(
            lambda connection: due.list_expired_key_shards(connection, now)
        )
        for shard in shards:
            await self._forget_in(shard, now)

    async def _forget_in(self, shard: int, now: datetime) -> None:
        async def work(connection: Connection) -> int:
            return await idempotency_store.delete_expired(connection, shard, now, BATCH)

        while await self._database.transact(work) == BATCH:
            pass
