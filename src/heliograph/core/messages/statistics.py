"""Message statistics, which come from the counts alone: these outlive the messages."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, timedelta
from typing import Annotated, TypedDict

import msgspec
from typing_extensions import Doc

from heliograph.core.messages.model import Direction
from heliograph.core.messages.statistics_sql import StatusCount, list_counts, list_days
from heliograph.core.tenants.model import Principal
from heliograph.platform.database.pool import Database

DAYS = 30
RECEIVED = "received"
"""The status as which inbound messages are counted, read or not."""


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
        """Return the statistics of the caller's accounts. Days are UTC days, today included."""
        principal.require("messages:read")
        today = self._database.clock.now().astimezone(UTC).date()
        week_from, month_from = today - timedelta(days=6), today - timedelta(days=29)
        return summarize(
            await self._database.read(
                list_counts,
                principal.tenant,
                week_from=week_from,
                month_from=month_from,
                account_ids=principal.account_filter,
            )
        )

    async def by_day(self, principal: Principal) -> list[DailyCounts]:
        """Return the counts of the last 30 UTC days, today last. They add up to `last_30_days` of
        the summary."""
        principal.require("messages:read")
        today = self._database.clock.now().astimezone(UTC).date()
        days = [today - timedelta(days=ago) for ago in range(DAYS - 1, -1, -1)]
        rows = await self._database.read(
            list_days, principal.tenant, days[0], principal.account_filter
        )
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
