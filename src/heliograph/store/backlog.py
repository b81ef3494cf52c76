"""How much waits, for all tenants together: asked now and then, without locks.

Like the statements of `due`, these name no shard. Each reads one partial index's rows: what waits
now, however much was ever sent.
"""

from datetime import datetime

from heliograph.model.backlog import Backlog
from heliograph.store.database import Connection

COUNT_MESSAGES = """
SELECT count(*) AS n, min(queued_at) AS oldest FROM messages WHERE status = 'queued'
"""

COUNT_DELIVERIES = """
SELECT count(*) AS n, min(due_at) FILTER (WHERE due_at <= $1) AS oldest
FROM (
    SELECT shard, organization_id, webhook_id, created_at AS due_at
    FROM deliveries WHERE status = 'pending' AND next_attempt_at IS NULL
    UNION ALL
    SELECT shard, organization_id, webhook_id, next_attempt_at
    FROM deliveries WHERE status = 'pending' AND next_attempt_at IS NOT NULL
) AS pending
JOIN webhooks AS w ON w.shard = pending.shard AND w.organization_id = pending.organization_id
    AND w.id = pending.webhook_id
WHERE w.enabled
"""


async def count_backlog(connection: Connection, now: datetime) -> Backlog:
    """What waits at `now`, in database time."""
    [messages] = await connection.fetch(COUNT_MESSAGES)
    [deliveries] = await connection.fetch(COUNT_DELIVERIES, now)
    return Backlog(
        messages=messages["n"],
        messages_age=_age(messages["oldest"], now),
        deliveries=deliveries["n"],
        deliveries_age=_age(deliveries["oldest"], now),
    )


def _age(oldest: datetime | None, now: datetime) -> float:
    return 0.0 if oldest is None else max(0.0, (now - oldest).total_seconds())
