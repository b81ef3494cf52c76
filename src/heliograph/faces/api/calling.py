"""Calls of operations from within the process, on behalf of somebody who has signed in.

A call passes the same handlers as a request with a key, and their scopes; the key's place is taken
by the person. What answers with a secret, takes a file or answers with one is left out.
"""

import asyncio
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import msgspec
import structlog
from starlette.types import ASGIApp, Message, Scope

from heliograph.core.rates.service import NO_LIMIT
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.authentication import PRINCIPAL, READING, VERDICT
from heliograph.faces.api.routers.events import MAX_WAIT
from heliograph.faces.api_calls import ApiCalls, Call, CallAnswer, Operation, Parameter
from heliograph.platform.database.shares import Requester, serving

log = structlog.get_logger()

_SPARE_TIME = 15.0
"""Seconds for an operation besides what it waits for."""
_MAX_ANSWER = 1024 * 1024
"""Bytes; the rest is not kept."""
_LEFT_OUT = frozenset(
    {
        *("createApiKey", "rotateApiKey", "createWebhookSubscription", "rotateWebhookSecret"),
        "getDevicePairing",  # whoever has the code can become the device
        *("uploadMedia", "getMedia"),
    }
)
_HEADERS = ((b"accept", b"application/json"), (b"host", b"heliograph"))


def offer_calls(
    operations: ASGIApp, description: dict[str, Any], *, network_timeout: float
) -> ApiCalls:
    """Offer these operations as `description`, an OpenAPI document, describes them. A call waits up
    to `network_timeout` seconds for a chat network."""
    timeout = max(network_timeout, MAX_WAIT) + _SPARE_TIME

    async def call(principal: Principal, call: Call) -> CallAnswer:
        return await _call(operations, principal, call, timeout)

    return ApiCalls(list(_list_operations(description)), call)


def _list_operations(description: dict[str, Any]) -> Iterator[Operation]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            if operation["operationId"] not in _LEFT_OUT:
                yield _read(method, path, operation, description["components"]["schemas"])


def _read(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> Operation:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    example = content.get("example")
    return Operation(
        id=operation["operationId"],
        group=operation["tags"][0],
        title=operation["summary"],
        description=operation["description"].partition("\n\nRequired scope")[0],
        method=method.upper(),
        path=path,
        scope=operation["x-required-scope"],
        parameters=[
            Parameter(
                each["name"],
                each.get("description", ""),
                each["in"] == "path",
                _list_values(each["schema"], schemas),
            )
            for each in operation.get("parameters", ())
            if each["in"] in ("path", "query")
        ],
        example=None if not content else _indent(example if example is not None else {}),
    )


def _list_values(schema: dict[str, Any], schemas: dict[str, Any]) -> list[str]:
    """List the values of an enumeration, which may be a schema of its own or one of several."""
    if "$ref" in schema:
        return _list_values(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "anyOf" in schema:
        return [value for each in schema["anyOf"] for value in _list_values(each, schemas)]
    return [str(value) for value in schema.get("enum", ())]


def _indent(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


async def _call(
    operations: ASGIApp, principal: Principal, call: Call, timeout: float
) -> CallAnswer:
    body = call.body or b""
    headers = [*_HEADERS, (b"content-length", str(len(body)).encode())]
    if call.body is not None:
        headers.append((b"content-type", b"application/json"))
    if call.idempotency_key is not None:
        headers.append((b"idempotency-key", call.idempotency_key.encode("ascii")))
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": call.method,
        "path": unquote(call.path),
        "raw_path": call.path.encode("ascii"),
        "query_string": call.query.encode("ascii"),
        "root_path": "",
        "headers": headers,
        "client": None,
        "server": None,
        PRINCIPAL: principal,
        VERDICT: NO_LIMIT,  # the request for the page is counted
    }
    exchange = _Exchange(body)
    began = time.monotonic()
    try:
        with serving(Requester(principal.organization_id, call.method in READING)):
            async with asyncio.timeout(timeout):
                await operations(scope, exchange.receive, exchange.send)
    except TimeoutError:
        raise
    except Exception:  # a fault of ours, which is answered, and raised for the log
        if not exchange.status:
            raise
        log.exception("an operation failed")
    seconds = time.monotonic() - began
    return CallAnswer(exchange.status, exchange.headers, bytes(exchange.body), seconds)


class _Exchange:
    """One request and its answer, between the two ends of an ASGI application."""

    def __init__(self, sent: bytes) -> None:
        self._sent: bytes | None = sent
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = bytearray()

    async def receive(self) -> Message:
        if self._sent is None:
            await asyncio.get_running_loop().create_future()  # nobody hangs up
        body, self._sent = self._sent, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in message["headers"]
            }
        elif len(self.body) < _MAX_ANSWER:
            self.body += message.get("body", b"")
