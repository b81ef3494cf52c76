"""What a message says: a union of kinds, told apart by `type`, stored and sent as JSON.

`Text` and `Buttons` can be sent, the other kinds arrive. Further kinds join the union here; how
clients see them is in `core/messages/serializers.py` and `faces/api/schemas/typed_content.py`.
"""

from typing import Union

import msgspec


class Text(msgspec.Struct, frozen=True, tag="text"):
    body: str

    @property
    def summary(self) -> str:
        """The message as one text, for records, previews and clients that know only text."""
        return self.body


NOTHING = Text("")
"""The content of a message whose content was not kept."""


class Button(msgspec.Struct, frozen=True):
    id: str
    title: str


class Buttons(msgspec.Struct, frozen=True, tag="buttons"):
    """A text with one to three quick-reply buttons, and a footer under them."""

    body: str
    buttons: tuple[Button, ...]
    footer: str | None = None

    @property
    def summary(self) -> str:
        return self.body


class ButtonReply(msgspec.Struct, frozen=True, tag="button_reply"):
    """Somebody pressed a button."""

    button: Button

    @property
    def summary(self) -> str:
        return self.button.title


class ListReply(msgspec.Struct, frozen=True, tag="list_reply"):
    """Somebody chose a row of a list."""

    row: Button
    description: str | None = None

    @property
    def summary(self) -> str:
        return self.row.title


class Media(msgspec.Struct, frozen=True):
    """A file: a picture, a film, a voice. `media_type` is its MIME type, `size` in bytes."""

    media_type: str
    caption: str = ""
    file_name: str | None = None
    size: int | None = None

    @property
    def summary(self) -> str:
        return self.caption or self.file_name or f"[{message_type(self)}]"


class Image(Media, frozen=True, tag="image"):
    pass


class Video(Media, frozen=True, tag="video"):
    pass


class Audio(Media, frozen=True, tag="audio"):
    pass


class Document(Media, frozen=True, tag="document"):
    pass


class Sticker(Media, frozen=True, tag="sticker"):
    pass


class Location(msgspec.Struct, frozen=True, tag="location"):
    """A place, in degrees north and east: finite, and on the globe."""

    latitude: float
    longitude: float
    name: str = ""
    address: str = ""

    @property
    def summary(self) -> str:
        place = f"{self.latitude:.6f}, {self.longitude:.6f}"
        words = ", ".join(word for word in (self.name, self.address) if word)
        return f"{words} ({place})" if words else place


def is_on_globe(latitude: float, longitude: float) -> bool:
    """Return whether there is such a place; NaN is none."""
    return abs(latitude) <= 90 and abs(longitude) <= 180


class ContactCard(msgspec.Struct, frozen=True, tag="contact"):
    """Somebody's address; `vcard` is as the network gave it."""

    name: str
    vcard: str

    @property
    def summary(self) -> str:
        return self.name


Content = Union[  # noqa: UP007 - msgspec reads the union at run time
    Text,
    Buttons,
    ButtonReply,
    ListReply,
    Image,
    Video,
    Audio,
    Document,
    Sticker,
    Location,
    ContactCard,
]

_decoder: msgspec.json.Decoder[Content] = msgspec.json.Decoder(Content)
_encoder = msgspec.json.Encoder()


def message_type(content: Content | Media) -> str:
    """Return the `message_type` for this content, such as `text` or `button_reply`."""
    return str(content.__struct_config__.tag)


def edited(before: Content, after: Content) -> Content:
    """Return what a message says after an edit: of a file only the caption is another."""
    if not isinstance(before, Media):
        return after
    caption = after.caption if isinstance(after, Media) else after.summary
    return msgspec.structs.replace(before, caption=caption)


def encode_content(content: Content) -> str:
    return _encoder.encode(content).decode()


def decode_content(raw: str | bytes) -> Content:
    return _decoder.decode(raw)
