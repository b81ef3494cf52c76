"""Files: pictures, videos, sounds, documents, stickers."""

from fnmatch import fnmatchcase
from typing import Annotated, ClassVar, Literal, Self, TypeAlias
from uuid import UUID

from pydantic import AfterValidator, Field, HttpUrl, StrictBool, model_validator
from typing_extensions import Doc

from heliograph.networks.content.inputs import MAX_URL, Caption, FileSource, KindInput, value_error
from heliograph.networks.content.kinds import Kind, ShownAs, Unsearched, message_type
from heliograph.platform.characters import without_hidden
from heliograph.platform.file_names import MAX_BYTES, why_refused
from heliograph.untrusted import UntrustedText


class Media(Kind, frozen=True):
    """A file; `media_url` of the message leads to it."""

    text_in = "caption"
    shown_as: ClassVar[ShownAs] = "document"

    media_types: ClassVar[str] = "*"
    """The types of files that can be sent so; `*` stands for any characters."""

    media_type: Annotated[UntrustedText, Unsearched, Doc("A MIME type.")]
    caption: UntrustedText = ""
    file_name: UntrustedText | None = None
    size: Annotated[int | None, Doc("In bytes, as the sender stated it.")] = None
    media_id: Annotated[
        UUID | None, Unsearched, Doc("Its id in the gateway, if it was uploaded or fetched.")
    ] = None

    @property
    def text(self) -> str:
        """The text below the file; it may be empty."""
        return str(getattr(self, self.text_in))

    @property
    def summary(self) -> str:
        return self.text or self.file_name or f"[{message_type(self)}]"

    @property
    def text_parts(self) -> tuple[str, ...]:
        return (*self._paragraphs(self.text), self.file_name or "")

    @classmethod
    def takes(cls, media_type: str) -> bool:
        """Return whether a file of this type can be sent so."""
        # no phone shows drawings in XML, such as SVG
        is_shown = cls.shown_as == "document" or not media_type.endswith("+xml")
        return is_shown and fnmatchcase(media_type, cls.media_types)

    @classmethod
    def wanted(cls) -> str:
        """Return the accepted files, in words."""
        if "*" in cls.media_types:
            return cls.media_types.replace("*", "…")
        return f"a {message_type(cls)}, which is {cls.media_types}"


class Image(Media, frozen=True, tag="image"):
    """A picture."""

    shown_as = "picture"
    media_types = "image/*"


class Video(Media, frozen=True, tag="video"):
    """A video."""

    shown_as = "video"
    media_types = "video/*"


class Audio(Media, frozen=True, tag="audio"):
    """A sound."""

    shown_as = "audio"
    media_types = "audio/*"

    voice: Annotated[bool, Doc("Whether it is a voice message.")] = False


class Document(Media, frozen=True, tag="document"):
    """Any file."""


class Sticker(Media, frozen=True, tag="sticker"):
    """A sticker: a small picture without a frame."""

    shown_as = "picture"
    media_types = "image/webp"


MediaKind: TypeAlias = type[Media]
FileContent: TypeAlias = Image | Video | Audio | Document | Sticker
"""All kinds with a file."""


# --- inputs ---


def _check_file_name(value: str) -> str:
    """Check the name, which recipients see and save the file under."""
    reason = why_refused(value)
    if reason is not None:
        raise value_error("{reason}", {"reason": reason})
    return without_hidden(value)


class FileInput(KindInput):
    """A file: one that was uploaded, or one to fetch."""

    kind: ClassVar[type[FileContent]]

    media_id: UUID | None = Field(default=None, description="The id of an uploaded file.")
    url: HttpUrl | None = Field(
        default=None,
        max_length=MAX_URL,
        description="Where to fetch the file, before the answer: `https`, at a public address, "
        "within 20 s.",
    )
    file_name: (
        Annotated[str, Field(max_length=MAX_BYTES), AfterValidator(_check_file_name)] | None
    ) = Field(
        default=None,
        description="The file's name for the recipient, under the same rules as for an upload; "
        "default: its own name.",
    )

    @model_validator(mode="after")
    def _check_one_source(self) -> Self:
        if (self.media_id is None) == (self.url is None):
            raise value_error("exactly one of media_id and url is needed")
        return self

    @property
    def file(self) -> FileSource:
        return FileSource(self.media_id, None if self.url is None else str(self.url))

    def to_content(self) -> FileContent:
        """Return the content, still without the file's type and size."""
        return self._as(self.kind, media_type="")


class _CaptionedInput(FileInput):
    caption: Caption | None = Field(default=None, description="A text below it.")


class ImageInput(_CaptionedInput):
    """A picture."""

    kind = Image
    type: Literal["image"]


class VideoInput(_CaptionedInput):
    """A video."""

    kind = Video
    type: Literal["video"]


class AudioInput(FileInput):
    """A sound."""

    kind = Audio
    type: Literal["audio"]
    voice: StrictBool = Field(default=False, description="Send it as a voice message.")


class DocumentInput(_CaptionedInput):
    """Any file."""

    kind = Document
    type: Literal["document"]


class StickerInput(FileInput):
    """A sticker: a small picture without a frame."""

    kind = Sticker
    type: Literal["sticker"]


AnyFileInput: TypeAlias = ImageInput | VideoInput | AudioInput | DocumentInput | StickerInput
