"""The table `nodes`: each node renews one row of its own; the database's clock rules."""

from uuid import UUID

from heliograph.core.cluster.model import Node
from heliograph.platform.database.pool import Connection, Row

LEASE_SECONDS = 15
RENEW_EVERY = 3.0

INSERT = """
INSERT INTO nodes (id, name, roles, version, admin_port, started_at, lease_expires_at)
VALUES ($1, $2, $3, $4, $5, now(), now() + make_interval(secs => $6))
ON CONFLICT (id) DO NOTHING
"""

RENEW = """
UPDATE nodes SET lease_expires_at = now() + make_interval(secs => $2)
WHERE id = $1 AND lease_expires_at > now()
"""

LIST_ALIVE = """
SELECT id, name, roles, version, admin_port, started_at, lease_expires_at
FROM nodes WHERE lease_expires_at > now() ORDER BY started_at, id
"""

LIST_ADMIN_PORTS = "SELECT DISTINCT admin_port FROM nodes WHERE admin_port IS NOT NULL"

DELETE = "DELETE FROM nodes WHERE id = $1"

DELETE_DEAD = "DELETE FROM nodes WHERE lease_expires_at < now() - interval '1 day'"


async def insert_node(
    connection: Connection,
    node_id: UUID,
    *,
    name: str,
    roles: list[str],
    version: str,
    admin_port: int | None,
) -> None:
    await connection.execute(INSERT, node_id, name, roles, version, admin_port, LEASE_SECONDS)


async def renew_node(connection: Connection, node_id: UUID) -> bool:
    """Extend the node's lease. False when it had ended: the node must take a new id."""
    return bool(await connection.execute(RENEW, node_id, LEASE_SECONDS) == "UPDATE 1")


async def list_alive_nodes(connection: Connection) -> list[Node]:
    return [_node(row) for row in await connection.fetch(LIST_ALIVE)]


async def list_admin_ports(connection: Connection) -> frozenset[int]:
    """Where nodes answer probes, those that were known yesterday among them."""
    return frozenset(row["admin_port"] for row in await connection.fetch(LIST_ADMIN_PORTS))


async def delete_node(connection: Connection, node_id: UUID) -> None:
    await connection.execute(DELETE, node_id)


async def delete_dead_nodes(connection: Connection) -> None:
    await connection.execute(DELETE_DEAD)


def _node(row: Row) -> Node:
    return Node(
        id=row["id"],
        name=row["name"],
        roles=tuple(row["roles"]),
        version=row["version"],
        admin_port=row["admin_port"],
        started_at=row["started_at"],
        lease_expires_at=row["lease_expires_at"],
    )
