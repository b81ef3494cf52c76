"""Running a command against the services, also as the operator of the organization it names."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from heliograph.app.bootstrap import open_services
from heliograph.core.accounts.model import Account
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal, operator
from heliograph.errors import NotFoundError, SessionNotFoundError

T = TypeVar("T")


@asynccontextmanager
async def open_as_operator(organization: str | None) -> AsyncIterator[tuple[Services, Principal]]:
    """Open the services, with the operator's principal for the organization that a command names.

    An error about something that is not found names the organization.
    """
    async with open_services() as services:
        organizations = services.organizations
        found = await (
            organizations.get_default() if organization is None else organizations.get(organization)
        )
        try:
            yield services, operator(found.tenant)
        except NotFoundError as error:
            raise NotFoundError(
                f"{error} The command looked in the organization '{found.name}'; "
                "-o chooses another."
            ) from error


async def find_account(services: Services, principal: Principal, session_name: str) -> Account:
    """Return an account, connected or not. Raises `NotFoundError`."""
    try:
        return await services.accounts.get_by_session_name(principal, session_name)
    except SessionNotFoundError:
        raise NotFoundError(
            f"This organization has no account with the session name '{session_name}'."
        ) from None


def run(ask: Callable[[Services], Awaitable[T]]) -> T:
    """Open the services for a command, and return what they answer."""

    async def main() -> T:
        async with open_services() as services:
            return await ask(services)

    return asyncio.run(main())


def run_as_operator(
    organization: str | None, ask: Callable[[Services, Principal], Awaitable[T]]
) -> T:
    """Ask the services as the operator of the organization that a command names."""

    async def main() -> T:
        async with open_as_operator(organization) as (services, principal):
            return await ask(services, principal)

    return asyncio.run(main())
