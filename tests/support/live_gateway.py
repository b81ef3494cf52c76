"""The whole gateway in a thread: real services and loops, the sandbox network, a real port."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import httpx
from pydantic import SecretStr

from databases import CONNECT_TIMEOUT
from heliograph import __version__
from heliograph.app.asgi import open_app
from heliograph.app.bootstrap import build_loops, open_gateway
from heliograph.app.node_process import describe_process
from heliograph.app.server import DrainingServer, configure_server
from heliograph.core.demo import Demo
from heliograph.core.services import Services
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.telemetry.tracers import open_tracer
from heliograph.settings import DataSettings, Settings

PATIENCE = 60.0
T = TypeVar("T")


@dataclass(frozen=True)
class LiveGateway:
    """`demo` has an unlimited organization, a key that may do everything, a paired account."""

    port: int
    demo: Demo
    gateway: Services
    loop: asyncio.AbstractEventLoop

    def run(self, work: Callable[[Services], Coroutine[Any, Any, T]]) -> T:
        """What the gateway's own services make of this, in its own thread."""
        return asyncio.run_coroutine_threadsafe(work(self.gateway), self.loop).result(PATIENCE)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.demo.api_key}"}


class StartGateway(Protocol):
    def __call__(self, settings: Settings | None = None) -> LiveGateway: ...


class _Node:
    def __init__(self, database_url: str, folder: Path, settings: Settings) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.demo: Demo | None = None
        self.gateway: Services | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.server: DrainingServer | None = None
        self._folder = folder
        own = (
            settings.model_copy(update={"data": DataSettings(dir=folder)})
            .with_port(self.port)
            .with_database(database_url, [SecretStr(generate_secret_key())])
        )
        patient = own.database.model_copy(update={"connect_timeout": CONNECT_TIMEOUT})
        self._settings = own.model_copy(update={"database": patient})

    def run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        tracer = open_tracer(self._settings.telemetry.tracing, describe_process())
        async with open_gateway(self._settings, tracer) as gateway:
            self.gateway, self.loop = gateway, asyncio.get_running_loop()
            loops = build_loops(gateway, name="test", version=__version__, admin_port=0)
            async with open_app(gateway, loops) as app:
                self.server = DrainingServer(configure_server(app, settings=self._settings))
                await loops.start()
                try:
                    self.demo = await gateway.demo.ensure(self._folder / "demo.json", "http://test")
                    await self.server.serve(sockets=[self.listener])
                finally:
                    await loops.stop()
                    tracer.close(5)


@contextmanager
def live_gateway(
    database_url: str, folder: Path, settings: Settings | None = None
) -> Iterator[LiveGateway]:
    """A running gateway whose demo account is connected to the sandbox."""
    node = _Node(database_url, folder, settings or Settings())
    thread = threading.Thread(target=node.run, name="gateway", daemon=True)
    thread.start()
    try:
        yield _wait_until_connected(node)
    finally:
        if node.server is not None:
            node.server.should_exit = True
        thread.join(PATIENCE)


def _wait_until_connected(node: _Node) -> LiveGateway:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        time.sleep(0.05)
        if node.demo and node.gateway and node.loop:
            gateway = LiveGateway(node.port, node.demo, node.gateway, node.loop)
            if _is_connected(gateway):
                return gateway
    raise TimeoutError("the demo account was not connected in time")


def _is_connected(gateway: LiveGateway) -> bool:
    try:
        response = httpx.get(
            f"{gateway.base_url}/api/v1/devices?status=connected",
            headers=gateway.headers,
            timeout=60,
        )
    except httpx.TransportError:
        return False
    return response.is_success and response.json()["total"] == 1
