"""Ends snoozes by the clock: a conversation that was snoozed until a certain time reopens then."""

from uuid import UUID

from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.cluster import due_sql
from heliograph.core.events.model import EventType
from heliograph.core.inbox import sql
from heliograph.core.inbox.events import add_conversation_event
from heliograph.core.inbox.model import ConversationStatus
from heliograph.core.tenants.model import gateway
from heliograph.platform.database.pool import Database

BATCH = 500
_SOON = 1.0
"""Seconds until the next try if a due conversation could not be reopened."""

END = Write(
    scope=None,
    unaudited="nobody does it: the time that somebody set has come",
    events=(EventType.CONVERSATION_UPDATED,),
)


class SnoozeEnder:
    def __init__(self, database: Database, changes: Changes) -> None:
        self._database = database
        self._changes = changes

    async def end_due(self) -> float:
        """Reopen conversations that are due. Returns the seconds until the next snooze ends, at
        most 60."""
        while True:
            now = self._database.clock.now()
            due = await self._database.read(due_sql.list_due_snoozes, now, BATCH)
            for tenant, conversation_id in due:
                await self._changes.run(END, gateway(tenant), _end, conversation_id)
            if len(due) < BATCH:
                return await self._until_next()

    async def _until_next(self) -> float:
        at = await self._database.read(due_sql.find_next_snooze_end)
        if at is None:
            return 60.0
        return max(0.0, (at - self._database.clock.now()).total_seconds()) or _SOON


async def _end(change: Change, conversation_id: UUID) -> None:
    """Reopen one conversation, unless another node was faster or somebody changed it."""
    before = await sql.lock_conversation(change.connection, change.tenant, conversation_id)
    if before is None or before.reopens_at is None or before.reopens_at > change.now:
        return
    after = replace(before, status=ConversationStatus.OPEN, snoozed_until=None)
    after = await sql.update_conversation(change.connection, after)
    add_conversation_event(change.events, before, after, None)
    change.wake(topics.live(change.tenant))
