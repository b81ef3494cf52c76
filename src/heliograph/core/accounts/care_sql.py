"""What is asked of an account's rows to show it as a device, and to end it."""

from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.accounts.care_model import COUNTED, AccountQueue, AccountVersion, DeviceChange
from heliograph.core.tenants.organization import Tenant
from heliograph.platform.database.pool import Connection

LATEST = 5000
"""Among how many of an organization's events an account's are looked for."""

NEXT_ONES = 200

LIST_QUEUES = """
SELECT a.id AS account_id, q.n, q.oldest_at
FROM accounts AS a CROSS JOIN LATERAL (
    SELECT count(*) AS n, min(first.queued_at) AS oldest_at
    FROM (
        SELECT m.queued_at FROM messages AS m
        WHERE m.shard = $1 AND m.organization_id = $2 AND m.account_id = a.id
          AND m.status = 'queued'
        ORDER BY m.seq LIMIT $3
    ) AS first
) AS q
WHERE a.shard = $1 AND a.organization_id = $2
"""

# Of a long queue what goes out next: what is behind that is not being sent yet.
IS_SENDING = """
SELECT EXISTS (
    SELECT 1 FROM (
        SELECT recipient FROM messages
        WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'queued'
        ORDER BY seq LIMIT $5
    ) AS q WHERE q.recipient = $4
    UNION ALL
    SELECT 1 FROM messages
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'sending'
      AND recipient = $4
)
"""

LIST_VERSIONS = """
SELECT id, updated_at, total_messages_sent, total_messages_received FROM accounts
WHERE shard = $1 AND organization_id = $2
"""

LIST_CHANGES = """
SELECT latest.payload, latest.created_at
FROM (
    SELECT type, account_id, payload, created_at, seq FROM events
    WHERE shard = $1 AND organization_id = $2 AND seq > 0
    ORDER BY seq DESC LIMIT $4
) AS latest
WHERE latest.account_id = $3 AND latest.type LIKE 'device.%'
  AND length(latest.payload) > 0
ORDER BY latest.seq DESC LIMIT $5
"""

PAIR_AGAIN = """
UPDATE accounts
SET status = 'pairing', status_reason = NULL, pairing = NULL, remote_jid = NULL,
    phone_number = NULL, secrets = $4, updated_at = $5
WHERE shard = $1 AND organization_id = $2 AND id = $3 AND status = 'logged_out'
"""

DELETE = "DELETE FROM accounts WHERE shard = $1 AND organization_id = $2 AND id = $3"

MAKE_OLDEST_PRIMARY = """
UPDATE accounts SET is_primary = true, updated_at = $3
WHERE shard = $1 AND organization_id = $2 AND id = (
    SELECT id FROM accounts WHERE shard = $1 AND organization_id = $2
    ORDER BY created_at, id LIMIT 1
) AND NOT EXISTS (
    SELECT 1 FROM accounts WHERE shard = $1 AND organization_id = $2 AND is_primary
)
"""


class _Data(msgspec.Struct):
    status: str
    reason: str | None = None


class _Payload(msgspec.Struct):
    data: _Data


_decoder = msgspec.json.Decoder(_Payload)


async def list_queues(connection: Connection, tenant: Tenant) -> list[AccountQueue]:
    rows = await connection.fetch(LIST_QUEUES, *tenant, COUNTED)
    return [AccountQueue(row["account_id"], row["n"], row["oldest_at"]) for row in rows]


async def is_sending(
    connection: Connection, tenant: Tenant, account_id: UUID, recipient: str
) -> bool:
    """Whether a message to this address is being sent, or among the next ones."""
    values = (*tenant, account_id, recipient, NEXT_ONES)
    return bool(await connection.fetchval(IS_SENDING, *values))


async def list_versions(connection: Connection, tenant: Tenant) -> list[AccountVersion]:
    return [AccountVersion(*row) for row in await connection.fetch(LIST_VERSIONS, *tenant)]


async def list_changes(
    connection: Connection, tenant: Tenant, account_id: UUID, limit: int
) -> list[DeviceChange]:
    """The account's states that are among the organization's latest events, newest first."""
    rows = await connection.fetch(LIST_CHANGES, *tenant, account_id, LATEST, limit)
    found = [(_decoder.decode(row["payload"]).data, row["created_at"]) for row in rows]
    return [DeviceChange(data.status, data.reason, at) for data, at in found]


async def pair_again(
    connection: Connection, tenant: Tenant, account_id: UUID, secrets: bytes | None, at: datetime
) -> bool:
    """Forget who a logged-out account was; whether it was one."""
    tag = await connection.execute(PAIR_AGAIN, *tenant, account_id, secrets, at)
    return bool(tag == "UPDATE 1")


async def delete_account(
    connection: Connection, tenant: Tenant, account_id: UUID, at: datetime
) -> bool:
    """The account and its lease; another becomes the primary one. Whether it was there."""
    tag = await connection.execute(DELETE, *tenant, account_id)
    await connection.execute(MAKE_OLDEST_PRIMARY, *tenant, at)
    return bool(tag == "DELETE 1")
