"""Latencies of the newest deliveries, by webhook."""

from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


class WebhookLatency(msgspec.Struct, frozen=True):
    """One webhook's deliveries: how many arrived, how many wait for a retry, how many failed, and
    the median and the 95th percentile of the seconds from the event to the endpoint's answer.
    `answer` is the median of the endpoint's own response times to first attempts, in seconds."""

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
    """Compute latencies from the newest `limit` deliveries, as far as they were created in this
    time."""
    rows = await connection.fetch(LIST_LATENCIES, *tenant, limit, since, until)
    return [_latency_of(row) for row in rows]
