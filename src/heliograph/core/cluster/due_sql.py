"""Queries for due work of all tenants together, without locks.

A node asks once a second which of the accounts and webhooks that it owns, in all shards, have due
work, which is then claimed shard by shard and tenant by tenant. These statements lock nothing and
change nothing.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from heliograph.core.cluster.model import Lease
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_of
from heliograph.platform.database.floors import Floor
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns

# --- what is due for what a node owns -------------------------------------------------------------

LookedFor = tuple[Lease, Floor]
"""A lease, and the floor from which its fresh rows are scanned."""
_LOOKED_FOR = Columns(
    "shard integer, organization_id uuid, id uuid, floor bigint, server timestamptz",
    shard=lambda it: it[0].tenant.shard,
    organization_id=lambda it: it[0].tenant.organization_id,
    id=lambda it: it[0].resource_id,
    floor=lambda it: it[1].seq,
    server=lambda it: it[1].server,
)

# ORDER BY … LIMIT 1 instead of EXISTS: with EXISTS the planner expects an early match in any scan,
# and if one account has a long queue it reads the whole table for each account that has none. This
# order can only come from the index.
LIST_DUE_ACCOUNTS = _LOOKED_FOR.fill("""
SELECT * FROM (
    SELECT k.id, (
        SELECT q.seq FROM message_queue AS q
        WHERE q.shard = k.shard AND q.organization_id = k.organization_id AND q.account_id = k.id
          AND q.fresh
          AND q.seq >= greatest(0, k.floor * (k.server = pg_postmaster_start_time())::integer)
        ORDER BY q.seq LIMIT 1
    ) AS first, (
        SELECT q.seq FROM message_queue AS q
        WHERE q.shard = k.shard AND q.organization_id = k.organization_id AND q.account_id = k.id
          AND NOT q.fresh AND (q.next_attempt_at IS NULL OR q.next_attempt_at <= $1)
        ORDER BY q.seq LIMIT 1
    ) IS NOT NULL OR (
        SELECT j.seq FROM jobs AS j
        WHERE j.shard = k.shard AND j.organization_id = k.organization_id
          AND j.account_id = k.id AND j.status = 'pending'
        ORDER BY j.seq LIMIT 1
    ) IS NOT NULL OR (
        SELECT c.seq FROM message_changes AS c
        WHERE c.shard = k.shard AND c.organization_id = k.organization_id AND c.account_id = k.id
          AND (c.next_attempt_at IS NULL OR c.next_attempt_at <= $1)
        ORDER BY c.seq LIMIT 1
    ) IS NOT NULL AS other
    FROM {rows}
    OFFSET 0
) AS looked WHERE first IS NOT NULL OR other
""")


async def list_due_accounts(
    connection: Connection, looked_for: Sequence[LookedFor], now: datetime
) -> dict[Lease, int | None]:
    """List the accounts with a message to send, a change to make or a job to do, each with its
    first fresh message from its floor on."""
    rows = await connection.fetch(LIST_DUE_ACCOUNTS, now, *_LOOKED_FOR.of(looked_for))
    return _firsts(looked_for, rows)


# Deliveries that the owner holds in memory count, too.
LIST_DUE_WEBHOOKS = _LOOKED_FOR.fill("""
SELECT * FROM (
    SELECT k.id, (
        SELECT d.seq FROM delivery_queue AS d
        WHERE d.shard = k.shard AND d.organization_id = k.organization_id
          AND d.webhook_id = k.id AND d.next_attempt_at IS NULL
          AND d.seq >= greatest(0, k.floor * (k.server = pg_postmaster_start_time())::integer)
        ORDER BY d.seq LIMIT 1
    ) AS first, (
        SELECT d.next_attempt_at FROM delivery_queue AS d
        WHERE d.shard = k.shard AND d.organization_id = k.organization_id
          AND d.webhook_id = k.id AND d.next_attempt_at <= $1
        ORDER BY d.next_attempt_at LIMIT 1
    ) IS NOT NULL AS other
    FROM {rows}
    OFFSET 0
) AS looked WHERE first IS NOT NULL OR other
""")


async def list_due_webhooks(
    connection: Connection, looked_for: Sequence[LookedFor], now: datetime
) -> dict[Lease, int | None]:
    """List the webhooks with a delivery to claim, each with its first unattempted delivery from its
    floor on."""
    rows = await connection.fetch(LIST_DUE_WEBHOOKS, now, *_LOOKED_FOR.of(looked_for))
    return _firsts(looked_for, rows)


def _firsts(looked_for: Sequence[LookedFor], rows: Sequence[Row]) -> dict[Lease, int | None]:
    leases = {lease.resource_id: lease for lease, _ in looked_for}
    return {leases[row["id"]]: row["first"] for row in rows}


# --- the same on a distributed database

# The statement is sent to each server, so it has to begin with a distributed table.
LIST_DUE_ACCOUNTS_OF_NODE = """
SELECT l.account_id AS id
FROM account_leases AS l
LEFT JOIN LATERAL (
    SELECT q.seq FROM message_queue AS q
    WHERE q.shard = l.shard AND q.organization_id = l.organization_id
      AND q.account_id = l.account_id AND q.fresh
    ORDER BY q.seq LIMIT 1
) AS first ON true
LEFT JOIN LATERAL (
    SELECT q.seq FROM message_queue AS q
    WHERE q.shard = l.shard AND q.organization_id = l.organization_id
      AND q.account_id = l.account_id AND NOT q.fresh
      AND (q.next_attempt_at IS NULL OR q.next_attempt_at <= $1)
    ORDER BY q.seq LIMIT 1
) AS again ON true
LEFT JOIN LATERAL (
    SELECT j.seq FROM jobs AS j
    WHERE j.shard = l.shard AND j.organization_id = l.organization_id
      AND j.account_id = l.account_id AND j.status = 'pending'
    ORDER BY j.seq LIMIT 1
) AS job ON true
LEFT JOIN LATERAL (
    SELECT c.seq FROM message_changes AS c
    WHERE c.shard = l.shard AND c.organization_id = l.organization_id
      AND c.account_id = l.account_id
      AND (c.next_attempt_at IS NULL OR c.next_attempt_at <= $1)
    ORDER BY c.seq LIMIT 1
) AS change ON true
WHERE l.node_id = ANY($2::uuid[]) AND (
    first.seq IS NOT NULL OR again.seq IS NOT NULL OR job.seq IS NOT NULL OR change.seq IS NOT NULL
)
"""

LIST_DUE_WEBHOOKS_OF_NODE = """
SELECT l.webhook_id AS id
FROM webhook_leases AS l
LEFT JOIN LATERAL (
    SELECT d.seq FROM delivery_queue AS d
    WHERE d.shard = l.shard AND d.organization_id = l.organization_id
      AND d.webhook_id = l.webhook_id AND d.next_attempt_at IS NULL
    ORDER BY d.seq LIMIT 1
) AS first ON true
LEFT JOIN LATERAL (
    SELECT d.next_attempt_at FROM delivery_queue AS d
    WHERE d.shard = l.shard AND d.organization_id = l.organization_id
      AND d.webhook_id = l.webhook_id AND d.next_attempt_at <= $1
    ORDER BY d.next_attempt_at LIMIT 1
) AS again ON true
WHERE l.node_id = ANY($2::uuid[])
  AND (first.seq IS NOT NULL OR again.next_attempt_at IS NOT NULL)
"""


async def list_due_accounts_of_node(
    connection: Connection, looked_for: Sequence[LookedFor], now: datetime
) -> dict[Lease, int | None]:
    """List the accounts as `list_due_accounts` does, without first messages: floors apply to a
    single server."""
    return await _list_due_of_node(connection, LIST_DUE_ACCOUNTS_OF_NODE, looked_for, now)


async def list_due_webhooks_of_node(
    connection: Connection, looked_for: Sequence[LookedFor], now: datetime
) -> dict[Lease, int | None]:
    """List the webhooks as `list_due_webhooks` does, without first deliveries."""
    return await _list_due_of_node(connection, LIST_DUE_WEBHOOKS_OF_NODE, looked_for, now)


async def _list_due_of_node(
    connection: Connection, statement: str, looked_for: Sequence[LookedFor], now: datetime
) -> dict[Lease, int | None]:
    leases = {lease.resource_id: lease for lease, _ in looked_for}
    rows = await connection.fetch(statement, now, _nodes_of(leases.values()))
    return {leases[row["id"]]: None for row in rows if row["id"] in leases}


def _nodes_of(leases: Iterable[Lease]) -> list[UUID]:
    """Return the node ids: usually one, two if the node was considered dead and has started
    over."""
    return list({lease.node_id for lease in leases})


LIST_OVERDUE_SHARDS = """
SELECT DISTINCT l.shard FROM webhook_leases AS l
CROSS JOIN LATERAL (
    SELECT w.id FROM webhooks AS w
    WHERE w.shard = l.shard AND w.organization_id = l.organization_id AND w.id = l.webhook_id
      AND NOT w.enabled AND w.disabled_at < $1
    LIMIT 1
) AS disabled
LEFT JOIN LATERAL (
    SELECT d.seq FROM delivery_queue AS d
    WHERE d.shard = l.shard AND d.organization_id = l.organization_id
      AND d.webhook_id = l.webhook_id AND d.next_attempt_at IS NULL
    ORDER BY d.seq LIMIT 1
) AS first ON true
LEFT JOIN LATERAL (
    SELECT d.next_attempt_at FROM delivery_queue AS d
    WHERE d.shard = l.shard AND d.organization_id = l.organization_id
      AND d.webhook_id = l.webhook_id AND d.next_attempt_at IS NOT NULL
    ORDER BY d.next_attempt_at LIMIT 1
) AS again ON true
WHERE l.node_id = ANY($2::uuid[]) AND (first.seq IS NOT NULL OR again.next_attempt_at IS NOT NULL)
"""


async def list_overdue_shards(
    connection: Connection, leases: Sequence[Lease], disabled_before: datetime
) -> list[int]:
    """List the shards with deliveries that wait for a webhook of this node, given by its leases,
    that has been disabled for that long."""
    return await _list_shards(connection, LIST_OVERDUE_SHARDS, disabled_before, _nodes_of(leases))


async def _list_shards(connection: Connection, statement: str, *values: object) -> list[int]:
    return sorted(row["shard"] for row in await connection.fetch(statement, *values))


# --- what is due by the clock ---------------------------------------------------------------------

LIST_SCHEDULED_SHARDS = """
SELECT DISTINCT shard FROM message_schedule WHERE scheduled_for <= $1
"""


async def list_scheduled_shards(connection: Connection, now: datetime) -> list[int]:
    return await _list_shards(connection, LIST_SCHEDULED_SHARDS, now)


FIND_NEXT_SCHEDULED = """
SELECT scheduled_for FROM message_schedule ORDER BY scheduled_for LIMIT 1
"""


async def find_next_scheduled(connection: Connection) -> datetime | None:
    """Find when the next scheduled message of any tenant is due. None when there is none."""
    at: datetime | None = await connection.fetchval(FIND_NEXT_SCHEDULED)
    return at


LIST_EXPIRED_KEY_SHARDS = """
SELECT DISTINCT shard FROM idempotency_keys WHERE expires_at <= $1
"""


async def list_expired_key_shards(connection: Connection, now: datetime) -> list[int]:
    return await _list_shards(connection, LIST_EXPIRED_KEY_SHARDS, now)


LIST_EXPIRED_SHARDS = """
SELECT DISTINCT shard FROM message_expiries WHERE expires_at <= $1
"""


async def list_expired_shards(connection: Connection, now: datetime) -> list[int]:
    """List the shards with messages whose expiry time has passed."""
    return await _list_shards(connection, LIST_EXPIRED_SHARDS, now)


LIST_DUE_SNOOZES = """
SELECT shard, organization_id, id FROM conversations
WHERE status = 'snoozed' AND snoozed_until <= $1
ORDER BY snoozed_until LIMIT $2
"""


async def list_due_snoozes(
    connection: Connection, now: datetime, limit: int
) -> list[tuple[Tenant, UUID]]:
    """List conversations of all tenants whose snooze has ended, by tenant and id."""
    rows = await connection.fetch(LIST_DUE_SNOOZES, now, limit)
    return [(tenant_of(row), row["id"]) for row in rows]


FIND_NEXT_SNOOZE_END = """
SELECT snoozed_until FROM conversations
WHERE status = 'snoozed' AND snoozed_until IS NOT NULL ORDER BY snoozed_until LIMIT 1
"""


async def find_next_snooze_end(connection: Connection) -> datetime | None:
    """Find when the next snooze of any tenant ends. None when there is none."""
    at: datetime | None = await connection.fetchval(FIND_NEXT_SNOOZE_END)
    return at


class NextTimes(NamedTuple):
    """The next due time of each kind, over all tenants; None if nothing is due."""

    scheduled: datetime | None
    expiry: datetime | None
    snooze: datetime | None
    restriction: datetime | None


FIND_NEXT_TIMES = """
SELECT
    (SELECT scheduled_for FROM message_schedule ORDER BY scheduled_for LIMIT 1),
    (SELECT expires_at FROM message_expiries ORDER BY expires_at LIMIT 1),
    (SELECT snoozed_until FROM conversations
     WHERE status = 'snoozed' AND snoozed_until IS NOT NULL ORDER BY snoozed_until LIMIT 1),
    (SELECT min(restriction_until) FROM accounts WHERE restriction_until IS NOT NULL)
"""


async def find_next_times(connection: Connection) -> NextTimes:
    """Read all of these times at once: every node does so every second."""
    row = await connection.fetchrow(FIND_NEXT_TIMES)
    return NextTimes(*(row or (None, None, None, None)))
