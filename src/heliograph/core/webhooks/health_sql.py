"""Whether a webhook works: since when it has only failed, and why it was disabled.

A row is touched when that changes, not at every delivery.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from heliograph.core.cluster.model import Lease
from heliograph.platform.database.pool import Connection


@dataclass(frozen=True, slots=True)
class HealthChange:
    """`failing_since` None: it works again. `disabled_reason` also disables it, at `at`."""

    lease: Lease
    failing_since: datetime | None
    disabled_reason: str | None
    at: datetime


async def record_health(
    connection: Connection, shard: int, changes: Sequence[HealthChange]
) -> None:
    """Write the changes of one shard: one statement.

    What is no longer held under that lease, or is disabled already, stays as it is.
    """
    if not changes:
        return
    ordered = sorted(changes, key=lambda each: (each.lease.tenant, each.lease.resource_id))
    await connection.execute(
        """
        UPDATE webhooks AS w
        SET failing_since = c.failing_since,
            enabled = c.reason IS NULL,
            disabled_reason = c.reason,
            disabled_at = CASE WHEN c.reason IS NOT NULL THEN c.at END,
            updated_at = c.at
        FROM (
            SELECT c.* FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[],
                                   $6::timestamptz[], $7::text[], $8::timestamptz[])
                AS c (organization_id, id, node_id, epoch, failing_since, reason, at)
            JOIN webhook_leases AS l
              ON l.shard = $1 AND l.organization_id = c.organization_id AND l.webhook_id = c.id
             AND l.node_id = c.node_id AND l.epoch = c.epoch
            JOIN webhooks AS x
              ON x.shard = $1 AND x.organization_id = c.organization_id AND x.id = c.id
            ORDER BY x.organization_id, x.id FOR NO KEY UPDATE OF x
        ) AS c
        WHERE w.shard = $1 AND w.organization_id = c.organization_id AND w.id = c.id AND w.enabled
        """,
        shard,
        [each.lease.tenant.organization_id for each in ordered],
        [each.lease.resource_id for each in ordered],
        [each.lease.node_id for each in ordered],
        [each.lease.epoch for each in ordered],
        [each.failing_since for each in ordered],
        [each.disabled_reason for each in ordered],
        [each.at for each in ordered],
    )
