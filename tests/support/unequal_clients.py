"""A server of the gateway's connections, a stranger with many of them, and a neighbor with one.

`python unequal_clients.py 60` tells in its last line, as JSON, how many requests of the stranger's
60 connections were answered when all of the neighbor's were. Both have sent theirs ahead. It runs
where `STRANGER` and `NEIGHBOR` are addresses of the machine.
"""

import asyncio
import json
import socket
import sys

import uvicorn
from starlette.types import Receive, Scope, Send

from heliograph.app.server import configure_server
from heliograph.settings import Settings

STRANGER, NEIGHBOR = "203.0.113.7", "203.0.113.8"
REQUESTS = 50
"""That the neighbor sends, and the stranger over each connection."""
_PORT = 8000
_REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class _Application:
    """Greets all once everybody's requests are there, and counts whom."""

    def __init__(self, connections: int) -> None:
        self.answered = {STRANGER: 0, NEIGHBOR: 0}
        self.arrived = 0
        self._expected = connections
        self._may_go = asyncio.Event()

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        self.arrived += 1
        if self.arrived == self._expected:
            self._may_go.set()
        await self._may_go.wait()
        self.answered[scope["client"][0]] += 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def _send(host: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(STRANGER, _PORT, local_addr=(host, 0))
    writer.write(_REQUEST * REQUESTS)
    return reader, writer


async def _run(connections: int) -> int:
    application = _Application(connections + 1)
    server = uvicorn.Server(configure_server(application, settings=Settings()))
    serving = asyncio.create_task(server.serve(sockets=[socket.create_server((STRANGER, _PORT))]))
    opened = [await _send(STRANGER) for _ in range(connections)]
    opened.append(await _send(NEIGHBOR))
    reader = opened[-1][0]
    while application.answered[NEIGHBOR] < REQUESTS:
        await reader.readline()
    found = application.answered[STRANGER]
    server.force_exit = server.should_exit = True
    for _, writer in opened:
        writer.close()
    await serving
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(_run(int(sys.argv[1])))) + "\n")
