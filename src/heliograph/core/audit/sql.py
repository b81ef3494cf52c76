"""The table `audit_entries`: rows are added and read; nothing here changes or deletes one."""

from collections.abc import Sequence

import msgspec

from heliograph.core.audit.model import AuditAction, AuditEntry
from heliograph.core.tenants.organization import Tenant
from heliograph.platform.database.pool import Connection, Row

INSERT = """
INSERT INTO audit_entries (
    shard, organization_id, id, actor, action, subject, details, created_at
)
SELECT $1, e.organization_id, e.id, e.actor, e.action, e.subject, e.details::jsonb, e.created_at
FROM unnest(
    $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[]
) AS e (organization_id, id, actor, action, subject, details, created_at)
ON CONFLICT (shard, organization_id, id) DO NOTHING
"""

LIST = """
SELECT * FROM audit_entries
WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND ($3::bigint IS NULL OR seq < $3)
ORDER BY seq DESC LIMIT $4
"""


async def insert_audit_entries(
    connection: Connection, shard: int, entries: Sequence[AuditEntry]
) -> None:
    """Entries of one shard, in the transaction that does what they tell of."""
    await connection.execute(
        INSERT,
        shard,
        [each.tenant.organization_id for each in entries],
        [each.id for each in entries],
        [each.actor for each in entries],
        [each.action for each in entries],
        [each.subject for each in entries],
        [msgspec.json.encode(each.details).decode() for each in entries],
        [each.created_at for each in entries],
    )


async def list_audit_entries(
    connection: Connection, tenant: Tenant, before: int | None, limit: int
) -> list[AuditEntry]:
    """Newest first; `before` is the last `seq` of the page before."""
    rows = await connection.fetch(LIST, *tenant, before, limit)
    return [_entry(row) for row in rows]


def _entry(row: Row) -> AuditEntry:
    return AuditEntry(
        tenant=Tenant(row["shard"], row["organization_id"]),
        id=row["id"],
        actor=row["actor"],
        action=AuditAction(row["action"]),
        subject=row["subject"],
        details=msgspec.json.decode(row["details"]),
        created_at=row["created_at"],
        seq=row["seq"],
    )
