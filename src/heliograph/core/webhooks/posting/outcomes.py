"""Writes the outcomes of attempts, and the resulting health of webhooks.

Outcomes that wait at the same time share one transaction, whichever webhooks they belong to.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import asyncpg
import msgspec
import structlog

from heliograph.core.cluster.model import Lease
from heliograph.core.tenants.commit import TenantCommit
from heliograph.core.tenants.rows import shards_of
from heliograph.core.webhooks.model import DeliveryStatus, HealthChange, Outcome
from heliograph.core.webhooks.posting.disabling import judge_health
from heliograph.core.webhooks.posting.outcomes_sql import record_outcomes
from heliograph.core.webhooks.subscriptions.sql import record_health
from heliograph.platform.aio.futures import resolve
from heliograph.platform.database.pool import Connection, Database

log = structlog.get_logger()

RETRY_PAUSE = 1.0
TICK = 0.05
"""Seconds between writes of failures: only retries wait for them, which are seconds away, and
together they cost one transaction instead of one each."""
LINGER = 0.005
"""Seconds for which an outcome waits for others: nothing waits for it, since the next delivery of
its lane has begun."""


class Recorded(msgspec.Struct, frozen=True):
    """Whether the outcome was written, and whether its webhook was disabled with it."""

    written: bool
    disabled: bool = False


NOT_RECORDED = Recorded(written=False)


class OutcomeWriter:
    """Writes outcomes, and the resulting health of webhooks, while the lease is held."""

    def __init__(self, database: Database, is_valid: Callable[[Lease], bool]) -> None:
        self._is_valid = is_valid
        self._commits: TenantCommit[Outcome, Recorded] = TenantCommit(
            database.within(None),
            self._flush,
            lambda outcome: outcome.lease.tenant,
            linger=LINGER,
        )

    async def record(self, outcome: Outcome) -> Recorded:
        """Write the outcome. Returns when it is durable, or no longer ours to write."""
        if outcome.status is not DeliveryStatus.DELIVERED:
            await _end_of_tick()
        while True:
            try:
                return await self._commits.submit(outcome)
            except (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError):
                log.exception("outcome refused", delivery_id=str(outcome.delivery_id))
                return NOT_RECORDED
            except Exception:
                log.warning("outcomes could not be recorded; trying again", exc_info=True)
                await asyncio.sleep(RETRY_PAUSE)

    async def drain(self) -> None:
        await self._commits.drain()

    async def _flush(
        self, database: Database, outcomes: Sequence[Outcome]
    ) -> list[Recorded | Exception]:
        if all(outcome.status is DeliveryStatus.DELIVERED for outcome in outcomes):
            # a delivery that a crash of the server undoes is posted again, under the same id
            database = database.unflushed()
        return await database.transact(self._write, outcomes)

    async def _write(
        self, connection: Connection, outcomes: Sequence[Outcome]
    ) -> list[Recorded | Exception]:
        shards = shards_of(outcome.lease.tenant for outcome in outcomes)
        # checked at each try: the database may have been unavailable until the lease expired
        valid = [outcome for outcome in outcomes if self._is_valid(outcome.lease)]
        written = await record_outcomes(connection, shards, valid)
        changes = _list_changes(
            [outcome for outcome in valid if outcome.delivery_id in written], written
        )
        await record_health(connection, shards, changes)
        disabled = {change.lease.resource_id for change in changes if change.disabled_reason}
        return [
            Recorded(outcome.delivery_id in written, outcome.lease.resource_id in disabled)
            for outcome in outcomes
        ]


async def _end_of_tick() -> None:
    """Wait for the end of the current tick, at which all waiters continue together."""
    # `sleep` would count its duration from a different moment for each of them
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    loop.call_at((loop.time() // TICK + 1) * TICK, resolve, ended, None)
    await ended


def _list_changes(
    outcomes: Sequence[Outcome], failing_since: Mapping[UUID, datetime | None]
) -> list[HealthChange]:
    by_webhook: defaultdict[UUID, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_webhook[outcome.lease.resource_id].append(outcome)
    changes = (judge_health(own, failing_since[own[0].delivery_id]) for own in by_webhook.values())
    return [change for change in changes if change is not None]
