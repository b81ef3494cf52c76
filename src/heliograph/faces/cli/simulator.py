"""The commands that drive virtual phones: one group for each network that has them."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from heliograph.core.accounts.model import Account
from heliograph.core.services import Services
from heliograph.faces.cli.action_commands import ActionCommands
from heliograph.faces.cli.commands import Commands
from heliograph.faces.cli.options import JsonOption, OrganizationOption
from heliograph.faces.cli.output import Screen, print_json
from heliograph.faces.cli.phone_commands import (
    AccountChoice,
    AccountOption,
    GroupOption,
    OpenServices,
    Phone,
    PhoneCommands,
)
from heliograph.faces.cli.phone_screen import print_chat, print_people
from heliograph.faces.cli.waiting import look_until
from heliograph.networks.port import AccountStatus, Network, Simulator


def register(app: typer.Typer, networks: Iterable[Network], open_services: OpenServices) -> None:
    """Add a group of commands for each network whose other side can be driven."""
    for network in networks:
        if network.capabilities.simulator:
            commands = SimulatorCommands(network, open_services)
            app.add_typer(commands.build(), name=network.name)


class SimulatorCommands(PhoneCommands):
    """The commands of one network."""

    def build(self) -> typer.Typer:
        name = self._network.name
        app = Commands(help=f"Drive the {name} network's virtual phones.", no_args_is_help=True)
        app.command()(self.people)
        app.command()(self.receive)
        ActionCommands(self._network, self._open_services).add_to(app)
        app.command()(self.save)
        app.command()(self.scan)
        return app

    def people(
        self,
        account: AccountOption = None,
        organization: OrganizationOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """List the account's contacts, and the numbers that fail on purpose."""
        people = self._ask(
            AccountChoice(account, organization), lambda simulator: simulator.people()
        )
        if as_json:
            print_json(people)
        else:
            print_people(people)

    def receive(
        self,
        phone: Phone,
        limit: Annotated[
            int, typer.Option(metavar="N", min=1, max=1000, help="Messages to show.")
        ] = 20,
        group: GroupOption = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Open the chat on a phone: show what has arrived, and read it."""
        chat = self._ask_services(
            AccountChoice(account, organization),
            lambda services, at: services.simulator.read_chat(
                at, phone, group_jid=group, limit=limit
            ),
        )
        if as_json:
            print_json(chat.messages)
        else:
            title = phone if group is None else f"{phone} in {group}"
            print_chat(Screen(), title, chat.bubbles)

    def scan(
        self,
        payload: Annotated[
            str | None, typer.Argument(help="The QR payload or code. Default: the one shown now.")
        ] = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
    ) -> None:
        """Pair the account: scan its QR code, or type its pairing code."""

        async def ask(services: Services, at: Account) -> Account:
            if payload is None and _is_connected(at):
                return at  # paired by itself, or scanned already
            await services.simulator.scan(at, payload)
            look = partial(services.accounts.find_for_cli, str(at.id))
            return await look_until(look, _is_connected)

        paired = self._ask_services(AccountChoice(account, organization), ask)
        typer.echo("Paired and connected." if _is_connected(paired) else "Paired.")

    def save(
        self,
        message: Annotated[str, typer.Argument(help="The network's id of the message.")],
        path: Annotated[
            Path, typer.Argument(metavar="FILE", help="The file to write.", dir_okay=False)
        ],
        account: AccountOption = None,
        organization: OrganizationOption = None,
    ) -> None:
        """Write the file of a message, as the phone received it."""

        async def read(simulator: Simulator) -> bytes:
            file = await simulator.open_file(message)
            return b"".join([piece async for piece in file.chunks()])

        data = self._ask(AccountChoice(account, organization), read)
        try:
            path.write_bytes(data)
        except OSError as error:
            raise typer.BadParameter(f"{path} can't be written: {error}") from error
        typer.echo(f"{len(data)} bytes in {path}.")


def _is_connected(account: Account) -> bool:
    return account.status is AccountStatus.CONNECTED
