"""The tool server as one ASGI application: authentication, and the SDK's transport behind it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp

from heliograph.core.services import Services
from heliograph.faces.mcp.authentication import AuthenticationMiddleware
from heliograph.faces.mcp.catalogue import TOOLS
from heliograph.faces.mcp.server import ProtocolServer


@asynccontextmanager
async def open_mcp(services: Services) -> AsyncIterator[ASGIApp]:
    """The application, which answers as long as this lasts.

    Without sessions: each request is answered from itself alone, as JSON, so any node can.
    """
    transport = StreamableHTTPSessionManager(
        ProtocolServer(services).build(), json_response=True, stateless=True
    )
    scopes = {name: tool.scopes for name, tool in TOOLS.items()}
    async with transport.run():
        yield AuthenticationMiddleware(transport.handle_request, services, scopes)
