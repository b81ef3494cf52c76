"""Locations, and requests for somebody's location."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictFloat
from typing_extensions import Doc

from heliograph.networks.content.inputs import (
    MAX_INTERACTIVE_BODY,
    Body,
    KindInput,
    PlainText,
    check_line,
    text,
)
from heliograph.networks.content.kinds import Kind
from heliograph.platform.lines import TITLE_PATTERN
from heliograph.untrusted import UntrustedText

MAX_PLACE = 1000


class Location(Kind, frozen=True, tag="location"):
    """A place."""

    # finite, and on the globe
    latitude: Annotated[float, Doc("Degrees north.")]
    longitude: Annotated[float, Doc("Degrees east.")]
    name: UntrustedText = ""
    address: UntrustedText = ""

    @property
    def summary(self) -> str:
        place = f"{self.latitude:.6f}, {self.longitude:.6f}"
        words = ", ".join(word for word in (self.name, self.address) if word)
        return f"{words} ({place})" if words else place

    @property
    def text_parts(self) -> tuple[str, ...]:
        """Its words, and a URI with which programs open a map (RFC 5870)."""
        words = "\n".join(word for word in (self.name, self.address) if word)
        return (words, f"geo:{self.latitude:.6f},{self.longitude:.6f}")


class LocationRequest(Kind, frozen=True, tag="location_request"):
    """A request for somebody's location, with a button that answers with a `location`."""

    body: UntrustedText

    @property
    def details(self) -> tuple[str, ...]:
        return ("Please send your location.",)


def is_on_globe(latitude: float, longitude: float) -> bool:
    """Return whether these coordinates are on the globe; NaN is not."""
    return abs(latitude) <= 90 and abs(longitude) <= 180


# --- inputs ---


def _check_words(value: str) -> str:
    """Check a line, which may be empty."""
    return check_line(value) if value else value


class LocationInput(KindInput):
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
    address: Annotated[str, text(MAX_PLACE, least=0), PlainText] | None = None

    def to_content(self) -> Location:
        return self._as(Location)


class LocationRequestInput(KindInput):
    """A request for somebody's location, with a button that answers with a `location`."""

    type: Literal["location_request"]
    body: Body = text(MAX_INTERACTIVE_BODY, "The text.")

    def to_content(self) -> LocationRequest:
        return self._as(LocationRequest)
