"""What every group of commands for virtual phones shares: its network, and how to ask it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Annotated, NamedTuple, TypeVar

import typer

from heliograph.core.accounts.model import Account
from heliograph.core.services import Services
from heliograph.faces.cli.options import ACCOUNT_FORMS
from heliograph.faces.cli.waiting import look_until
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import AccountStatus, Network, Simulator

T = TypeVar("T")

OpenServices = Callable[[], AbstractAsyncContextManager[Services]]

AccountOption = Annotated[
    str | None,
    typer.Option(
        "--account",
        "-a",
        metavar="ACCOUNT",
        help=f"The account: {ACCOUNT_FORMS}. Default: the primary one.",
    ),
]
GroupOption = Annotated[str | None, typer.Option("--group", metavar="JID", help="The group's JID.")]
Phone = Annotated[str, typer.Argument(help="A phone number, or a name from the address book.")]


class AccountChoice(NamedTuple):
    """The account that a command is about, as typed: its name and its organization's, if any."""

    account: str | None
    organization: str | None


class PhoneCommands:
    """Commands of one network."""

    def __init__(self, network: Network, open_services: OpenServices) -> None:
        self._network = network
        self._open_services = open_services

    def _ask(self, choice: AccountChoice, question: Callable[[Simulator], Awaitable[T]]) -> T:
        """Ask for one account. What the network refuses is one sentence and exit code 1."""
        return self._ask_services(
            choice, lambda services, account: question(services.simulator.of(account))
        )

    def _ask_services(
        self, choice: AccountChoice, question: Callable[[Services, Account], Awaitable[T]]
    ) -> T:
        async def ask() -> T:
            async with self._open_services() as services:
                account = await _find(services, choice)
                self._check_network(account)
                if _is_new(account):
                    look = partial(services.accounts.find_for_cli, str(account.id))
                    account = await look_until(look, lambda now: not _is_new(now))
                return await question(services, account)

        try:
            return asyncio.run(ask())
        except NetworkError as error:
            typer.echo(f"heliograph: {error.reason}", err=True)
            raise typer.Exit(1) from error

    def _check_network(self, account: Account) -> None:
        if account.network != self._network.name:
            raise NetworkError(
                f"The account {account.name!r} is on {account.network}, not on "
                f"{self._network.name}: name another one with --account."
            )


def _is_new(account: Account) -> bool:
    """Whether the gateway is about to connect the account, or to show its code."""
    is_pairing = account.status is AccountStatus.PAIRING and account.pairing is None
    return is_pairing or account.status is AccountStatus.CONNECTING


async def _find(services: Services, choice: AccountChoice) -> Account:
    if choice.organization is None:
        return await services.accounts.find_for_cli(choice.account)
    organization = await services.organizations.get(choice.organization)
    return await services.accounts.find_for_cli(choice.account, organization)
