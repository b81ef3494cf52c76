"""How soon the newest deliveries arrived, by webhook."""

from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


class WebhookLatency(msgspec.Struct, frozen=True):
    """Of one webhook's deliveries: how many arrived, how many wait for another attempt, how many
    failed, and in how many seconds from the event to the endpoint's answer half and nineteen of
    twenty arrived. `answer` is how many seconds the endpoint itself took for half of the first
    attempts that it answered."""

    webhook_id: UUID
    url: str
    delivered: int
    waiting: int
    failed: int
    median: float | None
    slow: float | None
    answer: float | None


LIST_LATENCIES = """
SELECT webhook_id, max(webhook_url) AS url,
    count(*) FILTER (WHERE status = 'delivered') AS delivered,
    count(*) FILTER (WHERE status = 'pending' AND attempt_count > 0) AS waiting,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) AS slow,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY first_duration_ms / 1000.0::double precision)
        FILTER (WHERE is_answered) AS answer
FROM (
    SELECT webhook_id, webhook_url, status, attempt_count, created_at, first_duration_ms,
        CASE attempt_count WHEN 1 THEN response_code ELSE first_response_code END IS NOT NULL
            AS is_answered,
        extract(epoch FROM delivered_at - created_at)::double precision AS seconds
    FROM deliveries
    WHERE shard = $1 AND organization_id = $2 AND seq > 0
    ORDER BY seq DESC LIMIT $3
) AS newest
WHERE created_at >= $4 AND created_at < $5
GROUP BY webhook_id ORDER BY delivered DESC, webhook_id
"""

_latency_of = reads(WebhookLatency)


async def list_latencies(
    connection: Connection, tenant: Tenant, limit: int, since: datetime, until: datetime
) -> list[WebhookLatency]:
    """Look at the newest `limit` deliveries, and of them at those that were made in this time."""
    rows = await connection.fetch(LIST_LATENCIES, *tenant, limit, since, until)
    return [_latency_of(row) for row in rows]
