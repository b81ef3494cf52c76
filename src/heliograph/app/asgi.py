"""A node as ASGI applications: what it serves on the gateway's port, and on its admin port."""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from importlib import import_module
from typing import cast

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from heliograph.app.loops import NodeLoops
from heliograph.app.on_demand import opened_on_demand
from heliograph.app.root import is_for_root, root_route
from heliograph.core.health.node import NodeState
from heliograph.core.rates.service import RateLimiter
from heliograph.core.services import Services
from heliograph.errors import NotFoundError
from heliograph.faces.address_limits import AddressLimit
from heliograph.faces.api.app import (
    admit_requests,
    create_operations,
    encode_description,
    list_fast_paths,
)
from heliograph.faces.api.calling import offer_calls
from heliograph.faces.api.encoding import refuse_by_rate, respond_error
from heliograph.faces.api.error_responses import handle_router_error, handle_without_api
from heliograph.faces.api.media import media_routes
from heliograph.faces.api.monitoring import (
    health_routes,
    machine_metrics_routes,
    node_metrics_routes,
)
from heliograph.faces.api.request_logging import RequestIdMiddleware
from heliograph.faces.api.request_tracing import traced
from heliograph.faces.api.try_out import try_out_routes
from heliograph.faces.coding_tools import PATH as MCP_PATH
from heliograph.faces.dashboard.app import create_dashboard
from heliograph.faces.help.app import create_help
from heliograph.networks.port import AccountStatus
from heliograph.platform.telemetry.metrics import NodeReadings, Pool
from heliograph.settings import TRY_OUT_PATH, Role

_BESIDE = frozenset({"healthz", "readyz", "metrics", "media", "try-out"})
_FREE = frozenset({"/healthz", "/readyz", TRY_OUT_PATH})
"""Paths that are not counted by address: a load balancer that is refused takes the node for dead,
and a webhook that is tried out comes from the gateway itself. A refusal would cost as much."""
_WITHOUT_API = {404: handle_without_api, HTTPException: handle_router_error}


@asynccontextmanager
async def open_app(
    services: Services, loops: NodeLoops, is_draining: Callable[[], bool] = lambda: False
) -> AsyncIterator[ASGIApp]:
    """Open the application that a node serves on the gateway's port, until the context ends.

    It serves the public API, the dashboard, the tool server, the documentation, media links, health
    and metrics. Without the role `api`, it serves health and metrics only, for monitoring.
    """
    watching = _watching_routes(services, loops, is_draining)
    if Role.API not in services.settings.server.roles:
        alone = Starlette(routes=watching, exception_handlers=_WITHOUT_API)
        yield _quietly(alone, services.rates)
        return
    try_out = [] if services.settings.try_out_url is None else try_out_routes()
    side = Starlette(
        routes=[*watching, *media_routes(services.media), *try_out, root_route(services.settings)],
        exception_handlers={HTTPException: handle_router_error},
    )
    beside = _quietly(side, services.rates)
    tracer, public_url = services.tracer, services.settings.public_url
    operations = create_operations(services, public_url, is_draining)
    calls = offer_calls(
        operations,
        msgspec.json.decode(encode_description(public_url)),
        network_timeout=services.settings.server.network_timeout,
    )
    dashboard = traced(
        RequestIdMiddleware(create_dashboard(services, calls, is_draining), quiet=True), tracer
    )
    documentation = _quietly(create_help(services.settings.public_path), services.rates)
    async with opened_on_demand(partial(_load_tools, services)) as mcp:
        parts: dict[str, ASGIApp] = dict.fromkeys(_BESIDE, beside)
        tools = traced(RequestIdMiddleware(_at(MCP_PATH, mcp)), tracer)
        parts |= {"dashboard": dashboard, "mcp": tools, "help": documentation}
        api = traced(admit_requests(operations, services, list_fast_paths(services)), tracer)
        parts[""] = _choose(beside, api)
        yield _by_first_part(parts, api)


def _load_tools(services: Services) -> AbstractAsyncContextManager[ASGIApp]:
    """Load the tool server, whose protocol's types are a seventh of a node's memory."""
    server = import_module("heliograph.faces.mcp.server")
    return cast("AbstractAsyncContextManager[ASGIApp]", server.open_mcp(services))


def _quietly(app: ASGIApp, limiter: RateLimiter) -> ASGIApp:
    """Limit requests by address, and log them at `debug`."""
    limited = AddressLimit(app, limiter, refuse_by_rate, lambda path: 0 if path in _FREE else 1)
    return RequestIdMiddleware(limited, quiet=True)


def _by_first_part(parts: Mapping[str, ASGIApp], other: ASGIApp) -> ASGIApp:
    def app(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        # `metrics` of `/metrics/x`; the path may be `*` (RFC 9112, 3.2.4), without a slash
        path = scope["path"] if scope["type"] == "http" else ""
        return parts.get(path.removeprefix("/").partition("/")[0], other)(scope, receive, send)

    return app


def _choose(root: ASGIApp, other: ASGIApp) -> ASGIApp:
    """Serve `root` at `/`, and `other` everywhere else."""

    def app(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        return (root if is_for_root(scope) else other)(scope, receive, send)

    return app


def _at(path: str, app: ASGIApp) -> ASGIApp:
    """Serve the application at this address, with or without a slash at its end, and 404 below it.

    A redirect would lose the body of a POST with some clients.
    """
    route = Route(path, app)

    async def exact(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in (path, f"{path}/"):
            await respond_error(NotFoundError())(scope, receive, send)
            return
        scope["route"] = route  # the name under which the request is counted
        await app(scope, receive, send)

    return exact


def _watching_routes(
    services: Services, loops: NodeLoops, is_draining: Callable[[], bool]
) -> list[Route]:
    token = services.settings.metrics.token
    return [
        *health_routes(services.readiness, _state(services, loops, is_draining)),
        *machine_metrics_routes(
            _readings(services, loops),
            lambda: _list_neighbours(loops),
            services.backlog,
            None if token is None else token.get_secret_value(),
            services.settings.data.dir,
            chores=services.chores,
            is_open_here=services.settings.is_for_this_machine_alone,
        ),
    ]


def create_admin_app(
    services: Services, loops: NodeLoops, is_draining: Callable[[], bool]
) -> ASGIApp:
    """Create the application that answers for this node alone, on its own port of this machine."""
    routes = [
        *health_routes(services.readiness, _state(services, loops, is_draining)),
        *node_metrics_routes(_readings(services, loops)),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: handle_router_error})
    return RequestIdMiddleware(app, quiet=True)


def _state(services: Services, loops: NodeLoops, is_draining: Callable[[], bool]) -> NodeState:
    notifications = services.notifications
    return NodeState(
        services.settings,
        lambda: loops.heartbeat.nodes,
        loops.is_running,
        lambda: notifications.is_connected,
        is_draining,
        services.request_counts.has_lost_storage,
        services.object_storage,
        lambda: services.database.complaints.disk_full,
    )


def _readings(services: Services, loops: NodeLoops) -> NodeReadings:
    pool = services.database.pool
    return NodeReadings(
        loops.session_statuses,
        AccountStatus,
        loops.delivery_outcomes,
        lambda: Pool(pool.get_size(), pool.get_idle_size(), pool.get_max_size()),
        loops.count_restricted,
        lambda: loops.heartbeat.is_alive,
    )


def _list_neighbours(loops: NodeLoops) -> list[int]:
    """Return the admin ports of this machine's other living nodes; 0 where there is none."""
    heartbeat, host = loops.heartbeat, socket.gethostname()
    return [
        node.admin_port or 0
        for node in heartbeat.nodes
        if node.id != heartbeat.node_id and node.name.rpartition(":")[0] == host
    ]
