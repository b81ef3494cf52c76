"""Baseline P: the client that posts webhooks posts one body again and again, and does nothing else.

`python -m bench.posting URL COUNT` posts what comes on its standard input and prints how many
seconds that took.
"""

import asyncio
import sys
import time
from typing import Annotated

import typer
import uvloop

from heliograph.platform.outbound_http import AddressPolicy, GuardedClient, SystemResolver

CONCURRENCY = 64
_SIGNED = {
    "webhook-id": "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40",
    "webhook-timestamp": "1700000000",
    "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    "content-type": "application/json",
}


async def _post(url: str, body: bytes, count: int) -> float:
    client = GuardedClient(AddressPolicy("loopback"), SystemResolver())
    numbers = iter(range(count))

    async def work() -> None:
        for _ in numbers:
            exchange = await client.post(url, _SIGNED, body)
            if exchange.status != 200:
                raise RuntimeError(f"the receiver answered {exchange.status}")

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
