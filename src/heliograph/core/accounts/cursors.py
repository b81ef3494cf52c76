"""The table `account_cursors`: how far what a network keeps for an account has been read."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from heliograph.core.tenants.organization import Tenant
from heliograph.platform.database.pool import Connection

CursorKey = tuple[UUID, UUID, str]
"""An organization's id, an account's, and the chat's JID (empty: the account's own archive)."""

LIST = """
SELECT chat_jid, position FROM account_cursors
WHERE shard = $1 AND organization_id = $2 AND account_id = $3
"""

SET = """
INSERT INTO account_cursors (shard, organization_id, account_id, chat_jid, position, updated_at)
SELECT $1, k.organization_id, k.account_id, k.chat_jid, k.position, $6
FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[])
    AS k (organization_id, account_id, chat_jid, position)
ON CONFLICT (shard, organization_id, account_id, chat_jid)
DO UPDATE SET position = EXCLUDED.position, updated_at = EXCLUDED.updated_at
"""

DELETE = """
DELETE FROM account_cursors AS c
USING unnest($2::uuid[], $3::uuid[], $4::text[]) AS k (organization_id, account_id, chat_jid)
WHERE c.shard = $1 AND c.organization_id = k.organization_id AND c.account_id = k.account_id
  AND c.chat_jid = k.chat_jid
"""


async def list_cursors(connection: Connection, tenant: Tenant, account_id: UUID) -> dict[str, str]:
    """The places an account's sessions have come to, by the chat's JID."""
    rows = await connection.fetch(LIST, *tenant, account_id)
    return {row["chat_jid"]: row["position"] for row in rows}


async def set_cursors(
    connection: Connection, shard: int, cursors: Mapping[CursorKey, str | None], at: datetime
) -> None:
    """Move the cursors of one shard's accounts, whose leases are locked; None forgets one."""
    moved = sorted((key, place) for key, place in cursors.items() if place is not None)
    gone = sorted(key for key, place in cursors.items() if place is None)
    if moved:
        await connection.execute(
            SET,
            shard,
            [key[0] for key, _ in moved],
            [key[1] for key, _ in moved],
            [key[2] for key, _ in moved],
            [place for _, place in moved],
            at,
        )
    if gone:
        await connection.execute(
            DELETE,
            shard,
            [key[0] for key in gone],
            [key[1] for key in gone],
            [key[2] for key in gone],
        )
