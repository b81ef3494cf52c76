"""Plain texts."""

from typing import Annotated, Literal

import msgspec
from pydantic import Field, StrictBool, field_validator
from typing_extensions import Doc

from heliograph.networks.addresses import get_address
from heliograph.networks.content.inputs import Body, KindInput, read_address, text
from heliograph.networks.content.kinds import Kind, Unsearched
from heliograph.untrusted import UntrustedText

MAX_TEXT = 4096
MAX_MENTIONS = 100


class LinkPreview(msgspec.Struct, frozen=True):
    """A page's description of itself."""

    url: Annotated[UntrustedText, Unsearched]
    title: UntrustedText
    description: UntrustedText


class Text(Kind, frozen=True, tag="text"):
    """A plain text."""

    is_sparse = True

    body: UntrustedText
    mentions: Annotated[
        # each stands in the text as `@` and its user part
        tuple[UntrustedText, ...],
        Doc("The network's identifiers of the people mentioned in the text."),
    ] = ()
    preview: LinkPreview | None = None


NOTHING = Text("")
"""The content of a message whose content was not kept."""


class TextInput(KindInput):
    """A plain text."""

    type: Literal["text"]
    body: Body = text(MAX_TEXT, "The text.")
    preview_url: StrictBool = Field(
        default=False,
        description="Show a preview of the first link in the text. It is fetched before the "
        "request is answered, and only from public addresses.",
    )
    mentions: list[str] = Field(
        default=[],
        max_length=MAX_MENTIONS,
        description="The people mentioned in the text, each there as `@` and the digits of their "
        "number: phone numbers or JIDs.",
    )

    @field_validator("mentions")
    @classmethod
    def _check_mentions(cls, mentions: list[str]) -> list[str]:
        return [read_address(get_address, mention) for mention in mentions]

    @property
    def wants_preview(self) -> bool:
        return self.preview_url

    def to_content(self) -> Text:
        return self._as(Text)
