"""The table `chores`: what one node does for all, now and then. The database's clock rules."""

from datetime import datetime
from uuid import UUID

from heliograph.platform.database.pool import Connection

HELD_FOR = 60
"""Seconds after which a chore is another's whose node has said nothing of it."""

CLAIM = """
UPDATE chores SET node_id = $2, held_until = now() + make_interval(secs => $4)
WHERE name = $1 AND (held_until IS NULL OR held_until < now() OR node_id = $2)
  AND (done_at IS NULL OR done_at < $3)
RETURNING name
"""

EXTEND = """
UPDATE chores SET held_until = now() + make_interval(secs => $3)
WHERE name = $1 AND node_id = $2 AND held_until > now()
RETURNING name
"""

FINISH = """
UPDATE chores SET node_id = NULL, held_until = NULL, done_at = now()
WHERE name = $1 AND node_id = $2
"""


async def claim_chore(connection: Connection, name: str, node_id: UUID, due_at: datetime) -> bool:
    """Whether this node shall do it: nobody else does, and it was not done since `due_at`."""
    return await connection.fetchval(CLAIM, name, node_id, due_at, HELD_FOR) is not None


async def extend_chore(connection: Connection, name: str, node_id: UUID) -> bool:
    """Whether this node may go on with it."""
    return await connection.fetchval(EXTEND, name, node_id, HELD_FOR) is not None


async def finish_chore(connection: Connection, name: str, node_id: UUID) -> None:
    await connection.execute(FINISH, name, node_id)
