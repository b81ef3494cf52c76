"""Whether a webhook works: since when it has only failed, and why it was disabled.

A row is touched when that changes, not at every delivery.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from heliograph.model.organizations import Tenant
from heliograph.store.database import Connection


@dataclass(frozen=True, slots=True)
class HealthChange:
    """`failing_since` None: it works again. `disabled_reason` also disables it, at `at`."""

    tenant: Tenant
    webhook_id: UUID
    failing_since: datetime | None
    disabled_reason: str | None
    at: datetime


async def record_health(
    connection: Connection, shard: int, changes: Sequence[HealthChange]
) -> None:
    """Write the changes of one shard: one statement. What is disabled already stays as it is."""
    if not changes:
        return
    ordered = sorted(changes, key=lambda each: (each.tenant, each.webhook_id))
    await connection.execute(
        """
        UPDATE webhooks AS w
        SET failing_since = c.failing_since,
            enabled = c.reason IS NULL,
            disabled_reason = c.reason,
            disabled_at = CASE WHEN c.reason IS NOT NULL THEN c.at END,
            updated_at = c.at
        FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::timestamptz[])
            AS c (organization_id, id, failing_since, reason, at)
        WHERE w.shard = $1 AND w.organization_id = c.organization_id AND w.id = c.id AND w.enabled
        """,
        shard,
        [each.tenant.organization_id for each in ordered],
        [each.webhook_id for each in ordered],
        [each.failing_since for each in ordered],
        [each.disabled_reason for each in ordered],
        [each.at for each in ordered],
    )
