"""The commands with which people on virtual phones send, answer and change messages."""

import mimetypes
from pathlib import Path
from typing import Annotated, Literal

import typer

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.simulator import media_content, show_bubble, simple_vcard
from heliograph.core.services import Services
from heliograph.faces.cli.options import JsonOption, OrganizationOption
from heliograph.faces.cli.output import Screen, print_json
from heliograph.faces.cli.phone_commands import (
    AccountChoice,
    AccountOption,
    GroupOption,
    Phone,
    PhoneCommands,
)
from heliograph.faces.cli.phone_screen import print_bubble
from heliograph.networks.content import (
    Audio,
    ContactCard,
    Content,
    Document,
    ListReply,
    Location,
    Sticker,
)
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import SimulatedMessage

MessageOption = Annotated[
    str | None,
    typer.Option(
        "--message", metavar="ID", help="The network's id of the message. Default: the newest."
    ),
]


class MessageCommands(PhoneCommands):
    def add_to(self, app: typer.Typer) -> None:
        for command in (
            self.press, self.say, self.reply, self.choose, self.vote, self.file, self.card,
            self.react, self.edit, self.delete, self.save,
        ):  # fmt: skip
            app.command()(command)
        # a latitude may begin with the sign that options begin with
        app.command(context_settings={"ignore_unknown_options": True})(self.location)

    def press(
        self,
        phone: Phone,
        button: Annotated[str, typer.Argument(help="The button's id or title.")],
        message: MessageOption = None,
        group: GroupOption = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Press a button of a message."""
        sent = self._ask(
            AccountChoice(account, organization),
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
        organization: OrganizationOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Write a text from a phone to the account."""
        sent = self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.say(phone, text, group_jid=group),
        )
        _print_sent(sent, as_json)

    def reply(
        self,
        phone: Phone,
        text: Annotated[str, typer.Argument(help="What the person answers.")],
        message: MessageOption = None,
        group: GroupOption = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Answer a message by quoting it: the newest from somebody else, or the one named."""

        async def answer(services: Services, at: Account) -> SimulatedMessage:
            answered = message or await _newest_of_others(services, at, phone, group)
            simulator = services.simulator.of(at)
            return await simulator.say(phone, text, group_jid=group, reply_to=answered)

        _print_sent(self._ask_services(AccountChoice(account, organization), answer), as_json)

    def choose(
        self,
        phone: Phone,
        row: Annotated[str, typer.Argument(help="The row's id or title.")],
        title: Annotated[
            str, typer.Option(metavar="TEXT", help="Choose as if a list had a row with this title.")
        ] = "",
        description: Annotated[
            str, typer.Option(metavar="TEXT", help="The line under that title.")
        ] = "",
        message: MessageOption = None,
        group: GroupOption = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Choose a row of a list; --title invents one that no list offers."""
        if title:
            content = ListReply(row, title, description or None)
            self._send(
                AccountChoice(account, organization), phone, content, group, as_json, message
            )
            return
        sent = self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.choose(
                phone, row, chat_message_id=message, group_jid=group
            ),
        )
        _print_sent(sent, as_json)

    def vote(
        self,
        phone: Phone,
        options: Annotated[
            list[str] | None,
            typer.Argument(
                metavar="OPTION", help="The chosen options; leave them out to withdraw the vote."
            ),
        ] = None,
        message: MessageOption = None,
        group: GroupOption = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Vote in a poll."""
        sent = self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.vote(
                phone, options or (), chat_message_id=message, group_jid=group
            ),
        )
        _print_sent(sent, as_json)

    def file(
        self,
        phone: Phone,
        path: Annotated[
            Path, typer.Argument(metavar="FILE", help="The file.", exists=True, dir_okay=False)
        ],
        caption: Annotated[
            str, typer.Option(metavar="TEXT", help="What the person writes under it.")
        ] = "",
        kind: Annotated[
            Literal["document", "sticker", "voice"] | None,
            typer.Option("--as", help="What to send it as. Default: what its extension says."),
        ] = None,
        media_type: Annotated[
            str,
            typer.Option("--type", metavar="TYPE", help="Its MIME type; else what its name says."),
        ] = "",
        group: GroupOption = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Send a file from a phone to the account: a picture, a video, a sound, a document."""
        said = media_type or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        content: Content
        match kind:
            case "document":
                content = Document(said, caption, path.name)
            case "sticker":
                content = Sticker(said)
            case "voice":
                content = Audio(said, voice=True)
            case _:
                content = media_content(said, path.name, caption)
        self._send(
            AccountChoice(account, organization), phone, content, group, as_json, file=_read(path)
        )

    def location(
        self,
        phone: Phone,
        latitude: Annotated[float, typer.Argument(help="Degrees north.", min=-90, max=90)],
        longitude: Annotated[float, typer.Argument(help="Degrees east.", min=-180, max=180)],
        name: Annotated[str, typer.Option(help="The place's name.")] = "",
        address: Annotated[str, typer.Option(help="Its address.")] = "",
        group: GroupOption = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Send a place from a phone to the account."""
        self._send(
            AccountChoice(account, organization),
            phone,
            Location(latitude, longitude, name, address),
            group,
            as_json,
        )

    def card(
        self,
        phone: Phone,
        name: Annotated[str, typer.Argument(help="Whose card it is.")],
        number: Annotated[str, typer.Option(help="Their phone number.")] = "",
        vcard: Annotated[
            Path | None, typer.Option(metavar="FILE", help="A vCard file to send instead.")
        ] = None,
        group: GroupOption = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
        as_json: JsonOption = False,
    ) -> None:
        """Send somebody's card from a phone to the account."""
        text = simple_vcard(name, number) if vcard is None else _read_card(vcard)
        self._send(
            AccountChoice(account, organization), phone, ContactCard(name, text), group, as_json
        )

    def _send(
        self,
        choice: AccountChoice,
        phone: str,
        content: Content,
        group: str | None,
        as_json: bool,
        reply_to: str | None = None,
        file: bytes | None = None,
    ) -> None:
        sent = self._ask(
            choice,
            lambda simulator: simulator.send(
                phone, content, group_jid=group, reply_to=reply_to, file=file
            ),
        )
        _print_sent(sent, as_json)

    # --- what is changed, and kept ---

    def react(
        self,
        phone: Phone,
        emoji: Annotated[
            str, typer.Argument(help="The emoji; leave it out to withdraw the reaction.")
        ] = "",
        message: MessageOption = None,
        group: GroupOption = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
    ) -> None:
        """React to a message: the newest from somebody else, or the one named."""
        self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.react(
                phone, emoji, chat_message_id=message, group_jid=group
            ),
        )
        typer.echo("Reacted." if emoji else "Withdrawn.")

    def edit(
        self,
        phone: Phone,
        text: Annotated[str, typer.Argument(help="What it says from now on.")],
        message: MessageOption = None,
        group: GroupOption = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
    ) -> None:
        """Edit a message of the phone's own: the newest, or the one named."""
        self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.edit(phone, text, chat_message_id=message, group_jid=group),
        )
        typer.echo("Edited.")

    def delete(
        self,
        phone: Phone,
        message: MessageOption = None,
        group: GroupOption = None,
        account: AccountOption = None,
        organization: OrganizationOption = None,
    ) -> None:
        """Delete a message of the phone's own: the newest, or the one named."""
        self._ask(
            AccountChoice(account, organization),
            lambda simulator: simulator.delete(phone, chat_message_id=message, group_jid=group),
        )
        typer.echo("Deleted.")

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

        async def read(services: Services, at: Account) -> bytes:
            file = await services.simulator.of(at).open_file(message)
            return b"".join([piece async for piece in file.chunks()])

        data = self._ask_services(AccountChoice(account, organization), read)
        try:
            path.write_bytes(data)
        except OSError as error:
            raise typer.BadParameter(f"{path} can't be written: {error}") from error
        typer.echo(f"{len(data)} bytes in {path}.")


async def _newest_of_others(services: Services, at: Account, phone: str, group: str | None) -> str:
    chat = await services.simulator.read_chat(at, phone, group_jid=group)
    for message in reversed(chat.messages):
        if not message.mine and not message.is_deleted:
            return message.chat_message_id
    raise NetworkError("There is nothing here to answer.", permanent=True)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{path} can't be read: {error}") from error


def _read_card(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path} can't be read: {error}") from error


def _print_sent(message: SimulatedMessage, as_json: bool) -> None:
    if as_json:
        print_json(message)
    else:
        print_bubble(Screen(), show_bubble(message))
