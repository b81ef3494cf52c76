"""The tables `message_counts` and `account_message_counts`: the number of messages of each day,
direction and status, of an organization and of each of its accounts.

The transaction that changes a message moves its counts; retention never lowers one. A count is the
sum of up to 16 rows, its stripes, so that writers seldom wait for each other, and of more after
some rounds (`cluster.counter_rounds_sql`). An organization has counts of its own, so that reading
them does not cost more with more accounts.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from heliograph.core.cluster.counter_rounds_sql import ASK_ROUND, STRIPES
from heliograph.core.messages.model import Direction, MessageStatus
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import RowWrite, Shards
from heliograph.core.tenants.together import write_together
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns

PAST = date(1970, 1, 1)
"""The day to which the counts of old days are moved."""


class CountKey(NamedTuple):
    organization_id: UUID
    account_id: UUID
    day: date
    direction: Direction
    status: MessageStatus


class CountChanges:
    def __init__(self) -> None:
        self._deltas: Counter[CountKey] = Counter()

    def add(
        self,
        organization_id: UUID,
        account_id: UUID,
        at: datetime,
        direction: Direction,
        status: MessageStatus,
    ) -> None:
        self._deltas[CountKey(organization_id, account_id, _day(at), direction, status)] += 1

    def move(
        self,
        organization_id: UUID,
        account_id: UUID,
        at: datetime,
        direction: Direction,
        old: MessageStatus,
        new: MessageStatus,
    ) -> None:
        if old is not new:
            day = _day(at)
            self._deltas[CountKey(organization_id, account_id, day, direction, old)] -= 1
            self._deltas[CountKey(organization_id, account_id, day, direction, new)] += 1

    def rows(self) -> list[tuple[object, ...]]:
        """The changes by account: organization, account, day, direction, status, number."""
        return [(*key, n) for key, n in self._deltas.items() if n]

    def sums(self) -> list[tuple[object, ...]]:
        """The changes by organization: organization, day, direction, status, number."""
        sums: Counter[tuple[object, ...]] = Counter()
        for (organization_id, _, *place), n in self._deltas.items():
            sums[organization_id, *place] += n
        return [(*key, n) for key, n in sums.items() if n]


def _day(at: datetime) -> date:
    return at.astimezone(UTC).date()


CHANGE_ACCOUNT_COUNTS = insertion(
    """
INSERT INTO account_message_counts AS c (shard, stripe, {names})
SELECT {shard}, $2 + 16 * {asked}, {values} FROM {rows}
ORDER BY k.organization_id, k.account_id, k.day, k.direction, k.status
ON CONFLICT (shard, organization_id, account_id, day, direction, status, stripe)
DO UPDATE SET n = c.n + excluded.n
""",
    Columns(
        "organization_id uuid, account_id uuid, day date, direction text, status text, n bigint",
        first=3,
    ),
    asked=ASK_ROUND,
)
CHANGE_SUMS = insertion(
    """
INSERT INTO message_counts AS c (shard, stripe, {names})
SELECT {shard}, $2 + 16 * {asked}, {values} FROM {rows}
ORDER BY k.organization_id, k.day, k.direction, k.status
ON CONFLICT (shard, organization_id, day, direction, status, stripe)
DO UPDATE SET n = c.n + excluded.n
""",
    Columns("organization_id uuid, day date, direction text, status text, n bigint", first=3),
    asked=ASK_ROUND,
)


async def change_message_counts(
    connection: Connection, shards: Shards, changes: CountChanges
) -> None:
    """Apply the changes to the counts, in this connection's stripe."""
    await write_together(connection, shards, writes_of_counts(connection, changes))


def writes_of_counts(connection: Connection, changes: CountChanges) -> list[RowWrite]:
    """List the writes that apply the changes, as `change_message_counts` does."""
    rows = changes.rows()
    if not rows:
        return []
    # Consecutive numbers: a node's connections have a stripe each, or nearly.
    stripe = connection.get_server_pid() % STRIPES
    return [
        CHANGE_ACCOUNT_COUNTS.write_rows(rows, stripe),
        CHANGE_SUMS.write_rows(changes.sums(), stripe),
    ]


class StatusCount(msgspec.Struct, frozen=True):
    """How many messages of one direction are in one status: in all, and of the last days."""

    direction: str
    status: str
    total: int
    last_7_days: int
    last_30_days: int


SUM_COUNTS = """
SELECT direction, status, sum(n)::bigint AS total,
    coalesce(sum(n) FILTER (WHERE day >= $3), 0)::bigint AS last_7_days,
    coalesce(sum(n) FILTER (WHERE day >= $4), 0)::bigint AS last_30_days
FROM message_counts
WHERE shard = $1 AND organization_id = $2
GROUP BY direction, status
HAVING sum(n) <> 0
ORDER BY direction, status
"""


# A negative sum comes from messages counted before accounts had counts of their own, and changed
# since.
SUM_ACCOUNT_COUNTS = """
SELECT direction, status, sum(n)::bigint AS total,
    coalesce(sum(n) FILTER (WHERE day >= $3), 0)::bigint AS last_7_days,
    coalesce(sum(n) FILTER (WHERE day >= $4), 0)::bigint AS last_30_days
FROM (
    SELECT day, direction, status, greatest(sum(n), 0) AS n FROM account_message_counts
    WHERE shard = $1 AND organization_id = $2 AND account_id = ANY($5::uuid[])
    GROUP BY account_id, day, direction, status
) AS counted
GROUP BY direction, status
HAVING sum(n) <> 0
ORDER BY direction, status
"""


async def list_counts(
    connection: Connection,
    tenant: Tenant,
    *,
    week_from: date,
    month_from: date,
    account_ids: Sequence[UUID] | None = None,
) -> list[StatusCount]:
    """Sum over all days and stripes, of these accounts or of all; `…_from` is the first day of each
    span, in UTC."""
    if account_ids is None:
        rows = await connection.fetch(SUM_COUNTS, *tenant, week_from, month_from)
    else:
        rows = await connection.fetch(
            SUM_ACCOUNT_COUNTS, *tenant, week_from, month_from, account_ids
        )
    return [StatusCount(**row) for row in rows]


LIST_DAYS = """
SELECT day, direction, status, sum(n)::bigint AS n FROM message_counts
WHERE shard = $1 AND organization_id = $2 AND day >= $3
GROUP BY day, direction, status HAVING sum(n) <> 0 ORDER BY day, direction, status
"""


LIST_ACCOUNT_DAYS = """
SELECT day, direction, status, sum(n)::bigint AS n
FROM (
    SELECT day, direction, status, greatest(sum(n), 0) AS n FROM account_message_counts
    WHERE shard = $1 AND organization_id = $2 AND day >= $3 AND account_id = ANY($4::uuid[])
    GROUP BY account_id, day, direction, status
) AS counted
GROUP BY day, direction, status HAVING sum(n) <> 0 ORDER BY day, direction, status
"""


async def list_days(
    connection: Connection,
    tenant: Tenant,
    since: date,
    account_ids: Sequence[UUID] | None = None,
) -> list[tuple[date, str, str, int]]:
    """Return (day, direction, status, count) of messages created on each UTC day since, through
    these accounts or all."""
    if account_ids is None:
        rows = await connection.fetch(LIST_DAYS, *tenant, since)
    else:
        rows = await connection.fetch(LIST_ACCOUNT_DAYS, *tenant, since, account_ids)
    return [tuple(row) for row in rows]


# Only the newest days have counts of their own: see `upkeep`.
LIST_ACCOUNTS_OF_DAYS = """
SELECT account_id, direction, status, sum(n)::bigint AS n FROM account_message_counts
WHERE shard = $1 AND organization_id = $2 AND day BETWEEN $3 AND $4
  AND ($5::uuid[] IS NULL OR account_id = ANY($5))
GROUP BY account_id, direction, status HAVING sum(n) > 0
"""


async def list_accounts_of_days(
    connection: Connection,
    tenant: Tenant,
    first: date,
    last: date,
    account_ids: Sequence[UUID] | None = None,
) -> list[tuple[UUID, str, str, int]]:
    """Return (account, direction, status, count) of messages created on these UTC days, both
    included, through these accounts or all."""
    rows = await connection.fetch(LIST_ACCOUNTS_OF_DAYS, *tenant, first, last, account_ids)
    return [tuple(row) for row in rows]
