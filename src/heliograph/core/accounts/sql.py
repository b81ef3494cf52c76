"""The table `accounts`: an organization's devices, each with its row in `account_leases`."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import msgspec

from heliograph.core.accounts.devices_model import DeviceName, DeviceQuery
from heliograph.core.accounts.model import Account
from heliograph.core.tenants.organization import Tenant
from heliograph.networks.port import AccountStatus
from heliograph.platform.database.pool import Connection, Row

COLUMNS = """
SELECT shard, organization_id, id, network, name, session_name, status, status_reason, pairing,
    phone_number, remote_jid, is_primary, message_logging_enabled, auto_warmer_enabled, send_rate,
    settings, total_messages_sent, total_messages_received, contacts_synced_count,
    last_connected_at, last_health_check_at, last_contact_sync_at, last_contact_sync_status,
    created_at, updated_at, warming_since, sent_on, sent_that_day
FROM accounts
"""

INSERT = """
INSERT INTO accounts (
    shard, organization_id, id, network, name, session_name, status, enabled, is_primary,
    message_logging_enabled, auto_warmer_enabled, send_rate, settings, secrets,
    total_messages_sent, total_messages_received, contacts_synced_count, created_at, updated_at
)
VALUES (
    $1, $2, $3, $4, $5, $6, $7, true, $8, $9, $10, $11, $12::jsonb, $13, 0, 0, 0, $14, $14
)
ON CONFLICT (shard, organization_id, id) DO NOTHING
"""

UPDATE_SENDING = """
UPDATE accounts
SET send_rate = $4, auto_warmer_enabled = $5, warming_since = $6, message_logging_enabled = $7,
    updated_at = $8
WHERE shard = $1 AND organization_id = $2 AND id = $3
"""

INSERT_LEASE = """
INSERT INTO account_leases (shard, organization_id, account_id, node_id, epoch)
VALUES ($1, $2, $3, NULL, 0)
ON CONFLICT (shard, organization_id, account_id) DO NOTHING
"""

FIND = COLUMNS + "WHERE shard = $1 AND organization_id = $2 AND id = $3"

FIND_BY_SESSION_NAME = COLUMNS + "WHERE shard = $1 AND organization_id = $2 AND session_name = $3"

FIND_PRIMARY = COLUMNS + "WHERE shard = $1 AND organization_id = $2 AND is_primary"

FIND_ORGANIZATION = "SELECT organization_id FROM accounts WHERE id = $1"

LIST = COLUMNS + "WHERE shard = $1 AND organization_id = $2 ORDER BY created_at, id"

HAS_ANY = "SELECT EXISTS (SELECT 1 FROM accounts WHERE shard = $1 AND organization_id = $2)"

COUNT_OTHERS = """
SELECT count(*) FROM accounts WHERE shard = $1 AND organization_id = $2 AND id <> $3
"""

COUNT_MATCHING = """
SELECT count(*) FROM accounts
WHERE shard = $1 AND organization_id = $2 AND ($3::text IS NULL OR status = $3)
"""

_MATCHING = """
WHERE shard = $1 AND organization_id = $2 AND ($3::text IS NULL OR status = $3)
ORDER BY
    CASE WHEN $5 AND $4 = 'status' THEN status END DESC,
    CASE WHEN NOT $5 AND $4 = 'status' THEN status END ASC,
    CASE WHEN $5 THEN CASE $4 WHEN 'created_at' THEN created_at WHEN 'updated_at' THEN updated_at
        WHEN 'last_connected_at' THEN last_connected_at END END DESC NULLS LAST,
    CASE WHEN NOT $5 THEN CASE $4 WHEN 'created_at' THEN created_at
        WHEN 'updated_at' THEN updated_at
        WHEN 'last_connected_at' THEN last_connected_at END END ASC NULLS LAST,
    CASE WHEN $5 THEN id END DESC, id
"""

LIST_MATCHING = COLUMNS + _MATCHING + "LIMIT $6 OFFSET $7"

LIST_NAMES = "SELECT id, name, session_name, phone_number FROM accounts" + _MATCHING  # noqa: S608 - our own words

LIST_BY_ID = (
    COLUMNS
    + """
WHERE shard = $1 AND organization_id = $2 AND id = ANY($3) ORDER BY array_position($3, id)
"""
)


async def insert_account(connection: Connection, account: Account, secrets: bytes | None) -> None:
    """The account and its lease, held by nobody. `secrets` is a ciphertext or None."""
    await connection.execute(
        INSERT,
        *account.tenant,
        account.id,
        account.network,
        account.name,
        account.session_name,
        account.status,
        account.is_primary,
        account.message_logging_enabled,
        account.auto_warmer_enabled,
        account.send_rate,
        _encode(account.settings),
        secrets,
        account.created_at,
    )
    await connection.execute(INSERT_LEASE, *account.tenant, account.id)


async def update_sending(connection: Connection, account: Account) -> None:
    """Write what people may change of how an account sends and what is kept of it."""
    await connection.execute(
        UPDATE_SENDING,
        *account.tenant,
        account.id,
        account.send_rate,
        account.auto_warmer_enabled,
        account.warming_since,
        account.message_logging_enabled,
        account.updated_at,
    )


async def find_account(connection: Connection, tenant: Tenant, account_id: UUID) -> Account | None:
    row = await connection.fetchrow(FIND, *tenant, account_id)
    return None if row is None else read_account(row)


async def find_by_session_name(
    connection: Connection, tenant: Tenant, session_name: str
) -> Account | None:
    row = await connection.fetchrow(FIND_BY_SESSION_NAME, *tenant, session_name)
    return None if row is None else read_account(row)


async def find_primary(connection: Connection, tenant: Tenant) -> Account | None:
    row = await connection.fetchrow(FIND_PRIMARY, *tenant)
    return None if row is None else read_account(row)


async def find_organization_of(connection: Connection, account_id: UUID) -> UUID | None:
    """The organization that has this account, whichever it is."""
    found: UUID | None = await connection.fetchval(FIND_ORGANIZATION, account_id)
    return found


async def has_accounts(connection: Connection, tenant: Tenant) -> bool:
    return bool(await connection.fetchval(HAS_ANY, *tenant))


async def count_other_accounts(connection: Connection, tenant: Tenant, but: UUID) -> int:
    return int(await connection.fetchval(COUNT_OTHERS, *tenant, but))


async def list_accounts(connection: Connection, tenant: Tenant) -> list[Account]:
    return [read_account(row) for row in await connection.fetch(LIST, *tenant)]


async def list_matching_accounts(
    connection: Connection, tenant: Tenant, query: DeviceQuery
) -> tuple[list[Account], int]:
    """One page, and how many match in all, for a query that does not ask for names."""
    total = await connection.fetchval(COUNT_MATCHING, *tenant, query.status)
    rows = await connection.fetch(
        LIST_MATCHING,
        *tenant,
        query.status,
        query.sort_by,
        query.descending,
        query.limit,
        query.offset,
    )
    return [read_account(row) for row in rows], int(total)


async def list_device_names(
    connection: Connection, tenant: Tenant, query: DeviceQuery
) -> list[DeviceName]:
    """Of all accounts in the state that is asked for, in the order that is, by id where that is
    by name."""
    rows = await connection.fetch(
        LIST_NAMES, *tenant, query.status, query.sort_by, query.descending
    )
    return [DeviceName(**dict(row)) for row in rows]


async def list_accounts_by_id(
    connection: Connection, tenant: Tenant, ids: Sequence[UUID]
) -> list[Account]:
    """In the order given."""
    return [read_account(row) for row in await connection.fetch(LIST_BY_ID, *tenant, ids)]


_FIELDS = ("shard", "organization_id", *(n for n in Account.__struct_fields__ if n != "tenant"))


def read_account(row: Row) -> Account:
    """The account of a row that has all of `COLUMNS`, and perhaps more."""
    values = {name: row[name] for name in _FIELDS}
    tenant = Tenant(values.pop("shard"), values.pop("organization_id"))
    pairing = values.pop("pairing")
    settings = values.pop("settings")
    return Account(
        tenant=tenant,
        status=AccountStatus(values.pop("status")),
        pairing=None if pairing is None else msgspec.json.decode(pairing),
        settings=msgspec.json.decode(settings, type=dict[str, str]),
        **values,
    )


def _encode(settings: Mapping[str, str]) -> str:
    return msgspec.json.encode(settings).decode()
