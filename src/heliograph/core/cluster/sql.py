"""The tables `nodes`, `account_leases`, `webhook_leases` and `chores`: living nodes and their
leases, by the database's clock."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from heliograph.core import topics
from heliograph.core.cluster.model import Holding, Lease, Node
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import shards_of, statement, tenant_columns, tenant_of
from heliograph.errors import ConfigurationError
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


class EarlierReleaseError(ConfigurationError):
    """The database's schema no longer works with this release."""

    def __init__(self) -> None:
        super().__init__(
            "A later release migrated the database, and this one can't work with it any more.",
            remedy="Update this installation to that release.",
        )


# --- nodes: each renews one row of its own -------------------------------------------------------

INSERT_NODE = """
INSERT INTO nodes (
    id, name, roles, version, schema_revision, admin_port, started_at, lease_expires_at
)
VALUES ($1, $2, $3, $4, $5, $6, now(), now() + make_interval(secs => $7))
ON CONFLICT (id) DO NOTHING
"""


async def insert_node(
    connection: Connection,
    node_id: UUID,
    *,
    name: str,
    roles: list[str],
    version: str,
    schema_revision: int,
    admin_port: int | None,
    lease_timeout: float,
) -> None:
    """Insert a living node. Raises `EarlierReleaseError` if the schema has been contracted beyond
    what a node needs that knows no revision after this one."""
    values = (name, roles, version, schema_revision, admin_port, lease_timeout)
    try:
        await connection.execute(INSERT_NODE, node_id, *values)
    except asyncpg.CheckViolationError as error:
        raise EarlierReleaseError from error


RENEW_NODE = """
UPDATE nodes SET lease_expires_at = now() + make_interval(secs => $2)
WHERE id = $1 AND lease_expires_at > now()
"""


async def renew_node(connection: Connection, node_id: UUID, lease_timeout: float) -> bool:
    """Extend the node's lease. Returns False if it had expired: the node must take a new id."""
    return bool(await connection.execute(RENEW_NODE, node_id, lease_timeout) == "UPDATE 1")


LIST_ALIVE_NODES = """
SELECT id, name, roles, version, admin_port, started_at, lease_expires_at
FROM nodes WHERE lease_expires_at > now() ORDER BY started_at, id
"""

_node_of = reads(Node, roles=lambda row: tuple(row["roles"]))


async def list_alive_nodes(connection: Connection) -> list[Node]:
    return [_node_of(row) for row in await connection.fetch(LIST_ALIVE_NODES)]


LIST_ADMIN_PORTS = "SELECT DISTINCT admin_port FROM nodes WHERE admin_port IS NOT NULL"


async def list_admin_ports(connection: Connection) -> frozenset[int]:
    """List the ports at which nodes answer probes, including those of nodes that died within a
    day."""
    return frozenset(row["admin_port"] for row in await connection.fetch(LIST_ADMIN_PORTS))


DELETE_NODE = "DELETE FROM nodes WHERE id = $1"


async def delete_node(connection: Connection, node_id: UUID) -> None:
    await connection.execute(DELETE_NODE, node_id)


DELETE_DEAD_NODES = "DELETE FROM nodes WHERE lease_expires_at < now() - interval '1 day'"


async def delete_dead_nodes(connection: Connection) -> None:
    await connection.execute(DELETE_DEAD_NODES)


# --- leases: written only at take-over and release -----------------------------------------------


@dataclass(frozen=True, slots=True)
class LeaseTable:
    """A table of leases, its column with the id of the owned row, and the topic that wakes its
    keepers. Both tables have the same shape, and each statement exists for both."""

    name: str
    resource: str
    topic: str


ACCOUNT_LEASES: Final = LeaseTable("account_leases", "account_id", topics.FREE_ACCOUNT_LEASES)
WEBHOOK_LEASES: Final = LeaseTable("webhook_leases", "webhook_id", topics.FREE_WEBHOOK_LEASES)

_MINE = tenant_columns("id uuid, epoch bigint", first=3, alias="mine", id="resource_id")


def _of_both(template: str) -> dict[LeaseTable, str]:
    """Fill in the template for each table: `{leases}` is the table, `{id}` the column of the owned
    id."""
    return {
        table: template.replace("{leases}", table.name).replace("{id}", table.resource)
        for table in (ACCOUNT_LEASES, WEBHOOK_LEASES)
    }


def _for_both(template: str) -> dict[LeaseTable, str]:
    """Make the statement for each table, for leases of one shard."""
    return {table: _MINE.fill(text) for table, text in _of_both(template).items()}


INSERT_LEASE = _for_both("""
INSERT INTO {leases} (shard, organization_id, {id}, node_id, epoch) VALUES ($1, $2, $3, NULL, 0)
ON CONFLICT (shard, organization_id, {id}) DO NOTHING
""")


async def insert_lease(
    connection: Connection, table: LeaseTable, tenant: Tenant, resource_id: UUID
) -> None:
    """Insert a free lease."""
    await connection.execute(INSERT_LEASE[table], *tenant, resource_id)


DELETE_LEASE = _for_both(
    "DELETE FROM {leases} WHERE shard = $1 AND organization_id = $2 AND {id} = $3"
)


async def delete_lease(
    connection: Connection, table: LeaseTable, tenant: Tenant, resource_id: UUID
) -> None:
    await connection.execute(DELETE_LEASE[table], *tenant, resource_id)


LIST_HOLDERS = _for_both("""
SELECT shard, node_id, count(*) AS count FROM {leases} GROUP BY shard, node_id
""")

_holding_of = reads(Holding)


async def list_holders(connection: Connection, table: LeaseTable) -> list[Holding]:
    """Count all leases by shard and node, without locks."""
    return [_holding_of(row) for row in await connection.fetch(LIST_HOLDERS[table])]


CLAIM_LEASES = _for_both("""
WITH free AS MATERIALIZED (
    SELECT organization_id, {id} FROM {leases}
    WHERE shard = $1 AND (node_id IS NULL OR node_id = ANY($3::uuid[]))
    ORDER BY organization_id, {id} LIMIT $4 FOR UPDATE SKIP LOCKED
)
UPDATE {leases} AS l SET node_id = $2, epoch = l.epoch + 1
FROM free
WHERE l.shard = $1 AND l.organization_id = free.organization_id AND l.{id} = free.{id}
RETURNING 1
""")


async def claim_leases(
    connection: Connection,
    table: LeaseTable,
    shard: int,
    node_id: UUID,
    dead: Sequence[UUID],
    limit: int,
) -> int:
    """Take at most `limit` leases of a shard that are free or held by these dead nodes, each under
    its next epoch. Returns how many were taken."""
    return len(await connection.fetch(CLAIM_LEASES[table], shard, node_id, dead, limit))


LIST_OWNED_LEASES = _for_both("""
SELECT shard, organization_id, {id} AS resource_id, node_id, epoch FROM {leases} WHERE node_id = $1
""")

_lease_of = reads(Lease, tenant=tenant_of)


async def list_owned_leases(
    connection: Connection, table: LeaseTable, node_id: UUID
) -> list[Lease]:
    return [_lease_of(row) for row in await connection.fetch(LIST_OWNED_LEASES[table], node_id)]


RELEASE_LEASES = _for_both("""
WITH held AS MATERIALIZED (
    SELECT l.organization_id, l.{id}
    FROM {leases} AS l
    JOIN {mine}
      ON l.organization_id = mine.organization_id AND l.{id} = mine.id AND l.epoch = mine.epoch
    WHERE l.shard = $1 AND l.node_id = $2
    ORDER BY l.organization_id, l.{id} FOR NO KEY UPDATE OF l
)
UPDATE {leases} AS l SET node_id = NULL
FROM held
WHERE l.shard = $1 AND l.organization_id = held.organization_id AND l.{id} = held.{id}
""")


async def release_leases(
    connection: Connection, table: LeaseTable, leases: Sequence[Lease]
) -> None:
    """Release these leases, all held by one node."""
    for shard in sorted({lease.tenant.shard for lease in leases}):
        mine = [lease for lease in leases if lease.tenant.shard == shard]
        await connection.execute(RELEASE_LEASES[table], shard, mine[0].node_id, *_MINE.of(mine))


LOCK_LEASES = {
    table: statement(template, _MINE)
    for table, template in _of_both("""
SELECT l.organization_id, l.{id} AS resource_id
FROM {leases} AS l
JOIN {mine}
  ON l.organization_id = mine.organization_id AND l.{id} = mine.id AND l.epoch = mine.epoch
WHERE l.shard = {shard} AND l.node_id = $2
ORDER BY l.organization_id, l.{id} FOR SHARE OF l
""").items()
}


async def lock_leases(
    connection: Connection, table: LeaseTable, leases: Sequence[Lease]
) -> set[UUID]:
    """Lock these leases of one node until the transaction ends. Returns the ids that are still
    owned under them."""
    if not leases:
        return set()
    shards = shards_of(lease.tenant for lease in leases)
    rows = await connection.fetch(*LOCK_LEASES[table].of(shards, leases, leases[0].node_id))
    return {row["resource_id"] for row in rows}


LOCK_LEASE_ALONE = _for_both("""
SELECT 1 FROM {leases}
WHERE shard = $1 AND organization_id = $2 AND {id} = $3 AND node_id = $4 AND epoch = $5
FOR NO KEY UPDATE
""")


async def lock_lease_alone(connection: Connection, table: LeaseTable, lease: Lease) -> bool:
    """Lock the lease exclusively until the transaction ends. Waits for all transactions that hold
    it as `lock_leases` does, including those that their process has abandoned and that may still
    commit. Returns False if this node no longer holds the lease."""
    key = (*lease.tenant, lease.resource_id, lease.node_id, lease.epoch)
    return await connection.fetchval(LOCK_LEASE_ALONE[table], *key) is not None


# --- chores: what one node does for all, now and then --------------------------------------------

CHORE_HELD_FOR = 60
"""Seconds after which another node may take over a chore that was not extended."""

CLAIM_CHORE = """
UPDATE chores SET node_id = $2, held_until = now() + make_interval(secs => $4)
WHERE name = $1 AND (held_until IS NULL OR held_until < now() OR node_id = $2)
  AND (done_at IS NULL OR done_at < $3)
RETURNING name
"""


async def claim_chore(connection: Connection, name: str, node_id: UUID, due_at: datetime) -> bool:
    """Claim a chore for this node. Returns False if another node does it, or it was done since
    `due_at`."""
    return await connection.fetchval(CLAIM_CHORE, name, node_id, due_at, CHORE_HELD_FOR) is not None


EXTEND_CHORE = """
UPDATE chores SET held_until = now() + make_interval(secs => $3)
WHERE name = $1 AND node_id = $2 AND held_until > now()
RETURNING name
"""


async def extend_chore(connection: Connection, name: str, node_id: UUID) -> bool:
    """Extend the claim on a chore. Returns False if this node has to stop."""
    return await connection.fetchval(EXTEND_CHORE, name, node_id, CHORE_HELD_FOR) is not None


FINISH_CHORE = """
UPDATE chores SET node_id = NULL, held_until = NULL, done_at = now()
WHERE name = $1 AND node_id = $2
"""


async def finish_chore(connection: Connection, name: str, node_id: UUID) -> None:
    await connection.execute(FINISH_CHORE, name, node_id)
