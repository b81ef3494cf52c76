"""Group commit across tenants: what waits together is written in one transaction.

Where the database is distributed, there is a transaction for each shard instead. Locked rows hold
up only the tenant that owns them: a shared transaction does not wait long for a lock, but lets each
tenant continue in a transaction of its own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

import asyncpg

from heliograph.core.tenants.model import Tenant
from heliograph.platform.aio.group_commit import GroupCommit, WouldWaitError
from heliograph.platform.database.pool import Database

SHARED_LOCK_TIMEOUT = 0.02
"""Seconds that a shared transaction waits for a lock. The commit of another one that touches the
same rows usually takes less."""
TRIES = 2
APART = 4
"""How many tenants may wait for locks at a time: other transactions need connections, too."""

Item = TypeVar("Item")
Result = TypeVar("Result")
Key: TypeAlias = Tenant | int


def shared_key(database: Database, tenant: Tenant) -> int:
    """Return the same number for tenants that may share a statement and a transaction: for all of
    them or, if the database is distributed, for those of one shard."""
    return tenant.shard if database.is_distributed else 0


class TenantCommit(Generic[Item, Result]):
    """Writes items in the order they were submitted for their tenant, if `concurrency` is 1.

    `write` gets the database for its transaction and the items of one or many tenants, and returns
    one result for each. See `GroupCommit` for the rest.
    """

    def __init__(
        self,
        database: Database,
        write: Callable[[Database, Sequence[Item]], Awaitable[Sequence[Result | Exception]]],
        tenant_of: Callable[[Item], Tenant],
        *,
        max_batch: int = 500,
        concurrency: int = 1,
        linger: float = 0.0,
    ) -> None:
        self._database = database
        self._impatient = database.impatient(SHARED_LOCK_TIMEOUT)
        self._write = write
        self._tenant_of = tenant_of
        self._apart = asyncio.Semaphore(APART)
        self._commits: GroupCommit[Key, Item, Result] = GroupCommit(
            self._flush,
            max_batch=max_batch,
            concurrency=concurrency,
            linger=linger,
            apart=tenant_of,
        )

    def submit(self, item: Item) -> "asyncio.Future[Result]":
        """Put the item into the next batch; the future gets its outcome."""
        return self._commits.submit(shared_key(self._database, self._tenant_of(item)), item)

    @property
    def waiting(self) -> int:
        """The number of items that wait for their batch."""
        return self._commits.waiting

    async def drain(self) -> None:
        """Wait until nothing is waiting or being written."""
        await self._commits.drain()

    async def _flush(self, key: Key, items: Sequence[Item]) -> Sequence[Result | Exception]:
        for _ in range(TRIES):
            try:
                return await self._write(self._impatient, items)
            except asyncpg.LockNotAvailableError:
                continue
        if not isinstance(key, Tenant):
            raise WouldWaitError
        async with self._apart:
            return await self._write(self._database, items)
