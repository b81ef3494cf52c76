"""The table `label_changes`: changes of labels that have not been reported in full."""

from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Author, Tenant
from heliograph.core.tenants.rows import tenant_columns, tenant_of
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


class LabelChange(msgspec.Struct, frozen=True):
    """A label that was called `name_before` until `author` changed it. Conversations and contacts
    are told in the order of their ids: `after_conversation_id` and `after_contact_id` are the last
    that were, and None when all were."""

    tenant: Tenant
    id: UUID
    label_id: UUID
    name_before: str
    color_before: str
    author: Author
    after_conversation_id: UUID | None
    after_contact_id: UUID | None
    told_at: datetime

    @property
    def is_told(self) -> bool:
        return self.after_conversation_id is None and self.after_contact_id is None


_change_of = reads(
    LabelChange,
    tenant=tenant_of,
    author=lambda row: Author(row["author_kind"], row["author_id"], row["author_name"]),
)
_CHANGES = tenant_columns(
    "id uuid, label_id uuid, name_before text, color_before text, author_kind text, author_id text,"
    " author_name text, after_conversation_id uuid, after_contact_id uuid, told_at timestamptz",
    author_kind="author.kind",
    author_id="author.id",
    author_name="author.name",
)
PUT = _CHANGES.fill("""
INSERT INTO label_changes (shard, {names}) SELECT $1, {values} FROM {rows}
ON CONFLICT (shard, organization_id, id) DO UPDATE
SET after_conversation_id = excluded.after_conversation_id,
    after_contact_id = excluded.after_contact_id, told_at = excluded.told_at
""")
DELETE = "DELETE FROM label_changes WHERE shard = $1 AND organization_id = $2 AND id = $3"


async def put_change(connection: Connection, change: LabelChange) -> None:
    """Store how far the change has been reported; delete it when it is finished."""
    if change.is_told:
        await connection.execute(DELETE, *change.tenant, change.id)
    else:
        await connection.execute(PUT, change.tenant.shard, *_CHANGES.of([change]))


LOCK = (
    "SELECT * FROM label_changes WHERE shard = $1 AND organization_id = $2 AND id = $3 FOR UPDATE"
)


async def lock_change(
    connection: Connection, tenant: Tenant, change_id: UUID
) -> LabelChange | None:
    row = await connection.fetchrow(LOCK, *tenant, change_id)
    return None if row is None else _change_of(row)


# Scans all shards: the table is usually empty.
LIST_LEFT = (
    "SELECT shard, organization_id, id FROM label_changes WHERE told_at < $1 ORDER BY told_at"
)


async def list_left(connection: Connection, before: datetime) -> list[tuple[Tenant, UUID]]:
    """List the changes of all tenants that have made no progress since `before`."""
    rows = await connection.fetch(LIST_LEFT, before)
    return [(tenant_of(row), row["id"]) for row in rows]
