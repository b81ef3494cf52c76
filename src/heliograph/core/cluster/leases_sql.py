"""Leases on accounts and on webhooks: who owns which, written only at take-over and release.

The two tables have one shape and one set of statements each; `LeaseTable` is the choice of one. A
lease is free when it has no node, or one that is known to be dead. Who holds how many is asked
without locks; free ones are claimed shard by shard.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from heliograph.core import topics
from heliograph.core.cluster.model import Lease
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection, Row


@dataclass(frozen=True, slots=True)
class LeaseTable:
    """The statements of one kind of lease. `$1` is a shard where there is one."""

    kind: str
    topic: str
    list_holders: str
    claim: str
    list_owned: str
    release: str
    lock: str


ACCOUNTS: Final = LeaseTable(
    kind="accounts",
    topic=topics.ACCOUNTS,
    list_holders="""
        SELECT shard, node_id, count(*) AS n FROM account_leases GROUP BY shard, node_id
    """,
    claim="""
        WITH free AS MATERIALIZED (
            SELECT organization_id, account_id FROM account_leases
            WHERE shard = $1 AND (node_id IS NULL OR node_id = ANY($3::uuid[]))
            ORDER BY organization_id, account_id LIMIT $4 FOR UPDATE SKIP LOCKED
        )
        UPDATE account_leases AS l SET node_id = $2, epoch = l.epoch + 1
        FROM free
        WHERE l.shard = $1 AND l.organization_id = free.organization_id
          AND l.account_id = free.account_id
        RETURNING 1
    """,
    list_owned="""
        SELECT shard, organization_id, account_id AS resource_id, node_id, epoch
        FROM account_leases WHERE node_id = $1
    """,
    release="""
        WITH held AS MATERIALIZED (
            SELECT l.organization_id, l.account_id
            FROM account_leases AS l
            JOIN unnest($3::uuid[], $4::uuid[], $5::bigint[])
                AS mine (organization_id, account_id, epoch)
              ON l.organization_id = mine.organization_id AND l.account_id = mine.account_id
             AND l.epoch = mine.epoch
            WHERE l.shard = $1 AND l.node_id = $2
            ORDER BY l.organization_id, l.account_id FOR NO KEY UPDATE OF l
        )
        UPDATE account_leases AS l SET node_id = NULL
        FROM held
        WHERE l.shard = $1 AND l.organization_id = held.organization_id
          AND l.account_id = held.account_id
    """,
    lock="""
        SELECT l.organization_id, l.account_id AS resource_id
        FROM account_leases AS l
        JOIN unnest($3::uuid[], $4::uuid[], $5::bigint[])
            AS mine (organization_id, account_id, epoch)
          ON l.organization_id = mine.organization_id AND l.account_id = mine.account_id
         AND l.epoch = mine.epoch
        WHERE l.shard = $1 AND l.node_id = $2
        ORDER BY l.organization_id, l.account_id FOR SHARE OF l
    """,
)

WEBHOOKS: Final = LeaseTable(
    kind="webhooks",
    topic=topics.WEBHOOKS,
    list_holders="""
        SELECT shard, node_id, count(*) AS n FROM webhook_leases GROUP BY shard, node_id
    """,
    claim="""
        WITH free AS MATERIALIZED (
            SELECT organization_id, webhook_id FROM webhook_leases
            WHERE shard = $1 AND (node_id IS NULL OR node_id = ANY($3::uuid[]))
            ORDER BY organization_id, webhook_id LIMIT $4 FOR UPDATE SKIP LOCKED
        )
        UPDATE webhook_leases AS l SET node_id = $2, epoch = l.epoch + 1
        FROM free
        WHERE l.shard = $1 AND l.organization_id = free.organization_id
          AND l.webhook_id = free.webhook_id
        RETURNING 1
    """,
    list_owned="""
        SELECT shard, organization_id, webhook_id AS resource_id, node_id, epoch
        FROM webhook_leases WHERE node_id = $1
    """,
    release="""
        WITH held AS MATERIALIZED (
            SELECT l.organization_id, l.webhook_id
            FROM webhook_leases AS l
            JOIN unnest($3::uuid[], $4::uuid[], $5::bigint[])
                AS mine (organization_id, webhook_id, epoch)
              ON l.organization_id = mine.organization_id AND l.webhook_id = mine.webhook_id
             AND l.epoch = mine.epoch
            WHERE l.shard = $1 AND l.node_id = $2
            ORDER BY l.organization_id, l.webhook_id FOR NO KEY UPDATE OF l
        )
        UPDATE webhook_leases AS l SET node_id = NULL
        FROM held
        WHERE l.shard = $1 AND l.organization_id = held.organization_id
          AND l.webhook_id = held.webhook_id
    """,
    lock="""
        SELECT l.organization_id, l.webhook_id AS resource_id
        FROM webhook_leases AS l
        JOIN unnest($3::uuid[], $4::uuid[], $5::bigint[])
            AS mine (organization_id, webhook_id, epoch)
          ON l.organization_id = mine.organization_id AND l.webhook_id = mine.webhook_id
         AND l.epoch = mine.epoch
        WHERE l.shard = $1 AND l.node_id = $2
        ORDER BY l.organization_id, l.webhook_id FOR SHARE OF l
    """,
)


@dataclass(frozen=True, slots=True)
class Holding:
    """How many leases of a shard a node holds; `node_id` None are the free ones."""

    shard: int
    node_id: UUID | None
    count: int


async def list_holders(connection: Connection, table: LeaseTable) -> list[Holding]:
    rows = await connection.fetch(table.list_holders)
    return [Holding(row["shard"], row["node_id"], row["n"]) for row in rows]


async def claim_leases(
    connection: Connection,
    table: LeaseTable,
    shard: int,
    node_id: UUID,
    dead: Sequence[UUID],
    limit: int,
) -> int:
    """Take over at most `limit` leases of a shard that are free or of these dead nodes, each under
    its next epoch; how many."""
    return len(await connection.fetch(table.claim, shard, node_id, dead, limit))


async def list_owned_leases(
    connection: Connection, table: LeaseTable, node_id: UUID
) -> list[Lease]:
    return [_lease(row) for row in await connection.fetch(table.list_owned, node_id)]


async def release_leases(
    connection: Connection, table: LeaseTable, leases: Sequence[Lease]
) -> None:
    """Give these back; the leases are of one node."""
    for shard in sorted({lease.tenant.shard for lease in leases}):
        mine = [lease for lease in leases if lease.tenant.shard == shard]
        await connection.execute(table.release, shard, mine[0].node_id, *_columns(mine))


async def lock_leases(
    connection: Connection, table: LeaseTable, shard: int, leases: Sequence[Lease]
) -> set[UUID]:
    """Hold these leases of one shard and node until the transaction ends; the ids still held."""
    if not leases:
        return set()
    rows = await connection.fetch(table.lock, shard, leases[0].node_id, *_columns(leases))
    return {row["resource_id"] for row in rows}


def _columns(leases: Sequence[Lease]) -> tuple[list[UUID], list[UUID], list[int]]:
    return (
        [lease.tenant.organization_id for lease in leases],
        [lease.resource_id for lease in leases],
        [lease.epoch for lease in leases],
    )


def _lease(row: Row) -> Lease:
    return Lease(
        tenant=Tenant(row["shard"], row["organization_id"]),
        resource_id=row["resource_id"],
        node_id=row["node_id"],
        epoch=row["epoch"],
    )
