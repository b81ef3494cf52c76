"""The table `idempotency_keys`: requests that a client may repeat without doing them twice.

A row without a response is a request that is still running: on the node `node_id` while that is
alive, on none when it is dead or has answered 504.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, statement, tenant_columns, tenant_of
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns, reads


class IdempotencyRecord(msgspec.Struct, frozen=True):
    """One row. `resource_id` is the message or job that the request made."""

    tenant: Tenant
    key: str
    fingerprint: bytes
    resource_id: UUID | None
    node_id: UUID | None
    response_status: int | None
    response_body: bytes | None
    created_at: datetime
    expires_at: datetime

    def is_same_request(self, other: "IdempotencyRecord") -> bool:
        """Return whether one request on one node made both: by what it made, and when, as two
        requests may share a job."""
        return (
            self.resource_id is not None
            and (self.resource_id, self.fingerprint) == (other.resource_id, other.fingerprint)
            and (self.node_id, self.created_at) == (other.node_id, other.created_at)
        )


_record_of = reads(IdempotencyRecord, tenant=tenant_of)

_NEW = tenant_columns(
    "key text, fingerprint bytea, resource_id uuid, node_id uuid, response_status int,"
    " response_body bytea, created_at timestamptz, expires_at timestamptz"
)
INSERT = insertion(
    """
INSERT INTO idempotency_keys (shard, {names}) SELECT {shard}, {values} FROM {rows}
ORDER BY k.organization_id, k.key
ON CONFLICT (shard, organization_id, key) DO NOTHING
RETURNING organization_id, key
""",
    _NEW,
)


async def insert_keys(
    connection: Connection, shards: Shards, records: Sequence[IdempotencyRecord]
) -> set[tuple[UUID, str]]:
    """Take keys; return (organization id, key) of those that were free."""
    rows = await INSERT.insert(connection, shards, records)
    return {tuple(row) for row in rows}


_KEYS = Columns("organization_id uuid, key text")
LIST = statement(
    """
SELECT i.* FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM idempotency_keys
    WHERE shard = {shard} AND organization_id = k.organization_id AND key = k.key LIMIT 1
) AS i
""",
    _KEYS,
)


async def list_keys(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, str]]
) -> dict[tuple[UUID, str], IdempotencyRecord]:
    rows = await connection.fetch(*LIST.transpose(shards, keys))
    return {(row["organization_id"], row["key"]): _record_of(row) for row in rows}


DELETE_EXPIRED_OF = statement(
    """
DELETE FROM idempotency_keys AS i
USING (
    SELECT x.shard, x.organization_id, x.key FROM idempotency_keys AS x
    JOIN {rows}
      ON x.organization_id = k.organization_id AND x.key = k.key
    WHERE x.shard = {shard} AND x.expires_at <= $4
    ORDER BY x.organization_id, x.key FOR UPDATE OF x
) AS old
WHERE i.shard = {old} AND i.organization_id = old.organization_id AND i.key = old.key
""",
    _KEYS,
    old="old.shard",
)


async def delete_expired_of(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, str]], now: datetime
) -> None:
    """Delete those of these keys that have expired."""
    await connection.execute(*DELETE_EXPIRED_OF.transpose(shards, keys), now)


async def find_key(connection: Connection, tenant: Tenant, key: str) -> IdempotencyRecord | None:
    found = await list_keys(connection, tenant.shard, [(tenant.organization_id, key)])
    return found.get((tenant.organization_id, key))


FINISH = """
UPDATE idempotency_keys SET response_status = $4, response_body = $5, node_id = NULL
WHERE shard = $1 AND organization_id = $2 AND key = $3 AND response_status IS NULL
"""


async def finish_key(
    connection: Connection, tenant: Tenant, key: str, status: int, body: bytes
) -> None:
    """Store the first answer."""
    await connection.execute(FINISH, *tenant, key, status, body)


RELEASE = """
UPDATE idempotency_keys SET node_id = NULL
WHERE shard = $1 AND organization_id = $2 AND key = $3 AND response_status IS NULL
  AND node_id = $4
"""


async def release_key(connection: Connection, tenant: Tenant, key: str, node_id: UUID) -> None:
    """Give up a request that was answered before its end: a repeat may wait for it.

    Does nothing when this node does not have the key any more.
    """
    await connection.execute(RELEASE, *tenant, key, node_id)


TAKE_OVER = """
UPDATE idempotency_keys SET node_id = $4
WHERE shard = $1 AND organization_id = $2 AND key = $3 AND response_status IS NULL
  AND (node_id IS NULL OR node_id = $4 OR node_id = $5)
RETURNING key
"""


async def take_over_key(
    connection: Connection, tenant: Tenant, key: str, node_id: UUID, dead: UUID | None
) -> bool:
    """Continue a request that no node works on; return False if another node was faster."""
    row = await connection.fetchrow(TAKE_OVER, *tenant, key, node_id, dead)
    return row is not None


DELETE = """
DELETE FROM idempotency_keys
WHERE shard = $1 AND organization_id = $2 AND key = $3 AND response_status IS NULL
  AND node_id = $4
"""


async def delete_key(connection: Connection, tenant: Tenant, key: str, node_id: UUID) -> None:
    """Delete a request without an answer; does nothing when this node does not have the key."""
    await connection.execute(DELETE, *tenant, key, node_id)


_OWN_KEYS = tenant_columns("key text, resource_id uuid")
DELETE_OF = statement(
    """
DELETE FROM idempotency_keys AS i
USING {rows}
WHERE i.shard = {shard} AND i.organization_id = k.organization_id AND i.key = k.key
  AND i.resource_id = k.resource_id
""",
    _OWN_KEYS,
)


async def delete_keys_of(
    connection: Connection, shards: Shards, records: Sequence[IdempotencyRecord]
) -> None:
    """Delete keys that this transaction has inserted."""
    await connection.execute(*DELETE_OF.of(shards, records))


DELETE_EXPIRED = """
WITH old AS MATERIALIZED (
    SELECT organization_id, key FROM idempotency_keys
    WHERE shard = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3
    FOR UPDATE SKIP LOCKED
)
DELETE FROM idempotency_keys AS i
USING old
WHERE i.shard = $1 AND i.organization_id = old.organization_id AND i.key = old.key
  AND i.organization_id = ANY(ARRAY(SELECT organization_id FROM old))
  AND i.key = ANY(ARRAY(SELECT key FROM old))
"""


async def delete_expired(connection: Connection, shard: int, now: datetime, limit: int) -> int:
    tag = await connection.execute(DELETE_EXPIRED, shard, now, limit)
    return int(tag.rsplit(" ", 1)[-1])
