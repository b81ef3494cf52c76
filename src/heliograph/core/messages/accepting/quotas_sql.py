"""The table `message_quotas`: how many messages of its quota an organization has used in a day and
a month.

The transaction that stores the messages adds to it under a lock on the row, so that no node can
exceed the quota.
"""

from collections.abc import Collection, Mapping
from datetime import date
from typing import NamedTuple
from uuid import UUID

from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, statement
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns


class QuotaKey(NamedTuple):
    """`span` is 'day' or 'month'; `starts_on` its first day, in UTC."""

    organization_id: UUID
    span: str
    starts_on: date


_QUOTAS = Columns("organization_id uuid, span text, starts_on date")
LOCK_QUOTAS = insertion(
    """
INSERT INTO message_quotas AS q (shard, n, {names}) SELECT {shard}, 0, {values} FROM {rows}
ORDER BY k.organization_id, k.span, k.starts_on
ON CONFLICT (shard, organization_id, span, starts_on) DO UPDATE SET n = q.n
RETURNING organization_id, span, starts_on, n
""",
    _QUOTAS,
)


async def lock_quotas(
    connection: Connection, shards: Shards, keys: Collection[QuotaKey]
) -> dict[QuotaKey, int]:
    """Return how much of each quota is used, and lock the rows until this transaction ends."""
    rows = await LOCK_QUOTAS.insert_rows(connection, shards, sorted(keys))
    return {QuotaKey(*key): n for *key, n in rows}


_USED = Columns("organization_id uuid, span text, starts_on date, n bigint")
ADD_TO_QUOTAS = statement(
    """
UPDATE message_quotas AS q SET n = q.n + k.n FROM {rows}
WHERE q.shard = {shard} AND q.organization_id = k.organization_id AND q.span = k.span
  AND q.starts_on = k.starts_on
""",
    _USED,
)


async def add_to_quotas(
    connection: Connection, shards: Shards, used: Mapping[QuotaKey, int]
) -> None:
    """Add to the used amounts; the rows are locked already."""
    rows = [(*key, n) for key, n in used.items()]
    await connection.execute(*ADD_TO_QUOTAS.transpose(shards, rows))


DELETE_QUOTAS = """
DELETE FROM message_quotas WHERE shard = $1 AND organization_id = $2 AND starts_on < $3
"""


async def delete_quotas(connection: Connection, tenant: Tenant, before: date) -> None:
    """Delete what was counted against days and months that are long over."""
    await connection.execute(DELETE_QUOTAS, *tenant, before)
