"""Ports for servers that a test starts, and that may be down for a while."""

import contextlib
import random
import socket


def free_port() -> int:
    """One that the system gives to no outgoing connection, so that it is still free when a server
    that was down comes back."""
    while True:
        port = random.randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
