"""Running a command against the services, also as the operator of the organization it names."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from heliograph.app.bootstrap import open_services
from heliograph.core.accounts.model import Account
from heliograph.core.services import Services
from heliograph.core.tenants.model import Organization, Principal, operator
from heliograph.errors import NotFoundError

T = TypeVar("T")


@asynccontextmanager
async def open_as_operator(
    organization: str | None, accounts: Sequence[str] = ()
) -> AsyncIterator[tuple[Services, Principal]]:
    """Open the services, with the operator's principal for the organization that a command names.

    `accounts` are the accounts that the command names: `Acme/desk` names the organization as well.
    An error about something that is not found names the organization.
    """
    async with open_services() as services:
        found = await _find_organization(services, organization, accounts)
        try:
            yield services, operator(found.tenant)
        except NotFoundError as error:
            raise NotFoundError(
                f"{error} The command looked in the organization '{found.name}'; "
                "-o chooses another."
            ) from error


async def _find_organization(
    services: Services, organization: str | None, accounts: Sequence[str]
) -> Organization:
    if organization is not None:
        return await services.organizations.get(organization)
    for account in accounts:
        if "/" in account and (found := await services.accounts.find_organization_in(account)):
            return found
    return await services.organizations.get_default()


async def find_account(services: Services, principal: Principal, name: str) -> Account:
    """Return an account of the principal's organization by any name it has, connected or not.
    Raises `NotFoundError`, and `InvalidInputError` where several are called so."""
    organization = await services.organizations.get(str(principal.organization_id))
    try:
        return await services.accounts.find_for_cli(name, organization)
    except NotFoundError:
        raise NotFoundError(f"There is no account '{name}': see `accounts list`.") from None


def run(ask: Callable[[Services], Awaitable[T]]) -> T:
    """Open the services for a command, and return what they answer."""

    async def main() -> T:
        async with open_services() as services:
            return await ask(services)

    return asyncio.run(main())


def run_as_operator(
    organization: str | None,
    ask: Callable[[Services, Principal], Awaitable[T]],
    accounts: Sequence[str] = (),
) -> T:
    """Ask the services as the operator of the organization that a command names, by itself or
    before the name of one of these accounts."""

    async def main() -> T:
        async with open_as_operator(organization, accounts) as (services, principal):
            return await ask(services, principal)

    return asyncio.run(main())


def run_with_account(
    organization: str | None,
    name: str,
    ask: Callable[[Services, Principal, Account], Awaitable[T]],
) -> T:
    """Ask the services about the account that a command names."""

    async def find_and_ask(services: Services, principal: Principal) -> T:
        return await ask(services, principal, await find_account(services, principal, name))

    return run_as_operator(organization, find_and_ask, [name])
