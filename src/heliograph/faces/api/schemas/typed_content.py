"""What a message says, by kind: the union `typed_content` of the Message record."""

from typing import Annotated, Literal, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, RootModel

from heliograph.untrusted import UntrustedText


class Choice(BaseModel):
    """A button, or a row of a list."""

    id: UntrustedText
    title: UntrustedText


class LinkPreview(BaseModel):
    """A page's description of itself."""

    url: UntrustedText
    title: UntrustedText
    description: UntrustedText


class TextContent(BaseModel):
    """A plain text."""

    type: Literal["text"]
    body: UntrustedText
    mentions: list[UntrustedText] | None = Field(
        default=None, description="The network's identifiers of the people mentioned in the text."
    )
    preview: LinkPreview | None = None


class ButtonsContent(BaseModel):
    """A text with quick-reply buttons."""

    type: Literal["buttons"]
    body: UntrustedText
    buttons: list[Choice]
    header: UntrustedText | None = None
    footer: UntrustedText | None = None


class ButtonReplyContent(Choice):
    """A button that was pressed."""

    type: Literal["button_reply"]


class ListRow(Choice):
    """A row of a list."""

    description: UntrustedText | None = None


class ListSection(BaseModel):
    """Rows of a list that belong together."""

    title: UntrustedText | None = None
    rows: list[ListRow]


class ListContent(BaseModel):
    """A text with a button that opens a list to choose one row from."""

    type: Literal["list"]
    body: UntrustedText
    button: UntrustedText = Field(description="The title of the button that opens the list.")
    sections: list[ListSection]
    footer: UntrustedText | None = None


class ListReplyContent(Choice):
    """A row of a list that was chosen."""

    type: Literal["list_reply"]
    description: UntrustedText | None = None


class PollContent(BaseModel):
    """A question with answers to choose from."""

    type: Literal["poll"]
    question: UntrustedText
    options: list[UntrustedText]
    max_choices: int = Field(description="Maximum number of choices per person.")


class PollVoteContent(BaseModel):
    """What somebody chose in a poll. A later vote replaces it."""

    type: Literal["poll_vote"]
    options: list[UntrustedText] = Field(
        description="All current choices; empty if the vote was withdrawn."
    )


class FileContent(BaseModel):
    """A file; `media_url` of the message leads to it."""

    media_type: UntrustedText = Field(description="A MIME type.")
    caption: UntrustedText | None = None
    file_name: UntrustedText | None = None
    size: int | None = Field(default=None, description="In bytes, as the sender said.")
    media_id: UUID | None = Field(
        default=None, description="Its id here, if it was uploaded or fetched for sending."
    )


class ImageContent(FileContent):
    """A picture."""

    type: Literal["image"]


class VideoContent(FileContent):
    """A video."""

    type: Literal["video"]


class AudioContent(FileContent):
    """A sound."""

    type: Literal["audio"]
    voice: bool = Field(description="Whether it is a voice message.")


class DocumentContent(FileContent):
    """Any file."""

    type: Literal["document"]


class StickerContent(FileContent):
    """A sticker: a small picture without a frame."""

    type: Literal["sticker"]


class LocationContent(BaseModel):
    """A place."""

    type: Literal["location"]
    latitude: float = Field(description="Degrees north.")
    longitude: float = Field(description="Degrees east.")
    name: UntrustedText | None = None
    address: UntrustedText | None = None


class ContactContent(BaseModel):
    """Somebody's card. If several came at once, `name`, `phones` and `vcard` contain them all."""

    type: Literal["contact"]
    name: UntrustedText
    phones: list[UntrustedText] = Field(
        description="The phone numbers, each once: `+` and digits where that is clear, else as the "
        "card has it."
    )
    vcard: UntrustedText = Field(
        description="As the network gave it (version 2.1, RFC 2426 or 6350): untrusted text."
    )


class OrderedItem(BaseModel):
    """A product of an order."""

    product_id: UntrustedText
    title: UntrustedText | None = None
    quantity: int
    price: UntrustedText | None = Field(
        default=None, description="The price of one piece, as a decimal number."
    )


class OrderContent(BaseModel):
    """An order of a customer."""

    type: Literal["order"]
    order_id: UntrustedText
    text: UntrustedText | None = Field(default=None, description="What the customer wrote with it.")
    title: UntrustedText | None = None
    item_count: int | None = None
    total: UntrustedText | None = Field(
        default=None, description="A decimal number, such as `25.00`."
    )
    currency: UntrustedText | None = Field(
        default=None, description="The currency of all prices (ISO 4217)."
    )
    items: list[OrderedItem] = Field(description="Empty where the network names only their count.")


class SystemContent(BaseModel):
    """A message that the gateway does not understand: somebody has to open it on the phone."""

    type: Literal["system"]
    kind: UntrustedText = Field(description="The chat network's word for what it is.")
    body: UntrustedText = Field(description="What is known of it, as a sentence.")


AnyContent: TypeAlias = Annotated[
    TextContent
    | ButtonsContent
    | ButtonReplyContent
    | ListContent
    | ListReplyContent
    | PollContent
    | PollVoteContent
    | ImageContent
    | VideoContent
    | AudioContent
    | DocumentContent
    | StickerContent
    | LocationContent
    | ContactContent
    | OrderContent
    | SystemContent,
    Field(discriminator="type"),
]


class TypedContent(RootModel[AnyContent]):
    """The content of a message, distinguished by `type`."""


class UnknownContent(BaseModel):
    """A kind that was added later, for the description of the API alone."""

    model_config = ConfigDict(extra="allow")

    type: str
