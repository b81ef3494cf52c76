"""Writes the outcomes of attempts: from the table `delivery_queue` to `deliveries` and
`delivery_attempts`.

The row in the queue decides: the transaction that deletes it, or sets its next attempt, also writes
the outcome. An outcome is written only under the epoch of the claim, while that lease is held.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from heliograph.core.cluster.model import Lease
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.rows import Shards, TenantStatement, statement
from heliograph.core.webhooks.model import ClaimedDelivery, DeliveryStatus, Outcome
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns


class Attempted(NamedTuple):
    """One delivery of an attempt. A batch has several, of which the first carries the attempt."""

    outcome: Outcome
    delivery: ClaimedDelivery
    holder: int
    """The index of its lease in the statement."""

    @property
    def tells(self) -> bool:
        return self.delivery.id == self.outcome.delivery.id

    @property
    def delivery_batch_id(self) -> UUID | None:
        return self.outcome.delivery.id if self.outcome.delivery.members else None


_HELD = Columns(
    "organization_id uuid, webhook_id uuid, node_id uuid, epoch bigint",
    alias="mine",
    organization_id="tenant.organization_id",
    webhook_id="resource_id",
)
_QUEUED = Columns(
    "holder integer, id uuid, number integer, next_attempt_at timestamptz",
    first=6,
    alias="o",
    id="delivery.id",
    number="outcome.number",
    next_attempt_at="outcome.next_attempt_at",
)
# The leases stay locked until the transaction ends, so that the rows that the next owner finds are
# final. `ours` is materialized and has the whole key of each row, so that rows of the queue are
# found by their key, whatever the planner's statistics.
_HELD_LEASES = """held AS (
        SELECT mine.position AS holder, l.shard, l.organization_id, w.failing_since
        FROM {mine_in_order}
        JOIN webhook_leases AS l
          ON l.shard = {shard} AND l.organization_id = mine.organization_id
         AND l.webhook_id = mine.webhook_id
         AND l.node_id = mine.node_id AND l.epoch = mine.epoch
        JOIN webhooks AS w
          ON w.shard = {shard} AND w.organization_id = mine.organization_id
         AND w.id = mine.webhook_id
        ORDER BY l.organization_id, l.webhook_id
        FOR SHARE OF l
    ), ours AS MATERIALIZED (
        SELECT o.*, held.shard, held.organization_id, held.failing_since
        FROM {o} JOIN held ON held.holder = o.holder
    )"""


def _under_lease(template: str) -> TenantStatement:
    return statement(template.replace("{held}", _HELD_LEASES), _HELD, _QUEUED, ours="ours.shard")


# The ids are named twice so that rows are found by their key, whatever the planner's statistics.
END_QUEUED = _under_lease("""
    WITH {held}
    DELETE FROM delivery_queue AS q USING ours
    WHERE q.shard = {ours} AND q.organization_id = ours.organization_id AND q.id = ours.id
      AND q.id = ANY($7::uuid[]) AND q.attempt_count = ours.number - 1
    RETURNING q.id, ours.failing_since
""")
POSTPONE_QUEUED = _under_lease("""
    WITH {held}
    UPDATE delivery_queue AS q
    SET attempt_count = ours.number, next_attempt_at = ours.next_attempt_at, recorded = true
    FROM ours
    WHERE q.shard = {ours} AND q.organization_id = ours.organization_id AND q.id = ours.id
      AND q.id = ANY($7::uuid[]) AND q.attempt_count = ours.number - 1
    RETURNING q.id, ours.failing_since
""")


def _of_attempt(name: str) -> Callable[[Attempted], object]:
    """Read an attribute of the attempt, for the one delivery that carries it."""
    return lambda attempted: getattr(attempted.outcome, name) if attempted.tells else None


_FIRST = Columns(
    "organization_id uuid, id uuid, seq bigint, webhook_id uuid, webhook_url text, event_id uuid,"
    " event_type text, status text, next_attempt_at timestamptz,"
    " response_code integer, error_message text, created_at timestamptz, updated_at timestamptz,"
    " delivery_batch_id uuid, first_started_at timestamptz, first_duration_ms integer,"
    " first_response_body text, first_address text",
    organization_id="delivery.tenant.organization_id",
    id="delivery.id",
    seq="delivery.seq",
    webhook_id="delivery.webhook_id",
    webhook_url="outcome.webhook_url",
    event_id="delivery.event_id",
    event_type="delivery.event_type",
    status="outcome.status.value",
    next_attempt_at="outcome.next_attempt_at",
    response_code="outcome.response_code",
    error_message="outcome.error_message",
    created_at="delivery.created_at",
    updated_at="outcome.ended_at",
    first_started_at=_of_attempt("started_at"),
    first_duration_ms=_of_attempt("duration_ms"),
    first_response_body=_of_attempt("response_body"),
    first_address=_of_attempt("address"),
)
INSERT_ATTEMPTED = insertion(
    """
    INSERT INTO deliveries (shard, retry_count, attempt_count, delivered_at, {names})
    SELECT {shard}, 0, 1, CASE WHEN k.status = 'delivered' THEN k.updated_at END, {values}
    FROM {rows}
    """,
    _FIRST,
)

_AGAIN = Columns(
    "organization_id uuid, id uuid, status text, number integer, next_attempt_at timestamptz,"
    " response_code integer, error_message text, webhook_url text, ended_at timestamptz,"
    " delivery_batch_id uuid",
    alias="o",
    organization_id="delivery.tenant.organization_id",
    id="delivery.id",
    status="outcome.status.value",
    number="outcome.number",
    next_attempt_at="outcome.next_attempt_at",
    response_code="outcome.response_code",
    error_message="outcome.error_message",
    webhook_url="outcome.webhook_url",
    ended_at="outcome.ended_at",
)
# The response to the newest attempt replaces that to the first one.
UPDATE_ATTEMPTED = statement(
    """
    UPDATE deliveries AS d
    SET status = o.status, attempt_count = o.number, retry_count = o.number - 1,
        next_attempt_at = o.next_attempt_at, response_code = o.response_code,
        error_message = o.error_message, webhook_url = o.webhook_url,
        delivery_batch_id = o.delivery_batch_id, updated_at = o.ended_at,
        delivered_at = CASE WHEN o.status = 'delivered' THEN o.ended_at END,
        first_response_code = CASE d.attempt_count
            WHEN 1 THEN d.response_code ELSE d.first_response_code END,
        first_error_message = CASE d.attempt_count
            WHEN 1 THEN d.error_message ELSE d.first_error_message END
    FROM {o}
    WHERE d.shard = {shard} AND d.organization_id = o.organization_id AND d.id = o.id
    """,
    _AGAIN,
)
_ATTEMPTS = Columns(
    "organization_id uuid, delivery_id uuid, number integer, started_at timestamptz,"
    " duration_ms integer, response_code integer, response_body text, error_message text,"
    " address text",
    organization_id="lease.tenant.organization_id",
    delivery_id="delivery.id",
)
INSERT_ATTEMPTS = insertion(
    """
    INSERT INTO delivery_attempts (shard, {names}) SELECT {shard}, {values} FROM {rows}
    ON CONFLICT (shard, organization_id, delivery_id, number) DO NOTHING
    """,
    _ATTEMPTS,
)


async def record_outcomes(
    connection: Connection, shards: Shards, outcomes: Sequence[Outcome]
) -> dict[UUID, datetime | None]:
    """Write outcomes under the leases that are still held, in a transaction.

    Returns the deliveries that were written, with the `failing_since` of their webhooks. Canceled
    ones, and those of another epoch, are left alone.
    """
    leases = list({outcome.lease.resource_id: outcome.lease for outcome in outcomes}.values())
    attempted = _list_attempted(outcomes, leases)
    over = [each for each in attempted if each.outcome.status is not DeliveryStatus.PENDING]
    again = [each for each in attempted if each.outcome.status is DeliveryStatus.PENDING]
    written: dict[UUID, datetime | None] = {}
    for ending, queued in ((END_QUEUED, over), (POSTPONE_QUEUED, again)):
        if queued:
            rows = await connection.fetch(*ending.of(shards, leases, *_QUEUED.of(queued)))
            written |= {row["id"]: row["failing_since"] for row in rows}
    await _keep(connection, shards, [each for each in attempted if each.delivery.id in written])
    return written


def _list_attempted(outcomes: Iterable[Outcome], leases: Sequence[Lease]) -> list[Attempted]:
    holders = {lease.resource_id: place for place, lease in enumerate(leases, 1)}
    attempted = [
        Attempted(outcome, delivery, holders[outcome.lease.resource_id])
        for outcome in outcomes
        for delivery in outcome.delivery.each
    ]
    return sorted(attempted, key=lambda each: (each.holder, each.delivery.seq))


async def _keep(connection: Connection, shards: Shards, written: Sequence[Attempted]) -> None:
    """Write the records of attempts whose rows in the queue were ours."""
    firsts = [each for each in written if not each.delivery.is_recorded]
    if firsts:
        await INSERT_ATTEMPTED.insert(connection, shards, firsts)
    recorded = [each for each in written if each.delivery.is_recorded]
    if recorded:
        await connection.execute(*UPDATE_ATTEMPTED.of(shards, recorded))
        attempts = [each.outcome for each in recorded if each.tells]
        await INSERT_ATTEMPTS.insert(connection, shards, attempts)
