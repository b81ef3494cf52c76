"""Measure the dashboard's pages, with 10,000 conversations and a thread of 50,000 messages."""

import time
from typing import Any

import asyncpg

from bench.figures import Figure, Finding, spread
from bench.gateway import private_gateway
from bench.plenty import insert_conversations, insert_messages
from bench.stage import Stage
from bench.visitor import Visitor, sign_in
from bench.volume import send_template

_CONVERSATIONS = 10_000
_THREAD = 50_000
_COUNT = 200
_MOST = 100.0
"""Milliseconds, for 95 of 100 pages."""


async def pages(stage: Stage) -> list[Finding]:
    """Ask for each page again and again over one connection to one node."""
    async with private_gateway(1, RATE_LIMIT_PERSON="1000000") as gateway:
        await gateway.furnish(stage.receiver.url, 1)
        here = stage.on(gateway)
        template = await send_template(here)
        async with gateway.database() as connection:
            thread = await _fill(here, connection, template)
        visitor = await sign_in(gateway, gateway.customer)
        account = gateway.customer.account_id
        paths = {
            "overview": "",
            "inbox": "inbox",
            "inbox, searched": "inbox?q=person+99",
            "thread": f"inbox/{thread}",
            "messages": "messages",
            "messages, searched": "messages?q=message&status=read",
            "statistics": "statistics",
            "devices": "devices",
            "device": f"devices/{account}",
            "phone": f"phone/{account}",
            "members": "members",
            "keys": "developers/keys",
            "webhooks": "developers/webhooks",
            "deliveries": "developers/deliveries",
            "try a request": "developers/try",
            "audit": "audit",
        }
        return [await _measure(here, visitor, name, path) for name, path in paths.items()]


async def _fill(stage: Stage, connection: "asyncpg.Connection[Any]", template: str) -> str:
    """Fill the gateway and return the id of the long thread."""
    customer = stage.gateway.customer
    await insert_conversations(connection, customer, stage.count(_CONVERSATIONS))
    await insert_messages(connection, customer, template, ["Message"] * stage.count(_THREAD))
    await connection.execute("VACUUM (ANALYZE) messages, conversations, contacts")
    return str(await connection.fetchval("SELECT md5('conversation 1')::uuid"))


async def _measure(stage: Stage, visitor: Visitor, name: str, path: str) -> Figure:
    count = stage.count(_COUNT)
    move = stage.track(name, count)
    began, taken = time.monotonic(), []
    async with visitor.customer.client.connections(1) as connections:
        for _ in range(count):
            answer = await connections[0].ask(visitor.get(path))
            if answer.status != 200:
                raise RuntimeError(f"the page {name} answered {answer.status}")
            taken.append(answer.seconds)
            move(1)
    took, found = time.monotonic() - began, spread(taken)
    return Figure(
        name=f"page: {name}",
        count=count,
        seconds=round(took, 2),
        rate=round(count / took, 1),
        p50=found.p50,
        p95=found.p95,
        p99=found.p99,
        max=found.max,
        target=f"p95 <= {_MOST:.0f} ms",
        met=found.p95 <= _MOST,
    )
