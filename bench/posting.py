"""Baseline P: a client that posts one body again and again, and does nothing else.

It is not the gateway's own, which would raise the bar it is measured by whenever it gets faster; it
is the library that posted webhooks before that.

`python -m bench.posting URL COUNT` posts what comes on its standard input and prints how many
seconds that took.
"""

import asyncio
import sys
import time
from datetime import timedelta
from typing import Annotated

import typer
import uvloop
from pyreqwest.client import Client, ClientBuilder

from heliograph.platform.outbound_http.client import CALL_TIMEOUT
from heliograph.platform.outbound_http.receivers import MAX_RESPONSE_BODY

CONCURRENCY = 64
_SIGNED = {
    "webhook-id": "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40",
    "webhook-timestamp": "1700000000",
    "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    "content-type": "application/json",
}


def _build() -> Client:
    return (
        ClientBuilder()
        .no_proxy()
        .follow_redirects(False)
        .danger_accept_invalid_certs(True)  # so that it reads none, since it is not asked for any
        .pool_max_idle_per_host(CONCURRENCY)
        .build()
    )


async def _post_one(client: Client, url: str, body: bytes) -> None:
    async with asyncio.timeout(CALL_TIMEOUT):
        request = (
            client.post(url)
            .headers(_SIGNED)
            .body_bytes(body)
            .timeout(timedelta(seconds=CALL_TIMEOUT))
            .streamed_read_buffer_limit(MAX_RESPONSE_BODY)
            .build_streamed()
        )
        async with request as response:
            await response.body_reader.read(MAX_RESPONSE_BODY)
            if response.status != 200:
                raise RuntimeError(f"the receiver answered {response.status}")


async def _post(url: str, body: bytes, count: int) -> float:
    client = _build()
    numbers = iter(range(count))

    async def work() -> None:
        for _ in numbers:
            await _post_one(client, url, body)

    began = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for _ in range(CONCURRENCY):
            group.create_task(work())
    seconds = time.monotonic() - began
    await client.close()
    return seconds


def main(url: Annotated[str, typer.Argument()], count: Annotated[int, typer.Argument()]) -> None:
    print(uvloop.run(_post(url, sys.stdin.buffer.read(), count)))


if __name__ == "__main__":
    typer.run(main)
