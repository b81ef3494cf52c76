"""What stands before the protocol: who may speak to the tool server, and how often.

What is refused here is refused by HTTP, before a word of the protocol is read: 403 for a strange
address, 405, 413 by the announced length, 401 for the key, 413 again, 403 for a tool beyond
the key's scopes, 429.
"""

from collections.abc import Mapping, Sequence

import mcp_types as protocol
import msgspec
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.errors import (
    GatewayError,
    MalformedAuthorizationError,
    MethodNotAllowedError,
    MissingApiKeyError,
    UnauthorizedError,
)
from heliograph.faces.api.authentication import Admitted, KeyAuthentication
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.request_body import check_announced, check_encoding
from heliograph.faces.coding_tools import HEADER
from heliograph.faces.mcp.addresses import allowed_addresses
from heliograph.faces.mcp.large_bodies import check_large
from heliograph.faces.mcp.turns import Turns

TURN = "heliograph.turn"


class AuthenticationMiddleware:
    """`scopes` are those that each tool needs. The principal travels on in the ASGI scope, and so
    does the turn that a request has."""

    def __init__(
        self,
        app: ASGIApp,
        services: Services,
        scopes: Mapping[str, Sequence[str]],
    ) -> None:
        self._app = app
        self._authentication = KeyAuthentication(
            self._authenticate, services.rates, self._serve, _refusal
        )
        self._keys = services.keys
        self._addresses = allowed_addresses(services.settings)
        self._scopes = scopes
        self._turns = Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._authentication(scope, receive, send)

    async def _authenticate(self, scope: Scope) -> Principal:
        self._addresses.check(scope)
        if scope["method"] != "POST":  # there are no streams to open and no sessions to delete
            raise MethodNotAllowedError(["POST"])
        check_announced(scope)
        return await self._keys.authenticate_key(_find_key(scope))

    async def _serve(self, scope: Scope, receive: Receive, send: Send, admitted: Admitted) -> None:
        try:
            for needed in self._scopes.get(_called_tool(admitted.body), ()):
                admitted.principal.require(needed)
            admitted.verdict.require()
            check_encoding(scope)
            check_large(admitted.body)
        except GatewayError as error:
            await _refusal(error)(scope, receive, send)
            return
        async with self._turns.take(admitted.principal.organization_id) as turn:
            scope[TURN] = turn
            await self._app(scope, receive, send)


def _find_key(scope: Scope) -> str:
    name = HEADER.encode()
    found = [value for key, value in scope["headers"] if key == name]
    if not found:
        raise MissingApiKeyError(
            f"This request carries no API key: send the header '{HEADER}: <API key>'. An "
            "Authorization header is not read here."
        )
    if len(found) > 1:
        raise MalformedAuthorizationError(f"Send the header '{HEADER}' once, with one API key.")
    return str(found[0].strip(b" \t"), "latin-1")


class _Parameters(msgspec.Struct):
    name: str = ""


class _Request(msgspec.Struct):
    method: str
    params: _Parameters


_decoder = msgspec.json.Decoder(_Request)


def _called_tool(body: bytes) -> str:
    """The tool that a request calls; "" for every other request, and for what is none."""
    try:
        request = _decoder.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return ""
    return request.params.name if request.method == "tools/call" else ""


def _refusal(error: GatewayError) -> Response:
    """The API's answer, and in it an error of the protocol: the SDK for Python shows no other."""
    is_unauthorized = isinstance(error, UnauthorizedError)
    headers = {"WWW-Authenticate": HEADER} if is_unauthorized else error.headers()
    told = error.body()
    envelope = {
        "jsonrpc": "2.0",
        "id": None,  # the request has not been read
        "error": {"code": protocol.INVALID_REQUEST, "message": told["detail"], "data": told},
    }
    return respond(told | envelope, error.status, headers)
