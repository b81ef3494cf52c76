"""What can be done with virtual phones: each action said once, as a struct.

The tag is its name, the docstring says what it does, and the fields say what it needs: their names,
types, bounds and descriptions. The commands, the dashboard's forms and the tool are made of them
(`action_fields`), and a network's `Simulator.act` does what they say.
"""

import mimetypes
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, field

from heliograph.networks.cards import write_card
from heliograph.networks.content import (
    Audio,
    ContactCard,
    Content,
    Document,
    Image,
    Location,
    Sticker,
    Text,
    Video,
)
from heliograph.networks.errors import NetworkError
from heliograph.networks.phone_numbers import PhoneNumberError, read_phone_number

_DAY = 86_400.0

_MAX_OUTAGE = 65_536  # characters
_Words = Annotated[str, Meta(min_length=1, max_length=_MAX_OUTAGE)]
_Name = Annotated[str, Meta(min_length=1, max_length=255)]
_Line = Annotated[str, Meta(max_length=1000)]
_Seconds = Annotated[float, Meta(ge=0, le=30 * _DAY)]
_Link = Annotated[_Name, Meta(description="The group's invite link.")]
_ARGUMENT, _OPTION = Meta(extra={"is_argument": True}), Meta(extra={"is_argument": False})
"""How a command takes a field, where it is not an argument if required, and an option if not."""


class GivenFile(msgspec.Struct, frozen=True):
    """A file that somebody has chosen."""

    name: str
    data: bytes


# --- what people do on their phones ----------------------------------------------------------


class Action(msgspec.Struct, frozen=True, tag_field="action", tag=str.lower):
    """Anything that can be done."""


class OnPhone(Action, frozen=True):
    """What somebody does on their phone."""

    phone: Annotated[_Name, Meta(description="A phone number, or a name from the address book.")]


class InChat(OnPhone, frozen=True, kw_only=True):
    """What somebody does in a chat: the one with the account, or a group's."""

    group: Annotated[_Name | None, Meta(description="The group's JID.")] = None


class OnMessage(InChat, frozen=True, kw_only=True):
    """What somebody does with a message."""

    message: Annotated[
        _Name | None, Meta(description="The network's id of the message. Default: the newest.")
    ] = None


class Say(InChat, frozen=True):
    """Write a text from a phone to the account."""

    text: Annotated[_Words, Meta(description="What the person writes.")]

    @property
    def content(self) -> Content:
        return Text(self.text)


class Reply(OnMessage, frozen=True):
    """Answer a message by quoting it: the newest from somebody else, or the one named."""

    text: Annotated[_Words, Meta(description="What the person answers.")]


class Press(OnMessage, frozen=True):
    """Press a button of a message."""

    button: Annotated[_Words, Meta(description="The button's id or title.")]


class Choose(OnMessage, frozen=True):
    """Choose a row of a list; a title invents one that no list offers."""

    row: Annotated[_Words, Meta(description="The row's id or title.")]
    title: Annotated[_Line, Meta(description="Choose as if a list had a row with this title.")] = ""
    description: Annotated[_Line, Meta(description="The line under that title.")] = ""


class Vote(OnMessage, frozen=True):
    """Vote in a poll for these options and no other."""

    options: Annotated[
        tuple[str, ...],
        Meta(description="The chosen options; leave them out to withdraw the vote."),
        _ARGUMENT,
    ] = ()


class SendFile(OnMessage, frozen=True, tag="file"):
    """Send a file from a phone to the account: a picture, a video, a sound, a document."""

    file: Annotated[GivenFile, Meta(description="The file.")]
    caption: Annotated[
        str, Meta(max_length=_MAX_OUTAGE, description="What the person writes under it.")
    ] = ""
    kind: Annotated[
        Literal["document", "sticker", "voice"] | None,
        Meta(description="What to send it as. Default: what its type says."),
    ] = field(default=None, name="as")
    media_type: Annotated[
        _Line, Meta(description="Its MIME type. Default: what its name says.")
    ] = field(default="", name="type")

    @property
    def content(self) -> Content:
        said = self.media_type or mimetypes.guess_type(self.file.name)[0]
        said = said or "application/octet-stream"
        match self.kind or said.partition("/")[0]:
            case "sticker":
                return Sticker(said)
            case "voice":
                return Audio(said, voice=True)
            case "image":
                return Image(said, self.caption)
            case "video":
                return Video(said, self.caption)
            case "audio":
                return Audio(said, self.caption)
        return Document(said, self.caption, self.file.name or None)


class SendLocation(InChat, frozen=True, tag="location"):
    """Send a place from a phone to the account."""

    latitude: Annotated[float, Meta(ge=-90, le=90, description="Degrees north.")]
    longitude: Annotated[float, Meta(ge=-180, le=180, description="Degrees east.")]
    name: Annotated[_Line, Meta(description="The place's name.")] = ""
    address: Annotated[_Line, Meta(description="Its address.")] = ""

    @property
    def content(self) -> Content:
        return Location(self.latitude, self.longitude, self.name, self.address)


class SendCard(InChat, frozen=True, tag="card"):
    """Send somebody's card from a phone to the account."""

    name: Annotated[_Name, Meta(description="Whose card it is.")]
    number: Annotated[_Line, Meta(description="Their phone number.")] = ""
    vcard: Annotated[GivenFile | None, Meta(description="A vCard file to send instead.")] = None

    @property
    def content(self) -> Content:
        """Raises `NetworkError` for a number and a file that are none."""
        try:
            return ContactCard(self.name, self._written())
        except UnicodeDecodeError:
            raise NetworkError("The vCard file is no text.", permanent=True) from None
        except PhoneNumberError as error:
            raise NetworkError(error.reason, permanent=True) from None

    def _written(self) -> str:
        if self.vcard is not None:
            return self.vcard.data.decode()
        numbers = [f"+{read_phone_number(self.number).digits}"] if self.number else []
        return write_card(self.name, numbers)


class React(OnMessage, frozen=True):
    """React to a message: the newest from somebody else, or the one named."""

    emoji: Annotated[
        _Line, Meta(description="The emoji; leave it out to withdraw the reaction."), _ARGUMENT
    ] = ""


class Edit(OnMessage, frozen=True):
    """Edit a message of the phone's own: the newest, or the one named."""

    text: Annotated[_Words, Meta(description="What it says from now on.")]


class Delete(OnMessage, frozen=True):
    """Delete a message of the phone's own: the newest, or the one named."""


class Online(OnPhone, frozen=True):
    """Switch a phone on: what waited for it is delivered."""


class Offline(OnPhone, frozen=True):
    """Switch a phone off: messages wait for it."""


class Picture(OnPhone, frozen=True):
    """Give a phone another profile picture."""


class Invite(Action, frozen=True):
    """Make a group on a phone, and give its invite link."""

    subject: Annotated[str, Meta(min_length=1, max_length=100, description="The group's subject.")]
    owner: Annotated[_Name, Meta(description="The phone that makes the group."), _OPTION]
    approval: Annotated[bool, Meta(description="The owner must let members in.")] = False


class Revoke(Action, frozen=True):
    """Make an invite link invalid."""

    link: _Link


class Approve(Action, frozen=True):
    """Let the account into a group it has asked to join."""

    link: _Link


# --- what the network does to the account ----------------------------------------------------


class Scan(Action, frozen=True):
    """Pair the account: scan its QR code, or type its pairing code."""

    payload: Annotated[_Words, Meta(description="The QR payload or code.")]


class Disconnect(Action, frozen=True):
    """Cut the account's connection from the network's side, or log it out."""

    log_out: Annotated[bool, Meta(description="End the registration.")] = False
    seconds: Annotated[_Seconds, Meta(description="Seconds without any connection.")] = field(
        default=0.0, name="for"
    )


class Silence(Action, frozen=True):
    """Block all traffic on the account's connection, but keep it open."""


class Restrict(Action, frozen=True):
    """Stop the account from starting new chats, as networks do for a time."""

    seconds: Annotated[_Seconds, Meta(description="Seconds; 0 lifts the restriction.")] = field(
        default=3600.0, name="for"
    )


class Send(InChat, frozen=True):
    """Send whatever arrives on such a network. No face has it: there, each kind has an action."""

    content: Content
    file: bytes | None = None
    message: str | None = None


AnswerAction: TypeAlias = Reply | Press | Choose | Vote
MessageAction: TypeAlias = AnswerAction | Say | SendFile | SendLocation | SendCard | Send
"""What comes of it is a message from the phone."""
ChangeAction: TypeAlias = React | Edit | Delete
SwitchAction: TypeAlias = Online | Offline | Picture
GroupAction: TypeAlias = Invite | Revoke | Approve
PhoneAction: TypeAlias = MessageAction | ChangeAction | SwitchAction | GroupAction
"""Whatever people do with their phones."""
ConnectionAction: TypeAlias = Disconnect | Silence | Restrict
NetworkAction: TypeAlias = Scan | ConnectionAction
"""What the network does to the account."""
QuietAction: TypeAlias = ChangeAction | SwitchAction | GroupAction | NetworkAction
"""What comes of it is a sentence for a person; of an `Invite` the link."""
