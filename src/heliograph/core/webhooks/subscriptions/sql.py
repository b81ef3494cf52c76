"""Webhooks: rows of `webhooks` and their leases. Secrets pass through here encrypted."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.cluster.sql import WEBHOOK_LEASES, delete_lease, insert_lease
from heliograph.core.secrets.sql import read_expiries, read_old_secrets, to_columns
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import ROW_KEYS, Shards, statement, tenant_columns, tenant_of
from heliograph.core.webhooks.model import (
    Batching,
    Destination,
    HealthChange,
    SealedSecrets,
    Subscription,
    Webhook,
    WebhookFilter,
)
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns, reads


def _secrets_of(row: Row) -> SealedSecrets:
    return SealedSecrets(row["secret"], read_old_secrets(row, "old_secrets"))


def _events_of(row: Row) -> tuple[str, ...]:
    return tuple(row["events"])


def _header_names_of(row: Row) -> tuple[str, ...]:
    return tuple(row["header_names"])


def _filter_of(row: Row) -> WebhookFilter:
    accounts = row["filter_account_ids"]
    return WebhookFilter(None if accounts is None else tuple(accounts), row["filter_chat_type"])


def _batch_of(row: Row) -> Batching | None:
    if row["batch_max_events"] is None:
        return None
    return Batching(row["batch_max_events"], row["batch_max_wait_ms"] or 0)


_webhook_of = reads(
    Webhook,
    tenant=tenant_of,
    events=_events_of,
    old_secrets_expire_at=read_expiries,
    header_names=_header_names_of,
    filter=_filter_of,
    batch=_batch_of,
)
_destination_of = reads(Destination, secrets=_secrets_of, batch=_batch_of)
_subscription_of = reads(Subscription, tenant=tenant_of, events=_events_of, filter=_filter_of)


LIST_SUBSCRIPTIONS = statement(
    """
SELECT w.shard, w.organization_id, w.id AS webhook_id, w.url, w.events,
    w.filter_account_ids, w.filter_chat_type
FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM webhooks
    WHERE shard = {shard} AND organization_id = k.organization_id AND enabled
    ORDER BY id FOR KEY SHARE
) AS w
""",
    Columns("organization_id uuid"),
)


async def list_subscriptions(
    connection: Connection, shards: Shards, organization_ids: Sequence[UUID]
) -> list[Subscription]:
    """List the enabled webhooks of these organizations, in this order and by age.

    They can't be deleted before the transaction ends: a delivery inserted in it is canceled by the
    deletion, or never inserted.
    """
    given = [(organization_id,) for organization_id in organization_ids]
    rows = await connection.fetch(*LIST_SUBSCRIPTIONS.transpose(shards, given))
    return [_subscription_of(row) for row in rows]


LIST_DESTINATIONS = statement(
    """
SELECT w.id AS webhook_id, w.url, w.enabled, w.updated_at, w.secret, w.old_secrets,
    w.old_secrets_expire_at, w.headers, w.batch_max_events, w.batch_max_wait_ms
FROM {rows}
JOIN webhooks AS w ON w.shard = {shard} AND w.organization_id = k.organization_id AND w.id = k.id
""",
    ROW_KEYS,
)


async def list_destinations(
    connection: Connection, shards: Shards, webhooks: Sequence[tuple[UUID, UUID]]
) -> dict[UUID, Destination]:
    """List destinations by webhook id, for (organization id, webhook id), without deleted ones."""
    rows = await connection.fetch(*LIST_DESTINATIONS.transpose(shards, webhooks))
    return {row["webhook_id"]: _destination_of(row) for row in rows}


COUNT_OTHERS = """
SELECT count(*) FROM webhooks WHERE shard = $1 AND organization_id = $2 AND id <> $3
"""


async def count_other_webhooks(connection: Connection, tenant: Tenant, but: UUID) -> int:
    """Count the organization's webhooks, enabled or not, without this one."""
    return int(await connection.fetchval(COUNT_OTHERS, *tenant, but))


def _max_events(webhook: Webhook) -> int | None:
    return None if webhook.batch is None else webhook.batch.max_events


def _max_wait(webhook: Webhook) -> int | None:
    return None if webhook.batch is None else webhook.batch.max_wait_ms


_OPTIONS = " filter_chat_type text, batch_max_events integer, batch_max_wait_ms integer"


def _arrays_of(webhook: Webhook) -> tuple[list[str], list[UUID] | None]:
    """Return the header names and the accounts of the filter: arrays, which can't be unnested."""
    accounts = webhook.filter.chat_account_ids
    return list(webhook.header_names), None if accounts is None else list(accounts)


_NEW = tenant_columns(
    "id uuid, url text, description text, enabled boolean, created_at timestamptz,"
    " updated_at timestamptz, disabled_reason text, disabled_at timestamptz," + _OPTIONS,
    first=7,
    filter_chat_type="filter.chat_type",
    batch_max_events=_max_events,
    batch_max_wait_ms=_max_wait,
)
INSERT_WEBHOOK = _NEW.fill("""
INSERT INTO webhooks (
    shard, events, secret, headers, header_names, filter_account_ids, {names}
)
SELECT $1, $2::text[], $3::bytea, $4::bytea, $5::text[], $6::uuid[], {values} FROM {rows}
ON CONFLICT (shard, organization_id, id) DO NOTHING
""")


async def insert_webhook(
    connection: Connection, webhook: Webhook, secret: bytes, headers: bytes | None = None
) -> None:
    """Insert the webhook and a free lease on it."""
    await connection.execute(
        INSERT_WEBHOOK,
        webhook.tenant.shard,
        list(webhook.events),
        secret,
        headers,
        *_arrays_of(webhook),
        *_NEW.of([webhook]),
    )
    await insert_lease(connection, WEBHOOK_LEASES, webhook.tenant, webhook.id)


LIST_KNOWN_ACCOUNTS = """
SELECT id FROM accounts WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[])
"""


async def list_known_accounts(
    connection: Connection, tenant: Tenant, account_ids: Sequence[UUID]
) -> set[UUID]:
    """Return those accounts that belong to the organization."""
    rows = await connection.fetch(LIST_KNOWN_ACCOUNTS, *tenant, list(account_ids))
    return {row["id"] for row in rows}


LIST_WEBHOOKS = "SELECT * FROM webhooks WHERE shard = $1 AND organization_id = $2 ORDER BY id"


async def list_webhooks(connection: Connection, tenant: Tenant) -> list[Webhook]:
    rows = await connection.fetch(LIST_WEBHOOKS, *tenant)
    return [_webhook_of(row) for row in rows]


FIND_WEBHOOK = "SELECT * FROM webhooks WHERE shard = $1 AND organization_id = $2 AND id = $3"


async def find_webhook(connection: Connection, tenant: Tenant, webhook_id: UUID) -> Webhook | None:
    row = await connection.fetchrow(FIND_WEBHOOK, *tenant, webhook_id)
    return None if row is None else _webhook_of(row)


LOCK_WEBHOOK = """
SELECT * FROM webhooks WHERE shard = $1 AND organization_id = $2 AND id = $3
FOR NO KEY UPDATE
"""


async def lock_webhook(connection: Connection, tenant: Tenant, webhook_id: UUID) -> Webhook | None:
    """Find a webhook and lock it against changes until the transaction ends."""
    row = await connection.fetchrow(LOCK_WEBHOOK, *tenant, webhook_id)
    return None if row is None else _webhook_of(row)


PIN_WEBHOOK = """
SELECT * FROM webhooks WHERE shard = $1 AND organization_id = $2 AND id = $3
FOR KEY SHARE
"""


async def pin_webhook(connection: Connection, tenant: Tenant, webhook_id: UUID) -> Webhook | None:
    """Find a webhook and keep it from being deleted until the transaction ends. Changes, such as
    those of its health, don't wait for that."""
    row = await connection.fetchrow(PIN_WEBHOOK, *tenant, webhook_id)
    return None if row is None else _webhook_of(row)


FIND_SECRETS = """
SELECT secret, old_secrets, old_secrets_expire_at FROM webhooks
WHERE shard = $1 AND organization_id = $2 AND id = $3
"""


async def find_secrets(
    connection: Connection, tenant: Tenant, webhook_id: UUID
) -> SealedSecrets | None:
    row = await connection.fetchrow(FIND_SECRETS, *tenant, webhook_id)
    return None if row is None else _secrets_of(row)


_CHANGEABLE = tenant_columns(
    "id uuid, url text, description text, enabled boolean, disabled_reason text,"
    " disabled_at timestamptz, failing_since timestamptz, updated_at timestamptz," + _OPTIONS,
    first=5,
    keys=2,
    filter_chat_type="filter.chat_type",
    batch_max_events=_max_events,
    batch_max_wait_ms=_max_wait,
)
UPDATE_WEBHOOK = _CHANGEABLE.fill("""
UPDATE webhooks AS w
SET events = $2::text[], header_names = $3::text[], filter_account_ids = $4::uuid[], {changes}
FROM {rows}
WHERE w.shard = $1 AND w.organization_id = k.organization_id AND w.id = k.id
""")


async def update_webhook(connection: Connection, webhook: Webhook) -> None:
    """Write the changeable columns of `webhook`."""
    await connection.execute(
        UPDATE_WEBHOOK,
        webhook.tenant.shard,
        list(webhook.events),
        *_arrays_of(webhook),
        *_CHANGEABLE.of([webhook]),
    )


UPDATE_HEADERS = """
UPDATE webhooks SET headers = $4 WHERE shard = $1 AND organization_id = $2 AND id = $3
"""


async def update_headers(
    connection: Connection, tenant: Tenant, webhook_id: UUID, headers: bytes | None
) -> None:
    """Write the encrypted custom headers; `update_webhook` writes their names."""
    await connection.execute(UPDATE_HEADERS, *tenant, webhook_id, headers)


UPDATE_SECRETS = """
UPDATE webhooks
SET secret = $4, old_secrets = $5, old_secrets_expire_at = $6, updated_at = $7
WHERE shard = $1 AND organization_id = $2 AND id = $3
"""


async def update_secrets(
    connection: Connection, tenant: Tenant, webhook_id: UUID, secrets: SealedSecrets, now: datetime
) -> None:
    await connection.execute(
        UPDATE_SECRETS, *tenant, webhook_id, secrets.current, *to_columns(secrets.old), now
    )


DELETE_WEBHOOK = "DELETE FROM webhooks WHERE shard = $1 AND organization_id = $2 AND id = $3"


async def delete_webhook(connection: Connection, tenant: Tenant, webhook_id: UUID) -> bool:
    """Delete the webhook and its lease. Returns whether it existed."""
    # the lease first, in the same order as transactions that write outcomes
    await delete_lease(connection, WEBHOOK_LEASES, tenant, webhook_id)
    deleted = await connection.execute(DELETE_WEBHOOK, *tenant, webhook_id)
    return bool(deleted == "DELETE 1")


_HOLDING = tenant_columns("id uuid, node_id uuid, epoch bigint", id="resource_id")
# A separate statement: one that locked the newest version of a row and then updated the version
# that it had read could deadlock with the next in line.
LOCK_HELD = statement(
    """
SELECT x.id FROM {rows}
JOIN webhook_leases AS l
  ON l.shard = {shard} AND l.organization_id = k.organization_id AND l.webhook_id = k.id
 AND l.node_id = k.node_id AND l.epoch = k.epoch
JOIN webhooks AS x
  ON x.shard = {shard} AND x.organization_id = k.organization_id AND x.id = k.id
ORDER BY x.organization_id, x.id FOR NO KEY UPDATE OF x
""",
    _HOLDING,
)
_CHANGED = Columns(
    "organization_id uuid, id uuid, failing_since timestamptz, disabled_reason text,"
    " at timestamptz",
    organization_id="lease.tenant.organization_id",
    id="lease.resource_id",
)
RECORD_HEALTH = statement(
    """
UPDATE webhooks AS w
SET failing_since = k.failing_since,
    enabled = k.disabled_reason IS NULL,
    disabled_reason = k.disabled_reason,
    disabled_at = CASE WHEN k.disabled_reason IS NOT NULL THEN k.at END,
    updated_at = k.at
FROM {rows}
WHERE w.shard = {shard} AND w.organization_id = k.organization_id AND w.id = k.id AND w.enabled
""",
    _CHANGED,
)


async def record_health(
    connection: Connection, shards: Shards, changes: Sequence[HealthChange]
) -> None:
    """Write the changes of these shards, in a transaction.

    Webhooks that are no longer held under that lease, or are disabled already, stay as they are.
    """
    if not changes:
        return
    leases = [change.lease for change in changes]
    rows = await connection.fetch(*LOCK_HELD.of(shards, leases))
    held = {row["id"] for row in rows}
    kept = [change for change in changes if change.lease.resource_id in held]
    if kept:
        await connection.execute(*RECORD_HEALTH.of(shards, kept))
