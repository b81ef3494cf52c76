"""What a message says: a union of kinds, told apart by `type`, stored and sent as JSON.

`Text` and `Buttons` can be sent; `Text` and `ButtonReply` arrive. Further kinds join the union
here, and nowhere else is anything written for one kind alone.
"""

from typing import Union

import msgspec


class Text(msgspec.Struct, frozen=True, tag="text"):
    body: str

    @property
    def summary(self) -> str:
        """The message as one text, for records, previews and clients that know only text."""
        return self.body


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


Content = Union[Text, Buttons, ButtonReply]  # noqa: UP007 - msgspec reads the union at run time

_decoder: msgspec.json.Decoder[Content] = msgspec.json.Decoder(Content)
_encoder = msgspec.json.Encoder()


def message_type(content: Content) -> str:
    """The `message_type` for this content, such as `text` or `button_reply`."""
    return str(content.__struct_config__.tag)


def encode_content(content: Content) -> str:
    return _encoder.encode(content).decode()


def decode_content(raw: str | bytes) -> Content:
    return _decoder.decode(raw)
