"""Batches in the table `deliveries`: who is in one, committed before anything of it is sent.

`batch_id` of every member is the id of the first one, which stands for the batch in the queue. Its
status is everybody's, but for what was canceled.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.cluster.model import Lease
from heliograph.core.webhooks.model import ClaimedDelivery
from heliograph.platform.database.pool import Connection, Row

LIST_MEMBERS = """
SELECT id, batch_id, order_key FROM deliveries
WHERE shard = $1 AND organization_id = ANY($2::uuid[]) AND batch_id = ANY($3::uuid[])
ORDER BY seq
"""


async def add_members(
    connection: Connection, shard: int, claimed: Sequence[ClaimedDelivery], firsts: Iterable[UUID]
) -> list[ClaimedDelivery]:
    """Return what was claimed, with the members of the batches that begin with `firsts`."""
    wanted = set(firsts)
    organizations = {each.tenant.organization_id for each in claimed if each.id in wanted}
    rows = await connection.fetch(LIST_MEMBERS, shard, list(organizations), list(wanted))
    members: defaultdict[UUID, list[Row]] = defaultdict(list)
    for row in rows:
        members[row["batch_id"]].append(row)
    return [_as_batch(each, members[each.id]) if each.id in wanted else each for each in claimed]


def _as_batch(first: ClaimedDelivery, members: Sequence[Row]) -> ClaimedDelivery:
    return replace(
        first,
        payload=b"",
        members=tuple(row["id"] for row in members),
        batch_keys=tuple(dict.fromkeys(row["order_key"] for row in members)),
    )


# The lease stays locked until the transaction ends: what the next owner claims is final.
_HELD = """held AS (
    SELECT 1 FROM webhook_leases
    WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND node_id = $4 AND epoch = $5
    FOR SHARE
)
"""
COMMIT_BATCH = (
    "WITH "
    + _HELD
    + """
UPDATE deliveries AS d SET batch_id = $6
WHERE d.shard = $1 AND d.organization_id = $2 AND d.id = ANY($7::uuid[])
  AND d.webhook_id = $3 AND d.status NOT IN ('pending', 'canceled') AND d.claim_epoch = $5
  AND d.attempt_count = 0 AND EXISTS (SELECT FROM held)
RETURNING 1
"""
)


class NotOursError(Exception):
    """The lease has gone to another node, or one of the deliveries was canceled."""


async def commit_batch(connection: Connection, lease: Lease, members: Sequence[UUID]) -> None:
    """Make these deliveries, claimed under this lease and never attempted, one batch.

    To be called in a transaction. Raises `NotOursError` unless all of them can be in it.
    """
    written = await connection.fetch(COMMIT_BATCH, *_of(lease), members[0], list(members))
    if len(written) != len(members):
        raise NotOursError


OPEN_BATCH = (
    "WITH "
    + _HELD
    + """
UPDATE deliveries AS d
SET status = 'delivering', claim_epoch = $5, attempt_count = $7
WHERE d.shard = $1 AND d.organization_id = $2 AND d.batch_id = $6 AND d.webhook_id = $3
  AND d.id <> $6 AND d.status NOT IN ('delivered', 'failed', 'canceled')
  AND EXISTS (SELECT FROM held)
"""
)
LIST_PAYLOADS = """
SELECT e.id, e.payload
FROM deliveries AS d
CROSS JOIN LATERAL (
    SELECT id, payload FROM events
    WHERE shard = $1 AND organization_id = $2 AND id = d.event_id
    LIMIT 1
) AS e
WHERE d.shard = $1 AND d.organization_id = $2 AND d.batch_id = $3
ORDER BY d.seq
"""


async def open_batch(
    connection: Connection, lease: Lease, batch: ClaimedDelivery
) -> list[tuple[UUID, bytes]]:
    """Claim the other members of a batch whose first delivery was claimed under this lease.

    Returns the events of all of them with their bodies, in order: of those that have ended, too,
    since each attempt posts the same.
    """
    await connection.execute(OPEN_BATCH, *_of(lease), batch.id, batch.attempt_count)
    rows = await connection.fetch(LIST_PAYLOADS, *lease.tenant, batch.id)
    return [(row["id"], row["payload"]) for row in rows]


def _of(lease: Lease) -> tuple[object, ...]:
    return (*lease.tenant, lease.resource_id, lease.node_id, lease.epoch)
