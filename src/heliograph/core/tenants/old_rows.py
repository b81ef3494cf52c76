"""Deleting what is too old: a tenant's rows of one table at a time, in small batches.

Rows are found by the time in their ids, from an id on, so that rows that must stay are read once.
Rows that are locked are left for the next night. Counts of what was made are not lowered.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.clock import first_id
from heliograph.platform.database.pool import Connection

NIL = UUID(int=0)


class Batch(NamedTuple):
    """How many rows were deleted, of how many, and the last id, after which the next batch
    begins."""

    deleted: int
    looked_at: int
    last: UUID


def batch_of(deleted: Sequence[UUID], after: UUID) -> Batch:
    """Return the batch of rows after this id, all of which were deleted."""
    return Batch(len(deleted), len(deleted), max(deleted, default=after))


async def fetch_old(
    connection: Connection,
    statement: str,
    tenant: Tenant,
    after: UUID,
    before: datetime,
    limit: int,
) -> Sequence[UUID]:
    """Run a statement on the next rows after an id that were created before this time, and return
    the ids that it returns."""
    rows = await connection.fetch(statement, *tenant, after, first_id(before), before, limit)
    return [row["id"] for row in rows]
