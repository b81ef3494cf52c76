"""A server of the gateway's connections in a thread of this process, on a free port of loopback."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from heliograph.app.server import DrainingServer

PATIENCE = 20.0


class ServerInThread(DrainingServer):
    """`address` is where it listens, from its making on."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address: tuple[str, int] = self.listener.getsockname()
        self.thread = threading.Thread(target=self.run, args=([self.listener],))

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, PATIENCE)


@contextmanager
def serving(config: uvicorn.Config) -> Iterator[ServerInThread]:
    """Serve until the block ends."""
    server = ServerInThread(config)
    server.thread.start()
    try:
        yield server
    finally:
        server.should_exit = True
        server.thread.join(PATIENCE)
    assert not server.thread.is_alive()
