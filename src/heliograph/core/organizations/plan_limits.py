"""How many accounts, webhooks and keys an organization's plan still allows."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from uuid import UUID

from heliograph.core.organizations.plans_sql import lock_plan_of
from heliograph.errors import PlanLimitReachedError
from heliograph.platform.database.pool import Connection


async def require_room(
    connection: Connection,
    organization_id: UUID,
    limit: str,
    count: Callable[[Connection], Awaitable[int]],
    now: datetime,
) -> None:
    """Raise `PlanLimitReachedError` unless the plan's `limit`, such as `accounts`, allows one more.

    `count` asks how many there are, and leaves out the one that is about to be made: this
    transaction may be a repeat. Callers for one organization wait for each other.
    """
    plan = await lock_plan_of(connection, organization_id)
    most = None if plan is None else getattr(plan, limit)
    if plan is not None and most is not None and await count(connection) >= most:
        raise PlanLimitReachedError(plan.name, limit, most, now=now)
