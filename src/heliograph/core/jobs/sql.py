"""The table `jobs`: what is asked of an account's session and is not a message."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from heliograph.core.cluster.model import Lease
from heliograph.core.jobs.model import Job, JobKind, JobStatus, NewJob
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, statement, tenant_columns, tenant_of
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


def _decode(value: str | None) -> Any:
    return None if value is None else msgspec.json.decode(value)


_job_of = reads(
    Job,
    tenant=tenant_of,
    request=lambda row: _decode(row["request"]),
    result=lambda row: _decode(row["result"]),
    error=lambda row: _decode(row["error"]),
)

INSERT = """
INSERT INTO jobs (
    shard, organization_id, id, account_id, kind, status, safe_to_repeat, request, created_at,
    deadline
)
VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7::jsonb, $8, $9)
ON CONFLICT DO NOTHING
RETURNING *
"""


async def insert_job(
    connection: Connection,
    tenant: Tenant,
    job_id: UUID,
    new: NewJob,
    at: datetime,
    deadline: datetime,
) -> Job | None:
    """Insert a job; None when it exists already, or when the account's one sync is running."""
    row = await connection.fetchrow(
        INSERT,
        *tenant,
        job_id,
        new.account_id,
        new.kind,
        new.safe_to_repeat,
        msgspec.json.encode(new.request).decode(),
        at,
        deadline,
    )
    return _job_of(row) if row else None


FIND = "SELECT * FROM jobs WHERE shard = $1 AND organization_id = $2 AND id = $3"


async def find_job(connection: Connection, tenant: Tenant, job_id: UUID) -> Job | None:
    row = await connection.fetchrow(FIND, *tenant, job_id)
    return _job_of(row) if row else None


FIND_STATUS = "SELECT status FROM jobs WHERE shard = $1 AND organization_id = $2 AND id = $3"


async def find_job_status(connection: Connection, tenant: Tenant, job_id: UUID) -> JobStatus | None:
    """Return the status alone: a job's request may hold a thousand people."""
    row = await connection.fetchrow(FIND_STATUS, *tenant, job_id)
    return JobStatus(row["status"]) if row else None


FIND_OPEN = """
SELECT * FROM jobs
WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND kind = $4
  AND status IN ('pending', 'running')
ORDER BY seq LIMIT 1
"""


async def find_open_job(
    connection: Connection, tenant: Tenant, account_id: UUID, kind: JobKind
) -> Job | None:
    row = await connection.fetchrow(FIND_OPEN, *tenant, account_id, kind)
    return _job_of(row) if row else None


# The array of ids lets the planner find the rows by their key, whatever its statistics say.
CLAIM = """
WITH due AS MATERIALIZED (
    SELECT id, status AS old_status FROM jobs
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3
      AND (status = 'pending' OR (status = 'running' AND claim_epoch <= $4 AND id <> ALL($6)))
    ORDER BY seq LIMIT $5 FOR UPDATE SKIP LOCKED
)
UPDATE jobs AS j SET status = 'running', claim_epoch = $4, started_at = least(started_at, now())
FROM due
WHERE j.shard = $1 AND j.organization_id = $2 AND j.id = due.id
  AND j.id = ANY(ARRAY(SELECT id FROM due))
RETURNING j.*, due.old_status
"""


async def claim_jobs(
    connection: Connection, lease: Lease, limit: int, running: Collection[UUID] = ()
) -> list[tuple[Job, bool]]:
    """Mark the account's next jobs as `running`, except those that are `running` here already.

    Returns with each whether it may have been started before: by an earlier owner, by an earlier
    session of this one, or by a claim whose answer was lost.
    """
    tenant = lease.tenant
    rows = await connection.fetch(
        CLAIM, *tenant, lease.resource_id, lease.epoch, limit, list(running)
    )
    rows.sort(key=lambda row: row["seq"])
    return [(_job_of(row), row["old_status"] == JobStatus.RUNNING) for row in rows]


_CLAIMED = tenant_columns("id uuid, claim_epoch bigint")
LIST_RUNNING = statement(
    """
SELECT j.id FROM {rows}
JOIN jobs AS j
  ON j.shard = {shard} AND j.organization_id = k.organization_id AND j.id = k.id
 AND j.claim_epoch = k.claim_epoch
WHERE j.status = 'running'
""",
    _CLAIMED,
)


async def list_running(connection: Connection, shards: Shards, jobs: Sequence[Job]) -> set[UUID]:
    """Return which of these jobs have not been ended and are still this claim's."""
    rows = await connection.fetch(*LIST_RUNNING.of(shards, jobs))
    return {row["id"] for row in rows}


END_ABANDONED = """
WITH open AS MATERIALIZED (
    SELECT id FROM jobs
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3
      AND status IN ('pending', 'running')
    ORDER BY seq LIMIT $5 FOR UPDATE
)
UPDATE jobs
SET status = CASE WHEN status = 'pending' OR safe_to_repeat THEN 'failed' ELSE 'unknown' END,
    error = $4::jsonb, finished_at = now()
WHERE shard = $1 AND organization_id = $2 AND id = ANY(ARRAY(SELECT id FROM open))
RETURNING *
"""


async def end_abandoned_jobs(
    connection: Connection,
    tenant: Tenant,
    account_id: UUID,
    error: dict[str, Any],
    limit: int,
) -> list[Job]:
    """End the first open jobs of an account, which nobody will do any more. Return them in
    order."""
    told = msgspec.json.encode(error).decode()
    rows = await connection.fetch(END_ABANDONED, *tenant, account_id, told, limit)
    return [_job_of(row) for row in sorted(rows, key=lambda row: row["seq"])]


FINISH = """
UPDATE jobs
SET status = $5, result = $6::jsonb, error = $7::jsonb, finished_at = now()
WHERE shard = $1 AND organization_id = $2 AND id = $3 AND claim_epoch = $4 AND status = 'running'
"""


async def finish_job(
    connection: Connection,
    job: Job,
    status: JobStatus,
    *,
    result: dict[str, Any] | None = None,
    error: dict[str, Any] | None = None,
) -> bool:
    """End a running job; return whether it was still this claim's."""
    tag = await connection.execute(
        FINISH,
        *job.tenant,
        job.id,
        job.claim_epoch,
        status,
        None if result is None else msgspec.json.encode(result).decode(),
        None if error is None else msgspec.json.encode(error).decode(),
    )
    return bool(tag == "UPDATE 1")
