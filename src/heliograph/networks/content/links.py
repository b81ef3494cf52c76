"""Buttons that open a page."""

from typing import Annotated, Literal

from pydantic import Field, HttpUrl, UrlConstraints
from typing_extensions import Doc

from heliograph.networks.content.inputs import (
    MAX_BUTTON_TITLE,
    MAX_INTERACTIVE_BODY,
    MAX_URL,
    Body,
    Footer,
    Header,
    KindInput,
    Line,
    line,
    text,
)
from heliograph.networks.content.kinds import Kind, Unsearched
from heliograph.untrusted import UntrustedText


class LinkButton(Kind, frozen=True, tag="link_button"):
    """A text with a button that opens a page."""

    body: UntrustedText
    title: Annotated[UntrustedText, Doc("The button's label.")]
    url: Annotated[UntrustedText, Unsearched, Doc("The page's address.")]
    header: UntrustedText | None = None
    footer: UntrustedText | None = None

    @property
    def details(self) -> tuple[str, ...]:
        return (f"{self.title}: {self.url}",)


class LinkButtonInput(KindInput):
    """A text with a button that opens a page."""

    type: Literal["link_button"]
    body: Body = text(MAX_INTERACTIVE_BODY, "The text.")
    title: Line = line(MAX_BUTTON_TITLE, "The button's label: one line, not blank.")
    url: Annotated[HttpUrl, UrlConstraints(max_length=MAX_URL, allowed_schemes=["https"])] = Field(
        description="The page's address: `https`."
    )
    header: Header | None = Field(default=None, description="A line shown above the text.")
    footer: Footer | None = Field(default=None, description="A line shown below the text.")

    def to_content(self) -> LinkButton:
        return self._as(LinkButton, url=str(self.url))
