"""The commands that drive virtual phones: one group for each network that has them."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from heliograph.core.accounts.model import Account
from heliograph.core.services import Services
from heliograph.faces.cli.action_commands import add_actions
from heliograph.faces.cli.options import JsonOption
from heliograph.faces.cli.output import Screen, print_json
from heliograph.faces.cli.phone_commands import OpenServices, PhoneCommands
from heliograph.faces.cli.phone_screen import print_chat, print_people
from heliograph.faces.cli.waiting import look_until
from heliograph.networks.phone_actions import Scan
from heliograph.networks.port import AccountStatus, Network


def register(app: typer.Typer, networks: Iterable[Network], open_services: OpenServices) -> None:
    """Add a group of commands for each network whose other side can be driven."""
    for network in networks:
        if network.capabilities.simulator:
            app.add_typer(make_commands(network.name, open_services), name=network.name)


def make_commands(network: str, open_services: OpenServices) -> PhoneCommands:
    commands = PhoneCommands(network, open_services)
    commands.add(people)
    commands.add(receive)
    add_actions(commands)
    commands.add(save)
    commands.add(scan)
    return commands


async def people(services: Services, account: Account, as_json: JsonOption = False) -> None:
    """List the account's contacts, and the numbers that fail on purpose."""
    listed = await services.simulator.of(account).people()
    if as_json:
        print_json(listed)
    else:
        print_people(listed)


async def receive(
    services: Services,
    account: Account,
    phone: Annotated[str, typer.Argument(help="A phone number, or a name from the address book.")],
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="Messages to show.")
    ] = 20,
    group: Annotated[str | None, typer.Option(metavar="JID", help="The group's JID.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Open the chat on a phone: show what has arrived, and read it."""
    chat = await services.simulator.read_chat(account, phone, group_jid=group, limit=limit)
    if as_json:
        print_json(chat.messages)
    else:
        print_chat(Screen(), f"{phone} in {group}" if group else phone, chat.bubbles)


async def scan(
    services: Services,
    account: Account,
    payload: Annotated[
        str | None, typer.Argument(help="The QR payload or code. Default: the one shown now.")
    ] = None,
) -> None:
    """Pair the account: scan its QR code, or type its pairing code."""
    if payload is not None or not _is_connected(account):  # it may have paired by itself
        shown = payload or services.simulator.get_code(account)
        await services.simulator.of(account).act(Scan(shown))
        look = partial(services.accounts.find_for_cli, str(account.id))
        account = await look_until(look, _is_connected)
    typer.echo("Paired and connected." if _is_connected(account) else "Paired.")


async def save(
    services: Services,
    account: Account,
    message: Annotated[str, typer.Argument(help="The network's id of the message.")],
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write.", dir_okay=False)
    ],
) -> None:
    """Write the file of a message, as the phone received it."""
    file = await services.simulator.of(account).open_file(message)
    data = b"".join([piece async for piece in file.chunks()])
    try:
        path.write_bytes(data)
    except OSError as error:
        raise typer.BadParameter(f"{path} can't be written: {error}") from error
    typer.echo(f"{len(data)} bytes in {path}.")


def _is_connected(account: Account) -> bool:
    return account.status is AccountStatus.CONNECTED
