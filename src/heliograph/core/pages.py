"""Pages of lists that grow: a cursor says where the next one begins, so that no page costs more
than the first.

A cursor is a struct in JSON, in base64 for URLs. What it holds is the list's own affair, and a
client's to send back unchanged; it grants nothing, since every statement names its tenant.
"""

import base64
import binascii
from typing import Any, NamedTuple, TypeVar

import msgspec

from heliograph.errors import InvalidInputError

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
        problem = "This is no position in this list: send `next_cursor` as the page before gave it."
        raise InvalidInputError.at((place, name), problem, input=text[:MAX_CURSOR]) from None


class Page(NamedTuple):
    """JSON-ready records, and the cursor of the next page; None on the last one."""

    records: "list[Any]"
    next_cursor: str | None
