"""Authentication before the protocol: who may use the tool server, how much, and how often.

Requests that fail here get an HTTP error before the protocol reads anything: 403 for an address
that is not allowed, 405, 413 by the announced length, 401 for the key, 413 again, 403 for a tool
beyond the key's scopes, 429, 415, and 400 for what is not a message of the protocol.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Literal
from uuid import UUID

import mcp_types as protocol
import msgspec
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from heliograph import errors
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.faces.address_limits import client_host
from heliograph.faces.api.authentication import Admitted, KeyAuthentication, count_request
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.request_body import (
    check_announced,
    check_content_type,
    check_encoding,
)
from heliograph.faces.coding_tools import HEADER
from heliograph.faces.mcp import batches
from heliograph.faces.mcp.allowed_hosts import allowed_hosts
from heliograph.faces.mcp.envelope import refuse_message, refuse_revision
from heliograph.faces.mcp.refusals import refuse
from heliograph.faces.unavailability import log_unavailable
from heliograph.platform.aio.limits import FairSemaphore

TURN = "heliograph.turn"

MAX_REQUESTS, MAX_OF_ORGANIZATION = 16, 2
"""Requests that a node works on at once, in all and of one organization.

The protocol's library takes a millisecond or more for a request, five for a list of all tools, in
some thirty rounds of the event loop. If all ran concurrently, each round would grow with their
number, for everybody. One event loop does all the work, so making the others wait loses nothing.
"""


class HeldRequest:
    """A place among the requests that are worked on, held while the context lasts."""

    def __init__(self, places: FairSemaphore, organization_id: UUID) -> None:
        self._places = places
        self._organization_id = organization_id
        self._held = AsyncExitStack()

    async def __aenter__(self) -> "HeldRequest":
        await self._held.enter_async_context(self._places.hold(self._organization_id))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._held.aclose()

    @asynccontextmanager
    async def given_up(self) -> AsyncIterator[None]:
        """Give up the place while a tool waits for a network or the database, so that other
        requests of its organization need not wait."""
        await self._held.aclose()
        yield
        await self.__aenter__()


MAX_OTHER_SIZE = 8 * 1024
"""Bytes of anything but a call, and of a call's metadata (`_meta`)."""


class McpAuthenticationMiddleware:
    """Authenticate requests, and give each a turn.

    `scopes` are those that each tool needs. The principal and the turn are put into the ASGI scope.
    """

    def __init__(
        self, app: ASGIApp, services: Services, scopes: Mapping[str, Sequence[str]]
    ) -> None:
        self._app = app
        self._authentication = KeyAuthentication(
            self._authenticate, services.rates, self._serve, _refusal, count=_count
        )
        self._keys = services.keys
        self._allowed_hosts = allowed_hosts(services.settings)
        self._scopes = scopes
        self._places = FairSemaphore(MAX_REQUESTS, MAX_OF_ORGANIZATION)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._authentication(scope, receive, send)

    async def _authenticate(self, scope: Scope) -> Principal:
        self._allowed_hosts.check(scope)
        if scope["method"] != "POST":  # there are no streams to open and no sessions to delete
            raise errors.MethodNotAllowedError(["POST"])
        check_announced(scope)
        return await self._keys.authenticate_key(find_key(scope), client_host(scope))

    async def _serve(self, scope: Scope, receive: Receive, send: Send, admitted: Admitted) -> None:
        _accept_anything(scope)
        refusal = refuse_revision(batches.revisions_of(scope))
        messages = batches.split(scope, admitted.body)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif messages is None:
            await self._serve_message(scope, receive, send, admitted)
        elif why := batches.why_not(messages):
            await refuse(why)(scope, receive, send)
        else:
            await self._serve_batch(messages, scope, receive, send, admitted)

    async def _serve_batch(
        self,
        messages: Sequence[bytes],
        scope: Scope,
        receive: Receive,
        send: Send,
        admitted: Admitted,
    ) -> None:
        async def serve(scope: Scope, receive: Receive, send: Send, message: bytes) -> None:
            await self._serve_message(scope, receive, send, admitted._replace(body=message))

        await batches.serve_each(messages, scope, receive, send, serve)

    async def _serve_message(
        self, scope: Scope, receive: Receive, send: Send, admitted: Admitted
    ) -> None:
        try:
            for needed in self._scopes.get(_called_tool(admitted.body), ()):
                admitted.principal.require(needed)
            admitted.verdict.require()
            check_encoding(scope)
            _check_json(scope)
            check_large(admitted.body)
        except errors.GatewayError as error:
            await _refusal(error, scope)(scope, receive, send)
            return
        if (refusal := refuse_message(admitted.body)) is not None:
            await refusal(scope, receive, send)
            return
        async with HeldRequest(self._places, admitted.principal.organization_id) as turn:
            scope[TURN] = turn
            await self._app(scope, receive, send)


def _accept_anything(scope: Scope) -> None:
    """Let a request that names no types accept any (RFC 9110, 12.5.1)."""
    if not any(name == b"accept" and value.strip() for name, value in scope["headers"]):
        others = [header for header in scope["headers"] if header[0] != b"accept"]
        scope["headers"] = [*others, (b"accept", b"*/*")]


def _check_json(scope: Scope) -> None:
    """Raise `UnsupportedMediaTypeError` for a body that is not declared as JSON; the protocol's
    library does not know JSON's other names."""
    name = b"content-type"
    check_content_type([value.decode("latin-1") for key, value in scope["headers"] if key == name])
    others = [header for header in scope["headers"] if header[0] != name]
    scope["headers"] = [*others, (name, b"application/json")]


def find_key(scope: Scope) -> str:
    name = HEADER.encode()
    found = [value for key, value in scope["headers"] if key == name]
    if not found:
        raise errors.MissingApiKeyError(
            f"This request has no API key: send the header '{HEADER}: <API key>'. An "
            "Authorization header has no effect here."
        )
    if len(found) > 1:
        raise errors.MalformedAuthorizationError(
            f"Send the header '{HEADER}' once, with one API key."
        )
    return str(found[0].strip(b" \t"), "latin-1")


class _Arguments(msgspec.Struct):
    search: object = None


class _Parameters(msgspec.Struct):
    name: str = ""
    arguments: _Arguments | None = None


class _Request(msgspec.Struct):
    method: str
    params: _Parameters


_decoder = msgspec.json.Decoder(_Request)


def _called_tool(body: bytes) -> str:
    """Return the tool that a request calls; "" for any other body."""
    called = _find_call(body)
    return called.name if called else ""


def _count(scope: Scope, body: bytes) -> int:
    """Return how many requests a request counts as: one for each message of a batch."""
    messages = batches.split(scope, body) or [body]
    if batches.why_not(messages):
        messages = [body]
    return count_request(body, sum(map(_is_search, messages)), len(messages))


def _is_search(body: bytes) -> bool:
    called = _find_call(body)
    return called is not None and called.arguments is not None and bool(called.arguments.search)


def _find_call(body: bytes) -> _Parameters | None:
    try:
        request = _decoder.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    return request.params if request.method == "tools/call" else None


def _refusal(error: errors.GatewayError, _: Scope) -> Response:
    """Turn the API's error response into one that also holds an error of the protocol.

    The SDK for Python shows no other.
    """
    log_unavailable(error)
    is_unauthorized = isinstance(error, errors.UnauthorizedError)
    headers = {"WWW-Authenticate": HEADER} if is_unauthorized else error.headers()
    body = error.body()
    envelope = {
        "jsonrpc": "2.0",
        "id": None,  # the request has not been read
        "error": {"code": protocol.INVALID_REQUEST, "message": body["detail"], "data": body},
    }
    return respond(body | envelope, error.status, headers)


class _CallParameters(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: dict[str, msgspec.Raw] = {}
    meta: msgspec.Raw = msgspec.field(name="_meta", default=msgspec.Raw(b"{}"))


class _Call(msgspec.Struct, forbid_unknown_fields=True):
    jsonrpc: Literal["2.0"]
    method: Literal["tools/call"]
    id: int | str
    params: _CallParameters


_call_decoder = msgspec.json.Decoder(_Call)


def check_large(body: bytes) -> None:
    """Raise `BodyTooLargeError` for a large body that is not a call of a tool."""
    # The protocol's library describes a body that it refuses at length, with everything that was
    # sent: 60 ms for 64 KiB. Only the call of a tool is ever large.
    if len(body) <= MAX_OTHER_SIZE:
        return
    try:
        call = _call_decoder.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raise errors.BodyTooLargeError(MAX_OTHER_SIZE) from None
    if len(bytes(call.params.meta)) > MAX_OTHER_SIZE:
        raise errors.BodyTooLargeError(MAX_OTHER_SIZE)
