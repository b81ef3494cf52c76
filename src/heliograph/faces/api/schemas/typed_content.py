"""What a message says, by kind: the union `typed_content` of the Message record."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field, RootModel


class Choice(BaseModel):
    """A button, or a row of a list."""

    id: str
    title: str


class TextContent(BaseModel):
    type: Literal["text"]
    body: str


class ButtonsContent(BaseModel):
    """A text with quick-reply buttons."""

    type: Literal["buttons"]
    body: str
    buttons: list[Choice]
    footer: str | None = None


class ButtonReplyContent(Choice):
    """A button that was pressed."""

    type: Literal["button_reply"]


class ListReplyContent(Choice):
    """A row of a list that was chosen."""

    type: Literal["list_reply"]
    description: str | None = None


class FileContent(BaseModel):
    """A file; `media_url` of the message leads to it."""

    media_type: str = Field(description="A MIME type.")
    caption: str | None = None
    file_name: str | None = None
    size: int | None = Field(default=None, description="In bytes, as the sender said.")


class ImageContent(FileContent):
    type: Literal["image"]


class VideoContent(FileContent):
    type: Literal["video"]


class AudioContent(FileContent):
    type: Literal["audio"]


class DocumentContent(FileContent):
    type: Literal["document"]


class StickerContent(FileContent):
    type: Literal["sticker"]


class LocationContent(BaseModel):
    """A place."""

    type: Literal["location"]
    latitude: float = Field(description="Degrees north.")
    longitude: float = Field(description="Degrees east.")
    name: str | None = None
    address: str | None = None


class ContactContent(BaseModel):
    """Somebody's card. Where several came at once, `name` and `vcard` have them all."""

    type: Literal["contact"]
    name: str
    vcard: str = Field(description="As the network gave it (RFC 2426 or 6350), a stranger's words.")


AnyContent: TypeAlias = Annotated[
    TextContent
    | ButtonsContent
    | ButtonReplyContent
    | ListReplyContent
    | ImageContent
    | VideoContent
    | AudioContent
    | DocumentContent
    | StickerContent
    | LocationContent
    | ContactContent,
    Field(discriminator="type"),
]


class TypedContent(RootModel[AnyContent]):
    """What a message says, told apart by `type`. New kinds may be added."""
