"""What an account's session changes of its row: status, identity, secrets, counters."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.accounts.cursors import list_cursors
from heliograph.core.accounts.model import Account
from heliograph.core.accounts.sql import read_account
from heliograph.core.tenants.organization import Tenant
from heliograph.networks.port import PairingStep
from heliograph.platform.database.pool import Connection

LOCK = """
SELECT a.* FROM accounts AS a
JOIN unnest($2::uuid[], $3::uuid[]) AS k (organization_id, id)
  ON a.organization_id = k.organization_id AND a.id = k.id
WHERE a.shard = $1
ORDER BY a.organization_id, a.id FOR NO KEY UPDATE OF a
"""

UPDATE = """
UPDATE accounts AS a
SET status = u.status, status_reason = u.status_reason, pairing = u.pairing::jsonb,
    phone_number = u.phone_number, remote_jid = u.remote_jid,
    total_messages_sent = u.total_messages_sent,
    total_messages_received = u.total_messages_received,
    contacts_synced_count = u.contacts_synced_count, last_connected_at = u.last_connected_at,
    last_contact_sync_at = u.last_contact_sync_at,
    last_contact_sync_status = u.last_contact_sync_status, updated_at = u.updated_at,
    sent_on = u.sent_on, sent_that_day = u.sent_that_day
FROM unnest(
    $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::bigint[], $10::bigint[], $11::bigint[], $12::timestamptz[], $13::timestamptz[],
    $14::text[], $15::timestamptz[], $16::date[], $17::integer[]
) AS u (
    organization_id, id, status, status_reason, pairing, phone_number, remote_jid,
    total_messages_sent, total_messages_received, contacts_synced_count, last_connected_at,
    last_contact_sync_at, last_contact_sync_status, updated_at, sent_on, sent_that_day
)
WHERE a.shard = $1 AND a.organization_id = u.organization_id AND a.id = u.id
"""

SET_SECRETS = """
UPDATE accounts SET secrets = $4, updated_at = $5
WHERE shard = $1 AND organization_id = $2 AND id = $3
"""

FIND_FOR_SESSION = """
SELECT a.*, a.secrets AS encrypted_secrets FROM accounts AS a
WHERE a.shard = $1 AND a.organization_id = $2 AND a.id = $3 AND a.enabled
"""

SET_CHECKED = """
UPDATE accounts AS a SET last_health_check_at = k.at
FROM (
    SELECT x.organization_id, x.id, c.at
    FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[]) AS c (organization_id, id, at)
    JOIN accounts AS x ON x.shard = $1 AND x.organization_id = c.organization_id AND x.id = c.id
    ORDER BY x.organization_id, x.id FOR NO KEY UPDATE OF x
) AS k
WHERE a.shard = $1 AND a.organization_id = k.organization_id AND a.id = k.id
"""


class SessionAccount(msgspec.Struct, frozen=True):
    """An account as its session needs it, its secrets still encrypted; `cursors` by chat."""

    account: Account
    encrypted_secrets: bytes | None
    cursors: dict[str, str]


async def lock_accounts(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID]]
) -> dict[UUID, Account]:
    """Lock accounts of one shard, named by (organization id, id), in key order."""
    rows = await connection.fetch(LOCK, shard, [key[0] for key in keys], [key[1] for key in keys])
    return {row["id"]: read_account(row) for row in rows}


async def update_accounts(connection: Connection, shard: int, accounts: Sequence[Account]) -> None:
    """Write back what sessions change of locked accounts of one shard."""
    await connection.execute(
        UPDATE,
        shard,
        [account.tenant.organization_id for account in accounts],
        [account.id for account in accounts],
        [account.status for account in accounts],
        [account.status_reason for account in accounts],
        [
            msgspec.json.encode(account.pairing).decode() if account.pairing else None
            for account in accounts
        ],
        [account.phone_number for account in accounts],
        [account.remote_jid for account in accounts],
        [account.total_messages_sent for account in accounts],
        [account.total_messages_received for account in accounts],
        [account.contacts_synced_count for account in accounts],
        [account.last_connected_at for account in accounts],
        [account.last_contact_sync_at for account in accounts],
        [account.last_contact_sync_status for account in accounts],
        [account.updated_at for account in accounts],
        [account.sent_on for account in accounts],
        [account.sent_that_day for account in accounts],
    )


async def set_secrets(
    connection: Connection, tenant: Tenant, account_id: UUID, encrypted: bytes, at: datetime
) -> None:
    await connection.execute(
        SET_SECRETS, tenant.shard, tenant.organization_id, account_id, encrypted, at
    )


async def find_for_session(
    connection: Connection, tenant: Tenant, account_id: UUID
) -> SessionAccount | None:
    """The account if a session is wanted for it."""
    row = await connection.fetchrow(
        FIND_FOR_SESSION, tenant.shard, tenant.organization_id, account_id
    )
    if row is None:
        return None
    cursors = await list_cursors(connection, tenant, account_id)
    return SessionAccount(read_account(row), row["encrypted_secrets"], cursors)


async def set_health_checked(
    connection: Connection, shard: int, checks: Sequence[tuple[UUID, UUID, datetime]]
) -> None:
    """Accounts of one shard answered a ping: (organization id, id, when)."""
    await connection.execute(
        SET_CHECKED,
        shard,
        [check[0] for check in checks],
        [check[1] for check in checks],
        [check[2] for check in checks],
    )


def pairing_document(step: PairingStep | None) -> dict[str, object] | None:
    """A pairing step as it is stored and shown."""
    if step is None:
        return None
    return {"kind": step.kind, "payload": step.payload, "expires_at": step.expires_at}
