"""What may be asked to be sent: a schema for each kind of content, with its bounds.

The API, the tool server and the dashboard read what they are given through these. A kind's
`to_content` makes what is stored and handed to the driver; of a file it says only where it is.
Bounds are those of Meta's Cloud API, which every network's users know.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Annotated, Any, ClassVar, Literal, LiteralString, Self, TypeAlias
from uuid import UUID

import msgspec
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    HttpUrl,
    StrictBool,
    StrictFloat,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError
from typing_extensions import TypeAliasType

from heliograph.core.contacts.model import get_address, get_phone_number
from heliograph.core.media.file_names import MAX_BYTES, why_refused
from heliograph.core.messages.accepting.files import FileSource
from heliograph.errors import InvalidInputError
from heliograph.input_problems import InputProblem
from heliograph.networks.cards import write_card
from heliograph.networks.choices import BREAKS, TITLE_PATTERN, has_break, has_title
from heliograph.networks.content import (
    Audio,
    Button,
    Buttons,
    ContactCard,
    Content,
    Document,
    Image,
    ListMessage,
    Location,
    Media,
    Poll,
    Row,
    Section,
    Sticker,
    Text,
    Video,
)
from heliograph.networks.phone_numbers import PhoneNumberError
from heliograph.platform.characters import shows_something, without_hidden
from heliograph.platform.json_numbers import Integer

MAX_TEXT = 4096
MAX_BUTTONS_BODY = 1024
MAX_HEADER = 60
MAX_FOOTER = 60
MAX_BUTTONS = 3
MAX_BUTTON_ID = 256
MAX_BUTTON_TITLE = 20
MAX_ROWS = 10
MAX_ROW_ID = 200
MAX_ROW_TITLE = 24
MAX_ROW_DESCRIPTION = 72
MAX_CAPTION = 1024
MAX_PLACE = 1000
MAX_CARD = 16 * 1024
MAX_CARD_PHONES = 20
MAX_QUESTION = 300
MAX_OPTIONS = 12
MAX_OPTION = 100
MAX_MENTIONS = 100
MAX_URL = 2048

_BLANKS = " \t\n\r\f\v"
_NO_NUL: dict[str, Any] = {"pattern": r"^[^\u0000]*$"}


def value_error(reason: LiteralString, context: dict[str, Any] | None = None) -> Exception:
    """Return the error of a value that its type allows, worded like pydantic's own."""
    return PydanticCustomError("value_error", "Value error, " + reason, context)


def _check_text(value: str) -> str:
    if "\0" in value:
        raise value_error("NUL characters are not allowed")
    return value


def _check_visible(value: str) -> str:
    if not shows_something(value):
        raise value_error("it is empty")
    return _check_text(value)


def _check_line(value: str) -> str:
    if has_break(value):
        raise value_error("it must be one line")
    if not has_title(value):
        raise value_error("it must not be blank")
    return _check_text(value)


def _check_words(value: str) -> str:
    """A line that may be empty."""
    return _check_line(value) if value else value


def _check_file_name(value: str) -> str:
    """Whoever gets the file sees the name, and saves the file under it."""
    reason = why_refused(value)
    if reason is not None:
        raise value_error("{reason}", {"reason": reason})
    return without_hidden(value)


def _read(reader: Callable[[str], str], text: str) -> str:
    try:
        return reader(text)
    except PhoneNumberError as error:
        raise value_error("{reason}", {"reason": error.reason}) from error


def _check_id(value: str) -> str:
    if value != value.strip(_BLANKS):
        raise value_error("an id must not begin or end with a blank")
    if has_break(value):
        raise value_error("an id must not have a line break")
    return _check_text(value)


def _text(most: int, description: str | None = None, *, least: int = 1) -> Any:
    return Field(
        min_length=least, max_length=most, description=description, json_schema_extra=_NO_NUL
    )


Body = Annotated[str, AfterValidator(_check_visible)]
Line = Annotated[str, AfterValidator(_check_line)]
Id = Annotated[str, AfterValidator(_check_id)]
_ID_PATTERN: dict[str, Any] = {
    "pattern": rf"^[^\u0000 \t{BREAKS}]([^\u0000{BREAKS}]*[^\u0000 \t{BREAKS}])?$"
}
_LINE_PATTERN: dict[str, Any] = {"pattern": TITLE_PATTERN}


class _Input(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Kind(_Input):
    """One kind of content, which `type` names."""

    @abstractmethod
    def to_content(self) -> Content:
        """Return what is stored and sent."""

    @property
    def file(self) -> FileSource | None:
        """Where the file of the content is."""
        return None

    @property
    def wants_preview(self) -> bool:
        """Whether to show what the content links to."""
        return False


class TextInput(_Kind):
    """A plain text."""

    type: Literal["text"]
    body: Body = _text(MAX_TEXT, "The text.")
    preview_url: StrictBool = Field(
        default=False,
        description="Show what the first address in the text leads to. It is fetched before the "
        "answer, and only from public addresses.",
    )
    mentions: list[str] = Field(
        default=[],
        max_length=MAX_MENTIONS,
        description="Whom the text names, each as `@` and the digits of their number: phone "
        "numbers or JIDs.",
    )

    @field_validator("mentions")
    @classmethod
    def _check_mentions(cls, mentions: list[str]) -> list[str]:
        return [_read(get_address, mention) for mention in mentions]

    @property
    def wants_preview(self) -> bool:
        return self.preview_url

    def to_content(self) -> Text:
        return Text(self.body, mentions=tuple(self.mentions))


class ButtonInput(BaseModel):
    """One quick-reply button."""

    id: Id = Field(
        min_length=1,
        max_length=MAX_BUTTON_ID,
        description="What comes back when the button is pressed; one line, no blank at either end, "
        "unique within the message.",
        json_schema_extra=_ID_PATTERN,
    )
    title: Line = Field(
        min_length=1,
        max_length=MAX_BUTTON_TITLE,
        description="What the button shows: one line, not blank, unique within the message.",
        json_schema_extra=_LINE_PATTERN,
    )

    def to_button(self) -> Button:
        return Button(self.id, self.title)


class ContentButtonInput(ButtonInput):
    """One quick-reply button."""

    model_config = ConfigDict(extra="forbid")


class ButtonsInput(_Kind):
    """A text with one to three quick-reply buttons."""

    type: Literal["buttons"]
    body: Body = _text(MAX_BUTTONS_BODY, "The text.")
    buttons: list[ContentButtonInput] = Field(
        min_length=1,
        max_length=MAX_BUTTONS,
        description="Their ids and their titles must be unique within the message.",
    )
    header: Annotated[str, _text(MAX_HEADER), AfterValidator(_check_text)] | None = Field(
        default=None, description="A line shown above the text."
    )
    footer: Annotated[str, _text(MAX_FOOTER, least=0), AfterValidator(_check_text)] | None = Field(
        default=None, description="A line shown below the buttons."
    )

    @model_validator(mode="after")
    def _check_unique(self) -> Self:
        require_unique(self.buttons, "buttons")
        return self

    def to_content(self) -> Buttons:
        buttons = tuple(button.to_button() for button in self.buttons)
        return Buttons(self.body, buttons, self.footer, self.header)


class RowInput(_Input):
    """A row of a list."""

    id: Id = Field(
        min_length=1,
        max_length=MAX_ROW_ID,
        description="What comes back when the row is chosen; unique within the message.",
        json_schema_extra=_ID_PATTERN,
    )
    title: Line = Field(
        min_length=1,
        max_length=MAX_ROW_TITLE,
        description="What the row shows, unique within the message.",
        json_schema_extra=_LINE_PATTERN,
    )
    description: Annotated[str, _text(MAX_ROW_DESCRIPTION), AfterValidator(_check_text)] | None = (
        Field(default=None, description="A line below the title.")
    )


class SectionInput(_Input):
    """Rows of a list that belong together."""

    title: Annotated[str, Field(max_length=MAX_ROW_TITLE), AfterValidator(_check_line)] | None = (
        Field(default=None, description="Needed where there are several sections.")
    )
    rows: list[RowInput] = Field(min_length=1, max_length=MAX_ROWS)


class ListInput(_Kind):
    """A text with a button that opens a list to choose one row from."""

    type: Literal["list"]
    body: Body = _text(MAX_BUTTONS_BODY, "The text.")
    button: Line = Field(
        min_length=1,
        max_length=MAX_BUTTON_TITLE,
        description="The title of the button that opens the list.",
        json_schema_extra=_LINE_PATTERN,
    )
    sections: list[SectionInput] = Field(
        min_length=1,
        max_length=MAX_ROWS,
        description=f"With at most {MAX_ROWS} rows in all.",
    )
    footer: Annotated[str, _text(MAX_FOOTER, least=0), AfterValidator(_check_text)] | None = Field(
        default=None, description="A line shown below the text."
    )

    @model_validator(mode="after")
    def _check_rows(self) -> Self:
        rows = [row for section in self.sections for row in section.rows]
        if len(rows) > MAX_ROWS:
            raise value_error("a list has at most {most} rows in all", {"most": MAX_ROWS})
        require_unique(rows, "rows")
        if len(self.sections) > 1 and any(section.title is None for section in self.sections):
            raise value_error("each of several sections needs a title")
        return self

    def to_content(self) -> ListMessage:
        sections = tuple(
            Section(
                tuple(Row(row.id, row.title, row.description) for row in section.rows),
                section.title,
            )
            for section in self.sections
        )
        return ListMessage(self.body, self.button, sections, self.footer)


def require_unique(choices: Iterable[ButtonInput | RowInput], what: str) -> None:
    """Raise the error of choices of which two have the same id or title."""
    named = list(choices)
    for field in ("id", "title"):
        if len({getattr(choice, field) for choice in named}) < len(named):
            raise value_error("two {what} have the same {field}", {"what": what, "field": field})


class FileInput(_Kind):
    """A file: one that was uploaded, or one to fetch."""

    kind: ClassVar[type[Media]]

    media_id: UUID | None = Field(default=None, description="Of a file that was uploaded.")
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
        description="What the file is called there, under the same rules as at its upload; "
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

    def to_content(self) -> Content:
        """Return the content without what only the file says: its type and size."""
        return self.kind("", file_name=self.file_name)  # type: ignore[return-value]  # one of them


class _CaptionedInput(FileInput):
    caption: Annotated[str, _text(MAX_CAPTION, least=0), AfterValidator(_check_text)] | None = (
        Field(default=None, description="A text below it.")
    )

    def to_content(self) -> Content:
        return msgspec.structs.replace(super().to_content(), caption=self.caption or "")


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
    voice: StrictBool = Field(default=False, description="Show it as spoken into the phone.")

    def to_content(self) -> Content:
        return msgspec.structs.replace(super().to_content(), voice=self.voice)


class DocumentInput(_CaptionedInput):
    """Any file."""

    kind = Document
    type: Literal["document"]


class StickerInput(FileInput):
    """A sticker: a small picture without a frame."""

    kind = Sticker
    type: Literal["sticker"]


class LocationInput(_Kind):
    """A place."""

    type: Literal["location"]
    latitude: StrictFloat = Field(ge=-90, le=90, allow_inf_nan=False, description="Degrees north.")
    longitude: StrictFloat = Field(
        ge=-180, le=180, allow_inf_nan=False, description="Degrees east."
    )
    name: (
        Annotated[
            str,
            Field(max_length=MAX_PLACE, json_schema_extra={"pattern": f"^$|{TITLE_PATTERN}"}),
            AfterValidator(_check_words),
        ]
        | None
    ) = None
    address: Annotated[str, _text(MAX_PLACE, least=0), AfterValidator(_check_text)] | None = None

    def to_content(self) -> Location:
        return Location(self.latitude, self.longitude, self.name or "", self.address or "")


class ContactInput(_Kind):
    """Somebody's card: their phone numbers, or a whole vCard."""

    type: Literal["contact"]
    name: Line = Field(min_length=1, max_length=MAX_CAPTION, json_schema_extra=_LINE_PATTERN)
    phones: list[str] | None = Field(
        default=None, min_length=1, max_length=MAX_CARD_PHONES, description="Phone numbers."
    )
    vcard: Annotated[str, _text(MAX_CARD), AfterValidator(_check_text)] | None = Field(
        default=None, description="A vCard (RFC 2426 or 6350), instead of `phones`."
    )

    @field_validator("phones")
    @classmethod
    def _check_phones(cls, phones: list[str] | None) -> list[str] | None:
        if phones is None:
            return None
        return [_read(get_phone_number, phone) for phone in phones]

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if (self.phones is None) == (self.vcard is None):
            raise value_error("exactly one of phones and vcard is needed")
        if self.vcard is not None:
            self.vcard = self.vcard.lstrip("\ufeff")
            if not self.vcard.lstrip().upper().startswith("BEGIN:VCARD"):
                raise value_error("a vCard begins with BEGIN:VCARD")
            if len(self.vcard.encode()) > MAX_CARD:
                raise value_error("a vCard has at most {most} bytes", {"most": MAX_CARD})
        return self

    def to_content(self) -> ContactCard:
        return ContactCard(self.name, self.vcard or write_card(self.name, self.phones or ()))


class PollInput(_Kind):
    """A question with two to twelve answers."""

    type: Literal["poll"]
    question: Body = _text(MAX_QUESTION, "The question.")
    options: list[
        Annotated[str, Field(min_length=1, max_length=MAX_OPTION), AfterValidator(_check_line)]
    ] = Field(min_length=2, max_length=MAX_OPTIONS, description="The answers, all different.")
    max_choices: Integer = Field(
        default=1, ge=1, le=MAX_OPTIONS, description="Maximum number of choices per person."
    )

    @model_validator(mode="after")
    def _check_options(self) -> Self:
        if len(set(self.options)) < len(self.options):
            raise value_error("two options are the same")
        if self.max_choices > len(self.options):
            raise value_error("there are fewer options than max_choices")
        return self

    def to_content(self) -> Poll:
        return Poll(self.question, tuple(self.options), self.max_choices)


AnyInput: TypeAlias = (
    TextInput
    | ButtonsInput
    | ListInput
    | ImageInput
    | VideoInput
    | AudioInput
    | DocumentInput
    | StickerInput
    | LocationInput
    | ContactInput
    | PollInput
)
ContentInput = TypeAliasType(
    "ContentInput",
    Annotated[
        AnyInput,
        Field(discriminator="type", description="What a message is to say, told apart by `type`."),
    ],
)
"""A union with a name, which generators of clients give to their type."""

_input: TypeAdapter[AnyInput] = TypeAdapter(ContentInput)


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
    "string_too_long": "It may have {max_length} characters.",
    "too_short": "There must be at least {min_length} of them.",
    "too_long": "There may be {max_length} of them.",
}


def _sentence(problem: ErrorDetails) -> str:
    """Return pydantic's words as a sentence for a person."""
    known = _SENTENCES.get(problem["type"])
    if known is not None:
        return known.format(**problem.get("ctx", {}))
    said = problem["msg"].removeprefix("Value error, ")
    return f"{said[:1].upper()}{said[1:].rstrip('.')}."
