"""Pages of lists that grow: a cursor says where the next one begins, so that no page costs more
than the first; and those of searches, which end in time.

A cursor is a struct in JSON, in base64 for URLs. What it holds is the list's own affair, and a
client's to send back unchanged; it grants nothing, since every statement names its tenant.
"""

import base64
import binascii
from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import msgspec

from heliograph.core.tenants.model import Tenant
from heliograph.errors import InvalidInputError
from heliograph.platform.database.pool import (
    SEARCH_TIMEOUT,
    Connection,
    Database,
    SlowSearchError,
)

C = TypeVar("C", bound=msgspec.Struct)

MAX_CURSOR = 512
"""Characters; ours are shorter."""


def encode_cursor(position: msgspec.Struct) -> str:
    """Return the position in a form for URLs, which `decode_cursor` reads back."""
    return base64.urlsafe_b64encode(msgspec.json.encode(position)).decode("ascii").rstrip("=")


def decode_cursor(text: str, of: type[C], name: str = "cursor", place: str = "query") -> C:
    """Read a cursor of this kind. `name` is the query parameter's, unless `place` says otherwise.
    Raises `InvalidInputError` for anything else."""
    try:
        if len(text) > MAX_CURSOR or not text.isascii():
            raise ValueError
        padded = text + "=" * (-len(text) % 4)
        return msgspec.json.decode(base64.b64decode(padded, altchars=b"-_", validate=True), type=of)
    except (ValueError, binascii.Error, msgspec.MsgspecError):
        problem = "This is not a position in this list: send `next_cursor` of the previous page."
        raise InvalidInputError.at((place, name), problem, input=text[:MAX_CURSOR]) from None


class Page(NamedTuple):
    """JSON-ready records, and the cursor of the next page; None on the last one."""

    records: "list[Any]"
    next_cursor: str | None


P = ParamSpec("P")
T = TypeVar("T")

TOO_SLOW = (
    f"This search took longer than {SEARCH_TIMEOUT:g} seconds. Type more of what you are looking "
    "for, or narrow the list with another filter."
)


async def run_search(
    database: Database,
    tenant: Tenant,
    field: str,
    work: Callable[Concatenate[Connection, P], Awaitable[T]],
    *args: P.args,
    **options: P.kwargs,
) -> T:
    """Run what looks for the text in this field of the query, as `Database.search` does.

    Raises `InvalidInputError` when it takes too long, and `TooManyReadsError`.
    """
    try:
        return await database.search(tenant.organization_id, work, *args, **options)
    except SlowSearchError:
        raise InvalidInputError.at(("query", field), TOO_SLOW) from None
