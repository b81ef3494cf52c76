"""A large body is the call of a tool and nothing else: what else the protocol knows is short.

What the protocol's library does not take, it describes at length, with all that was sent, in one
piece: 60 ms for 64 KiB. So it is given no more than it needs to see.
"""

from typing import Literal

import msgspec

from heliograph.errors import BodyTooLargeError

LARGEST_OTHER = 8 * 1024
"""Bytes of what is no call, and of what a call says about itself (`_meta`)."""


class _Parameters(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: dict[str, msgspec.Raw] = {}
    meta: msgspec.Raw = msgspec.field(name="_meta", default=msgspec.Raw(b"{}"))


class _Call(msgspec.Struct, forbid_unknown_fields=True):
    jsonrpc: Literal["2.0"]
    method: Literal["tools/call"]
    id: int | str
    params: _Parameters


_decoder = msgspec.json.Decoder(_Call)


def check_large(body: bytes) -> None:
    """Raise `BodyTooLargeError` for a large body that is no call of a tool."""
    if len(body) <= LARGEST_OTHER:
        return
    try:
        call = _decoder.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raise BodyTooLargeError(LARGEST_OTHER) from None
    if len(bytes(call.params.meta)) > LARGEST_OTHER:
        raise BodyTooLargeError(LARGEST_OTHER)
