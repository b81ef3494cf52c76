"""Snoozes that end by the clock: a conversation that was snoozed until a time reopens then."""

from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.cluster import due_sql
from heliograph.core.events.service import EventBuilder
from heliograph.core.inbox import sql
from heliograph.core.inbox.events import add_conversation_event
from heliograph.core.inbox.model import ConversationStatus
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

BATCH = 500
_SOON = 1.0
"""Seconds after which to look again when something due could not be reopened."""


class SnoozeEnder:
    def __init__(self, database: Database, notifications: Notifications) -> None:
        self._database = database
        self._notifications = notifications

    async def end_due(self) -> float:
        """Reopen what is due. Returns the seconds until the next snooze ends, at most a minute."""
        while True:
            now = self._database.clock.now()
            due = await self._database.read(due_sql.list_due_snoozes, now, BATCH)
            for tenant, conversation_id in due:
                await self._end(tenant, conversation_id, now)
            if len(due) < BATCH:
                return await self._until_next()

    async def _until_next(self) -> float:
        at = await self._database.read(due_sql.find_next_snooze_end)
        if at is None:
            return 60.0
        return max(0.0, (at - self._database.clock.now()).total_seconds()) or _SOON

    async def _end(self, tenant: Tenant, conversation_id: UUID, now: datetime) -> None:
        clock = self._database.clock
        webhooks = await self._database.transact(_end_in, tenant, conversation_id, now, clock)
        self._notifications.notify_owner(
            *[topics.deliveries_of(webhook_id) for webhook_id in webhooks]
        )
        self._notifications.notify_here(topics.live(tenant))


async def _end_in(
    connection: Connection, tenant: Tenant, conversation_id: UUID, now: datetime, clock: Clock
) -> set[UUID]:
    """Reopen one conversation, unless another node was faster or somebody changed it."""
    before = await sql.lock_conversation(connection, tenant, conversation_id)
    if before is None or before.reopens_at is None or before.reopens_at > now:
        return set()
    after = replace(before, status=ConversationStatus.OPEN, snoozed_until=None)
    after = await sql.update_conversation(connection, after)
    events = EventBuilder(clock)
    add_conversation_event(events, before, after, None)
    return await fan_out(connection, tenant.shard, events.events, clock)
