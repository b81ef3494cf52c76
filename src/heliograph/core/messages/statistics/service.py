"""Message statistics. The numbers sent and received come from counts, which outlive the messages;
types and response times come from the newest messages themselves."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, TypedDict
from uuid import UUID

import msgspec
from typing_extensions import Doc

from heliograph.core.messages.model import Direction
from heliograph.core.messages.statistics.recent_sql import (
    AnswerTimes,
    Newest,
    TypeCount,
    count_types,
    measure_answers,
)
from heliograph.core.messages.statistics.sql import (
    StatusCount,
    list_accounts_of_days,
    list_counts,
    list_days,
)
from heliograph.core.tenants.model import Principal
from heliograph.errors import InvalidInputError
from heliograph.platform.database.clock import first_id
from heliograph.platform.database.pool import Connection, Database

DAYS = 30
"""The number of UTC days, today included, with counts of their own: older days are one sum."""
MAX_SAMPLED = 5_000
"""How many messages are sampled for statistics that are not counted."""
RECEIVED = "received"
"""The status under which inbound messages are counted, read or not."""


class DailyCounts(msgspec.Struct, frozen=True):
    """How many of the messages created on a day are in each status now."""

    day: date
    counts: dict[str, int]


class DaySpan(msgspec.Struct, frozen=True):
    """Days in UTC, both included."""

    first: date
    last: date

    @property
    def since(self) -> datetime:
        return datetime.combine(self.first, time.min, UTC)

    @property
    def until(self) -> datetime:
        """The first moment after the last day."""
        return datetime.combine(self.last + timedelta(days=1), time.min, UTC)

    @property
    def days(self) -> list[date]:
        return [self.first + timedelta(days=n) for n in range((self.last - self.first).days + 1)]


class SpanStatistics(msgspec.Struct, frozen=True):
    """Statistics of the messages created in a span of days: how many are in each status now, by day
    and by account, with types and response times of the newest ones. `sampled` is how many these
    are, at most `MAX_SAMPLED`."""

    days: Sequence[DailyCounts]
    accounts: Mapping[UUID, Mapping[str, int]]
    types: Sequence[TypeCount]
    answers: AnswerTimes

    @property
    def counts(self) -> Counter[str]:
        """How many messages are in each status, over all days."""
        total: Counter[str] = Counter()
        for day in self.days:
            total.update(day.counts)
        return total

    @property
    def sampled(self) -> int:
        return sum(count.inbound + count.outbound for count in self.types)


class StatisticsRecord(TypedDict):
    """Message counts, which deleting old messages does not lower. Statuses without messages are
    absent."""

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
        span = self.span()
        rows = await self._database.read(
            list_days, principal.tenant, span.first, principal.account_filter
        )
        return _by_day(span, rows)

    def span(self, first: date | None = None, last: date | None = None) -> DaySpan:
        """Return the span of days; by default all days with counts of their own.

        Raises `InvalidInputError` for a day that is too old or in the future, and for an empty
        span.
        """
        today = self._database.clock.now().astimezone(UTC).date()
        oldest = today - timedelta(days=DAYS - 1)
        span = DaySpan(first or oldest, last or today)
        if span.first < oldest:
            raise InvalidInputError.at(
                ("since",), f"Days are told apart for {DAYS} days: begin on {oldest} or later."
            )
        if span.last > today:
            raise InvalidInputError.at(("until",), f"{span.last} has not come yet.")
        if span.first > span.last:
            raise InvalidInputError.at(("since",), "The first day is after the last one.")
        return span

    async def of_span(self, principal: Principal, span: DaySpan) -> SpanStatistics:
        """Return the statistics of the caller's accounts for a span of days."""
        principal.require("messages:read")
        tenant, account_ids = principal.tenant, principal.account_filter
        newest = Newest(first_id(span.since), first_id(span.until), MAX_SAMPLED, account_ids)

        async def work(connection: Connection) -> SpanStatistics:
            days = await list_days(connection, tenant, span.first, account_ids)
            accounts = await list_accounts_of_days(
                connection, tenant, span.first, span.last, account_ids
            )
            return SpanStatistics(
                _by_day(span, days),
                _by_account(accounts),
                await count_types(connection, tenant, newest),
                await measure_answers(connection, tenant, newest),
            )

        return await self._database.read(work)


def _by_day(span: DaySpan, rows: Iterable[tuple[date, str, str, int]]) -> list[DailyCounts]:
    found: dict[date, Counter[str]] = {day: Counter() for day in span.days}
    for day, direction, status, n in rows:
        if day in found:  # midnight may have passed meanwhile
            found[day][_state_of(direction, status)] += n
    return [DailyCounts(day, dict(counts)) for day, counts in found.items()]


def _by_account(rows: Iterable[tuple[UUID, str, str, int]]) -> dict[UUID, Counter[str]]:
    found: defaultdict[UUID, Counter[str]] = defaultdict(Counter)
    for account_id, direction, status, n in rows:
        found[account_id][_state_of(direction, status)] += n
    return dict(found)


def _state_of(direction: str, status: str) -> str:
    return RECEIVED if direction == Direction.INBOUND else status


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
