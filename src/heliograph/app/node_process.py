"""One node process: serves the application on a socket it was given, and runs its loops.

The supervisor starts it (`node`), hands over the socket and names the database in its environment.
"""

import argparse
import asyncio
import gc
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from functools import partial
from typing import NoReturn
from uuid import UUID

import structlog
import uvloop

from heliograph import __version__
from heliograph.app.asgi import create_admin_app, open_app
from heliograph.app.bootstrap import build_loops, open_gateway
from heliograph.app.process import configure_process_logs, end_process
from heliograph.app.server import DrainingServer, configure_server, serving
from heliograph.app.supervisor import EXIT_CONFIGURATION
from heliograph.errors import ConfigurationError
from heliograph.platform.telemetry.node_name import node_name
from heliograph.platform.telemetry.tracers import open_tracer
from heliograph.platform.telemetry.tracing import Tracer
from heliograph.platform.terminal import guard_standard_streams
from heliograph.settings import Settings, load_settings

log = structlog.get_logger()

_LAST_SPANS = 2.0
"""Seconds that a stopping node gives the trace collector to take its last spans."""


def run_node(settings: Settings, listen_fd: int, report_fd: int | None = None) -> None:
    """Serve until SIGTERM or SIGINT, then drain and give back what this node owns.

    The node's ids are written to `report_fd`, each before it is used. Raises `ConfigurationError`
    for a fault that a restart can't fix.
    """
    raise_file_limit()
    tracer = open_tracer(settings.telemetry.tracing, describe_process())
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(settings, listen_fd, report_fd, tracer))
    except ExceptionGroup as group:  # the loops start within the tool server's task group
        raise _only_one(group) from None
    finally:
        tracer.close(_LAST_SPANS)


def describe_process() -> dict[str, str]:
    """Return the attributes that identify this process in traces."""
    return {
        "service.name": "heliograph",
        "service.version": __version__,
        "service.instance.id": node_name(),
    }


def _only_one(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def raise_file_limit() -> None:
    """Raise this process's limit of open files as far as allowed.

    Each connection is one, and the usual limit of 1024 is soft for the sake of programs that use
    select(2).
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # macOS says "unlimited" but grants less
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _report(descriptor: int | None, node_id: UUID) -> None:
    if descriptor is not None:
        with suppress(OSError):  # nobody may be listening any more
            os.write(descriptor, f"{node_id}\n".encode())


async def _serve(settings: Settings, listen_fd: int, report_fd: int | None, tracer: Tracer) -> None:
    listener = socket.socket(fileno=listen_fd)
    admin_socket = socket.create_server(("127.0.0.1", 0))
    draining = asyncio.Event()
    async with open_gateway(settings, tracer) as services:
        port = admin_socket.getsockname()[1]
        loops = build_loops(
            services,
            name=node_name(),
            version=__version__,
            admin_port=port,
            report_id=partial(_report, report_fd),
        )
        admin = DrainingServer(configure_server(create_admin_app(services, loops, draining.is_set)))
        async with open_app(services, loops, draining.is_set) as app, serving(admin, admin_socket):
            server = DrainingServer(configure_server(app, settings=settings))
            server.stop_on_signals(draining)
            await loops.start()
            _spare_the_collector()
            log.info(
                "node started",
                admin_port=port,
                roles=sorted(role.value for role in settings.server.roles),
            )
            try:
                await server.serve(sockets=[listener])
            finally:
                await loops.stop()
                log.info("node stopped")


_COLLECTION_THRESHOLD = 25_000
"""New objects after which the garbage collector looks for cycles. A few requests make its default
of 700, which took a twentieth of a busy node's time."""


def _spare_the_collector() -> None:
    """Exempt the objects of start-up from garbage collection, as they live as long as the process,
    and collect seldom.

    Otherwise the collector would go through 150,000 objects again and again, stopping everything
    else for 60 ms each time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECTION_THRESHOLD)


def main() -> NoReturn:
    """Run a node until it is told to stop, and end the process."""
    parser = argparse.ArgumentParser(prog="heliograph.app.node")
    parser.add_argument("--listen-fd", type=int, required=True, help="the socket to accept on")
    parser.add_argument("--report-fd", type=int, help="where to write the node's ids")
    parser.add_argument("--local-sign-in", help="the address of the demo's own sign-in")
    options = parser.parse_args()
    guard_standard_streams()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # may be sent to have logs reopened
    configure_process_logs(is_gateway=True)
    try:
        settings = load_settings()
        if options.local_sign_in is not None:
            settings = settings.with_local_sign_in(options.local_sign_in)
        run_node(settings, options.listen_fd, options.report_fd)
    except ConfigurationError as error:
        sys.stderr.write(f"heliograph: {error}\n")
        end_process(EXIT_CONFIGURATION)
    except Exception:
        log.exception("the node failed")
        end_process(1)
    end_process(0)
