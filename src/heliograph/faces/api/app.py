"""The public HTTP API as one application."""

from collections.abc import Callable, Mapping
from functools import cache, partial

import msgspec
from fastapi import FastAPI
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from heliograph.core.services import Services
from heliograph.faces.api.authentication import AuthenticationMiddleware, FastPath
from heliograph.faces.api.error_responses import add_error_handlers
from heliograph.faces.api.openapi import TITLE, VERSION, read_description
from heliograph.faces.api.reference import add_reference
from heliograph.faces.api.request_logging import RequestIdMiddleware
from heliograph.faces.api.routers import (
    contacts,
    conversations,
    devices,
    events,
    groups,
    keys,
    labels,
    media,
    members,
    message_changes,
    message_lists,
    messages,
    networks,
    pairing,
    subscriptions,
    webhooks,
)
from heliograph.faces.api.routes import FastRoute, GatewayRoute, StreamedRoute

# listed flat and the busiest first: each request walks this list until a route fits
ROUTES: list[BaseRoute] = [
    *messages.sending.routes,
    *messages.router.routes,
    *messages.reading.routes,
    *message_changes.router.routes,
    *message_lists.router.routes,
    *conversations.router.routes,
    *conversations.reading.routes,
    *conversations.joining.routes,
    *groups.router.routes,
    *groups.checking.routes,
    *groups.typing.routes,
    *media.uploading.routes,
    *media.router.routes,
    *contacts.router.routes,
    *labels.router.routes,
    *members.router.routes,
    *devices.router.routes,
    *devices.confidential.routes,
    *pairing.router.routes,
    *networks.router.routes,
    *webhooks.router.routes,
    *subscriptions.router.routes,
    *events.router.routes,
    *keys.router.routes,
]


def create_api(
    services: Services,
    public_url: str | None = None,
    is_draining: Callable[[], bool] = lambda: False,
) -> ASGIApp:
    """Create the application: `/api/v1`, `/openapi.json` and `/docs`. It starts and stops nothing.

    `is_draining` ends requests that wait or stream, on a node that stops.
    """
    operations = create_operations(services, public_url, is_draining)
    return admit_requests(operations, services, list_fast_paths(services))


def admit_requests(
    operations: ASGIApp, services: Services, fast_paths: Mapping[tuple[str, str], FastPath]
) -> ASGIApp:
    """Put in front of the operations what every request to them passes through.

    It is not a middleware of FastAPI's: then what a fast path answers would pass through FastAPI's
    own, too.
    """
    admitting = AuthenticationMiddleware(operations, services, fast_paths, _list_streamed())
    return RequestIdMiddleware(admitting)


def create_operations(
    services: Services,
    public_url: str | None = None,
    is_draining: Callable[[], bool] = lambda: False,
) -> FastAPI:
    """Create the application behind that: it takes requests that were authenticated."""
    app = FastAPI(
        title=TITLE,
        version=VERSION,
        routes=list(ROUTES),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        separate_input_output_schemas=False,
        # it looks for an OpenTelemetry SDK at each request; /metrics and the log have it all
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.services = services
    app.state.is_draining = is_draining
    add_error_handlers(app)
    add_reference(app, encode_description(public_url))
    return app


def list_operations() -> list[GatewayRoute]:
    """List every operation of the public API."""
    return [
        route for route in ROUTES if isinstance(route, GatewayRoute) and route.include_in_schema
    ]


@cache
def encode_description(public_url: str | None = None) -> bytes:
    """Return the OpenAPI document of a gateway at this address, in JSON, once for a process."""
    return msgspec.json.encode(read_description(public_url))


def list_fast_paths(services: Services) -> dict[tuple[str, str], FastPath]:
    return {
        (method, route.fast_path): partial(route.answer, services)
        for route in ROUTES
        if isinstance(route, FastRoute)
        for method in route.methods or ()
    }


def _list_streamed() -> frozenset[tuple[str, str]]:
    return frozenset(
        (method, route.path)
        for route in ROUTES
        if isinstance(route, StreamedRoute)
        for method in route.methods or ()
    )
