"""How many messages an organization's plan still allows: exact, over all nodes.

Counted in the transaction that stores the messages, by what that transaction stores. A transaction
that is repeated because its commit was in doubt finds its messages stored, and counts them once.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from heliograph.core.messages.quotas_sql import QuotaKey, add_to_quotas, lock_quotas
from heliograph.core.messages.sql import list_stored_ids
from heliograph.core.tenants.plan import Plan
from heliograph.errors import PlanLimitReachedError
from heliograph.platform.database.pool import Connection


class Span(StrEnum):
    DAY = "day"
    MONTH = "month"

    def starts_on(self, day: date) -> date:
        return day if self is Span.DAY else day.replace(day=1)

    def ends_at(self, day: date) -> datetime:
        """The first moment of the next span."""
        first = self.starts_on(day)
        length = timedelta(days=1 if self is Span.DAY else 32)
        return datetime.combine(self.starts_on(first + length), datetime.min.time(), UTC)

    def limit(self, plan: Plan) -> int | None:
        return plan.messages_per_day if self is Span.DAY else plan.messages_per_month


class Wanted(NamedTuple):
    """A message that somebody wants to send under this plan."""

    organization_id: UUID
    message_id: UUID
    plan: Plan


async def take_quotas(
    connection: Connection, shard: int, wanted: Sequence[Wanted], now: datetime
) -> dict[UUID, PlanLimitReachedError]:
    """Count the messages that their plans allow, first come, first served, all of one shard.

    The others are returned by their message's id, each with what it is to be told.
    """
    keys = {key for each in wanted for key, _ in _limits(each, now)}
    used = await lock_quotas(connection, shard, keys)
    stored = await list_stored_ids(
        connection, shard, [(each.organization_id, each.message_id) for each in wanted]
    )
    refused, taken = share_out([e for e in wanted if e.message_id not in stored], used, now)
    if taken:
        await add_to_quotas(connection, shard, taken)
    return refused


def share_out(
    wanted: Collection[Wanted], used: Mapping[QuotaKey, int], now: datetime
) -> tuple[dict[UUID, PlanLimitReachedError], Counter[QuotaKey]]:
    """Who is refused, and how much the others take of each quota."""
    refused: dict[UUID, PlanLimitReachedError] = {}
    taken: Counter[QuotaKey] = Counter()
    for each in wanted:
        limits = _limits(each, now)
        full = [(key, n) for key, n in limits if used[key] + taken[key] >= n]
        if full:
            refused[each.message_id] = _refusal(each.plan, *full[-1], now)
        else:
            taken.update(key for key, _ in limits)
    return refused, taken


def _limits(wanted: Wanted, now: datetime) -> list[tuple[QuotaKey, int]]:
    """The quotas that this message counts against, the longest span last."""
    day = now.astimezone(UTC).date()
    return [
        (QuotaKey(wanted.organization_id, span.value, span.starts_on(day)), limit)
        for span in Span
        if (limit := span.limit(wanted.plan)) is not None
    ]


def _refusal(plan: Plan, key: QuotaKey, limit: int, now: datetime) -> PlanLimitReachedError:
    span = Span(key.span)
    return PlanLimitReachedError(
        plan.name,
        f"messages_per_{span}",
        limit,
        now=now,
        resets_at=span.ends_at(now.astimezone(UTC).date()),
    )
