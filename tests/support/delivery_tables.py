"""All deliveries and attempts, wherever they are kept, as one reads them in tests."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.model import ClaimedDelivery
from heliograph.core.webhooks.queue.sql import claimed_of
from heliograph.platform.database.pool import Connection

_BOTH = """
WITH deliveries AS (
    SELECT shard, organization_id, id, seq, webhook_id, webhook_url, event_id, event_type, status,
        attempt_count, retry_count, next_attempt_at, response_code, error_message,
        delivery_batch_id, created_at, updated_at
    FROM public.deliveries
    UNION ALL
    SELECT shard, organization_id, id, seq, webhook_id, NULL, event_id, event_type, 'pending',
        0, 0, NULL, NULL, NULL, delivery_batch_id, created_at, created_at
    FROM delivery_queue WHERE NOT recorded
), delivery_attempts AS (
    SELECT organization_id, delivery_id, number, started_at, duration_ms, response_code,
        response_body, error_message, address, xmin
    FROM public.delivery_attempts
    UNION ALL
    SELECT organization_id, id, 1, first_started_at, first_duration_ms,
        CASE attempt_count WHEN 1 THEN response_code ELSE first_response_code END,
        first_response_body,
        CASE attempt_count WHEN 1 THEN error_message ELSE first_error_message END,
        first_address, xmin
    FROM public.deliveries WHERE first_started_at IS NOT NULL
)
"""


def of_all(query: str) -> str:
    """The query, for which `deliveries` has those in the queue as well that were never attempted,
    and `delivery_attempts` the first ones, too."""
    return _BOTH + query


END_ALL = "DELETE FROM delivery_queue"
"""Nothing waits any more, whatever became of it."""
CANCEL_ALL = """
INSERT INTO deliveries (
    shard, organization_id, id, seq, webhook_id, webhook_url, event_id, event_type, status,
    retry_count, attempt_count, created_at, updated_at
)
SELECT q.shard, q.organization_id, q.id, q.seq, q.webhook_id, w.url, q.event_id, q.event_type,
    'canceled', 0, 0, q.created_at, q.created_at
FROM delivery_queue AS q JOIN webhooks AS w ON w.shard = q.shard AND w.id = q.webhook_id
WHERE NOT q.recorded
"""
"""What was never attempted is canceled, before `END_ALL`."""


async def end_all(execute: Callable[..., Awaitable[object]], status: str) -> None:
    """Everything that waits ends in this status."""
    await execute(CANCEL_ALL)
    await execute(END_ALL)
    await execute("UPDATE deliveries SET status = $1 WHERE status = 'canceled'", status)


def claimed_delivery(
    seq: int, order_key: UUID, *, attempt_count: int = 0, payload: bytes = b""
) -> ClaimedDelivery:
    """One that no table has."""
    return ClaimedDelivery(
        tenant=Tenant(0, UUID(int=1)),
        id=UUID(int=seq),
        seq=seq,
        webhook_id=UUID(int=2),
        event_id=UUID(int=seq),
        event_type="message.sent",
        order_key=order_key,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        attempt_count=attempt_count,
        is_recorded=attempt_count > 0,
        payload=payload,
    )


async def list_queued(connection: Connection) -> list[ClaimedDelivery]:
    """Everything in the queue, by `seq`, without bodies."""
    rows = await connection.fetch("SELECT * FROM delivery_queue ORDER BY seq")
    return [claimed_of(row) for row in rows]
