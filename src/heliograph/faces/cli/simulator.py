"""The commands that drive virtual phones: one group for each network that has them."""

from collections.abc import Iterable
from typing import Annotated

import typer

from heliograph.core.accounts.model import Account
from heliograph.core.services import Services
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
from heliograph.faces.cli.phone_messages import MessageCommands
from heliograph.faces.cli.phone_screen import print_chat, print_people
from heliograph.faces.cli.waiting import look_until
from heliograph.networks.port import AccountStatus, Network

Link = Annotated[str, typer.Argument(help="The group's invite link.")]


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
        MessageCommands(self._network, self._open_services).add_to(app)
        for command in (
            self.scan, self.disconnect, self.silence, self.online, self.offline, self.picture,
            self.invite, self.revoke, self.approve, self.delays, self.restrict,
        ):  # fmt: skip
            app.command()(command)
        return app

    # --- phones ---

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

    def online(
        self, phone: Phone, account: AccountOption = None, organization: OrganizationOption = None
    ) -> None:
        """Switch a phone on: what waited for it is delivered."""
        self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.set_online(phone, True),
        )
        typer.echo(f"{phone} is switched on.")

    def offline(
        self, phone: Phone, account: AccountOption = None, organization: OrganizationOption = None
    ) -> None:
        """Switch a phone off: messages wait for it."""
        self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.set_online(phone, False),
        )
        typer.echo(f"{phone} is switched off.")

    def picture(
        self, phone: Phone, account: AccountOption = None, organization: OrganizationOption = None
    ) -> None:
        """Give a phone another profile picture."""
        new_id = self._ask(
            AccountChoice(account, organization), lambda simulator: simulator.change_picture(phone)
        )
        typer.echo(f"{phone} has the new picture {new_id}.")

    # --- the account's connection ---

    def scan(
        self,
        payload: Annotated[
            str | None, typer.Argument(help="The QR payload or code; the one shown now otherwise.")
        ] = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
    ) -> None:
        """Pair the account: scan its QR code, or type its pairing code."""

        async def ask(services: Services, at: Account) -> Account:
            async def look() -> Account:
                return await services.accounts.find_for_cli(str(at.id))

            if payload is None:
                at = await look_until(
                    look, lambda account: account.pairing is not None or _is_connected(account)
                )
                if at.pairing is None and _is_connected(at):
                    return at  # paired by itself, or scanned already
            await services.simulator.scan(at, payload)
            return await look_until(look, _is_connected)

        paired = self._ask_services(AccountChoice(account, organization), ask)
        typer.echo("Paired and connected." if _is_connected(paired) else "Paired.")

    def disconnect(
        self,
        log_out: Annotated[bool, typer.Option("--log-out", help="End the registration.")] = False,
        seconds: Annotated[
            float,
            typer.Option("--for", metavar="SECONDS", min=0, help="Seconds without any connection."),
        ] = 0.0,
        account: AccountOption = None,
        organization: OrganizationOption = None,
    ) -> None:
        """Cut the account's connection from the network's side, or log it out."""
        self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.disconnect(log_out=log_out, seconds=seconds),
        )
        typer.echo("Logged out." if log_out else "Disconnected.")

    def silence(
        self, account: AccountOption = None, organization: OrganizationOption = None
    ) -> None:
        """Block all traffic on the account's connection, but keep it open."""
        self._ask(AccountChoice(account, organization), lambda simulator: simulator.silence())
        typer.echo("Silent until the account connects again.")

    def delays(
        self,
        delivered: Annotated[
            float | None,
            typer.Option(metavar="SECONDS", help="Seconds until a message is delivered."),
        ] = None,
        read: Annotated[
            float | None,
            typer.Option(metavar="SECONDS", help="Seconds from then until it is read."),
        ] = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
    ) -> None:
        """Set how soon the phones deliver and read what is sent from now on."""
        self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.set_delays(delivered=delivered, read=read),
        )
        typer.echo("Set.")

    def restrict(
        self,
        seconds: Annotated[
            float,
            typer.Option(
                "--for", metavar="SECONDS", min=0, help="Seconds; 0 lifts the restriction."
            ),
        ] = 3600.0,
        account: AccountOption = None,
        organization: OrganizationOption = None,
    ) -> None:
        """Stop the account from starting new chats, as networks do for a time."""
        self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.restrict("new_conversations", seconds),
        )
        typer.echo("Restricted: messages to new people wait." if seconds else "Not restricted.")

    # --- groups ---

    def invite(
        self,
        subject: Annotated[str, typer.Argument(help="The group's subject.")],
        owner: Annotated[
            str, typer.Option(metavar="PHONE", help="The phone that makes the group.")
        ],
        approval: Annotated[
            bool, typer.Option("--approval", help="The owner must let members in.")
        ] = False,
        account: AccountOption = None,
        organization: OrganizationOption = None,
    ) -> None:
        """Make a group on a phone and print its invite link."""
        link = self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.invite(subject, owner=owner, approval=approval),
        )
        typer.echo(link)

    def revoke(
        self, link: Link, account: AccountOption = None, organization: OrganizationOption = None
    ) -> None:
        """Make an invite link invalid."""
        self._ask(
            AccountChoice(account, organization), lambda simulator: simulator.revoke_invite(link)
        )
        typer.echo("Revoked.")

    def approve(
        self, link: Link, account: AccountOption = None, organization: OrganizationOption = None
    ) -> None:
        """Let the account into a group it has asked to join."""
        group = self._ask(
            AccountChoice(account, organization), lambda simulator: simulator.approve(link)
        )
        typer.echo(f"The account is in the group {group.subject!r}: {group.remote_jid}")


def _is_connected(account: Account) -> bool:
    return account.status is AccountStatus.CONNECTED
