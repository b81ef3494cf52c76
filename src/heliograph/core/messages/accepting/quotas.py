"""The quotas of plans: how many messages an organization may send in a day and in a month.

Quotas are exact over all nodes: they are counted by the transaction that stores the messages. When
a transaction is repeated because its commit was in doubt, it finds its messages stored and counts
them once.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from heliograph.core.messages.accepting.quotas_sql import QuotaKey, add_to_quotas, lock_quotas
from heliograph.core.messages.sql import list_stored_ids
from heliograph.core.tenants.plans import Plan
from heliograph.core.tenants.rows import Shards
from heliograph.errors import PlanLimitReachedError
from heliograph.platform.database.pool import Connection


class QuotaPeriod(StrEnum):
    DAY = "day"
    MONTH = "month"

    def starts_on(self, day: date) -> date:
        return day if self is QuotaPeriod.DAY else day.replace(day=1)

    def ends_at(self, day: date) -> datetime:
        """Return the start of the next period."""
        first = self.starts_on(day)
        length = timedelta(days=1 if self is QuotaPeriod.DAY else 32)
        return datetime.combine(self.starts_on(first + length), datetime.min.time(), UTC)

    def limit(self, plan: Plan) -> int | None:
        return plan.messages_per_day if self is QuotaPeriod.DAY else plan.messages_per_month


class QuotaRequest(NamedTuple):
    """A message to send under this plan."""

    organization_id: UUID
    message_id: UUID
    plan: Plan


async def take_quotas(
    connection: Connection, shards: Shards, requests: Sequence[QuotaRequest], now: datetime
) -> dict[UUID, PlanLimitReachedError]:
    """Count messages against the quotas of their plans, first come, first served.

    Returns the errors of refused messages, by message id.
    """
    keys = {key for request in requests for key, _ in _limits(request, now)}
    used = await lock_quotas(connection, shards, keys)
    stored = await list_stored_ids(
        connection, shards, [(request.organization_id, request.message_id) for request in requests]
    )
    new = [request for request in requests if request.message_id not in stored]
    refused, taken = allocate_quotas(new, used, now)
    if taken:
        await add_to_quotas(connection, shards, taken)
    return refused


def allocate_quotas(
    requests: Collection[QuotaRequest], used: Mapping[QuotaKey, int], now: datetime
) -> tuple[dict[UUID, PlanLimitReachedError], Counter[QuotaKey]]:
    """Return the errors of refused messages, and how much the others use of each quota."""
    refused: dict[UUID, PlanLimitReachedError] = {}
    taken: Counter[QuotaKey] = Counter()
    for request in requests:
        limits = _limits(request, now)
        full = [(key, n) for key, n in limits if used[key] + taken[key] >= n]
        if full:
            key, limit = full[-1]
            period = QuotaPeriod(key.span)
            refused[request.message_id] = PlanLimitReachedError(
                request.plan.name,
                f"messages_per_{period}",
                limit,
                now=now,
                resets_at=period.ends_at(now.astimezone(UTC).date()),
            )
        else:
            taken.update(key for key, _ in limits)
    return refused, taken


def _limits(request: QuotaRequest, now: datetime) -> list[tuple[QuotaKey, int]]:
    """Return the quotas that this message counts against, the longest period last."""
    day = now.astimezone(UTC).date()
    return [
        (QuotaKey(request.organization_id, period.value, period.starts_on(day)), limit)
        for period in QuotaPeriod
        if (limit := period.limit(request.plan)) is not None
    ]
