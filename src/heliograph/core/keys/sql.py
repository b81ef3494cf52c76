"""The table `api_keys`: few rows, not distributed by tenant, found by the key's public part."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.keys.model import ApiKeyCheck, ApiKeyRecord, KeyUse, NewApiKey
from heliograph.core.organizations.sql import PLAN_COLUMNS, read_plan
from heliograph.core.secrets.model import OldSecret
from heliograph.core.secrets.sql import read_expiries, read_old_secrets, to_columns
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_of
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns, reads


def _scopes_of(row: Row) -> tuple[str, ...] | None:
    return None if row["scopes"] is None else tuple(row["scopes"])


def _accounts_of(row: Row) -> tuple[UUID, ...] | None:
    return None if row["account_ids"] is None else tuple(row["account_ids"])


def _limit_of(row: Row) -> frozenset[UUID] | None:
    return None if row["account_ids"] is None else frozenset(row["account_ids"])


def _old_secrets_of(row: Row) -> tuple[OldSecret, ...]:
    return read_old_secrets(row, "old_secret_hashes")


# `scopes` and `account_ids` are apart: an array of arrays would be unnested whole.
_NEW = Columns(
    "id uuid, key_id text, organization_id uuid, name text, display_prefix text,"
    " secret_hash bytea, expires_at timestamptz, created_at timestamptz, updated_at timestamptz",
    first=3,
    updated_at="created_at",
)
INSERT = _NEW.fill("""
INSERT INTO api_keys (scopes, account_ids, {names})
SELECT $1::text[], $2::uuid[], {values} FROM {rows}
ON CONFLICT (id) DO NOTHING
""")


async def insert_api_key(connection: Connection, key: NewApiKey) -> None:
    await connection.execute(INSERT, key.scopes, key.account_ids, *_NEW.of([key]))


FIND_CHECK = """
SELECT k.key_id, k.name, k.organization_id, o.shard, k.scopes, k.account_ids, k.secret_hash,
    k.old_secret_hashes, k.old_secrets_expire_at, k.expires_at, k.revoked_at, o.plan, {limits}
FROM api_keys AS k
JOIN organizations AS o ON o.id = k.organization_id
JOIN plans AS p ON p.name = o.plan
WHERE k.key_id = $1
""".replace("{limits}", PLAN_COLUMNS)

_check_of = reads(
    ApiKeyCheck,
    tenant=tenant_of,
    plan=lambda row: read_plan(row, "plan"),
    scopes=_scopes_of,
    old_secrets=_old_secrets_of,
    account_ids=_limit_of,
)


async def find_api_key_check(connection: Connection, key_id: str) -> ApiKeyCheck | None:
    row = await connection.fetchrow(FIND_CHECK, key_id)
    return _check_of(row) if row else None


_RECORD = """
SELECT id, key_id, organization_id, name, display_prefix, scopes, expires_at, last_used_at,
    last_used_address, revoked_at, old_secrets_expire_at, created_at, updated_at, account_ids
FROM api_keys
"""
_record_of = reads(
    ApiKeyRecord,
    scopes=_scopes_of,
    old_secrets_expire_at=read_expiries,
    account_ids=_accounts_of,
)

FIND = _RECORD + "WHERE organization_id = $1 AND key_id = $2"


async def find_api_key(
    connection: Connection, organization_id: UUID, key_id: str
) -> ApiKeyRecord | None:
    row = await connection.fetchrow(FIND, organization_id, key_id)
    return _record_of(row) if row else None


FIND_BY_ID = _RECORD + "WHERE organization_id = $1 AND id = $2"


async def find_api_key_by_id(
    connection: Connection, organization_id: UUID, id_: UUID
) -> ApiKeyRecord | None:
    row = await connection.fetchrow(FIND_BY_ID, organization_id, id_)
    return _record_of(row) if row else None


LIST_ACCOUNT_IDS = """
SELECT id FROM accounts WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[])
"""


async def list_account_ids(
    connection: Connection, tenant: Tenant, account_ids: Sequence[UUID]
) -> set[UUID]:
    """Return those of these ids that are accounts of the organization."""
    rows = await connection.fetch(LIST_ACCOUNT_IDS, *tenant, list(account_ids))
    return {row["id"] for row in rows}


_OVER = 100
"""Keys that were revoked or have expired, of which a list shows the newest."""
LIST = f"""{_RECORD}
WHERE organization_id = $1 AND (
    (revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)) OR id IN (
        SELECT id FROM api_keys
        WHERE organization_id = $1 AND (revoked_at IS NOT NULL OR expires_at <= $2)
        ORDER BY created_at DESC, id DESC LIMIT $3
    )
)
ORDER BY created_at, id
"""  # noqa: S608 - of ours


async def list_api_keys(
    connection: Connection, organization_id: UUID, now: datetime
) -> list[ApiKeyRecord]:
    rows = await connection.fetch(LIST, organization_id, now, _OVER)
    return [_record_of(row) for row in rows]


COUNT_OTHERS = """
SELECT count(*) FROM api_keys
WHERE organization_id = $1 AND id <> $2 AND revoked_at IS NULL
  AND (expires_at IS NULL OR expires_at > $3)
"""


async def count_other_api_keys(
    connection: Connection, organization_id: UUID, but: UUID, now: datetime
) -> int:
    """Count the keys that can be used, without this one."""
    return int(await connection.fetchval(COUNT_OTHERS, organization_id, but, now))


LOCK_SECRETS = """
SELECT secret_hash, old_secret_hashes, old_secrets_expire_at
FROM api_keys WHERE organization_id = $1 AND key_id = $2 AND revoked_at IS NULL
FOR NO KEY UPDATE
"""


async def lock_key_secrets(
    connection: Connection, organization_id: UUID, key_id: str
) -> tuple[bytes, tuple[OldSecret, ...]] | None:
    """Lock the secrets of a key that is not revoked. Returns the hash of the current one, and the
    old ones."""
    row = await connection.fetchrow(LOCK_SECRETS, organization_id, key_id)
    return (row["secret_hash"], _old_secrets_of(row)) if row else None


UPDATE_SECRETS = """
UPDATE api_keys
SET secret_hash = $3, old_secret_hashes = $4, old_secrets_expire_at = $5, updated_at = $6
WHERE organization_id = $1 AND key_id = $2
"""


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


REVOKE = """
UPDATE api_keys SET revoked_at = $3, updated_at = $3
WHERE organization_id = $1 AND key_id = $2 AND revoked_at IS NULL
"""


async def revoke_api_key(
    connection: Connection, organization_id: UUID, key_id: str, at: datetime
) -> bool:
    """Revoke the key for good. False when it was revoked earlier, which keeps its time."""
    return bool(await connection.execute(REVOKE, organization_id, key_id, at) == "UPDATE 1")


DELETE = "DELETE FROM api_keys WHERE organization_id = $1"


async def delete_api_keys(connection: Connection, organization_id: UUID) -> None:
    """Delete all keys of an organization."""
    await connection.execute(DELETE, organization_id)


_USED = Columns("key_id text, at timestamptz, address text", first=1, alias="u")
UPDATE_LAST_USED = _USED.fill("""
WITH used AS (
    SELECT k.id, u.at, coalesce(u.address, k.last_used_address) AS address
    FROM api_keys AS k JOIN {u} ON k.key_id = u.key_id
    WHERE k.last_used_at IS NULL OR k.last_used_at < u.at
    ORDER BY k.id FOR UPDATE OF k
)
UPDATE api_keys AS k SET last_used_at = used.at, last_used_address = used.address
FROM used WHERE k.id = used.id
""")


async def update_last_used(connection: Connection, used: Mapping[str, KeyUse]) -> None:
    """Record when keys were last used and from where, many in one statement; never backwards."""
    rows = [(key_id, *use) for key_id, use in used.items()]
    await connection.execute(UPDATE_LAST_USED, *_USED.transpose(rows))
