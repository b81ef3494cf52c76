"""Message statistics, and the quotas of plans.

Statistics come from the counts alone, which outlive the messages. Quotas are exact over all nodes:
they are counted by the transaction that stores the messages. When a transaction is repeated because
its commit was in doubt, it finds its messages stored and counts them once.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, NamedTuple, TypedDict
from uuid import UUID

import msgspec
from typing_extensions import Doc

from heliograph.core.messages.counts_sql import (
    QuotaKey,
    StatusCount,
    add_to_quotas,
    list_counts,
    list_days,
    lock_quotas,
)
from heliograph.core.messages.model import Direction
from heliograph.core.messages.sql import list_stored_ids
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.plans import Plan
from heliograph.errors import PlanLimitReachedError
from heliograph.platform.database.pool import Connection, Database

DAYS = 30
RECEIVED = "received"
"""The status as which inbound messages are counted, read or not."""


class Span(StrEnum):
    DAY = "day"
    MONTH = "month"

    def starts_on(self, day: date) -> date:
        return day if self is Span.DAY else day.replace(day=1)

    def ends_at(self, day: date) -> datetime:
        """Return the first moment of the next span."""
        first = self.starts_on(day)
        length = timedelta(days=1 if self is Span.DAY else 32)
        return datetime.combine(self.starts_on(first + length), datetime.min.time(), UTC)

    def limit(self, plan: Plan) -> int | None:
        return plan.messages_per_day if self is Span.DAY else plan.messages_per_month


class QuotaRequest(NamedTuple):
    """A message to send under this plan."""

    organization_id: UUID
    message_id: UUID
    plan: Plan


async def take_quotas(
    connection: Connection, shard: int, requests: Sequence[QuotaRequest], now: datetime
) -> dict[UUID, PlanLimitReachedError]:
    """Count the messages of one shard that their plans allow, first come, first served.

    Returns the errors of those that are refused, by message id.
    """
    keys = {key for request in requests for key, _ in _limits(request, now)}
    used = await lock_quotas(connection, shard, keys)
    stored = await list_stored_ids(
        connection, shard, [(request.organization_id, request.message_id) for request in requests]
    )
    new = [request for request in requests if request.message_id not in stored]
    refused, taken = allocate_quotas(new, used, now)
    if taken:
        await add_to_quotas(connection, shard, taken)
    return refused


def allocate_quotas(
    requests: Collection[QuotaRequest], used: Mapping[QuotaKey, int], now: datetime
) -> tuple[dict[UUID, PlanLimitReachedError], Counter[QuotaKey]]:
    """Return the errors of those that are refused, and how much the others take of each quota."""
    refused: dict[UUID, PlanLimitReachedError] = {}
    taken: Counter[QuotaKey] = Counter()
    for request in requests:
        limits = _limits(request, now)
        full = [(key, n) for key, n in limits if used[key] + taken[key] >= n]
        if full:
            key, limit = full[-1]
            span = Span(key.span)
            refused[request.message_id] = PlanLimitReachedError(
                request.plan.name,
                f"messages_per_{span}",
                limit,
                now=now,
                resets_at=span.ends_at(now.astimezone(UTC).date()),
            )
        else:
            taken.update(key for key, _ in limits)
    return refused, taken


def _limits(request: QuotaRequest, now: datetime) -> list[tuple[QuotaKey, int]]:
    """Return the quotas that this message counts against, the longest span last."""
    day = now.astimezone(UTC).date()
    return [
        (QuotaKey(request.organization_id, span.value, span.starts_on(day)), limit)
        for span in Span
        if (limit := span.limit(request.plan)) is not None
    ]


class DailyCounts(msgspec.Struct, frozen=True):
    """How many of the messages made on a day are in each state now."""

    day: date
    counts: dict[str, int]


class StatisticsRecord(TypedDict):
    """Counts that deleting old messages does not lower. States with no message are absent."""

    total: int
    by_status: dict[str, int]
    by_direction: dict[str, int]
    outbound_by_status: dict[str, int]
    last_7_days: Annotated[int, Doc("The last 7 UTC days, today included.")]
    last_30_days: Annotated[int, Doc("The last 30 UTC days, today included.")]


class StatisticsService:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def summary(self, principal: Principal) -> StatisticsRecord:
        """Return the statistics. Days are UTC days, today included."""
        principal.require("messages:read")
        today = self._database.clock.now().astimezone(UTC).date()
        week_from, month_from = today - timedelta(days=6), today - timedelta(days=29)
        return summarize(
            await self._database.read(
                list_counts, principal.tenant, week_from=week_from, month_from=month_from
            )
        )

    async def by_day(self, principal: Principal) -> list[DailyCounts]:
        """Return the counts of the last 30 UTC days, today last. They add up to `last_30_days` of
        the summary."""
        principal.require("messages:read")
        today = self._database.clock.now().astimezone(UTC).date()
        days = [today - timedelta(days=ago) for ago in range(DAYS - 1, -1, -1)]
        rows = await self._database.read(list_days, principal.tenant, days[0])
        found: dict[date, Counter[str]] = {day: Counter() for day in days}
        for day, direction, status, n in rows:
            if day in found:  # midnight may have passed meanwhile
                found[day][RECEIVED if direction == Direction.INBOUND else status] += n
        return [DailyCounts(day, dict(counts)) for day, counts in found.items()]


def summarize(counts: Sequence[StatusCount]) -> StatisticsRecord:
    """Sum over directions and states; a state without messages is absent."""
    by_status: Counter[str] = Counter()
    by_direction: Counter[str] = Counter()
    outbound: Counter[str] = Counter()
    for count in counts:
        by_status[count.status] += count.total
        by_direction[count.direction] += count.total
        if count.direction == Direction.OUTBOUND:
            outbound[count.status] += count.total
    return {
        "total": sum(count.total for count in counts),
        "by_status": dict(by_status),
        "by_direction": dict(by_direction),
        "outbound_by_status": dict(outbound),
        "last_7_days": sum(count.last_7_days for count in counts),
        "last_30_days": sum(count.last_30_days for count in counts),
    }
