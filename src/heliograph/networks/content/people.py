"""Somebody's card."""

from typing import Annotated, Literal, Self

import msgspec
from pydantic import Field, field_validator, model_validator
from typing_extensions import Doc

from heliograph.networks.addresses import get_phone_number
from heliograph.networks.cards import lines_for_people, list_phones, write_card
from heliograph.networks.content.inputs import (
    MAX_CAPTION,
    KindInput,
    Line,
    PlainText,
    line,
    read_address,
    text,
    value_error,
)
from heliograph.networks.content.kinds import Kind, Unsearched
from heliograph.untrusted import UntrustedText

MAX_CARD = 16 * 1024
MAX_CARD_PHONES = 20
_UNREAD = ("unread",)
"""Stands for phone numbers that have not been read from the card yet."""


class ContactCard(Kind, frozen=True, tag="contact"):
    """Somebody's card. If several came at once, `name`, `phones` and `vcard` contain them all."""

    name: UntrustedText
    vcard: Annotated[
        UntrustedText,
        Unsearched,
        Doc("As the network gave it (version 2.1, RFC 2426 or 6350): untrusted text."),
    ]
    # read from the card once and stored, so that listing messages parses no stranger's card
    phones: Annotated[
        tuple[UntrustedText, ...],
        Unsearched,
        Doc(
            "The phone numbers, each once: `+` and digits where that is clear, else as the card "
            "has it."
        ),
    ] = _UNREAD

    def __post_init__(self) -> None:
        if self.phones == _UNREAD:
            msgspec.structs.force_setattr(self, "phones", tuple(list_phones(self.vcard)))

    @property
    def summary(self) -> str:
        return self.name or ", ".join(self.phones) or "[contact]"

    @property
    def text_parts(self) -> tuple[str, ...]:
        """The name, and the numbers with their labels."""
        return (self.name, lines_for_people(self.vcard))


class ContactInput(KindInput):
    """Somebody's card: their phone numbers, or a whole vCard."""

    type: Literal["contact"]
    name: Line = line(MAX_CAPTION)
    phones: list[str] | None = Field(
        default=None, min_length=1, max_length=MAX_CARD_PHONES, description="Phone numbers."
    )
    vcard: Annotated[str, text(MAX_CARD), PlainText] | None = Field(
        default=None, description="A vCard (RFC 2426 or 6350), instead of `phones`."
    )

    @field_validator("phones")
    @classmethod
    def _check_phones(cls, phones: list[str] | None) -> list[str] | None:
        if phones is None:
            return None
        return [read_address(get_phone_number, phone) for phone in phones]

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
