"""Reads the deliveries of a time range in steps of bounded cost."""

from datetime import datetime
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.model import DeliveryStatus
from heliograph.platform.database.pool import Connection

FIND_FIRST_SEQ = """
SELECT min(seq) FROM (
    SELECT seq FROM deliveries WHERE shard = $1 AND organization_id = $2 AND id >= $3
    ORDER BY id LIMIT 1000
) AS firsts
"""


async def find_first_seq(connection: Connection, tenant: Tenant, first_id: UUID) -> int | None:
    """Find the `seq` of the organization's first delivery from this id on, or None. Ids of the same
    moment are in no order, so the first several are compared."""
    found: int | None = await connection.fetchval(FIND_FIRST_SEQ, *tenant, first_id)
    return found


LIST_EVENTS_IN_STATUS = """
SELECT seq, id, event_id,
    webhook_id = $3 AND status = $4 AND created_at >= $5 AND created_at < $6 AS wanted
FROM deliveries
WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND seq > $7
ORDER BY seq LIMIT $8
"""


async def list_events_in_status(
    connection: Connection,
    tenant: Tenant,
    webhook_id: UUID,
    status: DeliveryStatus,
    since: datetime,
    until: datetime,
    *,
    after: int,
    last_id: UUID,
    scan: int,
) -> tuple[list[UUID], int | None]:
    """List the events of a webhook's deliveries with this status and time, in order, among the next
    `scan` deliveries of the organization after this `seq`; and where to continue, or None if there
    are no more up to `last_id`."""
    values = (*tenant, webhook_id, status.value, since, until, after, scan)
    rows = await connection.fetch(LIST_EVENTS_IN_STATUS, *values)
    more = len(rows) == scan and rows[-1]["id"] < last_id
    return [row["event_id"] for row in rows if row["wanted"]], rows[-1]["seq"] if more else None
