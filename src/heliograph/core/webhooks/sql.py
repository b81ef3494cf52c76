"""Webhooks: rows of `webhooks` and their leases. Secrets pass through here encrypted."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.cluster.sql import WEBHOOKS, delete_lease, insert_lease
from heliograph.core.secrets.model import OldSecret
from heliograph.core.secrets.sql import read_expiries, read_old_secrets, to_columns
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.model import Webhook
from heliograph.platform.database.pool import Connection, Row


class Subscription(msgspec.Struct, frozen=True):
    """An enabled webhook and the types and patterns it takes (`model.events.matches`)."""

    tenant: Tenant
    webhook_id: UUID
    url: str
    events: tuple[str, ...]


class SealedSecrets(msgspec.Struct, frozen=True):
    """A webhook's secrets as they are stored; each of the old ones signs too until it expires."""

    current: bytes
    old: tuple[OldSecret, ...] = ()


class Destination(msgspec.Struct, frozen=True):
    """What one attempt needs of a webhook."""

    webhook_id: UUID
    url: str
    enabled: bool
    secrets: SealedSecrets
    updated_at: datetime


async def list_subscriptions(
    connection: Connection, shard: int, organization_ids: Sequence[UUID]
) -> list[Subscription]:
    """The enabled webhooks of these organizations, by age.

    They can't be deleted before the transaction ends: a delivery inserted in it is either
    canceled by the deletion, or never made.
    """
    rows = await connection.fetch(
        """
        SELECT organization_id, id, url, events FROM webhooks
        WHERE shard = $1 AND organization_id = ANY($2::uuid[]) AND enabled
        ORDER BY organization_id, id
        FOR KEY SHARE
        """,
        shard,
        list(organization_ids),
    )
    return [
        Subscription(
            tenant=Tenant(shard, row["organization_id"]),
            webhook_id=row["id"],
            url=row["url"],
            events=tuple(row["events"]),
        )
        for row in rows
    ]


async def list_destinations(
    connection: Connection, shard: int, webhooks: Sequence[tuple[UUID, UUID]]
) -> dict[UUID, Destination]:
    """By webhook id, for (organization id, webhook id); deleted ones are missing."""
    rows = await connection.fetch(
        """
        SELECT w.id, w.url, w.enabled, w.updated_at, w.secret,
               w.previous_secret, w.previous_secret_expires_at,
               w.older_secrets, w.older_secrets_expire_at
        FROM unnest($2::uuid[], $3::uuid[]) AS wanted (organization_id, id)
        JOIN webhooks AS w
          ON w.shard = $1 AND w.organization_id = wanted.organization_id AND w.id = wanted.id
        """,
        shard,
        [organization_id for organization_id, _ in webhooks],
        [webhook_id for _, webhook_id in webhooks],
    )
    return {row["id"]: _destination(row) for row in rows}


def _destination(row: Row) -> Destination:
    return Destination(
        webhook_id=row["id"],
        url=row["url"],
        enabled=row["enabled"],
        secrets=_secrets(row),
        updated_at=row["updated_at"],
    )


def _secrets(row: Row) -> SealedSecrets:
    return SealedSecrets(row["secret"], read_old_secrets(row, "previous_secret", "older_secrets"))


async def count_other_webhooks(connection: Connection, tenant: Tenant, but: UUID) -> int:
    """How many webhooks there are, enabled or not, but this one."""
    statement = """
        SELECT count(*) FROM webhooks WHERE shard = $1 AND organization_id = $2 AND id <> $3
    """
    return int(await connection.fetchval(statement, *tenant, but))


async def insert_webhook(connection: Connection, webhook: Webhook, secret: bytes) -> None:
    """The webhook and the lease on it, which nobody holds yet."""
    await connection.execute(
        """
        INSERT INTO webhooks (
            shard, organization_id, id, url, description, events, secret, enabled,
            created_at, updated_at
        ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (shard, organization_id, id) DO NOTHING
        """,
        *webhook.tenant,
        webhook.id,
        webhook.url,
        webhook.description,
        list(webhook.events),
        secret,
        webhook.enabled,
        webhook.created_at,
        webhook.updated_at,
    )
    await insert_lease(connection, WEBHOOKS, webhook.tenant, webhook.id)


async def list_webhooks(connection: Connection, tenant: Tenant) -> list[Webhook]:
    """The organization's webhooks, oldest first."""
    rows = await connection.fetch(
        "SELECT * FROM webhooks WHERE shard = $1 AND organization_id = $2 ORDER BY id", *tenant
    )
    return [_webhook(row) for row in rows]


async def find_webhook(connection: Connection, tenant: Tenant, webhook_id: UUID) -> Webhook | None:
    row = await connection.fetchrow(
        "SELECT * FROM webhooks WHERE shard = $1 AND organization_id = $2 AND id = $3",
        *tenant,
        webhook_id,
    )
    return None if row is None else _webhook(row)


async def lock_webhook(connection: Connection, tenant: Tenant, webhook_id: UUID) -> Webhook | None:
    """As `find_webhook`, and nobody else changes it until the transaction ends."""
    row = await connection.fetchrow(
        """
        SELECT * FROM webhooks WHERE shard = $1 AND organization_id = $2 AND id = $3
        FOR NO KEY UPDATE
        """,
        *tenant,
        webhook_id,
    )
    return None if row is None else _webhook(row)


async def find_secrets(
    connection: Connection, tenant: Tenant, webhook_id: UUID
) -> SealedSecrets | None:
    row = await connection.fetchrow(
        """
        SELECT secret, previous_secret, previous_secret_expires_at, older_secrets,
            older_secrets_expire_at
        FROM webhooks
        WHERE shard = $1 AND organization_id = $2 AND id = $3
        """,
        *tenant,
        webhook_id,
    )
    return None if row is None else _secrets(row)


async def is_known_elsewhere(connection: Connection, webhook_id: UUID) -> bool:
    """Whether any organization has this webhook: the one question that names no tenant."""
    return bool(
        await connection.fetchval("SELECT EXISTS (SELECT FROM webhooks WHERE id = $1)", webhook_id)
    )


async def update_webhook(connection: Connection, webhook: Webhook) -> None:
    """Write what can be changed, as `webhook` has it."""
    await connection.execute(
        """
        UPDATE webhooks
        SET url = $4, description = $5, events = $6, enabled = $7, disabled_reason = $8,
            disabled_at = $9, failing_since = $10, updated_at = $11
        WHERE shard = $1 AND organization_id = $2 AND id = $3
        """,
        *webhook.tenant,
        webhook.id,
        webhook.url,
        webhook.description,
        list(webhook.events),
        webhook.enabled,
        webhook.disabled_reason,
        webhook.disabled_at,
        webhook.failing_since,
        webhook.updated_at,
    )


async def update_secrets(
    connection: Connection, tenant: Tenant, webhook_id: UUID, secrets: SealedSecrets, now: datetime
) -> None:
    await connection.execute(
        """
        UPDATE webhooks
        SET secret = $4, previous_secret = $5, previous_secret_expires_at = $6,
            older_secrets = $7, older_secrets_expire_at = $8, updated_at = $9
        WHERE shard = $1 AND organization_id = $2 AND id = $3
        """,
        *tenant,
        webhook_id,
        secrets.current,
        *to_columns(secrets.old),
        now,
    )


async def delete_webhook(connection: Connection, tenant: Tenant, webhook_id: UUID) -> bool:
    """Whether it was there. The lease goes first: whoever writes outcomes holds it first, too."""
    await delete_lease(connection, WEBHOOKS, tenant, webhook_id)
    deleted = await connection.execute(
        "DELETE FROM webhooks WHERE shard = $1 AND organization_id = $2 AND id = $3",
        *tenant,
        webhook_id,
    )
    return bool(deleted == "DELETE 1")


def _webhook(row: Row) -> Webhook:
    return Webhook(
        tenant=Tenant(row["shard"], row["organization_id"]),
        id=row["id"],
        url=row["url"],
        description=row["description"],
        events=tuple(row["events"]),
        enabled=row["enabled"],
        disabled_reason=row["disabled_reason"],
        disabled_at=row["disabled_at"],
        failing_since=row["failing_since"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        old_secrets_expire_at=read_expiries(row),
    )
