"""Webhooks: rows of `webhooks` and their leases. Secrets leave here encrypted."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from heliograph.model.organizations import Tenant
from heliograph.store.database import Connection


@dataclass(frozen=True, slots=True)
class Subscription:
    """An enabled webhook and the types and patterns it takes (`model.events.matches`)."""

    tenant: Tenant
    webhook_id: UUID
    url: str
    events: tuple[str, ...]


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
