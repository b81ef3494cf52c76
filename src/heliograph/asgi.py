"""The gateway as one ASGI application: the public API, media links, health and metrics."""

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from heliograph.api.app import create_api
from heliograph.api.health import health_routes
from heliograph.api.media import media_routes
from heliograph.api.middleware import RequestIdMiddleware
from heliograph.bootstrap import Gateway
from heliograph.workers.node import NodeWorkers


def create_app(gateway: Gateway, workers: NodeWorkers) -> ASGIApp:
    """What a node serves on the gateway's port."""
    api = create_api(gateway, gateway.settings)
    side = Starlette(
        routes=[*health_routes(gateway.database, workers.is_running), *media_routes(gateway.media)]
    )
    outside = RequestIdMiddleware(side)
    beside = {"healthz", "readyz", "metrics", "media"}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        is_beside = scope["type"] == "http" and scope["path"].split("/", 2)[1] in beside
        await (outside if is_beside else api)(scope, receive, send)

    return app
