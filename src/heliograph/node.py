"""One node process: serves the application on a socket it was given, and runs its loops."""

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
import uvicorn
import uvloop

from heliograph import __version__
from heliograph.asgi import create_app
from heliograph.bootstrap import build_workers, open_gateway
from heliograph.settings import Settings

log = structlog.get_logger()

DRAIN_SECONDS = 3


def run_node(settings: Settings, listen_fd: int) -> None:
    """Serve until SIGTERM or SIGINT, then drain and give back what this node owns.

    Raises `ConfigurationError` for what a restart can't mend.
    """
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, listen_fd))


async def _serve(settings: Settings, listen_fd: int) -> None:
    listener = socket.socket(fileno=listen_fd)
    async with open_gateway(settings) as gateway:
        name = f"{socket.gethostname()}:{os.getpid()}"
        workers = build_workers(gateway, name=name, version=__version__, admin_port=0)
        config = uvicorn.Config(
            create_app(gateway, workers),
            http="httptools",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )
        server = _Server(config)
        server.stop_on_signals()
        await workers.start()
        try:
            await server.serve(sockets=[listener])
        finally:
            await workers.stop()


class _Server(uvicorn.Server):
    """Uvicorn's server without its signal handling, which raises the signal again at its end: the
    loops behind the server still have work to give back then."""

    def stop_on_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, number)

    def _stop(self, number: signal.Signals) -> None:
        log.info("stopping", signal=number.name)
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
