"""Changes that people and programs make: one transaction with the events that tell of it and, for a
request that may be repeated, with its answer."""

from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

from heliograph.core import topics
from heliograph.core.events.service import EventBuilder
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse
from heliograph.core.idempotency.writes import Keep, KeyedWrites
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

T = TypeVar("T")


async def _nothing(connection: Connection) -> None: ...


class ChangeWriter:
    """Runs work that changes rows of one tenant and adds the events of that to a builder.

    The work may be repeated, so it adds events only for what it finds to be different.
    """

    def __init__(
        self, database: Database, notifications: Notifications, writes: KeyedWrites
    ) -> None:
        self._database = database
        self._notifications = notifications
        self._writes = writes

    async def write(
        self,
        tenant: Tenant,
        work: Callable[[Connection, EventBuilder], Awaitable[T]],
        *,
        last: Callable[[Connection], Awaitable[None]] = _nothing,
    ) -> T:
        """Do `work` in one transaction, which also stores its events and their deliveries, and then
        does what must come `last`."""

        async def write_in(connection: Connection) -> tuple[T, set[UUID]]:
            clock = self._database.clock
            events = EventBuilder(clock)
            result = await work(connection, events)
            webhooks = await fan_out(connection, tenant.shard, events.events, clock)
            await last(connection)
            return result, webhooks

        result, webhooks = await self._database.transact(write_in)
        self._notifications.notify_owner(
            *[topics.deliveries_of(webhook_id) for webhook_id in webhooks]
        )
        return result

    async def answer(
        self,
        principal: Principal,
        key: IdempotencyKey | None,
        work: Callable[[Connection, EventBuilder], Awaitable[StoredResponse]],
        *,
        last: Callable[[Connection], Awaitable[None]] = _nothing,
    ) -> StoredResponse:
        """Do `work`, and keep its answer under the key in the same transaction; a repeat gets that
        answer. `last` is as for `write`.

        Raises what `work` raises, `InvalidInputError` for another request under the same key, and
        `IdempotencyConflictError`.
        """

        async def write(*, keep: Keep[StoredResponse]) -> None:
            async def work_and_keep(connection: Connection, events: EventBuilder) -> None:
                await keep(connection, await work(connection, events))

            await self.write(principal.tenant, work_and_keep, last=last)

        return await self._writes.once(principal, key, write, lambda response: response)
