"""The table `api_keys`: few rows, of no tenant's table, found by the key's public part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from heliograph.core.keys.model import ApiKeyCheck, ApiKeyRecord
from heliograph.core.organizations.plans_sql import read_plan
from heliograph.core.secrets.model import OldSecret
from heliograph.core.secrets.sql import read_expiries, read_old_secrets, to_columns
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection, Row

INSERT = """
INSERT INTO api_keys (
    id, key_id, organization_id, name, display_prefix, secret_hash, scopes, expires_at,
    created_at, updated_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
ON CONFLICT (id) DO NOTHING
"""

FIND_CHECK = """
SELECT k.key_id, k.name, k.organization_id, o.shard, o.plan, k.scopes, k.secret_hash,
    k.previous_secret_hash, k.previous_secret_expires_at, k.older_secret_hashes,
    k.older_secrets_expire_at, k.expires_at, k.revoked_at,
    p.requests_per_minute, p.key_requests_per_minute, p.messages_per_day, p.messages_per_month,
    p.accounts, p.webhooks, p.api_keys, p.retention_days
FROM api_keys AS k
JOIN organizations AS o ON o.id = k.organization_id
JOIN plans AS p ON p.name = o.plan
WHERE k.key_id = $1
"""

FIND = """
SELECT id, key_id, organization_id, name, display_prefix, scopes, expires_at, last_used_at,
    revoked_at, previous_secret_expires_at, older_secrets_expire_at, created_at, updated_at
FROM api_keys WHERE organization_id = $1 AND key_id = $2
"""

LIST = """
SELECT id, key_id, organization_id, name, display_prefix, scopes, expires_at, last_used_at,
    revoked_at, previous_secret_expires_at, older_secrets_expire_at, created_at, updated_at
FROM api_keys WHERE organization_id = $1
ORDER BY created_at, id
"""

COUNT_OTHERS = """
SELECT count(*) FROM api_keys
WHERE organization_id = $1 AND id <> $2 AND revoked_at IS NULL
  AND (expires_at IS NULL OR expires_at > $3)
"""

LOCK_SECRETS = """
SELECT secret_hash, previous_secret_hash, previous_secret_expires_at, older_secret_hashes,
    older_secrets_expire_at
FROM api_keys WHERE organization_id = $1 AND key_id = $2 AND revoked_at IS NULL
FOR NO KEY UPDATE
"""

UPDATE_SECRETS = """
UPDATE api_keys
SET secret_hash = $3, previous_secret_hash = $4, previous_secret_expires_at = $5,
    older_secret_hashes = $6, older_secrets_expire_at = $7, updated_at = $8
WHERE organization_id = $1 AND key_id = $2
"""

REVOKE = """
UPDATE api_keys SET revoked_at = $3, updated_at = $3
WHERE organization_id = $1 AND key_id = $2 AND revoked_at IS NULL
"""

UPDATE_LAST_USED = """
WITH used AS (
    SELECT k.id, u.at
    FROM api_keys AS k JOIN unnest($1::text[], $2::timestamptz[]) AS u (key_id, at)
      ON k.key_id = u.key_id
    WHERE k.last_used_at IS NULL OR k.last_used_at < u.at
    ORDER BY k.id FOR UPDATE OF k
)
UPDATE api_keys AS k SET last_used_at = used.at FROM used WHERE k.id = used.id
"""


@dataclass(frozen=True, slots=True)
class NewApiKey:
    """A key about to be stored; `secret_hash` is SHA-256 of its secret."""

    id: UUID
    key_id: str
    organization_id: UUID
    name: str
    display_prefix: str
    secret_hash: bytes
    scopes: tuple[str, ...] | None
    expires_at: datetime | None
    created_at: datetime


async def insert_api_key(connection: Connection, key: NewApiKey) -> None:
    await connection.execute(
        INSERT,
        key.id,
        key.key_id,
        key.organization_id,
        key.name,
        key.display_prefix,
        key.secret_hash,
        key.scopes,
        key.expires_at,
        key.created_at,
    )


async def find_api_key_check(connection: Connection, key_id: str) -> ApiKeyCheck | None:
    row = await connection.fetchrow(FIND_CHECK, key_id)
    return None if row is None else _check(row)


async def find_api_key(
    connection: Connection, organization_id: UUID, key_id: str
) -> ApiKeyRecord | None:
    row = await connection.fetchrow(FIND, organization_id, key_id)
    return None if row is None else _record(row)


async def list_api_keys(connection: Connection, organization_id: UUID) -> list[ApiKeyRecord]:
    return [_record(row) for row in await connection.fetch(LIST, organization_id)]


async def count_other_api_keys(
    connection: Connection, organization_id: UUID, but: UUID, now: datetime
) -> int:
    """How many keys can be used, but this one."""
    return int(await connection.fetchval(COUNT_OTHERS, organization_id, but, now))


async def lock_key_secrets(
    connection: Connection, organization_id: UUID, key_id: str
) -> tuple[bytes, tuple[OldSecret, ...]] | None:
    """The hash of the secret and the old ones of a key that is not revoked; nobody else changes
    them until the transaction ends."""
    row = await connection.fetchrow(LOCK_SECRETS, organization_id, key_id)
    return None if row is None else (row["secret_hash"], _old_secrets(row))


async def update_key_secrets(
    connection: Connection,
    organization_id: UUID,
    key_id: str,
    secret_hash: bytes,
    old: Sequence[OldSecret],
    at: datetime,
) -> None:
    await connection.execute(
        UPDATE_SECRETS, organization_id, key_id, secret_hash, *to_columns(old), at
    )


async def revoke_api_key(
    connection: Connection, organization_id: UUID, key_id: str, at: datetime
) -> bool:
    """Revoke the key for good; an earlier revocation keeps its time. Whether it was the first."""
    return bool(await connection.execute(REVOKE, organization_id, key_id, at) == "UPDATE 1")


async def update_last_used(connection: Connection, used: Mapping[str, datetime]) -> None:
    """Note when keys were last used, many in one statement; never backwards."""
    await connection.execute(UPDATE_LAST_USED, list(used), list(used.values()))


def _old_secrets(row: Row) -> tuple[OldSecret, ...]:
    return read_old_secrets(row, "previous_secret_hash", "older_secret_hashes")


def _check(row: Row) -> ApiKeyCheck:
    return ApiKeyCheck(
        key_id=row["key_id"],
        name=row["name"],
        tenant=Tenant(row["shard"], row["organization_id"]),
        plan=read_plan(row, "plan"),
        scopes=None if row["scopes"] is None else tuple(row["scopes"]),
        secret_hash=row["secret_hash"],
        old_secrets=_old_secrets(row),
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
    )


def _record(row: Row) -> ApiKeyRecord:
    values = dict(row)
    values["scopes"] = None if row["scopes"] is None else tuple(row["scopes"])
    values["old_secrets_expire_at"] = read_expiries(row)
    del values["previous_secret_expires_at"], values["older_secrets_expire_at"]
    return ApiKeyRecord(**values)
