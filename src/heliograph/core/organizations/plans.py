"""Plans: listed and changed by the operator."""

import re
from collections.abc import Mapping

import asyncpg
from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.organizations import plans_sql as plans
from heliograph.core.tenants.model import PLAN_LIMITS, Plan
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

MOST = 2_000_000_000

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,49}")


class PlanService:
    """A change holds within a second for requests, and for the next message that is accepted."""

    def __init__(self, database: Database, notifications: Notifications) -> None:
        self._database = database
        self._notifications = notifications

    async def list(self) -> list[Plan]:
        return await self._database.read(plans.list_plans)

    async def get(self, name: str) -> Plan:
        """Raises `NotFoundError` that names the plans there are."""
        found = await self._database.read(lambda connection: plans.find_plan(connection, name))
        return found if found is not None else await self._refuse(name)

    async def put(self, name: str, limits: Mapping[str, int | None]) -> Plan:
        """Make a plan without limits but these, or change these of one; None lifts a limit.

        Raises `InvalidInputError` for a name or limit that can't be.
        """
        _check_plan(name, limits)

        async def work(connection: Connection) -> Plan:
            plan = replace(await plans.find_plan(connection, name) or Plan(name), **limits)
            await plans.put_plan(connection, plan, self._database.clock.now())
            return plan

        changed = await self._database.transact(work)
        self._notifications.notify(topics.KEYS)  # who is known by a key is known with the plan
        return changed

    async def delete(self, name: str) -> None:
        """Raises `NotFoundError`, and `InvalidInputError` while an organization has the plan."""
        try:
            deleted = await self._database.transact(
                lambda connection: plans.delete_plan(connection, name)
            )
        except asyncpg.ForeignKeyViolationError:
            raise InvalidInputError.at(
                ("plan",), f"An organization has the plan '{name}'; give it another one first."
            ) from None
        if not deleted:
            await self._refuse(name)

    async def _refuse(self, name: str) -> Plan:
        there = ", ".join(plan.name for plan in await self.list())
        raise NotFoundError(f"There is no plan '{name}'; there are {there}.")


def _check_plan(name: str, limits: Mapping[str, int | None]) -> None:
    if _NAME.fullmatch(name) is None:
        raise InvalidInputError.at(
            ("name",),
            "A plan's name has 1 to 50 lowercase letters, digits, dashes and underscores.",
        )
    for limit, value in limits.items():
        if limit not in PLAN_LIMITS:
            raise InvalidInputError.at((limit,), f"A plan has no limit '{limit}'.")
        least = 1 if limit.endswith("_per_minute") or limit == "retention_days" else 0
        if value is not None and not least <= value <= MOST:
            raise InvalidInputError.at((limit,), f"{limit} is {least} to {MOST}, or none.")
