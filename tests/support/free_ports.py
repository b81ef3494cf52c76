"""Ports for servers that a test starts, and that may be down for a while."""

import contextlib
import os
import secrets
import socket

_FIRST, _END = 20_000, 32_000
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
_given: set[int] = set()


def free_port() -> int:
    """One that the system gives to no outgoing connection, so that it is still free when a server
    that was down comes back; and that nobody else is given who shares the tests."""
    ports = range(_FIRST + _WORKER, _END, _WORKERS)
    while True:
        port = secrets.choice(ports)
        if port in _given:
            continue
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            _given.add(port)
            return port


def takes_connections(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
