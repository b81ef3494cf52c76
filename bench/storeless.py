"""Baseline A: the gateway's own application, except that accepted messages are stored nowhere.

`python -m bench.storeless` serves it as `heliograph serve` does: the same supervisor, as many node
processes on one socket, the same authentication, rates, routes, validation, account and address
checks, and encoding. It needs `HELIOGRAPH_DATABASE_URL`, to know API keys and accounts.
"""

import asyncio
import gc
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any

import typer
import uvicorn
import uvloop

from heliograph import __version__
from heliograph.app.asgi import open_app
from heliograph.app.bootstrap import build_loops, open_gateway
from heliograph.app.server import configure_server
from heliograph.app.startup import Startup
from heliograph.core.messages.accepting.service import MessageService
from heliograph.core.tenants.commit import TenantCommit
from heliograph.platform.telemetry.logs import configure_logs
from heliograph.settings import Settings, load_settings


class _Nowhere(TenantCommit[Any, Any]):
    """Answer at once what would have been answered after the commit."""

    def __init__(self) -> None:
        """There is nothing to flush."""

    def submit(self, item: Any) -> "asyncio.Future[Any]":
        future = asyncio.get_running_loop().create_future()
        future.set_result(item.response)
        return future


class StorelessMessages(MessageService):
    """The service as it is, except for its last step."""

    def __init__(self, stored: MessageService) -> None:
        vars(self).update(vars(stored))
        self._accept = _Nowhere()


class _Server(uvicorn.Server):
    """A server that stops at a signal without raising it again, which would end the process at
    once."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


async def _serve(settings: Settings, listen_fd: int) -> None:
    listener = socket.socket(fileno=listen_fd)
    async with open_gateway(settings) as gateway:
        storeless = replace(gateway, messages=StorelessMessages(gateway.messages))
        loops = build_loops(storeless, name="storeless:0", version=__version__, admin_port=0)
        await loops.start()
        gc.collect()
        gc.freeze()
        try:
            async with open_app(storeless, loops) as app:
                await _Server(configure_server(app)).serve(sockets=[listener])
        finally:
            await loops.stop()


def main(
    listen_fd: Annotated[
        int | None, typer.Option(help="The socket to accept on: then this is a node.")
    ] = None,
    report_fd: Annotated[int | None, typer.Option(help="Not used: nobody takes over.")] = None,
) -> None:
    settings = load_settings()
    configure_logs(settings.log)
    if listen_fd is not None:
        uvloop.run(_serve(settings, listen_fd))
        return
    command = (sys.executable, "-m", "bench.storeless", "--listen-fd")
    raise typer.Exit(Startup(settings, node_command=command).run())


if __name__ == "__main__":
    typer.run(main)
