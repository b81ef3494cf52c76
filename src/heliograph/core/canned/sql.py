"""The table `canned_replies`."""

from uuid import UUID

import asyncpg

from heliograph.core.canned.model import CannedReply
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection, RepeatTransactionError
from heliograph.platform.database.rows import reads

_reply_of = reads(CannedReply)

LIST = """
SELECT * FROM canned_replies
WHERE shard = $1 AND organization_id = $2
ORDER BY shortcut LIMIT $3
"""


async def list_replies(connection: Connection, tenant: Tenant, limit: int) -> list[CannedReply]:
    return [_reply_of(row) for row in await connection.fetch(LIST, *tenant, limit)]


FIND = """
SELECT * FROM canned_replies WHERE shard = $1 AND organization_id = $2 AND id = $3 FOR UPDATE
"""


async def lock_reply(connection: Connection, tenant: Tenant, reply_id: UUID) -> CannedReply | None:
    """Return the reply, which nobody else can change until this transaction ends."""
    row = await connection.fetchrow(FIND, *tenant, reply_id)
    return None if row is None else _reply_of(row)


COUNT = "SELECT count(*) FROM canned_replies WHERE shard = $1 AND organization_id = $2"


async def count_replies(connection: Connection, tenant: Tenant) -> int:
    return int(await connection.fetchval(COUNT, *tenant))


PUT = """
INSERT INTO canned_replies
    (shard, organization_id, id, shortcut, body, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (shard, organization_id, id) DO UPDATE
SET shortcut = excluded.shortcut, body = excluded.body, updated_at = excluded.updated_at
"""


async def put_reply(connection: Connection, tenant: Tenant, reply: CannedReply) -> None:
    """Store a new reply, or a changed one. Repeat the transaction if another writer takes the
    shortcut meanwhile."""
    values = (reply.id, reply.shortcut, reply.body, reply.created_at, reply.updated_at)
    try:
        await connection.execute(PUT, *tenant, *values)
    except asyncpg.UniqueViolationError:
        raise RepeatTransactionError("another writer took this shortcut") from None


DELETE = """
DELETE FROM canned_replies WHERE shard = $1 AND organization_id = $2 AND id = $3 RETURNING *
"""


async def delete_reply(
    connection: Connection, tenant: Tenant, reply_id: UUID
) -> CannedReply | None:
    """Delete a reply and return it; None where there is none."""
    row = await connection.fetchrow(DELETE, *tenant, reply_id)
    return None if row is None else _reply_of(row)
