"""Organizations: made and listed by the operator."""

from collections.abc import Awaitable, Callable
from uuid import UUID

import asyncpg
from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.audit.model import AuditAction
from heliograph.core.audit.service import entry, record_entry
from heliograph.core.organizations.plans_sql import list_plans
from heliograph.core.organizations.sql import (
    find_organization,
    insert_organization,
    list_organizations,
    list_organizations_named,
    update_plan,
)
from heliograph.core.tenants.model import DEFAULT_PLAN, Organization, operator
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

MAX_NAME_LENGTH = 200
_SHOWN = 5


class OrganizationService:
    """`shards` is how many there are for new organizations to be spread over; `preferred` the one
    that a command means which names none, where there are several."""

    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        shards: int,
        preferred: UUID | None = None,
    ) -> None:
        self._database = database
        self._notifications = notifications
        self._shards = shards
        self._preferred = preferred

    async def create(self, name: str, *, plan: str = DEFAULT_PLAN) -> Organization:
        """A new organization. Raises `InvalidInputError` for a bad name or an unknown plan."""
        if not name.strip() or len(name) > MAX_NAME_LENGTH or "\x00" in name:
            raise InvalidInputError.at(("name",), f"A name has 1 to {MAX_NAME_LENGTH} characters.")
        organization_id = self._database.clock.new_id()
        organization = Organization(
            id=organization_id,
            shard=organization_id.int % self._shards,
            name=name,
            plan=plan,
            created_at=self._database.clock.now(),
        )

        await self._with_plan(
            plan, lambda connection: insert_organization(connection, organization)
        )
        return organization

    async def change_plan(self, name_or_id: str, plan: str) -> Organization:
        """Give an organization another plan; it holds within a second.

        Raises what `get` raises, and `InvalidInputError` for a plan that there is not.
        """
        organization, now = await self.get(name_or_id), self._database.clock.now()
        made = entry(
            self._database.clock,
            operator(organization.tenant),
            AuditAction.PLAN_CHANGED,
            organization.id,
            plan=plan,
            before=organization.plan,
        )

        async def work(connection: Connection) -> None:
            await update_plan(connection, organization.id, plan, now)
            await record_entry(connection, made)

        await self._with_plan(plan, work)
        self._notifications.notify(topics.KEYS)  # who is known by a key is known with the plan
        return replace(organization, plan=plan)

    async def _with_plan(self, plan: str, work: Callable[[Connection], Awaitable[None]]) -> None:
        try:
            await self._database.transact(work)
        except asyncpg.ForeignKeyViolationError:
            there = ", ".join(each.name for each in await self._database.read(list_plans))
            raise InvalidInputError.at(
                ("plan",), f"There is no plan '{plan}'; there are {there}."
            ) from None

    async def list(self) -> list[Organization]:
        """All organizations, oldest first."""
        return await self._database.read(list_organizations)

    async def get(self, name_or_id: str) -> Organization:
        """The organization of this id or, where it is the only one so called, this name.

        Raises `NotFoundError`, and `InvalidInputError` for a name that several have.
        """
        found = await self._database.read(lambda connection: _find(connection, name_or_id))
        if not found:
            raise NotFoundError(
                f"There is no organization '{name_or_id}': see `organizations list`."
            )
        if len(found) > 1:
            raise InvalidInputError.at(
                ("organization",), f"Several organizations are called '{name_or_id}': use an id."
            )
        return found[0]

    async def get_default(self) -> Organization:
        """The organization, where there is just one, else the preferred one.

        Raises `NotFoundError` when there is none, `InvalidInputError` when it can't be told which.
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


async def _find(connection: Connection, name_or_id: str) -> list[Organization]:
    try:
        organization_id = UUID(name_or_id)
    except ValueError:
        return await list_organizations_named(connection, name_or_id)
    organization = await find_organization(connection, organization_id)
    return [] if organization is None else [organization]
