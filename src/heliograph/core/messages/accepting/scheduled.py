"""Queues scheduled messages when they are due."""

from datetime import datetime

from msgspec.structs import replace

from heliograph.core.messages.accepting.expiry_sql import lock_unsent
from heliograph.core.messages.model import Message, MessageStatus
from heliograph.core.messages.queue.schedule_sql import start_messages, take_due
from heliograph.core.messages.queue.sql import insert_waiting
from heliograph.platform.database.pool import Connection


async def start_scheduled(
    connection: Connection, shard: int, now: datetime, limit: int
) -> tuple[int, list[Message]]:
    """Queue due messages of one shard.

    Returns how many were due, at most `limit`, and which of them are queued now: some may have been
    canceled.
    """
    keys = await take_due(connection, shard, now, limit)
    unsent = await lock_unsent(connection, shard, keys) if keys else []
    started = [
        replace(message, status=MessageStatus.QUEUED, queued_at=now)
        for message in unsent
        if message.status is MessageStatus.SCHEDULED
    ]
    if started:
        ids = [(message.tenant.organization_id, message.id) for message in started]
        await start_messages(connection, shard, ids, now)
        await insert_waiting(connection, shard, started)
    return len(keys), started
