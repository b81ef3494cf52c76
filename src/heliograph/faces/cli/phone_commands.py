"""A group of commands for virtual phones: each is about an account of the group's network."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from inspect import Parameter, signature
from typing import Annotated, Any, TypeAlias

import typer

from heliograph.core.accounts.model import Account
from heliograph.core.services import Services
from heliograph.faces.cli.commands import Commands, set_parameters
from heliograph.faces.cli.options import ACCOUNT_FORMS, OrganizationOption
from heliograph.faces.cli.waiting import look_until
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import AccountStatus

OpenServices: TypeAlias = Callable[[], AbstractAsyncContextManager[Services]]
Work: TypeAlias = Callable[..., Awaitable[None]]
"""What a command does, given the services, the account and what else was typed."""


AccountOption = Annotated[
    str | None,
    typer.Option(
        "--account",
        "-a",
        metavar="ACCOUNT",
        help=f"The account: {ACCOUNT_FORMS}. Default: the primary one.",
    ),
]
_ON_EVERY_COMMAND = [
    Parameter("account", Parameter.KEYWORD_ONLY, annotation=AccountOption, default=None),
    Parameter("organization", Parameter.KEYWORD_ONLY, annotation=OrganizationOption, default=None),
]


class PhoneCommands(Commands):
    def __init__(self, network: str, open_services: OpenServices) -> None:
        super().__init__(
            help=f"Drive the {network} network's virtual phones.", no_args_is_help=True
        )
        self._network = network
        self._open_services = open_services

    def add(self, work: Work, **settings: Any) -> None:
        """Add a command. What the network refuses is one sentence and exit code 1."""

        def command(account: str | None, organization: str | None, **given: Any) -> None:
            try:
                asyncio.run(self._run(work, account, organization, given))
            except NetworkError as error:
                typer.echo(f"heliograph: {error.reason}", err=True)
                raise typer.Exit(1) from error

        command.__name__, command.__doc__ = work.__name__, work.__doc__
        _, _, *typed = signature(work).parameters.values()
        set_parameters(command, [*typed, *_ON_EVERY_COMMAND])
        self.command(**settings)(command)

    async def _run(
        self, work: Work, name: str | None, organization: str | None, given: dict[str, Any]
    ) -> None:
        async with self._open_services() as services:
            find = services.accounts.find_for_cli
            if organization is not None:
                account = await find(name, await services.organizations.get(organization))
            else:
                account = await find(name)
            if account.network != self._network:
                raise NetworkError(
                    f"The account {account.name!r} is on {account.network}, not on "
                    f"{self._network}: name another one with --account."
                )
            if _is_new(account):
                look = partial(find, str(account.id))
                account = await look_until(look, lambda now: not _is_new(now))
            await work(services, account, **given)


def _is_new(account: Account) -> bool:
    """Whether the gateway is about to connect the account, or to show its code."""
    is_pairing = account.status is AccountStatus.PAIRING and account.pairing is None
    return is_pairing or account.status is AccountStatus.CONNECTING
