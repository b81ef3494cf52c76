"""Tracing of requests: the ASGI layer that begins a span for each, where tracing is on.

Names and attributes follow OpenTelemetry's conventions for HTTP servers. The path and the query are
not among them: they may name people by their numbers.
"""

from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars, reset_contextvars

from heliograph.core.messages.spans import tenant_attributes
from heliograph.faces.api.authentication import PRINCIPAL
from heliograph.faces.api.request_logging import REQUEST_ID
from heliograph.platform.telemetry.tracing import SERVED, Span, Tracer


def traced(app: ASGIApp, tracer: Tracer) -> ASGIApp:
    """Return the application with a span for each request; unchanged where tracing is off."""
    return _TracingMiddleware(app, tracer) if tracer.is_on else app


class _TracingMiddleware:
    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        self._app = app
        self._tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"]
        attributes = {"http.request.method": method, "url.scheme": scope["scheme"]}
        span = self._tracer.begin_request(method, attributes, scope["headers"])
        served = SERVED.set(span)
        try:
            with span:
                await self._serve(span, scope, receive, send)
        finally:
            SERVED.reset(served)

    async def _serve(self, span: Span, scope: Scope, receive: Receive, send: Send) -> None:
        if span.context is None:
            await self._app(scope, receive, send)
            return

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start":
                _describe_status(span, message["status"])
            await send(message)

        bound = bind_contextvars(trace_id=span.trace_id)
        try:
            await self._app(scope, receive, watch)
        finally:
            reset_contextvars(**bound)
            _describe_request(span, scope)


def _describe_status(span: Span, status: int) -> None:
    span.annotate({"http.response.status_code": status})
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        span.fail(str(status))


def _describe_request(span: Span, scope: Scope) -> None:
    """Add the attributes that are known once the request has been served."""
    route = getattr(scope.get("route"), "path", None)
    if route is not None:
        span.rename(f"{scope['method']} {route}")
        span.annotate({"http.route": route})
    if (request_id := scope.get(REQUEST_ID)) is not None:
        span.annotate({"heliograph.request.id": request_id})
    if (principal := scope.get(PRINCIPAL)) is not None:
        span.annotate(tenant_attributes(principal.tenant))
