"""A server of the gateway's connections, and one stranger who opens many: one process.

`python crowded_server.py 300` tells in its last line, as JSON, the status that each of 300
connections was answered, and that of one more once another was closed. It runs where `STRANGER` is
an address of the machine: those on loopback stand for many people and have no limit of their own.
"""

import asyncio
import json
import socket
import sys

import uvicorn
from starlette.types import Receive, Scope, Send

from heliograph.app.server import configure_server
from heliograph.settings import Settings

STRANGER = "203.0.113.7"
_PORT = 8000
_TRIES, _PAUSE = 100, 0.1  # seconds
_REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def _greet(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def _ask(held: list[asyncio.StreamWriter]) -> int:
    """The status that a new connection is answered, which is then left open."""
    reader, writer = await asyncio.open_connection(STRANGER, _PORT)
    held.append(writer)
    writer.write(_REQUEST)
    return int((await reader.readline()).split()[1])


async def _ask_until_answered(held: list[asyncio.StreamWriter]) -> int:
    for _ in range(_TRIES):
        if (status := await _ask(held)) != 503:
            break
        await asyncio.sleep(_PAUSE)
    return status


async def _run(connections: int) -> list[int]:
    config = configure_server(_greet, settings=Settings())
    server = uvicorn.Server(config)
    listener = socket.create_server((STRANGER, _PORT))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    held: list[asyncio.StreamWriter] = []
    statuses = [await _ask(held) for _ in range(connections)]
    held[0].close()
    statuses.append(await _ask_until_answered(held))
    server.force_exit = server.should_exit = True
    for writer in held:
        writer.close()
    await serving
    return statuses


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(_run(int(sys.argv[1])))) + "\n")
