"""The files of an organization in pages, newest first, and whether messages still need one."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.media.model import Media, MediaFilter
from heliograph.core.media.sql import media_of
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection

# A limited key sees what came in through its accounts, and what it has uploaded itself.
LIST = """
SELECT m.* FROM (
    SELECT * FROM media
    WHERE shard = $1 AND organization_id = $2 AND id < $3
    ORDER BY id DESC LIMIT $4
) AS m
WHERE m.stored_at IS NOT NULL AND (m.expires_at IS NULL OR m.expires_at > $5)
  AND ($6::text IS NULL OR lower($6) IN
       (m.media_type, split_part(m.media_type, ';', 1), split_part(m.media_type, '/', 1)))
  AND ($7::text IS NULL OR CASE WHEN m.account_id IS NULL THEN 'upload' ELSE 'inbound' END = $7)
  AND ($8::uuid IS NULL OR m.account_id = $8)
  AND ($9::uuid[] IS NULL OR m.account_id = ANY($9) OR (m.account_id IS NULL AND m.key_id = $10))
ORDER BY m.id DESC LIMIT $11
"""


async def list_media(
    connection: Connection,
    tenant: Tenant,
    only: MediaFilter,
    visible: tuple[Sequence[UUID] | None, str | None],
    *,
    before: UUID,
    scan: int,
    now: datetime,
    limit: int,
) -> list[Media]:
    """List the newest that fit among the `scan` newest before this id. `visible` are the accounts
    and the key that the caller is limited to."""
    fits = (only.media_type, only.origin, only.chat_account_id, *visible)
    rows = await connection.fetch(LIST, *tenant, before, scan, now, *fits, limit)
    return [media_of(row) for row in rows]


FIND_END = """
SELECT id FROM media WHERE shard = $1 AND organization_id = $2 AND id < $3
ORDER BY id DESC OFFSET $4 LIMIT 1
"""


async def find_end(connection: Connection, tenant: Tenant, before: UUID, scan: int) -> UUID | None:
    """Return the last of those that such a list looks at, None if there are fewer."""
    found: UUID | None = await connection.fetchval(FIND_END, *tenant, before, scan - 1)
    return found


IS_WAITED_FOR = """
SELECT EXISTS (
    SELECT 1 FROM (
        SELECT message_id FROM message_queue WHERE shard = $1 AND organization_id = $2
        UNION ALL
        SELECT message_id FROM message_schedule WHERE shard = $1 AND organization_id = $2
        UNION ALL
        SELECT unnest(message_ids) FROM message_claims WHERE shard = $1 AND organization_id = $2
    ) AS waiting
    CROSS JOIN LATERAL (
        SELECT content, status FROM messages
        WHERE shard = $1 AND organization_id = $2 AND id = waiting.message_id
        OFFSET 0
    ) AS m
    WHERE m.content ->> 'media_id' = $3 AND m.status IN ('scheduled', 'queued', 'sending')
)
"""


async def is_waited_for(connection: Connection, tenant: Tenant, media_id: UUID) -> bool:
    """Return whether a message that waits to be sent has this file."""
    return bool(await connection.fetchval(IS_WAITED_FOR, *tenant, str(media_id)))
