"""Organizations and their plans: made, listed and changed by the operator."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from uuid import UUID

import asyncpg
from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.organizations import sql
from heliograph.core.tenants.model import Organization, operator
from heliograph.core.tenants.names import check_name
from heliograph.core.tenants.plans import DEFAULT_PLAN, PLAN_LIMITS, Plan
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

MAX_NAME_LENGTH = 200

_SCOPE = "admin:write"
CREATE = Write(scope=_SCOPE, audits=(AuditAction.ORGANIZATION_CREATED,))
RENAME = Write(scope=_SCOPE, audits=(AuditAction.ORGANIZATION_RENAMED,))
CHANGE_PLAN = Write(scope=_SCOPE, audits=(AuditAction.PLAN_CHANGED,))

_PLAN_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,49}")
_SHOWN = 5


class OrganizationService:
    """New organizations are spread over `shards` shards. `preferred` is the organization meant by a
    command that names none, where there are several."""

    def __init__(
        self,
        database: Database,
        changes: Changes,
        shards: int,
        preferred: UUID | None = None,
    ) -> None:
        self._database = database
        self._changes = changes
        self._shards = shards
        self._preferred = preferred

    async def create(self, name: str, *, plan: str = DEFAULT_PLAN) -> Organization:
        """Create an organization. Raises `InvalidInputError` for a bad name, one that another has,
        and an unknown plan."""
        name = check_name(name, MAX_NAME_LENGTH)
        organization_id = self._database.clock.new_id()
        organization = Organization(
            id=organization_id,
            shard=organization_id.int % self._shards,
            name=name,
            plan=plan,
            created_at=self._database.clock.now(),
        )
        async with self._existing_plan(plan):
            who = operator(organization.tenant)
            return await self._changes.run(CREATE, who, _insert, organization)

    async def rename(self, name_or_id: str, name: str) -> Organization:
        """Give an organization another name. Raises what `get` and `create` raise."""
        name, organization = check_name(name, MAX_NAME_LENGTH), await self.get(name_or_id)
        who = operator(organization.tenant)
        return await self._changes.run(RENAME, who, _rename, organization, name)

    async def change_plan(self, name_or_id: str, plan: str) -> Organization:
        """Give an organization another plan; it holds within a second.

        Raises what `get` raises, and `InvalidInputError` for a plan that does not exist.
        """
        organization = await self.get(name_or_id)
        async with self._existing_plan(plan):
            who = operator(organization.tenant)
            return await self._changes.run(CHANGE_PLAN, who, _change_plan, organization, plan)

    @asynccontextmanager
    async def _existing_plan(self, plan: str) -> AsyncIterator[None]:
        """Raise `InvalidInputError` when there is no such plan."""
        try:
            yield
        except asyncpg.ForeignKeyViolationError:
            there = ", ".join(plan.name for plan in await self._database.read(sql.list_plans))
            raise InvalidInputError.at(
                ("plan",), f"There is no plan '{plan}'; there are {there}."
            ) from None

    async def list(self) -> list[Organization]:
        """List all organizations, oldest first."""
        return await self._database.read(sql.list_organizations)

    async def get(self, name_or_id: str) -> Organization:
        """Get the organization of this id, or of this name in any case. Raises `NotFoundError`."""
        found = await self._database.read(_find, name_or_id)
        if found is None:
            raise NotFoundError(
                f"There is no organization '{name_or_id}': see `organizations list`."
            )
        return found

    async def get_default(self) -> Organization:
        """Get the only organization or, of several, the preferred one.

        Raises `NotFoundError` when there is none, `InvalidInputError` when none of several is
        preferred.
        """
        organizations = await self.list()
        if not organizations:
            raise NotFoundError("There is no organization yet.")
        preferred = [
            organization for organization in organizations if organization.id == self._preferred
        ]
        if len(organizations) > 1 and not preferred:
            names = ", ".join(
                f"{organization.name} ({organization.id})"
                for organization in organizations[:_SHOWN]
            )
            raise InvalidInputError.at(
                ("organization",),
                f"There are {len(organizations)} organizations; say which one with "
                f"--organization and its name or id: {names}.",
            )
        return (preferred or organizations)[0]


async def _insert(change: Change, organization: Organization) -> Organization:
    await _take_name(change.connection, organization.name, organization.id)
    await sql.insert_organization(change.connection, organization)
    details = {"name": organization.name, "plan": organization.plan}
    change.audit(AuditAction.ORGANIZATION_CREATED, organization.id, **details)
    return organization


async def _rename(change: Change, organization: Organization, name: str) -> Organization:
    await _take_name(change.connection, name, organization.id)
    await sql.update_name(change.connection, organization.id, name, change.now)
    details = {"name": name, "before": organization.name}
    change.audit(AuditAction.ORGANIZATION_RENAMED, organization.id, **details)
    return replace(organization, name=name)


async def _change_plan(change: Change, organization: Organization, plan: str) -> Organization:
    await sql.update_plan(change.connection, organization.id, plan, change.now)
    details = {"plan": plan, "before": organization.plan}
    change.audit(AuditAction.PLAN_CHANGED, organization.id, **details)
    change.wake(topics.API_KEYS)  # cached keys hold the plan
    return replace(organization, plan=plan)


async def _take_name(connection: Connection, name: str, organization_id: UUID) -> None:
    taken = await sql.lock_name(connection, name, organization_id)
    if taken is not None:
        raise InvalidInputError.at(
            ("name",), f"There is already an organization '{taken}': choose another name."
        )


async def _find(connection: Connection, name_or_id: str) -> Organization | None:
    try:
        organization_id = UUID(name_or_id)
    except ValueError:
        return await sql.find_organization_named(connection, name_or_id)
    return await sql.find_organization(connection, organization_id)


class PlanService:
    """A change holds within a second for requests, and for the next message that is accepted.

    Plans belong to no tenant whose audit log could record their changes, so these are plain
    transactions.
    """

    def __init__(self, database: Database, notifications: Notifications) -> None:
        self._database = database
        self._notifications = notifications

    async def list(self) -> list[Plan]:
        return await self._database.read(sql.list_plans)

    async def get(self, name: str) -> Plan:
        """Get a plan. Raises `NotFoundError`, which names the plans there are."""
        found = await self._database.read(sql.find_plan, name)
        return found if found is not None else await self._refuse(name)

    async def put(self, name: str, limits: Mapping[str, int | None]) -> Plan:
        """Make a plan with only these limits, or change them in an existing one; None lifts one.

        Raises `InvalidInputError` for an invalid name or limit.
        """
        _check_plan(name, limits)

        async def work(connection: Connection) -> Plan:
            plan = replace(await sql.find_plan(connection, name) or Plan(name), **limits)
            await sql.put_plan(connection, plan, self._database.clock.now())
            return plan

        changed = await self._database.transact(work)
        self._notifications.notify(topics.API_KEYS)  # cached keys hold the plan
        return changed

    async def delete(self, name: str) -> None:
        """Delete a plan.

        Raises `NotFoundError`, and `InvalidInputError` while an organization has the plan.
        """
        try:
            deleted = await self._database.transact(sql.delete_plan, name)
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
    if _PLAN_NAME.fullmatch(name) is None:
        raise InvalidInputError.at(
            ("name",),
            "A plan's name has 1 to 50 lowercase letters, digits, dashes and underscores.",
        )
    for limit, value in limits.items():
        if limit not in PLAN_LIMITS:
            raise InvalidInputError.at((limit,), f"A plan has no limit '{limit}'.")
        least, most = PLAN_LIMITS[limit].least, PLAN_LIMITS[limit].most
        if value is not None and not least <= value <= most:
            raise InvalidInputError.at((limit,), f"{limit} is {least} to {most}, or none.")


async def require_room(
    connection: Connection,
    organization_id: UUID,
    limit: str,
    now: datetime,
    count_others: Callable[[], Awaitable[int]],
) -> None:
    """Raise `PlanLimitReachedError` unless the plan's `limit`, such as `accounts`, allows one more,
    and `NotFoundError` when the organization was removed.

    `count_others` leaves out the one that is about to be made: this transaction may be a repeat.
    Callers for one organization wait for each other.
    """
    plan = await sql.lock_plan_of(connection, organization_id)
    maximum = None if plan is None else getattr(plan, limit)
    if plan is None or maximum is None:
        return
    if await count_others() >= maximum:
        raise plan.make_error(limit, now)
