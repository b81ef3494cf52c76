"""What all kinds of content have in common: as records, as one text, as something to choose from.

What clients read of a kind is described by its struct: the docstring, the members, their types and
`Doc`s. `faces/api/schemas/typed_content.py` makes the API's schema of it, `members` the values.
"""

from functools import cache
from typing import Any, ClassVar, NamedTuple

import msgspec

from heliograph.untrusted import UntrustedText


class Button(msgspec.Struct, frozen=True):
    """A choice: a button or a row of a list."""

    id: UntrustedText
    title: UntrustedText


class Choices(NamedTuple):
    """What a message gives to choose from: sections of choices, with a title where they have one.

    `most` is how many may be chosen at once.
    """

    sections: tuple[tuple[str, tuple[Button, ...]], ...]
    most: int = 1

    @property
    def all(self) -> tuple[Button, ...]:
        return tuple(choice for _, choices in self.sections for choice in choices)


class Kind(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is the same for most kinds; a kind says otherwise where it is not."""

    is_sparse: ClassVar[bool] = False
    """Whether clients read nothing of a member that says nothing. Else it is null."""

    text_in: ClassVar[str] = "body"
    """The member that is the message as one text, where one is."""

    @property
    def summary(self) -> str:
        """The message as one text, for records, previews and searches."""
        return str(getattr(self, self.text_in))

    @property
    def header(self) -> str | None:
        """A line over the text, where the kind has one."""
        return None

    @property
    def footer(self) -> str | None:
        """A line under it."""
        return None

    @property
    def members(self) -> dict[str, Any]:
        """What clients read of it beside its `type`, JSON-ready; what is not known is null."""
        members: dict[str, Any] = _readable(self)
        if not self.is_sparse:
            return members
        needed = self.__struct_fields__[: -len(self.__struct_defaults__)]
        return {name: said for name, said in members.items() if said or name in needed}

    @property
    def details(self) -> tuple[str, ...]:
        """What it says beyond that text, in lines for people whose screen shows only texts."""
        return ()

    @property
    def text_parts(self) -> tuple[str, ...]:
        """Its paragraphs, for a network that has only texts. Choices stand behind the first."""
        head = f"{self.header}\n\n{self.summary}" if self.header else self.summary
        return (head, *self.details, self.footer or "")


def is_optional_text(default: object) -> bool:
    """Whether a member with this default is a text that need not be there: null for clients."""
    return default == ""


@cache
def _members_of(struct: type[msgspec.Struct]) -> tuple[tuple[str, bool], ...]:
    """Return the names of the members, and whether each is a text that need not be there."""
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
