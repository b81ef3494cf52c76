"""Refusals of anything that is not a message of the protocol, in the protocol's own form."""

from typing import Any

import mcp_types as protocol

from heliograph.faces.api.encoding import JSONBytes, respond


def is_id(value: object) -> bool:
    """Return whether a request of the protocol may have this as its id."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def refuse(
    why: str,
    message_id: object = None,
    *,
    code: int = protocol.INVALID_REQUEST,
    **data: Any,
) -> JSONBytes:
    """Return the answer to the message with this id, if that is one."""
    error = {"code": code, "message": why} | ({"data": data} if data else {})
    told_id = message_id if is_id(message_id) else None
    return respond({"jsonrpc": "2.0", "id": told_id, "error": error}, 400)
