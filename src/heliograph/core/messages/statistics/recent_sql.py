"""Statistics that are not counted, computed from the newest messages of a span: their types, and
response times. The sample is bounded, and so is the cost of a page."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


class Newest(NamedTuple):
    """The sample: the ids between which messages are read, the first included, how many at most,
    and through which accounts; None means all."""

    first: UUID
    before: UUID
    limit: int
    account_ids: Sequence[UUID] | None


class TypeCount(msgspec.Struct, frozen=True):
    message_type: str
    inbound: int
    outbound: int


class AnswerTimes(msgspec.Struct, frozen=True):
    """How many times people wrote and waited for an answer, how many of these were answered, and
    after how many seconds: the median and the 90th percentile. None if nobody was answered."""

    asked: int
    answered: int
    median: float | None
    slow: float | None


_NEWEST = """
    SELECT conversation_id, seq, direction, status, message_type, chat_type, created_at
    FROM messages
    WHERE shard = $1 AND organization_id = $2 AND id >= $3 AND id < $4
      AND ($6::uuid[] IS NULL OR account_id = ANY($6))
    ORDER BY id DESC LIMIT $5
"""
COUNT_TYPES = f"""
SELECT message_type,
    count(*) FILTER (WHERE direction = 'inbound') AS inbound,
    count(*) FILTER (WHERE direction = 'outbound') AS outbound
FROM ({_NEWEST}) AS newest
GROUP BY message_type ORDER BY count(*) DESC, message_type
"""  # noqa: S608 - our own words

_type_count_of = reads(TypeCount)


async def count_types(connection: Connection, tenant: Tenant, newest: Newest) -> list[TypeCount]:
    """Count the types, the most frequent first."""
    rows = await connection.fetch(COUNT_TYPES, *tenant, *newest)
    return [_type_count_of(row) for row in rows]


# Only the first of consecutive messages in one direction: the row after a person's message is then
# our answer.
MEASURE_ANSWERS = f"""
SELECT count(*) AS asked, count(seconds) AS answered,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median,
    percentile_cont(0.9) WITHIN GROUP (ORDER BY seconds) AS slow
FROM (
    SELECT direction,
        extract(epoch FROM lead(created_at) OVER in_turn - created_at)::double precision AS seconds
    FROM (
        SELECT conversation_id, seq, direction, created_at,
            lag(direction) OVER (PARTITION BY conversation_id ORDER BY seq) AS previous
        FROM ({_NEWEST}) AS newest
        WHERE chat_type = 'individual' AND conversation_id IS NOT NULL
          AND status NOT IN ('scheduled', 'failed', 'canceled')
    ) AS said
    WHERE previous IS DISTINCT FROM direction
    WINDOW in_turn AS (PARTITION BY conversation_id ORDER BY seq)
) AS turns
WHERE direction = 'inbound'
"""  # noqa: S608 - our own words

_answer_times_of = reads(AnswerTimes)


async def measure_answers(connection: Connection, tenant: Tenant, newest: Newest) -> AnswerTimes:
    row = await connection.fetchrow(MEASURE_ANSWERS, *tenant, *newest)
    assert row is not None  # noqa: S101 - an aggregate always has a row
    return _answer_times_of(row)
