"""The inputs of all kinds that can be sent: the rules for their texts, lines and ids.

A kind's input stands beside its struct. The API, the tool server and the dashboard validate with
it, and `to_content` makes what is stored and handed to the driver. The limits are those of Meta's
Cloud API, which users of every network know.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, LiteralString, TypeVar
from uuid import UUID

import msgspec
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from heliograph.networks.phone_numbers import PhoneNumberError
from heliograph.platform.characters import shows_something
from heliograph.platform.lines import BREAKS, TITLE_PATTERN, has_break, has_title

if TYPE_CHECKING:
    from heliograph.networks.content import Content

S = TypeVar("S", bound=msgspec.Struct)

MAX_INTERACTIVE_BODY = 1024
MAX_HEADER = 60
MAX_FOOTER = 60
MAX_BUTTON_TITLE = 20
MAX_CAPTION = 1024
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


def check_line(value: str) -> str:
    if has_break(value):
        raise value_error("it must be one line")
    if not has_title(value):
        raise value_error("it must not be blank")
    return _check_text(value)


def _check_id(value: str) -> str:
    if value != value.strip(_BLANKS):
        raise value_error("an id must not begin or end with a blank")
    if has_break(value):
        raise value_error("an id must not have a line break")
    return _check_text(value)


def read_address(reader: Callable[[str], str], text: str) -> str:
    """Read a text with a reader of `networks.addresses`, whose error becomes a `value_error`."""
    try:
        return reader(text)
    except PhoneNumberError as error:
        raise value_error("{reason}", {"reason": error.reason}) from error


def text(most: int, description: str | None = None, *, least: int = 1) -> Any:
    return Field(
        min_length=least, max_length=most, description=description, json_schema_extra=_NO_NUL
    )


def line(most: int, description: str | None = None) -> Any:
    return Field(
        min_length=1,
        max_length=most,
        description=description,
        json_schema_extra={"pattern": TITLE_PATTERN},
    )


def id_of(most: int, description: str) -> Any:
    pattern = rf"^[^\u0000 \t{BREAKS}]([^\u0000{BREAKS}]*[^\u0000 \t{BREAKS}])?$"
    return Field(
        min_length=1,
        max_length=most,
        description=description,
        json_schema_extra={"pattern": pattern},
    )


PlainText = AfterValidator(_check_text)
Body = Annotated[str, AfterValidator(_check_visible)]
Line = Annotated[str, AfterValidator(check_line)]
Id = Annotated[str, AfterValidator(_check_id)]
Header = Annotated[str, text(MAX_HEADER), PlainText]
Footer = Annotated[str, text(MAX_FOOTER, least=0), PlainText]
Caption = Annotated[str, text(MAX_CAPTION, least=0), PlainText]


class FileSource(msgspec.Struct, frozen=True):
    """Where the file is: `media_id` of an upload, or the `url` to fetch it from."""

    media_id: UUID | None = None
    url: str | None = None


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid")


class KindInput(Input):
    """One kind of content, which `type` names."""

    @abstractmethod
    def to_content(self) -> "Content":
        """Return what is stored and sent."""

    def _as(self, struct: type[S], **known: object) -> S:
        """Make this struct of the members of the same names; null ones get their default."""
        return msgspec.convert(self.model_dump(exclude_none=True) | known, struct)

    @property
    def file(self) -> FileSource | None:
        """Where the file of the content is."""
        return None

    @property
    def wants_preview(self) -> bool:
        """Whether to show what the content links to."""
        return False
