"""Whether a webhook works: since when it has only failed, and why it was disabled.

A row is touched when that changes, not at every delivery.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from heliograph.core.cluster.model import Lease
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns


class HealthChange(msgspec.Struct, frozen=True):
    """`failing_since` None: it works again. `disabled_reason` also disables it, at `at`."""

    lease: Lease
    failing_since: datetime | None
    disabled_reason: str | None
    at: datetime


_CHANGED = Columns(
    "organization_id uuid, id uuid, node_id uuid, epoch bigint, failing_since timestamptz,"
    " disabled_reason text, at timestamptz",
    organization_id="lease.tenant.organization_id",
    id="lease.resource_id",
    node_id="lease.node_id",
    epoch="lease.epoch",
)
_RECORD = _CHANGED.fill("""
UPDATE webhooks AS w
SET failing_since = c.failing_since,
    enabled = c.disabled_reason IS NULL,
    disabled_reason = c.disabled_reason,
    disabled_at = CASE WHEN c.disabled_reason IS NOT NULL THEN c.at END,
    updated_at = c.at
FROM (
    SELECT k.* FROM {rows}
    JOIN webhook_leases AS l
      ON l.shard = $1 AND l.organization_id = k.organization_id AND l.webhook_id = k.id
     AND l.node_id = k.node_id AND l.epoch = k.epoch
    JOIN webhooks AS x
      ON x.shard = $1 AND x.organization_id = k.organization_id AND x.id = k.id
    ORDER BY x.organization_id, x.id FOR NO KEY UPDATE OF x
) AS c
WHERE w.shard = $1 AND w.organization_id = c.organization_id AND w.id = c.id AND w.enabled
""")


async def record_health(
    connection: Connection, shard: int, changes: Sequence[HealthChange]
) -> None:
    """Write the changes of one shard: one statement.

    What is no longer held under that lease, or is disabled already, stays as it is.
    """
    if not changes:
        return
    ordered = sorted(changes, key=lambda each: (each.lease.tenant, each.lease.resource_id))
    await connection.execute(_RECORD, shard, *_CHANGED.of(ordered))
