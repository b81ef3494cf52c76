"""Changes of accounts by the organization, in the table `accounts`."""

from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.accounts.model import Account
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_columns
from heliograph.platform.database.pool import Connection

_CHANGED = tenant_columns(
    "id uuid, name text, is_primary boolean, send_rate integer, auto_warmer_enabled boolean,"
    " warming_since date, message_logging_enabled boolean, settings jsonb, updated_at timestamptz",
    first=3,
    keys=2,
    settings=lambda account: msgspec.json.encode(account.settings).decode(),
)
UPDATE = _CHANGED.fill("""
UPDATE accounts AS a SET secrets = $2, {changes} FROM {rows}
WHERE a.shard = $1 AND a.organization_id = k.organization_id AND a.id = k.id
""")


async def update_device(connection: Connection, account: Account, secrets: bytes | None) -> None:
    """Write the columns of a locked account that the organization may change. `secrets` is a
    ciphertext."""
    await connection.execute(UPDATE, account.tenant.shard, secrets, *_CHANGED.of([account]))


UNSET_PRIMARY = """
UPDATE accounts SET is_primary = false, updated_at = $4
WHERE shard = $1 AND organization_id = $2 AND id <> $3 AND is_primary
"""


async def unset_primary(connection: Connection, tenant: Tenant, but: UUID, now: datetime) -> None:
    """Unset the primary account, to make another one primary. All accounts are locked."""
    await connection.execute(UNSET_PRIMARY, *tenant, but, now)


START_PAIRING = """
UPDATE accounts
SET status = 'pairing', status_reason = NULL, pairing = NULL, remote_jid = NULL,
    phone_number = NULL, secrets = $4, settings = $5::jsonb, updated_at = $6,
    restriction_kind = NULL, restriction_until = NULL, restriction_reason = NULL,
    restrictions_in_a_row = 0, told_reason = NULL
WHERE shard = $1 AND organization_id = $2 AND id = $3
"""


async def start_pairing(connection: Connection, account: Account, secrets: bytes | None) -> None:
    """Clear the identity of a locked account, so that it is paired again by its settings."""
    settings = msgspec.json.encode(account.settings).decode()
    values = (*account.tenant, account.id, secrets, settings, account.updated_at)
    await connection.execute(START_PAIRING, *values)
