"""The backlog of all tenants together, without locks.

The cost does not grow with the backlog: counting stops at a limit, and the oldest row is found by
one index look-up for each account or webhook. These statements lock nothing and change nothing.
"""

from datetime import datetime
from typing import Any

from heliograph.core.cluster.model import Backlog
from heliograph.platform.database.pool import Connection

COUNTED = 100_000
"""Counting stops here: a longer backlog is reported as this long."""

COUNT_MESSAGES = """
SELECT count(*) FROM (
    SELECT 1 FROM message_queue ORDER BY shard, organization_id, account_id, seq LIMIT $1
) AS queued
"""

FIND_OLDEST_MESSAGE = """
SELECT min(first.queued_at)
FROM accounts AS a CROSS JOIN LATERAL (
    SELECT q.queued_at FROM message_queue AS q
    WHERE q.shard = a.shard AND q.organization_id = a.organization_id AND q.account_id = a.id
    ORDER BY q.seq LIMIT 1
) AS first
"""

# A webhook belongs to one tenant. If the count of first attempts also named the tenant, the planner
# would choose the primary key.
COUNT_DELIVERIES = """
SELECT count(*)
FROM (
    SELECT 1
    FROM webhooks AS w CROSS JOIN LATERAL (
        SELECT d.seq FROM (
            SELECT seq FROM delivery_queue
            WHERE shard = w.shard AND webhook_id = w.id AND next_attempt_at IS NULL
            ORDER BY seq LIMIT $1
        ) AS d
        UNION ALL
        SELECT d.seq FROM (
            SELECT seq FROM delivery_queue
            WHERE shard = w.shard AND organization_id = w.organization_id AND webhook_id = w.id
              AND next_attempt_at IS NOT NULL
            ORDER BY next_attempt_at LIMIT $1
        ) AS d
    ) AS waiting
    WHERE w.enabled
    LIMIT $1
) AS pending
"""

FIND_OLDEST_FIRST_ATTEMPT = """
SELECT min(first.created_at)
FROM webhooks AS w CROSS JOIN LATERAL (
    SELECT d.created_at FROM delivery_queue AS d
    WHERE d.shard = w.shard AND d.organization_id = w.organization_id AND d.webhook_id = w.id
      AND d.next_attempt_at IS NULL
    ORDER BY d.seq LIMIT 1
) AS first
WHERE w.enabled
"""

FIND_OLDEST_RETRY = """
SELECT min(first.next_attempt_at)
FROM webhooks AS w CROSS JOIN LATERAL (
    SELECT d.next_attempt_at FROM delivery_queue AS d
    WHERE d.shard = w.shard AND d.organization_id = w.organization_id AND d.webhook_id = w.id
      AND d.next_attempt_at IS NOT NULL
    ORDER BY d.next_attempt_at LIMIT 1
) AS first
WHERE w.enabled
"""


async def count_backlog(connection: Connection, now: datetime) -> Backlog:
    """Count the backlog at `now`, in database time."""

    async def ask(statement: str, *values: object) -> Any:
        return await connection.fetchval(statement, *values)

    firsts, retries = await ask(FIND_OLDEST_FIRST_ATTEMPT), await ask(FIND_OLDEST_RETRY)
    return Backlog(
        messages=await ask(COUNT_MESSAGES, COUNTED),
        messages_age=_age(await ask(FIND_OLDEST_MESSAGE), now),
        deliveries=await ask(COUNT_DELIVERIES, COUNTED),
        deliveries_age=max(_age(firsts, now), _age(retries, now)),
    )


def _age(since: datetime | None, now: datetime) -> float:
    """Return the seconds since then; 0 for None and for a time in the future."""
    return 0.0 if since is None else max(0.0, (now - since).total_seconds())
