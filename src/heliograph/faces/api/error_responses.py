"""Errors as responses: the handlers that make them, and their description for each operation."""

from collections import defaultdict
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from heliograph import errors
from heliograph.errors import (
    GatewayError,
    InvalidInputError,
    MethodNotAllowedError,
    NoApiHereError,
    NotFoundError,
)
from heliograph.faces.api.authentication import VERDICT
from heliograph.faces.api.encoding import respond, respond_error, respond_invalid
from heliograph.faces.api.request_body import MAX_BODY

Errors = tuple[type[GatewayError], ...]

ALWAYS: Errors = (
    errors.MissingApiKeyError,
    errors.MalformedAuthorizationError,
    errors.InvalidApiKeyError,
    errors.ExpiredApiKeyError,
    errors.RevokedApiKeyError,
    errors.MissingScopeError,
    errors.AccountNotAllowedError,
    errors.BodyTooLargeError,
    errors.RateLimitedError,
    errors.TooManyReadsError,
    errors.UnavailableError,
)
"""What authentication and the database can raise, whatever the operation."""

WITH_BODY: Errors = (errors.UnsupportedMediaTypeError, errors.IdempotencyConflictError)

WAITING: Errors = (
    errors.ChatAccountNotConnectedError,
    errors.NotSupportedByNetworkError,
    errors.RefusedForGoodError,
    errors.NetworkRefusedError,
    errors.NetworkTimeoutError,
)
"""What an operation can raise that waits for the chat network."""

_EXAMPLES: dict[str, object] = {
    "required_scope": "messages:write",
    "resource_id": "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40",
    "session_name": "main",
    "name": "Front desk",
    "group_jid": "120363025246125486@g.sandbox",
    "network": "sandbox",
    "action": "create groups",
    "limit": MAX_BODY,
    "retry_after": 30,
    "reason": "this number has blocked the account.",
    "allowed": "GET",
    "most": 4,
    "ends_at": "2026-01-02T00:00:00Z",
    "expires_at": "2026-01-02T00:00:00Z",
    "status": "sent",
    "webhook_id": "01939b1a-2000-7aaa-8bbb-ccccddddeeee",
    "fault": "its declared type is image/png, but its bytes are text/html",
}
_EXAMPLES_OF: dict[str, dict[str, object]] = {
    "too_old": {"limit": "15 minutes"},
    "not_sent": {"status": "failed"},
    "rate_limited": {"limit": "key", "who": "This API key has"},
    "too_many_readers": {"limit": "key", "who": "This API key has", "most": 10, "retry_after": 5},
    "too_many_reads": {"retry_after": 2},
    "plan_limit_reached": {
        "plan": "free",
        "limit": "messages_per_day",
        "value": 100,
        "resets_at": "2026-01-02T00:00:00Z",
    },
}
_MEMBERS: dict[str, tuple[str, ...]] = {
    "missing_scope": ("required_scope",),
    "already_in_group": ("group_jid",),
    "rate_limited": ("retry_after", "limit"),
    "too_many_readers": ("retry_after", "limit"),
    "too_many_reads": ("retry_after",),
    "plan_limit_reached": ("retry_after", "limit", "value", "resets_at"),
    "unavailable": ("retry_after",),
}
_REQUEST_ID = {
    "X-Request-Id": {
        "description": "The request's id: the caller's own, if it sent a valid one.",
        "required": True,
        "schema": {"type": "string", "minLength": 1, "maxLength": 128},
    }
}
_RATE = {
    "RateLimit": {
        "description": "The remaining requests, and the seconds until the window ends.",
        "schema": {"type": "string"},
        "example": '"default";r=50;t=30',
    },
    "RateLimit-Policy": {
        "description": "The requests allowed in a window, and its length in seconds.",
        "schema": {"type": "string"},
        "example": '"default";q=600;w=60',
    },
}
_RETRY_HEADER = {
    "Retry-After": {
        "description": "Whole seconds to wait before repeating the request.",
        "schema": {"type": "integer", "minimum": 1, "maximum": errors.MAX_RETRY_INTERVAL},
    }
}
_CHALLENGE = {"WWW-Authenticate": {"schema": {"type": "string", "const": "Bearer"}}}
_BEFORE_THE_KEY_IS_KNOWN = (401, 413)


def error_responses(*own: type[GatewayError]) -> dict[int | str, dict[str, Any]]:
    """Return FastAPI's `responses`: these errors and those of every operation, by status."""
    by_status: dict[int, list[type[GatewayError]]] = defaultdict(list)
    for error in sorted({*ALWAYS, *own}, key=_place):
        by_status[error.status].append(error)
    return {status: _describe(status, found) for status, found in by_status.items()}


def _place(error: type[GatewayError]) -> tuple[int, str, str]:
    # of those that share a code the last gives the example, the same one each time
    return error.status, error.code, error.__name__


def response_headers(status: int) -> dict[str, Any]:
    """Return the headers of responses with this status."""
    headers: dict[str, Any] = dict(_REQUEST_ID)
    if status not in _BEFORE_THE_KEY_IS_KNOWN:
        headers |= _RATE
    if status in (429, 503):
        headers |= _RETRY_HEADER
    if status == 401:
        headers |= _CHALLENGE
    return headers


def _describe(status: int, found: Iterable[type[GatewayError]]) -> dict[str, Any]:
    codes = [error.code for error in found]
    return {
        "description": f"{HTTPStatus(status).phrase}: " + ", ".join(f"`{code}`" for code in codes),
        "headers": response_headers(status),
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/ErrorBody"},
                "examples": {error.code: {"value": example_body(error)} for error in found},
            }
        },
    }


def example_body(error: type[GatewayError]) -> dict[str, Any]:
    """Return what the response's body looks like, its sentence filled in."""
    examples = _EXAMPLES | _EXAMPLES_OF.get(error.code, {})
    body: dict[str, Any] = {"detail": error.sentence.format(**examples), "code": error.code}
    body |= {member: examples[member] for member in _MEMBERS.get(error.code, ())}
    if error is errors.UnavailableError:
        body["maybe_stored"] = False
    return body


def add_error_handlers(app: FastAPI) -> None:
    """Turn our errors, FastAPI's validation errors and the router's errors into responses."""

    @app.exception_handler(GatewayError)
    async def answer_error(request: Request, error: GatewayError) -> Response:
        return respond_error(error, request.scope)

    @app.exception_handler(InvalidInputError)
    async def answer_invalid(_request: Request, error: InvalidInputError) -> Response:
        return respond_invalid([problem.body() for problem in error.problems])

    @app.exception_handler(RequestValidationError)
    async def answer_unfit(_request: Request, error: RequestValidationError) -> Response:
        return respond_invalid([_locate(problem) for problem in error.errors()])

    app.add_exception_handler(HTTPException, handle_router_error)
    app.add_exception_handler(Exception, _leave_unanswered)


class _NoAnswer(Response):
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send nothing."""


async def _leave_unanswered(_request: Request, _error: Exception) -> Response:
    """Leave unexpected errors to `RequestIdMiddleware`, to which Starlette then raises them:
    without a handler Starlette would send an answer of its own."""
    return _NoAnswer()


def _locate(problem: dict[str, Any]) -> dict[str, Any]:
    """Return the problem with its place as the path to the value in what was sent."""
    place = problem["loc"]
    if place[:2] != ("body", "content"):
        return problem
    # pydantic adds the kind of the content here, a step that the body does not have
    return problem | {"loc": (*place[:2], *place[3:])}


async def handle_router_error(request: Request, error: Exception) -> Response:
    """Respond to what the router raises, mostly 404 and 405, in the shape of our own errors."""
    if not isinstance(error, HTTPException):
        raise error
    verdict = request.scope.get(VERDICT)
    if verdict is not None and not verdict.allowed:
        return respond_error(verdict.refusal())
    if error.status_code == 404:
        return respond_error(NotFoundError())
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        every = _list_methods(request) or allowed.split(", ")
        return respond_error(MethodNotAllowedError(sorted(every)))
    body = {"detail": error.detail, "code": "http_error"}
    return respond(body, error.status_code, error.headers)


def _list_methods(request: Request) -> set[str]:
    """List the methods of all routes with this path: the router knows those of the first alone."""
    routes = [route for route in request.app.routes if isinstance(route, APIRoute)]
    first = next((each for each in routes if each.matches(request.scope)[0] != Match.NONE), None)
    if first is None:
        return set()
    return {
        method
        for route in routes
        if route.path == first.path and route.include_in_schema
        for method in route.methods or ()
    }


async def handle_without_api(request: Request, _error: Exception) -> Response:
    """Answer everything but probes and metrics, on a node without the role `api`."""
    return respond_error(NoApiHereError(), request.scope)
