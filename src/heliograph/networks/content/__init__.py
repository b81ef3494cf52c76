"""The content of messages: a union of kinds, distinguished by `type`, stored and sent as JSON.

Each file here has a family of kinds. A kind is a struct that knows its text and the members that
clients read; its input stands beside it if it can be sent. The list of all kinds is here, and the
rest is made from it: the API's schemas, the values of `message_type`, the dashboard's forms.
Drivers convert kinds to and from their network's messages; a kind that a network lacks is sent as
text (`networks.choices`).
"""

from typing import Annotated, Any, TypeAlias, Union, get_args

import msgspec
from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from typing_extensions import TypeAliasType

from heliograph.errors import InvalidInputError
from heliograph.input_problems import InputProblem
from heliograph.networks.content.choices import (
    ButtonReply,
    Buttons,
    ButtonsInput,
    ListInput,
    ListMessage,
    ListReply,
    Poll,
    PollInput,
    PollVote,
    Question,
    Row,
    Section,
)
from heliograph.networks.content.commerce import Order, OrderItem, Referral
from heliograph.networks.content.files import (
    AnyFileInput,
    Audio,
    Document,
    FileContent,
    Image,
    Media,
    MediaKind,
    Sticker,
    Video,
)
from heliograph.networks.content.kinds import Button, Choices, Kind, ShownAs, message_type
from heliograph.networks.content.links import LinkButton, LinkButtonInput
from heliograph.networks.content.people import ContactCard, ContactInput
from heliograph.networks.content.places import (
    Location,
    LocationInput,
    LocationRequest,
    LocationRequestInput,
    is_on_globe,
)
from heliograph.networks.content.texts import NOTHING, LinkPreview, Text, TextInput
from heliograph.networks.content.unknown import System, not_understood

__all__ = [
    "NOTHING",
    "Audio",
    "Button",
    "ButtonReply",
    "Buttons",
    "Choices",
    "ContactCard",
    "Document",
    "Image",
    "LinkButton",
    "LinkPreview",
    "ListMessage",
    "ListReply",
    "Location",
    "LocationRequest",
    "Media",
    "MediaKind",
    "Order",
    "OrderItem",
    "Poll",
    "PollVote",
    "Question",
    "Referral",
    "Row",
    "Section",
    "Sticker",
    "System",
    "Text",
    "Video",
    "is_on_globe",
    "message_type",
    "not_understood",
]

Content = Union[  # noqa: UP007 - msgspec reads the union at run time
    Text,
    Buttons,
    ButtonReply,
    ListMessage,
    ListReply,
    Poll,
    PollVote,
    LinkButton,
    FileContent,
    Location,
    LocationRequest,
    ContactCard,
    Order,
    System,
]
AnyInput: TypeAlias = (
    TextInput
    | ButtonsInput
    | ListInput
    | LinkButtonInput
    | AnyFileInput
    | LocationInput
    | LocationRequestInput
    | ContactInput
    | PollInput
)
ContentInput = TypeAliasType(
    "ContentInput",
    Annotated[
        AnyInput,
        Field(discriminator="type", description="The content to send, distinguished by `type`."),
    ],
)
"""A union with a name, which client generators give to their type."""

STRUCTS: dict[str, type[Kind]] = {message_type(kind): kind for kind in get_args(Content)}
"""All kinds, by their `type`."""
KINDS = frozenset(STRUCTS)
INPUTS = {get_args(kind.model_fields["type"].annotation)[0]: kind for kind in get_args(AnyInput)}
"""What can be sent, by its `type`."""
CHOICE_KINDS = frozenset(name for name, kind in STRUCTS.items() if issubclass(kind, Question))
"""The kinds with something to choose from."""
CAPTION_KINDS = frozenset(name for name, kind in INPUTS.items() if "caption" in kind.model_fields)
"""The kinds whose file is sent with a text below it."""

_decoder: msgspec.json.Decoder[Content] = msgspec.json.Decoder(Content)
_encoder = msgspec.json.Encoder()
_input: TypeAdapter[AnyInput] = TypeAdapter(ContentInput)


def shown_as(kind: str) -> ShownAs | None:
    """Return how the file of a message of this type is shown: None if it has none, or if a later
    release added the type."""
    struct = STRUCTS.get(kind)
    return None if struct is None else struct.shown_as


def edited(before: Content, after: Content) -> Content:
    """Return what a message says after an edit, which changes only the caption of a file."""
    if not isinstance(before, Media):
        return after
    caption = after.caption if isinstance(after, Media) else after.summary
    return msgspec.structs.replace(before, caption=caption)


def encode_content(content: Content) -> str:
    return _encoder.encode(content).decode()


def decode_content(raw: str | bytes) -> Content:
    """Read stored content. A kind that a later release added is not understood."""
    try:
        return _decoder.decode(raw)
    except msgspec.ValidationError:
        kind = _kind_decoder.decode(raw).type
        if kind in KINDS:
            raise
        return not_understood(kind)


class _Tagged(msgspec.Struct):
    type: str


_kind_decoder = msgspec.json.Decoder(_Tagged)


def read_content(given: dict[str, Any]) -> AnyInput:
    """Read content that a form or program gives as plain values. Raises `InvalidInputError`, whose
    locations begin with `content`."""
    try:
        return _input.validate_python(given)
    except ValidationError as error:
        raise InvalidInputError(
            *(
                InputProblem(("content", *problem["loc"][1:]), _sentence(problem))
                for problem in error.errors(include_url=False, include_input=False)
            )
        ) from None


_SENTENCES = {
    "string_too_short": "It is empty.",
    "string_too_long": "It may have at most {max_length} characters.",
    "too_short": "There must be at least {min_length} of them.",
    "too_long": "There may be at most {max_length} of them.",
}


def _sentence(problem: ErrorDetails) -> str:
    """Return pydantic's words as a sentence for a person."""
    known = _SENTENCES.get(problem["type"])
    if known is not None:
        return known.format(**problem.get("ctx", {}))
    said = problem["msg"].removeprefix("Value error, ")
    return f"{said[:1].upper()}{said[1:].rstrip('.')}."
