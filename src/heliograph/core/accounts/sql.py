"""The tables `accounts` and `account_cursors`, and rows about accounts in other tables.

An account is read with its totals (`totals_sql`), except for writers that only count.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.accounts.model import (
    COUNTED,
    Account,
    AccountQueue,
    AccountVersion,
    CursorKey,
    DeviceChange,
    DeviceName,
    DeviceQuery,
    Restriction,
    SessionAccount,
)
from heliograph.core.accounts.totals_sql import WITH_TOTALS, delete_totals
from heliograph.core.cluster.sql import ACCOUNT_LEASES, insert_lease
from heliograph.core.events.model import EventType
from heliograph.core.events.payload_sql import unpack
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import ROW_KEYS, Shards, statement, tenant_columns, tenant_of
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns, reads

LATEST_EVENTS = 5000
"""How many of an organization's latest events are searched for one account's."""


def _encode(document: object) -> str | None:
    return msgspec.json.encode(document).decode() if document is not None else None


# --- accounts as the organization sees them ------------------------------------------------------

_COLUMNS = """
    a.shard, a.organization_id, a.id, a.network, a.name, a.session_name, a.status, a.status_reason,
    a.pairing, a.phone_number, a.remote_jid, a.is_primary, a.message_logging_enabled,
    a.auto_warmer_enabled, a.send_rate, a.settings, a.contacts_synced_count, a.last_connected_at,
    a.last_health_check_at, a.last_contact_sync_at, a.last_contact_sync_status, a.created_at,
    a.updated_at, a.warming_since, a.restriction_kind, a.restriction_until, a.restriction_reason,
    a.restrictions_in_a_row, a.disconnected_since, a.told_reason, totals.*
"""
COLUMNS = f"SELECT {_COLUMNS} FROM accounts AS a" + WITH_TOTALS.replace("{shard}", "$1")  # noqa: S608 - our own words


def _restriction_of(row: Row) -> Restriction | None:
    until = row["restriction_until"]
    if until is None:
        return None
    return Restriction(row["restriction_kind"], until, row["restriction_reason"])


_account_of = reads(
    Account,
    tenant=tenant_of,
    restriction=_restriction_of,
    pairing=lambda row: None if row["pairing"] is None else msgspec.json.decode(row["pairing"]),
    settings=lambda row: msgspec.json.decode(row["settings"], type=dict[str, str]),
)

_NEW = tenant_columns(
    "id uuid, network text, name text, session_name text, status text, is_primary boolean,"
    " message_logging_enabled boolean, auto_warmer_enabled boolean, send_rate integer,"
    " settings jsonb, created_at timestamptz, updated_at timestamptz,"
    " disconnected_since timestamptz",
    first=3,
    settings=lambda account: _encode(account.settings),
    updated_at="created_at",
)
INSERT = _NEW.fill("""
INSERT INTO accounts (
    shard, secrets, enabled, contacts_synced_count, {names}
)
SELECT $1, $2, true, 0, {values} FROM {rows}
ON CONFLICT (shard, organization_id, id) DO NOTHING
""")


async def insert_account(connection: Connection, account: Account, secrets: bytes | None) -> bool:
    """Insert the account and a free lease. `secrets` is a ciphertext or None. Returns whether it is
    new: an earlier try of the transaction may have inserted it."""
    tag = await connection.execute(INSERT, account.tenant.shard, secrets, *_NEW.of([account]))
    await insert_lease(connection, ACCOUNT_LEASES, account.tenant, account.id)
    return bool(tag == "INSERT 0 1")


FIND = COLUMNS + "WHERE shard = $1 AND organization_id = $2 AND id = $3"


async def find_account(connection: Connection, tenant: Tenant, account_id: UUID) -> Account | None:
    row = await connection.fetchrow(FIND, *tenant, account_id)
    return _account_of(row) if row else None


FIND_BY_SESSION_NAME = COLUMNS + "WHERE shard = $1 AND organization_id = $2 AND session_name = $3"


async def find_by_session_name(
    connection: Connection, tenant: Tenant, session_name: str
) -> Account | None:
    row = await connection.fetchrow(FIND_BY_SESSION_NAME, *tenant, session_name)
    return _account_of(row) if row else None


FIND_PRIMARY = COLUMNS + "WHERE shard = $1 AND organization_id = $2 AND is_primary"


async def find_primary(connection: Connection, tenant: Tenant) -> Account | None:
    row = await connection.fetchrow(FIND_PRIMARY, *tenant)
    return _account_of(row) if row else None


HAS_ANY = "SELECT EXISTS (SELECT 1 FROM accounts WHERE shard = $1 AND organization_id = $2)"


async def has_accounts(connection: Connection, tenant: Tenant) -> bool:
    return bool(await connection.fetchval(HAS_ANY, *tenant))


COUNT_OTHERS = """
SELECT count(*) FROM accounts WHERE shard = $1 AND organization_id = $2 AND id <> $3
"""


async def count_other_accounts(connection: Connection, tenant: Tenant, but: UUID) -> int:
    return int(await connection.fetchval(COUNT_OTHERS, *tenant, but))


LIST_SESSION_NAMES = """
SELECT session_name FROM accounts WHERE shard = $1 AND organization_id = $2 AND id <> $3
"""


async def list_session_names(connection: Connection, tenant: Tenant, but: UUID) -> set[str]:
    rows = await connection.fetch(LIST_SESSION_NAMES, *tenant, but)
    return {row["session_name"] for row in rows}


LIST = COLUMNS + "WHERE shard = $1 AND organization_id = $2 ORDER BY created_at, id"


async def list_accounts(connection: Connection, tenant: Tenant) -> list[Account]:
    return [_account_of(row) for row in await connection.fetch(LIST, *tenant)]


COUNT_MATCHING = """
SELECT count(*) FROM accounts
WHERE shard = $1 AND organization_id = $2 AND ($3::text IS NULL OR status = $3)
  AND ($4::uuid[] IS NULL OR id = ANY($4))
"""

_MATCHING = """
WHERE shard = $1 AND organization_id = $2 AND ($3::text IS NULL OR status = $3)
  AND ($6::uuid[] IS NULL OR id = ANY($6))
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

LIST_MATCHING = COLUMNS + _MATCHING + "LIMIT $7 OFFSET $8"


async def list_matching_accounts(
    connection: Connection, tenant: Tenant, query: DeviceQuery
) -> tuple[list[Account], int]:
    """List one page of a query that does not compare names, and count all matches."""
    total = await connection.fetchval(COUNT_MATCHING, *tenant, query.status, query.account_ids)
    order = (query.status, query.sort_by, query.descending, query.account_ids)
    rows = await connection.fetch(LIST_MATCHING, *tenant, *order, query.limit, query.offset)
    return [_account_of(row) for row in rows], int(total)


LIST_NAMES = "SELECT id, name, session_name, phone_number FROM accounts" + _MATCHING  # noqa: S608 - our own words

_device_name_of = reads(DeviceName)


async def list_device_names(
    connection: Connection, tenant: Tenant, query: DeviceQuery
) -> list[DeviceName]:
    """List the names of all accounts with the query's status, in the query's order, or by id if it
    sorts by name."""
    order = (query.status, query.sort_by, query.descending, query.account_ids)
    rows = await connection.fetch(LIST_NAMES, *tenant, *order)
    return [_device_name_of(row) for row in rows]


LIST_BY_ID = (
    COLUMNS
    + """
WHERE shard = $1 AND organization_id = $2 AND id = ANY($3) ORDER BY array_position($3, id)
"""
)


async def list_accounts_by_id(
    connection: Connection, tenant: Tenant, ids: Sequence[UUID]
) -> list[Account]:
    """List the accounts in the order of `ids`."""
    return [_account_of(row) for row in await connection.fetch(LIST_BY_ID, *tenant, ids)]


LIST_FORGETFUL = ROW_KEYS.fill("""
SELECT a.id FROM {rows}
CROSS JOIN LATERAL (
    SELECT id FROM accounts
    WHERE shard = $1 AND organization_id = k.organization_id AND id = k.id
      AND NOT message_logging_enabled
    OFFSET 0
) AS a
""")


async def list_forgetful(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID]]
) -> set[UUID]:
    """Return those accounts of one shard, given by (organization id, id), that do not keep the
    contents of messages."""
    rows = await connection.fetch(LIST_FORGETFUL, shard, *ROW_KEYS.transpose(keys))
    return {row["id"] for row in rows}


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


async def delete_account(
    connection: Connection, tenant: Tenant, account_id: UUID, at: datetime
) -> None:
    """Delete the account, its totals and its lease; if it was primary, the oldest remaining one
    becomes primary."""
    await connection.execute(DELETE, *tenant, account_id)
    await delete_totals(connection, tenant, account_id)
    await connection.execute(MAKE_OLDEST_PRIMARY, *tenant, at)


# --- what waits for accounts, and what became of them --------------------------------------------

LIST_QUEUES = """
SELECT a.id AS account_id, q.count, q.oldest_at
FROM accounts AS a CROSS JOIN LATERAL (
    SELECT count(*) AS count, min(first.queued_at) AS oldest_at
    FROM (
        SELECT q.queued_at FROM message_queue AS q
        WHERE q.shard = $1 AND q.organization_id = $2 AND q.account_id = a.id
        ORDER BY q.seq LIMIT $3
    ) AS first
) AS q
WHERE a.shard = $1 AND a.organization_id = $2
"""

_queue_of = reads(AccountQueue)


async def list_queues(connection: Connection, tenant: Tenant) -> list[AccountQueue]:
    return [_queue_of(row) for row in await connection.fetch(LIST_QUEUES, *tenant, COUNTED)]


LIST_VERSIONS = (
    """
SELECT a.id AS account_id, a.updated_at, totals.total_messages_sent AS sent,
    totals.total_messages_received AS received
FROM accounts AS a
"""
    + WITH_TOTALS.replace("{shard}", "$1")
    + "WHERE a.shard = $1 AND a.organization_id = $2"
)

_version_of = reads(AccountVersion)


async def list_versions(connection: Connection, tenant: Tenant) -> list[AccountVersion]:
    return [_version_of(row) for row in await connection.fetch(LIST_VERSIONS, *tenant)]


LIST_CHANGES = """
SELECT latest.type, latest.payload, latest.created_at
FROM (
    SELECT type, account_id, payload, created_at, seq FROM events
    WHERE shard = $1 AND organization_id = $2 AND seq > 0
    ORDER BY seq DESC LIMIT $4
) AS latest
WHERE latest.account_id = $3 AND latest.type LIKE 'device.%'
  AND length(latest.payload) > 0
ORDER BY latest.seq DESC LIMIT $5
"""


class _Restriction(msgspec.Struct):
    until: datetime


class _StateData(msgspec.Struct):
    status: str
    reason: str | None = None
    restriction: _Restriction | None = None


class _StatePayload(msgspec.Struct):
    data: _StateData


_payloads = msgspec.json.Decoder(_StatePayload)


async def list_changes(
    connection: Connection, tenant: Tenant, account_id: UUID, limit: int
) -> list[DeviceChange]:
    """List the account's changes of state among the organization's latest events, newest first."""
    rows = await connection.fetch(LIST_CHANGES, *tenant, account_id, LATEST_EVENTS, limit)
    return [_change_of(row) for row in rows]


def _change_of(row: Row) -> DeviceChange:
    data, at = _payloads.decode(unpack(row["payload"])).data, row["created_at"]
    if row["type"] == EventType.DEVICE_RESTRICTED and data.restriction is not None:
        return DeviceChange("restricted", data.reason, at, data.restriction.until)
    return DeviceChange(data.status, data.reason, at)


# --- what an account's session reads and changes -------------------------------------------------

FIND_FOR_SESSION = (
    f"SELECT {_COLUMNS}, a.secrets AS encrypted_secrets, a.reopen_asked_at FROM accounts AS a"  # noqa: S608 - our own words
    + WITH_TOTALS.replace("{shard}", "$1")
    + "WHERE a.shard = $1 AND a.organization_id = $2 AND a.id = $3 AND a.enabled"
)


async def find_for_session(
    connection: Connection, tenant: Tenant, account_id: UUID
) -> SessionAccount | None:
    """Find the account, if a session is wanted for it."""
    row = await connection.fetchrow(FIND_FOR_SESSION, *tenant, account_id)
    if row is None:
        return None
    cursors = await list_cursors(connection, tenant, account_id)
    return SessionAccount(
        _account_of(row), row["encrypted_secrets"], cursors, row["reopen_asked_at"]
    )


ASK_TO_REOPEN = """
UPDATE accounts SET reopen_asked_at = $4
WHERE shard = $1 AND organization_id = $2 AND id = $3
"""


async def ask_to_reopen(
    connection: Connection, tenant: Tenant, account_id: UUID, at: datetime
) -> None:
    """Write that the session of a locked account is to read it again."""
    await connection.execute(ASK_TO_REOPEN, *tenant, account_id, at)


LIST_ASKED_TO_REOPEN = """
SELECT id, reopen_asked_at FROM accounts
WHERE shard = $1 AND organization_id = ANY($2::uuid[]) AND id = ANY($3::uuid[])
    AND enabled AND reopen_asked_at IS NOT NULL
"""


async def list_asked_to_reopen(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID]]
) -> dict[UUID, datetime]:
    """Return when sessions of one shard were last asked to read their accounts again, by the
    account's id; `keys` are (organization id, id)."""
    rows = await connection.fetch(LIST_ASKED_TO_REOPEN, shard, *zip(*keys, strict=True))
    return {row["id"]: row["reopen_asked_at"] for row in rows}


LOCK = statement(
    """
SELECT a.*, 0 AS total_messages_sent, 0 AS total_messages_received, NULL::date AS sent_on,
    0 AS sent_that_day
FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM accounts
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = k.id
    FOR NO KEY UPDATE
) AS a
""",
    ROW_KEYS,
)
LIST_LOCKED = statement(
    f"SELECT {_COLUMNS} FROM {{rows}}"  # noqa: S608 - our own words
    """
CROSS JOIN LATERAL (
    SELECT * FROM accounts
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = k.id
    OFFSET 0
) AS a
""" + WITH_TOTALS,
    ROW_KEYS,
)


async def lock_accounts(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID]]
) -> dict[UUID, Account]:
    """Lock accounts, named by (organization id, id), in key order."""
    await lock_to_count(connection, shards, keys)
    rows = await connection.fetch(*LIST_LOCKED.transpose(shards, sorted(keys)))
    return {row["id"]: _account_of(row) for row in rows}


async def lock_to_count(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID]]
) -> dict[UUID, Account]:
    """Lock accounts likewise, but without reading `account_totals`: totals are 0 in the result."""
    rows = await connection.fetch(*LOCK.transpose(shards, sorted(keys)))
    return {row["id"]: _account_of(row) for row in rows}


_STATES = tenant_columns(
    "id uuid, status text, status_reason text, pairing jsonb, phone_number text, remote_jid text,"
    " contacts_synced_count bigint, last_connected_at timestamptz,"
    " last_contact_sync_at timestamptz, last_contact_sync_status text, updated_at timestamptz,"
    " restriction_kind text, restriction_until timestamptz, restriction_reason text,"
    " restrictions_in_a_row int, disconnected_since timestamptz, told_reason text",
    keys=2,
    pairing=lambda account: _encode(account.pairing or None),
    restriction_kind=lambda account: account.restriction and account.restriction.kind,
    restriction_until=lambda account: account.restriction and account.restriction.until,
    restriction_reason=lambda account: account.restriction and account.restriction.reason,
)
UPDATE_STATES = statement(
    """
UPDATE accounts AS a SET {changes} FROM {rows}
WHERE a.shard = {shard} AND a.organization_id = k.organization_id AND a.id = k.id
""",
    _STATES,
)


async def update_accounts(
    connection: Connection, shards: Shards, accounts: Sequence[Account]
) -> None:
    """Write the columns of locked accounts that sessions change."""
    await connection.execute(*UPDATE_STATES.of(shards, accounts))


SET_SECRETS = """
UPDATE accounts SET secrets = $4, updated_at = $5
WHERE shard = $1 AND organization_id = $2 AND id = $3
"""


async def set_secrets(
    connection: Connection, tenant: Tenant, account_id: UUID, encrypted: bytes, at: datetime
) -> None:
    await connection.execute(SET_SECRETS, *tenant, account_id, encrypted, at)


LOCK_CHECKED = """
SELECT id FROM accounts
WHERE shard = $1 AND organization_id = ANY($2::uuid[]) AND id = ANY($3::uuid[])
ORDER BY organization_id, id FOR NO KEY UPDATE
"""
_CHECKS = Columns("organization_id uuid, id uuid, at timestamptz")
SET_CHECKED = _CHECKS.fill("""
UPDATE accounts AS a SET last_health_check_at = k.at FROM {rows}
WHERE a.shard = $1 AND a.organization_id = k.organization_id AND a.id = k.id
""")


async def set_health_checked(
    connection: Connection, shard: int, checks: Sequence[tuple[UUID, UUID, datetime]]
) -> None:
    """Record, in a transaction, when accounts of one shard answered a ping: (organization id, id,
    when)."""
    arrays = _CHECKS.transpose(checks)
    await connection.execute(LOCK_CHECKED, shard, *arrays[:2])
    await connection.execute(SET_CHECKED, shard, *arrays)


# --- how far what a network keeps for an account has been read -----------------------------------

LIST_CURSORS = """
SELECT chat_jid, position FROM account_cursors
WHERE shard = $1 AND organization_id = $2 AND account_id = $3
"""


async def list_cursors(connection: Connection, tenant: Tenant, account_id: UUID) -> dict[str, str]:
    """List the cursors of an account's sessions, by the chat's JID."""
    rows = await connection.fetch(LIST_CURSORS, *tenant, account_id)
    return {row["chat_jid"]: row["position"] for row in rows}


_MOVED = Columns("organization_id uuid, account_id uuid, chat_jid text, position text", first=3)
SET_CURSORS = insertion(
    """
INSERT INTO account_cursors (shard, updated_at, {names})
SELECT {shard}, $2, {values} FROM {rows}
ON CONFLICT (shard, organization_id, account_id, chat_jid)
DO UPDATE SET position = EXCLUDED.position, updated_at = EXCLUDED.updated_at
""",
    _MOVED,
)

_FORGOTTEN = Columns("organization_id uuid, account_id uuid, chat_jid text")
DELETE_CURSORS = statement(
    """
DELETE FROM account_cursors AS c USING {rows}
WHERE c.shard = {shard} AND c.organization_id = k.organization_id AND c.account_id = k.account_id
  AND c.chat_jid = k.chat_jid
""",
    _FORGOTTEN,
)


async def set_cursors(
    connection: Connection, shards: Shards, cursors: Mapping[CursorKey, str | None], at: datetime
) -> None:
    """Set cursors of accounts whose leases are locked; None deletes one."""
    moved = sorted((*key, place) for key, place in cursors.items() if place is not None)
    forgotten = sorted(key for key, place in cursors.items() if place is None)
    if moved:
        await SET_CURSORS.insert_rows(connection, shards, moved, at)
    if forgotten:
        await connection.execute(*DELETE_CURSORS.transpose(shards, forgotten))
