"""Request logging, the outermost ASGI middleware: each request's id, metrics and log line.

Being the outermost, it also adds the headers that no response may lack.
"""

import re
from asyncio import CancelledError
from contextlib import nullcontext
from time import perf_counter

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars, reset_contextvars
from uuid_utils import uuid4

from heliograph.errors import StoppingError
from heliograph.faces.api.authentication import PRINCIPAL
from heliograph.faces.api.encoding import SAFE_HEADERS, respond, respond_error
from heliograph.platform.telemetry.metrics import REQUESTS_IN_FLIGHT, observe_request

REQUEST_ID = "heliograph.request_id"

_REQUEST_ID = re.compile(rb"[!-~]{1,128}")
_CLIENT_LEFT = 499  # nginx's status for a client that did not wait for its answer

log = structlog.get_logger()


def _log_and_count(scope: Scope, status: int, seconds: float) -> None:
    route = scope.get("route")
    observe_request(getattr(route, "path", "none"), scope["method"], status, seconds)
    principal = scope.get(PRINCIPAL)
    organization = None if principal is None else principal.organization_id
    log.info(
        "request",
        method=scope["method"],
        path=scope["path"],
        status=status,
        duration_ms=round(seconds * 1000, 2),
        organization=organization,
    )


def _log_quietly(scope: Scope, status: int, seconds: float) -> None:
    log.debug(
        "request",
        method=scope["method"],
        path=scope["path"],
        status=status,
        duration_ms=round(seconds * 1000, 2),
    )


class RequestIdMiddleware:
    """Give each request an id: the caller's X-Request-Id if it is valid, else a new one.

    The id is in the response and in every log line. An exception that no handler caught becomes a
    500 that reveals nothing; a request that a stopping node can't wait for is answered 503. `quiet`
    is for probes and the like: they are not counted, and logged at `debug`.
    """

    def __init__(self, app: ASGIApp, *, quiet: bool = False) -> None:
        self._app = app
        self._log = _log_quietly if quiet else _log_and_count
        self._in_flight = nullcontext() if quiet else REQUESTS_IN_FLIGHT

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = perf_counter()
        request_id = _find_request_id(scope) or uuid4().hex
        scope[REQUEST_ID] = request_id
        response = _Response(send, request_id)
        bound = bind_contextvars(request_id=request_id)
        try:
            with self._in_flight:
                await self._app(scope, receive, response.send)
        except ClientDisconnect:
            response.status = _CLIENT_LEFT  # amid its body: nobody receives the response
        except Exception:
            log.exception("request failed", method=scope["method"], path=scope["path"])
            if not response.status:
                await _internal_error(request_id)(scope, receive, response.send)
            elif not response.is_complete:
                raise  # the connection is cut off, as is the response
        except CancelledError:
            if response.status:
                raise
            await respond_error(StoppingError())(scope, receive, response.send)
        finally:
            self._log(scope, response.status or _CLIENT_LEFT, perf_counter() - began)
            reset_contextvars(**bound)


class _Response:
    """Track how much has been sent, and add the request's id and `SAFE_HEADERS`; `status` is 0
    before the head."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = (b"x-request-id", request_id.encode("ascii"))
        self.status = 0
        self.is_complete = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = list(message.get("headers", ()))
            names = {name for name, _ in given}
            missing = [header for header in SAFE_HEADERS if header[0] not in names]
            message["headers"] = [*given, *missing, self._request_id]
        await self._send(message)
        if message["type"] == "http.response.body":
            self.is_complete = not message.get("more_body", False)


def _find_request_id(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            return value.decode("ascii") if _REQUEST_ID.fullmatch(value) else None
    return None


def _internal_error(request_id: str) -> ASGIApp:
    return respond(
        {
            "detail": "The gateway failed to answer this request; its log says why.",
            "code": "internal_error",
            "request_id": request_id,
        },
        500,
    )
