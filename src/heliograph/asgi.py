"""A node as ASGI applications: what it serves on the gateway's port, and on its admin port."""

import socket
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from heliograph.api.app import create_api
from heliograph.api.handlers import answer_router, answer_without_api
from heliograph.api.health import NodeState, health_routes
from heliograph.api.media import media_routes
from heliograph.api.metrics import machine_metrics_routes, node_metrics_routes
from heliograph.api.observation import RequestIdMiddleware
from heliograph.bootstrap import Gateway
from heliograph.metrics import NodeReadings, Pool
from heliograph.model.accounts import AccountStatus
from heliograph.settings import Role
from heliograph.workers.node import NodeWorkers

_BESIDE = frozenset({"healthz", "readyz", "metrics", "media"})
_WITHOUT_API = {404: answer_without_api, HTTPException: answer_router}


def create_app(
    gateway: Gateway, workers: NodeWorkers, is_draining: Callable[[], bool] = lambda: False
) -> ASGIApp:
    """What a node serves on the gateway's port: the public API, media links, health, metrics.

    Without the role `api`, the latter two alone: whoever watches the machine still asks there.
    """
    watching = _watching_routes(gateway, workers, is_draining)
    if Role.API not in gateway.settings.server.roles:
        alone = Starlette(routes=watching, exception_handlers=_WITHOUT_API)
        return RequestIdMiddleware(alone, quiet=True)
    api = create_api(gateway, gateway.rates)
    side = Starlette(
        routes=[*watching, *media_routes(gateway.media)],
        exception_handlers={HTTPException: answer_router},
    )
    outside = RequestIdMiddleware(side, quiet=True)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        is_beside = scope["type"] == "http" and _first_part(scope["path"]) in _BESIDE
        await (outside if is_beside else api)(scope, receive, send)

    return app


def _watching_routes(
    gateway: Gateway, workers: NodeWorkers, is_draining: Callable[[], bool]
) -> list[Route]:
    token = gateway.settings.metrics.token
    return [
        *health_routes(gateway.readiness, _state(gateway, workers, is_draining)),
        *machine_metrics_routes(
            _readings(gateway, workers),
            lambda: _list_neighbours(workers),
            gateway.backlog,
            None if token is None else token.get_secret_value(),
        ),
    ]


def _first_part(path: str) -> str:
    """`metrics` of `/metrics/x`; the path may be `*` (RFC 9112, 3.2.4), which has no slash."""
    return path.removeprefix("/").partition("/")[0]


def create_admin_app(
    gateway: Gateway, workers: NodeWorkers, is_draining: Callable[[], bool]
) -> ASGIApp:
    """What a node says of itself alone, on its own port of this machine."""
    routes = [
        *health_routes(gateway.readiness, _state(gateway, workers, is_draining)),
        *node_metrics_routes(_readings(gateway, workers)),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: answer_router})
    return RequestIdMiddleware(app, quiet=True)


def _state(gateway: Gateway, workers: NodeWorkers, is_draining: Callable[[], bool]) -> NodeState:
    notifications = gateway.notifications
    return NodeState(
        workers.is_running,
        lambda: notifications.is_connected,
        is_draining,
        gateway.rates.has_lost_storage,
    )


def _readings(gateway: Gateway, workers: NodeWorkers) -> NodeReadings:
    pool = gateway.database.pool
    return NodeReadings(
        workers.session_statuses,
        AccountStatus,
        workers.delivery_outcomes,
        lambda: Pool(pool.get_size(), pool.get_idle_size(), pool.get_max_size()),
    )


def _list_neighbours(workers: NodeWorkers) -> list[int]:
    """The admin ports of the other living nodes of this machine; 0 for one that has none."""
    heartbeat, host = workers.heartbeat, socket.gethostname()
    return [
        node.admin_port or 0
        for node in heartbeat.nodes
        if node.id != heartbeat.node_id and node.name.rpartition(":")[0] == host
    ]
