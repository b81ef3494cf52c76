"""The commands that drive virtual phones: one group for each network that has them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.simulator import show_bubble
from heliograph.core.services import Services
from heliograph.faces.cli.options import JsonOption
from heliograph.faces.cli.output import Screen, print_json
from heliograph.faces.cli.phone_screen import print_bubble, print_chat, print_people
from heliograph.faces.cli.waiting import look_until
from heliograph.networks.content import Button, ContactCard, Content, ListReply, Location
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import AccountStatus, Network, SimulatedMessage, Simulator

T = TypeVar("T")


OpenServices = Callable[[], AbstractAsyncContextManager[Services]]

AccountOption = Annotated[
    str | None,
    typer.Option(
        "--account",
        "-a",
        help="Name or id of the account, or ORGANIZATION/SESSION_NAME; the primary one otherwise.",
    ),
]
GroupOption = Annotated[str | None, typer.Option("--group", help="The group's JID.")]
Phone = Annotated[str, typer.Argument(help="A phone number, or a name from the address book.")]
Link = Annotated[str, typer.Argument(help="The group's invite link.")]


def register(app: typer.Typer, networks: Iterable[Network], open_services: OpenServices) -> None:
    """Add a group of commands for each network whose other side can be driven."""
    for network in networks:
        if network.capabilities.simulator:
            commands = SimulatorCommands(network, open_services)
            app.add_typer(commands.build(), name=network.name)


class SimulatorCommands:
    """The commands of one network."""

    def __init__(self, network: Network, open_services: OpenServices) -> None:
        self._network = network
        self._open_services = open_services

    def build(self) -> typer.Typer:
        title = self._network.title
        app = typer.Typer(help=f"Drive the phones of the network: {title}.", no_args_is_help=True)
        for command in (
            self.people, self.receive, self.press, self.say, self.choose, self.card, self.scan,
            self.disconnect, self.silence, self.online, self.offline, self.picture, self.invite,
            self.revoke, self.approve, self.delays, self.restrict,
        ):  # fmt: skip
            app.command()(command)
        # a latitude may begin with the sign that options begin with
        app.command(context_settings={"ignore_unknown_options": True})(self.location)
        return app

    # --- phones ---

    def people(self, account: AccountOption = None, as_json: JsonOption = False) -> None:
        """List the people the account has to do with, and the numbers that misbehave."""
        people = self._ask(account, lambda simulator: simulator.people())
        if as_json:
            print_json(people)
        else:
            print_people(people)

    def receive(
        self,
        phone: Phone,
        limit: Annotated[int, typer.Option(min=1, max=1000, help="Messages to show.")] = 20,
        group: GroupOption = None,
        account: AccountOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Open the chat on a phone: show what has arrived, and read it."""
        chat = self._ask_services(
            account,
            lambda services, at: services.simulator.read_chat(
                at, phone, group_jid=group, limit=limit
            ),
        )
        if as_json:
            print_json(chat.messages)
        else:
            title = phone if group is None else f"{phone} in {group}"
            print_chat(Screen(), title, chat.bubbles)

    def press(
        self,
        phone: Phone,
        button: Annotated[str, typer.Argument(help="The button's id or title.")],
        message: Annotated[
            str | None, typer.Option(help="The network's id of the message; the newest otherwise.")
        ] = None,
        group: GroupOption = None,
        account: AccountOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Press a button of a message."""
        sent = self._ask(
            account,
            lambda simulator: simulator.press(
                phone, button, chat_message_id=message, group_jid=group
            ),
        )
        _print_sent(sent, as_json)

    def say(
        self,
        phone: Phone,
        text: Annotated[str, typer.Argument(help="What the person writes.")],
        group: GroupOption = None,
        account: AccountOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Write a text from a phone to the account."""
        sent = self._ask(account, lambda simulator: simulator.say(phone, text, group_jid=group))
        _print_sent(sent, as_json)

    def choose(
        self,
        phone: Phone,
        row: Annotated[str, typer.Argument(help="The row's id.")],
        title: Annotated[str, typer.Option(help="What the row shows; its id otherwise.")] = "",
        description: Annotated[str, typer.Option(help="The line under it.")] = "",
        message: Annotated[
            str | None, typer.Option(help="The network's id of the message that it answers.")
        ] = None,
        group: GroupOption = None,
        account: AccountOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Choose a row of a list, as if the account had sent one."""
        content = ListReply(Button(row, title or row), description or None)
        self._send(account, phone, content, group, as_json, message)

    def location(
        self,
        phone: Phone,
        latitude: Annotated[float, typer.Argument(help="Degrees north.", min=-90, max=90)],
        longitude: Annotated[float, typer.Argument(help="Degrees east.", min=-180, max=180)],
        name: Annotated[str, typer.Option(help="The place's name.")] = "",
        address: Annotated[str, typer.Option(help="Its address.")] = "",
        group: GroupOption = None,
        account: AccountOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Send a place from a phone to the account."""
        self._send(account, phone, Location(latitude, longitude, name, address), group, as_json)

    def card(
        self,
        phone: Phone,
        name: Annotated[str, typer.Argument(help="Whose card it is.")],
        number: Annotated[str, typer.Option(help="Their phone number.")] = "",
        vcard: Annotated[
            Path | None, typer.Option(help="A file to send instead of a card made of these.")
        ] = None,
        group: GroupOption = None,
        account: AccountOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Send somebody's card from a phone to the account."""
        text = simple_vcard(name, number) if vcard is None else _read_card(vcard)
        self._send(account, phone, ContactCard(name, text), group, as_json)

    def _send(
        self,
        account: str | None,
        phone: str,
        content: Content,
        group: str | None,
        as_json: bool,
        reply_to: str | None = None,
    ) -> None:
        sent = self._ask(
            account,
            lambda simulator: simulator.send(phone, content, group_jid=group, reply_to=reply_to),
        )
        _print_sent(sent, as_json)

    def online(self, phone: Phone, account: AccountOption = None) -> None:
        """Switch a phone on: what waited for it is delivered."""
        self._ask(account, lambda simulator: simulator.set_online(phone, True))
        typer.echo(f"{phone} is switched on.")

    def offline(self, phone: Phone, account: AccountOption = None) -> None:
        """Switch a phone off: messages wait for it."""
        self._ask(account, lambda simulator: simulator.set_online(phone, False))
        typer.echo(f"{phone} is switched off.")

    def picture(self, phone: Phone, account: AccountOption = None) -> None:
        """Give a phone another profile picture."""
        new_id = self._ask(account, lambda simulator: simulator.change_picture(phone))
        typer.echo(f"{phone} has the new picture {new_id}.")

    # --- the account's connection ---

    def scan(
        self,
        payload: Annotated[
            str | None, typer.Argument(help="The QR payload or code; the one shown now otherwise.")
        ] = None,
        account: AccountOption = None,
    ) -> None:
        """Pair the account: scan its QR code, or type its pairing code."""

        async def ask(services: Services, at: Account) -> Account:
            async def look() -> Account:
                return await services.accounts.find_for_cli(str(at.id))

            if payload is None:
                at = await look_until(
                    look, lambda account: account.pairing is not None or _is_connected(account)
                )
            await services.simulator.scan(at, payload)
            return await look_until(look, _is_connected)

        paired = self._ask_services(account, ask)
        typer.echo("Paired and connected." if _is_connected(paired) else "Paired.")

    def disconnect(
        self,
        log_out: Annotated[bool, typer.Option("--log-out", help="End the registration.")] = False,
        seconds: Annotated[
            float, typer.Option("--for", min=0, help="Seconds without any connection.")
        ] = 0.0,
        account: AccountOption = None,
    ) -> None:
        """Cut the account's connection from the network's side, or log it out."""
        self._ask(account, lambda simulator: simulator.disconnect(log_out=log_out, seconds=seconds))
        typer.echo("Logged out." if log_out else "Disconnected.")

    def silence(self, account: AccountOption = None) -> None:
        """Let nothing more through the account's connection, which stays open."""
        self._ask(account, lambda simulator: simulator.silence())
        typer.echo("Silent until the account connects again.")

    def delays(
        self,
        delivered: Annotated[
            float | None, typer.Option(help="Seconds until a message is delivered.")
        ] = None,
        read: Annotated[
            float | None, typer.Option(help="Seconds from then until it is read.")
        ] = None,
        account: AccountOption = None,
    ) -> None:
        """Set how soon the phones deliver and read what is sent from now on."""
        self._ask(account, lambda simulator: simulator.set_delays(delivered=delivered, read=read))
        typer.echo("Set.")

    def restrict(
        self,
        seconds: Annotated[
            float, typer.Option("--for", min=0, help="Seconds; 0 lifts the restriction.")
        ] = 3600.0,
        account: AccountOption = None,
    ) -> None:
        """Let the account write to nobody it has not talked with, as networks do for a time."""
        self._ask(account, lambda simulator: simulator.restrict("new_conversations", seconds))
        typer.echo("Restricted: messages to new people wait." if seconds else "Not restricted.")

    # --- groups ---

    def invite(
        self,
        subject: Annotated[str, typer.Argument(help="The group's subject.")],
        owner: Annotated[str, typer.Option(help="The phone that makes the group.")],
        approval: Annotated[
            bool, typer.Option("--approval", help="The owner must let members in.")
        ] = False,
        account: AccountOption = None,
    ) -> None:
        """Make a group on a phone and print its invite link."""
        link = self._ask(
            account, lambda simulator: simulator.invite(subject, owner=owner, approval=approval)
        )
        typer.echo(link)

    def revoke(self, link: Link, account: AccountOption = None) -> None:
        """Make an invite link invalid."""
        self._ask(account, lambda simulator: simulator.revoke_invite(link))
        typer.echo("Revoked.")

    def approve(self, link: Link, account: AccountOption = None) -> None:
        """Let the account into a group it has asked to join."""
        group = self._ask(account, lambda simulator: simulator.approve(link))
        typer.echo(f"The account is in the group {group.subject!r}: {group.remote_jid}")

    def _ask(self, name: str | None, question: Callable[[Simulator], Awaitable[T]]) -> T:
        """Ask for one account. What the network refuses is one sentence and exit code 1."""
        return self._ask_services(
            name, lambda services, account: question(services.simulator.of(account))
        )

    def _ask_services(
        self, name: str | None, question: Callable[[Services, Account], Awaitable[T]]
    ) -> T:
        async def ask() -> T:
            async with self._open_services() as services:
                account = await services.accounts.find_for_cli(name)
                self._check_network(account)
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


def simple_vcard(name: str, number: str) -> str:
    """A card with a name and perhaps a number (RFC 2426)."""
    escaped = {"\\": "\\\\", "\n": "\\n", ",": "\\,", ";": "\\;"}
    shown = "".join(escaped.get(letter, letter) for letter in name)
    lines = ["BEGIN:VCARD", "VERSION:3.0", f"FN:{shown}", f"N:;{shown};;;"]
    lines += [f"TEL;TYPE=CELL:{number}"] if number else []
    return "\r\n".join([*lines, "END:VCARD", ""])


def _read_card(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path} can't be read: {error}") from error


def _is_connected(account: Account) -> bool:
    return account.status is AccountStatus.CONNECTED


def _print_sent(message: SimulatedMessage, as_json: bool) -> None:
    if as_json:
        print_json(message)
    else:
        print_bubble(Screen(), show_bubble(message))
