"""What stands before everything that needs an API key: the key, then the body, then the rate.

So nobody's body is read who has no key. Those who are not let in are counted by their address.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from heliograph.core.rates.service import RateLimiter, Verdict
from heliograph.core.tenants.model import Principal
from heliograph.errors import BodyTooLargeError, GatewayError, UnavailableError
from heliograph.faces.api.address_limits import answer_stranger
from heliograph.faces.api.encoding import respond_error
from heliograph.faces.api.request_body import MAX_BODY, count_as, read_body, replay

PRINCIPAL = "heliograph.principal"
VERDICT = "heliograph.verdict"


class Admitted(NamedTuple):
    """A request whose key is known: its body, empty where it has none, and what its rate is."""

    principal: Principal
    verdict: Verdict
    body: bytes


Authenticate: TypeAlias = Callable[[Scope], Awaitable[Principal]]
Serve: TypeAlias = Callable[[Scope, Receive, Send, Admitted], Awaitable[None]]
Refuse: TypeAlias = Callable[[GatewayError], Response]


class KeyAuthentication:
    """Hands the requests that `authenticate` knows to `serve`, which decides 403 and 429.

    `authenticate` raises `GatewayError`; `refuse` makes an answer of it. The principal and the
    rate's verdict travel on in the scope; the body is there to be received once more.
    """

    def __init__(
        self,
        authenticate: Authenticate,
        limiter: RateLimiter,
        serve: Serve,
        refuse: Refuse = respond_error,
    ) -> None:
        self._authenticate = authenticate
        self._limiter = limiter
        self._serve = serve
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            principal = await self._authenticate(scope)
        except UnavailableError as error:
            await self._refuse(error)(scope, receive, send)
            return
        except GatewayError as error:
            await answer_stranger(self._limiter, self._refuse(error), scope, receive, send)
            return
        try:
            body = await read_body(scope, receive)
        except BodyTooLargeError as error:
            await self._limiter.hit(principal, count_as(MAX_BODY))
            await self._refuse(error)(scope, receive, send)
            return
        except ClientDisconnect:
            return
        if body is not None:
            receive = replay(body, receive)
        await self._admit(scope, receive, send, principal, body or b"")

    async def _admit(
        self, scope: Scope, receive: Receive, send: Send, principal: Principal, body: bytes
    ) -> None:
        verdict = await self._limiter.hit(principal, count_as(len(body)))
        scope[PRINCIPAL] = principal
        scope[VERDICT] = verdict
        send = _with_rate_headers(send, verdict)
        await self._serve(scope, receive, send, Admitted(principal, verdict, body))


def _with_rate_headers(send: Send, verdict: Verdict) -> Send:
    async def send_with_rate(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *verdict.headers()]
        await send(message)

    return send_with_rate
