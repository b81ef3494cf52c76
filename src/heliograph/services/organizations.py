"""Organizations: made and listed by the operator."""

from uuid import UUID

from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.model.organizations import PLANS, STANDARD, Organization
from heliograph.store.database import Connection, Database
from heliograph.store.organizations import (
    find_organization,
    insert_organization,
    list_organizations,
    list_organizations_named,
)

MAX_NAME_LENGTH = 200


class OrganizationService:
    """`shards` is how many there are for new organizations to be spread over."""

    def __init__(self, database: Database, shards: int) -> None:
        self._database = database
        self._shards = shards

    async def create(self, name: str, *, plan: str = STANDARD) -> Organization:
        """A new organization. Raises `InvalidInputError` for a bad name or an unknown plan."""
        if not name.strip() or len(name) > MAX_NAME_LENGTH or "\x00" in name:
            raise InvalidInputError.at(("name",), f"A name has 1 to {MAX_NAME_LENGTH} characters.")
        if plan not in PLANS:
            raise InvalidInputError.at(
                ("plan",), f"There is no plan '{plan}'; there are {', '.join(PLANS)}."
            )
        organization_id = self._database.clock.new_id()
        organization = Organization(
            id=organization_id,
            shard=organization_id.int % self._shards,
            name=name,
            plan=plan,
            created_at=self._database.clock.now(),
        )

        async def work(connection: Connection) -> None:
            await insert_organization(connection, organization)

        await self._database.transact(work)
        return organization

    async def list(self) -> list[Organization]:
        """All organizations, oldest first."""
        return await self._database.read(list_organizations)

    async def get(self, name_or_id: str) -> Organization:
        """The organization of this id or, where it is the only one so called, this name.

        Raises `NotFoundError`, and `InvalidInputError` for a name that several have.
        """
        found = await self._database.read(lambda connection: _find(connection, name_or_id))
        if not found:
            raise NotFoundError(f"There is no organization '{name_or_id}'.")
        if len(found) > 1:
            raise InvalidInputError.at(
                ("organization",), f"Several organizations are called '{name_or_id}': use an id."
            )
        return found[0]

    async def get_only(self) -> Organization:
        """The organization, where there is just one.

        Raises `NotFoundError` when there is none and `InvalidInputError` when there are more.
        """
        organizations = await self.list()
        if not organizations:
            raise NotFoundError("There is no organization yet.")
        if len(organizations) > 1:
            raise InvalidInputError.at(
                ("organization",), "There are several organizations: say which one."
            )
        return organizations[0]


async def _find(connection: Connection, name_or_id: str) -> list[Organization]:
    try:
        organization_id = UUID(name_or_id)
    except ValueError:
        return await list_organizations_named(connection, name_or_id)
    organization = await find_organization(connection, organization_id)
    return [] if organization is None else [organization]
