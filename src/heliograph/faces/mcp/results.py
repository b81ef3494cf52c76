"""What a call ends with, as the protocol has it: a result, or an error that a model can act on.

The text is JSON in either case. An error has no structured content: clients hold that against the
tool's output schema, which an error does not fit, and some then drop the whole answer.
"""

from collections.abc import Iterable
from typing import Any

import mcp_types as protocol
import msgspec
from pydantic import ValidationError

from heliograph.core.idempotency.service import Answer
from heliograph.errors import GatewayError, InvalidInputError
from heliograph.faces.mcp.advice import advise
from heliograph.faces.mcp.tool import Tool
from heliograph.faces.mcp.untrusted import MEMBER, mark_untrusted
from heliograph.networks.errors import NetworkError

_encoder = msgspec.json.Encoder()
_REPEATS_THE_NETWORK = {"network_error", "network_refused", "refused_for_good"}


def success(tool: Tool, value: object) -> protocol.CallToolResult:
    """The value as the tool's output schema has it, once as data and once as text."""
    if isinstance(value, Answer):
        if value.status >= 400:
            return _error(_with_next_step(msgspec.json.decode(value.body)))
        encoded = value.body
    else:
        encoded = _encoder.encode(value)
    result: dict[str, Any] = msgspec.json.decode(encoded)
    if tool.untrusted:
        result = mark_untrusted(result, tool.untrusted)
        encoded = _encoder.encode(result)
    return protocol.CallToolResult(
        content=[protocol.TextContent(text=encoded.decode())], structured_content=result
    )


def failure(error: Exception, request_id: str) -> protocol.CallToolResult:
    """What went wrong, with which value, and what to do next."""
    return _error(describe_error(error, request_id))


def describe_error(error: Exception, request_id: str) -> dict[str, Any]:
    """`detail`, `code` and `next_step`, and what else the API's error has."""
    body = msgspec.to_builtins(_body(error, request_id))
    return _with_next_step(body)


def _body(error: Exception, request_id: str) -> dict[str, Any]:
    match error:
        case GatewayError():
            return error.body()
        case InvalidInputError():
            return _invalid(
                _problem(_argument(problem.loc), problem.msg) for problem in error.problems
            )
        case ValidationError():
            return _invalid(_problem(each["loc"], each["msg"]) for each in error.errors())
        case NetworkError():
            return {"detail": error.reason, "code": "network_error"}
        case _:
            detail = "Something went wrong inside the gateway."
            return {"detail": detail, "code": "internal_error", "request_id": request_id}


def _invalid(problems: Iterable[str]) -> dict[str, Any]:
    return {"detail": " ".join(problems), "code": "invalid_input"}


def _argument(loc: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The way to a value as the tool takes it, from where the API's request has it."""
    match loc:
        case ("header", str() as name):
            return (name.lower().replace("-", "_"),)
        case ("body" | "query" | "path", _, *_):
            return loc[1:]
        case _:
            return loc


def _problem(loc: tuple[str | int, ...], message: str) -> str:
    """`buttons.0.title: String should have at most 20 characters.`"""
    way = ".".join(str(step) for step in loc)
    text = message.removeprefix("Value error, ").rstrip(".") + "."
    return f"{way}: {text}" if way else text


def _with_next_step(body: dict[str, Any]) -> dict[str, Any]:
    code = body["code"]
    described = body | {"next_step": advise(code)}
    return {MEMBER: ["/detail"], **described} if code in _REPEATS_THE_NETWORK else described


def _error(described: dict[str, Any]) -> protocol.CallToolResult:
    text = _encoder.encode(described).decode()
    return protocol.CallToolResult(content=[protocol.TextContent(text=text)], is_error=True)
