"""What all kinds of content have in common: the members that clients read, and a text.

A kind's struct describes what clients read: its docstring, its members, their types and `Doc`s.
`faces/api/schemas/typed_content.py` makes the API's schema from it, and `members` the values.
"""

from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

import msgspec

from heliograph.untrusted import UntrustedText

ShownAs: TypeAlias = Literal["picture", "video", "audio", "document"]
"""How a page shows a file."""


class Unsearched:
    """Marks a member that holds no text for people, such as an id or an address. Searches skip the
    members of this name, whatever their kind."""


class Button(msgspec.Struct, frozen=True):
    """A choice: a button or a row of a list."""

    id: Annotated[UntrustedText, Unsearched]
    title: UntrustedText


class Choices(NamedTuple):
    """The choices that a message offers, in sections; the title of a section may be empty.

    `most` is how many may be chosen at once.
    """

    sections: tuple[tuple[str, tuple[Button, ...]], ...]
    most: int = 1

    @property
    def all(self) -> tuple[Button, ...]:
        return tuple(choice for _, choices in self.sections for choice in choices)


class Kind(msgspec.Struct, frozen=True, omit_defaults=True):
    """The base of all kinds. A kind overrides what differs."""

    is_sparse: ClassVar[bool] = False
    """Whether clients get no empty optional members; otherwise these are null."""

    text_in: ClassVar[str] = "body"
    """The member that is the message as one text, if one is."""

    shown_as: ClassVar[ShownAs | None] = None
    """How its file is shown, if it has one."""

    @property
    def summary(self) -> str:
        """The message as one text, for records, previews and searches."""
        return str(getattr(self, self.text_in))

    @property
    def header(self) -> str | None:
        """A line above the text, if any."""
        return None

    @property
    def footer(self) -> str | None:
        """A line below the text, if any."""
        return None

    @property
    def members(self) -> dict[str, Any]:
        """The members that clients read besides `type`, JSON-ready; what is not known is null."""
        members: dict[str, Any] = _readable(self)
        if not self.is_sparse:
            return members
        needed = self.__struct_fields__[: -len(self.__struct_defaults__)]
        return {name: said for name, said in members.items() if said or name in needed}

    @property
    def details(self) -> tuple[str, ...]:
        """What it says beyond the text, as lines for networks that show only text."""
        return ()

    @property
    def text_parts(self) -> tuple[str, ...]:
        """Its paragraphs, for networks that show only text. Choices follow the first."""
        return self._paragraphs(self.summary)

    def _paragraphs(self, text: str) -> tuple[str, ...]:
        head = "\n\n".join(part for part in (self.header, text) if part)
        return (head, *self.details, self.footer or "")


def message_type(kind: Kind | type[Kind]) -> str:
    """Return the `message_type` of this content or kind, such as `text` or `button_reply`."""
    return str(kind.__struct_config__.tag)


def is_optional_text(default: object) -> bool:
    """Return whether a member with this default is an optional text, which is null for clients if
    empty."""
    return default == ""


@cache
def _members_of(struct: type[msgspec.Struct]) -> tuple[tuple[str, bool], ...]:
    """Return the names of the members, and whether each is an optional text."""
    return tuple(
        (field.name, is_optional_text(field.default)) for field in msgspec.structs.fields(struct)
    )


def _readable(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return {
            name: (_readable(getattr(value, name)) or None)
            if is_optional
            else _readable(getattr(value, name))
            for name, is_optional in _members_of(type(value))
        }
    return [_readable(each) for each in value] if isinstance(value, tuple) else value
