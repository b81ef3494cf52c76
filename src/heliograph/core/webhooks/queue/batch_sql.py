"""Batches in the queue: their membership is committed before they are first sent.

`delivery_batch_id` of every member is the id of the first one, which represents the batch in the
queue. Its outcome is the outcome of all members, except for canceled ones.
"""

from collections.abc import Sequence
from uuid import UUID

from heliograph.core.cluster.model import Lease
from heliograph.core.events.payload_sql import unpack
from heliograph.core.webhooks.model import ClaimedDelivery
from heliograph.platform.database.pool import Connection

# The lease stays locked until the transaction ends, so that the next owner claims final rows.
_HELD = """held AS (
    SELECT 1 FROM webhook_leases
    WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND node_id = $4 AND epoch = $5
    FOR SHARE
)"""
# The list is sorted, and its ends bound what PostgreSQL before version 17 may read (decision 73).
COMMIT_BATCH = """
WITH {held}
UPDATE delivery_queue AS q SET delivery_batch_id = $6
WHERE q.shard = $1 AND q.organization_id = $2 AND q.id = ANY($7::uuid[])
  AND q.id BETWEEN ($7::uuid[])[1] AND ($7::uuid[])[cardinality($7::uuid[])]
  AND q.webhook_id = $3 AND q.attempt_count = 0 AND EXISTS (SELECT 1 FROM held)
RETURNING q.id
""".replace("{held}", _HELD)


class NotOursError(Exception):
    """Another node has the lease, or one of the deliveries was canceled."""


async def commit_batch(connection: Connection, lease: Lease, members: Sequence[UUID]) -> None:
    """Make one batch of these deliveries, which are held under this lease and were never attempted.

    Must be called in a transaction. Raises `NotOursError` unless all of them can be members.
    """
    written = await connection.fetch(COMMIT_BATCH, *_of(lease), members[0], sorted(members))
    if len(written) != len(members):
        raise NotOursError


OPEN_BATCH = """
WITH {held}
UPDATE delivery_queue AS q SET attempt_count = $7
WHERE q.shard = $1 AND q.organization_id = $2 AND q.delivery_batch_id = $6 AND q.webhook_id = $3
  AND q.attempt_count <> $7 AND EXISTS (SELECT 1 FROM held)
""".replace("{held}", _HELD)
LIST_PAYLOADS = """
SELECT e.id, e.payload
FROM (
    SELECT seq, event_id FROM delivery_queue
    WHERE shard = $1 AND organization_id = $2 AND delivery_batch_id = $3
    UNION
    SELECT seq, event_id FROM deliveries
    WHERE shard = $1 AND organization_id = $2 AND delivery_batch_id = $3
) AS d
CROSS JOIN LATERAL (
    SELECT id, payload FROM events
    WHERE shard = $1 AND organization_id = $2 AND id = d.event_id
    LIMIT 1
) AS e
ORDER BY d.seq
"""


async def open_batch(
    connection: Connection, lease: Lease, batch: ClaimedDelivery
) -> list[tuple[UUID, bytes]]:
    """Open a batch whose first delivery was claimed under this lease for its next attempt.

    Returns the events of all members with their bodies, in order, including members that have
    ended, since each attempt posts the same events.
    """
    await connection.execute(OPEN_BATCH, *_of(lease), batch.id, batch.attempt_count)
    rows = await connection.fetch(LIST_PAYLOADS, *lease.tenant, batch.id)
    return [(row["id"], unpack(row["payload"])) for row in rows]


def _of(lease: Lease) -> tuple[object, ...]:
    return (*lease.tenant, lease.resource_id, lease.node_id, lease.epoch)
