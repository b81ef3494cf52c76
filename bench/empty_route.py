"""The baseline of reads: FastAPI with a route that answers `{}`, served by uvicorn as a node is.

`python -m bench.empty_route` prints its port and serves until it is told to stop.
"""

import socket

import uvicorn
import uvloop
from fastapi import FastAPI

from heliograph.app.server import configure_server

app = FastAPI()


@app.get("/empty")
async def answer_nothing() -> dict[str, str]:
    return {}


async def _serve() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        print(listener.getsockname()[1], flush=True)
        await uvicorn.Server(configure_server(app)).serve(sockets=[listener])


if __name__ == "__main__":
    uvloop.run(_serve())
