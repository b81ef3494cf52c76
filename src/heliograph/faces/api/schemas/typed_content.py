"""What a message says, by kind: the union `typed_content` of the Message record."""

from typing import Annotated, Literal, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, RootModel


class Choice(BaseModel):
    """A button, or a row of a list."""

    id: str
    title: str


class LinkPreview(BaseModel):
    """A page's description of itself."""

    url: str
    title: str
    description: str


class TextContent(BaseModel):
    """A plain text."""

    type: Literal["text"]
    body: str
    mentions: list[str] | None = Field(
        default=None, description="The network's identifiers of the people mentioned in the text."
    )
    preview: LinkPreview | None = None


class ButtonsContent(BaseModel):
    """A text with quick-reply buttons."""

    type: Literal["buttons"]
    body: str
    buttons: list[Choice]
    header: str | None = None
    footer: str | None = None


class ButtonReplyContent(Choice):
    """A button that was pressed."""

    type: Literal["button_reply"]


class ListRow(Choice):
    """A row of a list."""

    description: str | None = None


class ListSection(BaseModel):
    """Rows of a list that belong together."""

    title: str | None = None
    rows: list[ListRow]


class ListContent(BaseModel):
    """A text with a button that opens a list to choose one row from."""

    type: Literal["list"]
    body: str
    button: str = Field(description="The title of the button that opens the list.")
    sections: list[ListSection]
    footer: str | None = None


class ListReplyContent(Choice):
    """A row of a list that was chosen."""

    type: Literal["list_reply"]
    description: str | None = None


class PollContent(BaseModel):
    """A question with answers to choose from."""

    type: Literal["poll"]
    question: str
    options: list[str]
    max_choices: int = Field(description="Maximum number of choices per person.")


class PollVoteContent(BaseModel):
    """What somebody chose in a poll. A later vote replaces it."""

    type: Literal["poll_vote"]
    options: list[str] = Field(description="All current choices; empty if the vote was withdrawn.")


class FileContent(BaseModel):
    """A file; `media_url` of the message leads to it."""

    media_type: str = Field(description="A MIME type.")
    caption: str | None = None
    file_name: str | None = None
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
    name: str | None = None
    address: str | None = None


class ContactContent(BaseModel):
    """Somebody's card. If several came at once, `name`, `phones` and `vcard` contain them all."""

    type: Literal["contact"]
    name: str
    phones: list[str] = Field(
        description="The phone numbers, each once: `+` and digits where that is clear, else as the "
        "card has it."
    )
    vcard: str = Field(
        description="As the network gave it (version 2.1, RFC 2426 or 6350): untrusted text."
    )


class OrderedItem(BaseModel):
    """A product of an order."""

    product_id: str
    title: str | None = None
    quantity: int
    price: str | None = Field(
        default=None, description="The price of one piece, as a decimal number."
    )


class OrderContent(BaseModel):
    """An order of a customer."""

    type: Literal["order"]
    order_id: str
    text: str | None = Field(default=None, description="What the customer wrote with it.")
    title: str | None = None
    item_count: int | None = None
    total: str | None = Field(default=None, description="A decimal number, such as `25.00`.")
    currency: str | None = Field(default=None, description="The currency of all prices (ISO 4217).")
    items: list[OrderedItem] = Field(description="Empty where the network names only their count.")


class SystemContent(BaseModel):
    """A message that the gateway does not understand: somebody has to open it on the phone."""

    type: Literal["system"]
    kind: str = Field(description="The chat network's word for what it is.")
    body: str = Field(description="What is known of it, as a sentence.")


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
