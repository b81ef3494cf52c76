"""Kinds of fields that several bodies have."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)

from heliograph.core.pages import MAX_CURSOR
from heliograph.networks.addresses import get_address
from heliograph.networks.content.inputs import PlainText, read_address, value_error

NO_NUL: dict[str, Any] = {"pattern": r"^[^\u0000]*$"}
"""What a description adds to a free text: strict_json refuses NUL characters everywhere."""

MAX_OFFSET = 2**63 - 1
"""PostgreSQL counts rows in 64 bits."""

ADDRESS_RULE = (
    "a phone number with its country code, as people write it (5 to 15 digits, `+` or `00` "
    "optional; spaces, dots, dashes, slashes and brackets are dropped), or a JID"
)


def _check_address(value: str) -> str:
    read_address(get_address, value)
    return value


Address = Annotated[str, AfterValidator(_check_address)]


def with_example(example: dict[str, Any]) -> ConfigDict:
    """Return the configuration of a model whose description shows this example."""
    return ConfigDict(json_schema_extra={"examples": [example]})


def example_of(model: Any) -> dict[str, Any]:
    """Return the example that `with_example` gave the model; to be read and left as it is."""
    example: dict[str, Any] = model.model_config["json_schema_extra"]["examples"][0]
    return example


class StrictBody(BaseModel):
    """A body of which every member must be known: a typo in `scheduled_for` must not send at once.

    The ten operations of version 1.0 ignore what they don't know; all others have such a body.
    """

    model_config = ConfigDict(extra="forbid")


UNCHANGED: Any = None
"""The default of what a PATCH may leave out: it stays as it is, so no value is described for it."""


SearchText = Annotated[str, PlainText, WithJsonSchema({"type": "string"} | NO_NUL)]

NEXT_CURSOR = "The `cursor` of the next page; null on the last one."

Limit = Annotated[int, Query(ge=1, le=100, description="Maximum number of entries.")]
Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET, description="Number of entries to skip.")]
Cursor = Annotated[
    Annotated[
        str,
        Field(max_length=MAX_CURSOR, json_schema_extra=NO_NUL),
        PlainText,
    ]
    | None,
    Query(
        description="Where to continue: the `next_cursor` of the previous page. Without it, the "
        "newest entries.",
    ),
]


def _check_form_of_time(value: object) -> object:
    # pydantic also takes a number, as the seconds or milliseconds since 1970
    if not isinstance(value, datetime) and not (isinstance(value, str) and _DATE.match(value)):
        raise value_error("this is not a time such as 2026-03-01T09:00:00Z")
    if isinstance(value, str) and _LOST_PLUS.fullmatch(value):
        raise value_error(
            "there is a space before the zone: in an address, write + as %2B, or end the time "
            "with Z"
        )
    return value


_DATE = re.compile(r"\d{4}-\d\d-\d\d[Tt ]", re.ASCII)
_LOST_PLUS = re.compile(r".*:\d\d(\.\d+)? \d\d:?\d\d", re.ASCII)
"""A + in a query stands for a space."""


def _within_utc(value: datetime) -> datetime:
    try:
        value.astimezone(UTC)
    except OverflowError:  # in UTC it is in the year 0 or 10000, which nothing can store
        return value.replace(tzinfo=UTC)
    return value


Time = Annotated[AwareDatetime, BeforeValidator(_check_form_of_time), AfterValidator(_within_utc)]
"""A time in ISO 8601 with its zone; outside the years of UTC, it is read as if it were in UTC."""
