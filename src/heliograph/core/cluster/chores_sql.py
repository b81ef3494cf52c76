"""The table `chore_failures`: the chores that fail at present, on any node."""

from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


class FailingChore(msgspec.Struct, frozen=True):
    """A chore that has failed at every try since a time; `failure` is the latest."""

    chore: str
    failing_since: datetime
    failed_at: datetime
    failure: str


RECORD_FAILURE = """
INSERT INTO chore_failures AS f (chore, node_id, failing_since, failed_at, failure)
VALUES ($1, $2, $3, $3, $4)
ON CONFLICT (chore) DO UPDATE
SET node_id = excluded.node_id, failed_at = excluded.failed_at, failure = excluded.failure
"""


async def record_failure(
    connection: Connection, chore: str, node_id: UUID, at: datetime, failure: str
) -> None:
    await connection.execute(RECORD_FAILURE, chore, node_id, at, failure)


# A failure of another node stays for as long as that node is alive.
FORGET_FAILURE = """
DELETE FROM chore_failures AS f
WHERE f.chore = $1 AND (f.node_id = $2 OR NOT EXISTS (
    SELECT 1 FROM nodes AS n WHERE n.id = f.node_id AND n.lease_expires_at > now()
))
"""


async def forget_failure(connection: Connection, chore: str, node_id: UUID) -> None:
    """Delete the failure of a chore in which this node has succeeded."""
    await connection.execute(FORGET_FAILURE, chore, node_id)


FORGET_FAILURE_OF_ALL = "DELETE FROM chore_failures WHERE chore = $1"


async def forget_failure_of_all(connection: Connection, chore: str) -> None:
    """Delete the failures of a chore that one node has done for all."""
    await connection.execute(FORGET_FAILURE_OF_ALL, chore)


LIST_FAILING = """
SELECT chore, failing_since, failed_at, failure FROM chore_failures ORDER BY failing_since, chore
"""

_failing_of = reads(FailingChore)


async def list_failing(connection: Connection) -> list[FailingChore]:
    """List the failing chores, the longest failing first."""
    return [_failing_of(row) for row in await connection.fetch(LIST_FAILING)]
