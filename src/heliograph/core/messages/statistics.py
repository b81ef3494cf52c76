"""Message statistics, from the counts alone: they outlive the messages."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, timedelta
from typing import Any

import msgspec

from heliograph.core.messages.model import Direction
from heliograph.core.messages.statistics_sql import CountedState, list_counts, list_days
from heliograph.core.tenants.principal import Principal
from heliograph.platform.database.pool import Connection, Database

DAYS = 30
RECEIVED = "received"
"""What inbound messages are counted as, whether read or not."""


class DayOfMessages(msgspec.Struct, frozen=True):
    """How many of the messages made on a day are in each state now."""

    day: date
    counts: dict[str, int]


class StatisticsService:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def summary(self, principal: Principal) -> dict[str, Any]:
        """The Message statistics record. Days are UTC days, today included."""
        principal.require("messages:read")
        today = self._database.clock.now().astimezone(UTC).date()

        async def work(connection: Connection) -> list[CountedState]:
            return await list_counts(
                connection,
                principal.tenant,
                week_from=today - timedelta(days=6),
                month_from=today - timedelta(days=29),
            )

        return summarize(await self._database.read(work))

    async def by_day(self, principal: Principal) -> list[DayOfMessages]:
        """The last 30 days in UTC, today last; what is in them adds up to the summary's
        `last_30_days`."""
        principal.require("messages:read")
        today = self._database.clock.now().astimezone(UTC).date()
        days = [today - timedelta(days=ago) for ago in range(DAYS - 1, -1, -1)]
        rows = await self._database.read(
            lambda connection: list_days(connection, principal.tenant, days[0])
        )
        found: dict[date, Counter[str]] = {day: Counter() for day in days}
        for day, direction, status, n in rows:
            if day in found:  # not what came just after midnight
                found[day][RECEIVED if direction == Direction.INBOUND else status] += n
        return [DayOfMessages(day, dict(counts)) for day, counts in found.items()]


def summarize(counts: Sequence[CountedState]) -> dict[str, Any]:
    """Sums over directions and states; a state that no message is in is absent."""
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
