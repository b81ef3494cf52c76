"""The table `audit_entries`: rows are added and read; nothing here changes or deletes one."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from heliograph.core.audit.model import AuditEntry
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, tenant_columns, tenant_of
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads

_NEW = tenant_columns(
    "id uuid, actor text, action text, subject text, details jsonb, created_at timestamptz",
    details=lambda entry: msgspec.json.encode(entry.details).decode(),
)
INSERT = insertion(
    """
INSERT INTO audit_entries (shard, {names}) SELECT {shard}, {values} FROM {rows}
ON CONFLICT (shard, organization_id, id) DO NOTHING
""",
    _NEW,
)


async def insert_audit_entries(
    connection: Connection, shards: Shards, entries: Sequence[AuditEntry]
) -> None:
    """Insert entries, in the transaction that does what they record."""
    await INSERT.insert(connection, shards, entries)


HAS = """
SELECT EXISTS (
    SELECT 1 FROM audit_entries WHERE shard = $1 AND organization_id = $2 AND id = $3
)
"""


async def has_entry(connection: Connection, tenant: Tenant, entry_id: UUID) -> bool:
    return bool(await connection.fetchval(HAS, *tenant, entry_id))


LIST = """
SELECT * FROM audit_entries
WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND ($3::bigint IS NULL OR seq < $3)
ORDER BY seq DESC LIMIT $4
"""

_entry_of = reads(
    AuditEntry, tenant=tenant_of, details=lambda row: msgspec.json.decode(row["details"])
)


async def list_audit_entries(
    connection: Connection, tenant: Tenant, before: int | None, limit: int
) -> list[AuditEntry]:
    rows = await connection.fetch(LIST, *tenant, before, limit)
    return [_entry_of(row) for row in rows]
