"""Measure what a message costs at several rates: the parameters of the model of capacity.

Processor time, transactions, flushes and bytes are counted, not timed. So they hold on a machine
that does other things as well, where rates and latencies would not.
"""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import asyncpg

from bench.checks import require
from bench.client import ask_at_rate
from bench.figures import Cost, Finding
from bench.gateway import CUSTOMERS, UNHEARD, Customer, Gateway, private_gateway
from bench.processor import LOAD, NODES, POSTGRES, ProcessorUse
from bench.stage import CONNECTIONS, Stage, ask_over, buttons, collect, send_samples
from bench.sustaining import sustain

_RATES = (20, 50, 100, 200, 400)
_SECONDS = 20
_SUSTAINED = 20
_ACCEPTED = 20_000
_PEOPLE = 500

_COUNTS = """
SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS wal,
    (SELECT xact_commit::float8 FROM pg_stat_database
     WHERE datname = current_database()) AS commits,
    (SELECT sum(fsyncs)::float8 FROM pg_stat_io WHERE object = 'wal') AS flushes
"""
_COUNTED = ("commits", "flushes", "wal")
_SIZES = """
SELECT relname AS name, pg_total_relation_size(oid)::float8 AS bytes
FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""
_CONNECTIONS = "SELECT count(*)::float8 FROM pg_stat_activity WHERE datname = current_database()"


@dataclass(slots=True)
class Count:
    """What happened in a window, in all: seconds of processor, commits, flushes, bytes."""

    seconds: float = 0.0
    gateway: float = 0.0
    postgres: float = 0.0
    load: float = 0.0
    receiver: float = 0.0
    commits: float = 0.0
    flushes: float = 0.0
    wal: float = 0.0

    def costs(self, name: str, messages: float) -> list[Cost]:
        """Return each part's share of one message."""
        units = {
            **dict.fromkeys(("gateway", "postgres", "load", "receiver"), "ms of processor"),
            **dict.fromkeys(("commits", "flushes"), "a message"),
            "wal": "bytes",
        }
        return [
            Cost(
                name=f"{name}: {part}",
                value=round(
                    getattr(self, part) / messages * (1000 if unit.startswith("ms") else 1), 4
                ),
                unit=unit,
            )
            for part, unit in units.items()
        ]


async def costs(stage: Stage) -> list[Finding]:
    """Count with one node: idle, at five rates with and without webhooks, at as many as go, and
    accepting alone. Then what is stored, and the idle connections of a node."""
    found: list[Finding] = []
    async with private_gateway(1, SHARDS=str(CUSTOMERS)) as gateway:
        await gateway.furnish(stage.receiver.url)
        here, heard = stage.on(gateway), gateway.customers[:]
        unheard = await gateway.add_customers(stage.receiver.url, CUSTOMERS, events=UNHEARD)
        await send_samples(here, 50)
        found += await _idle(here)
        found += await _stored(here, heard)
        for rate in _RATES:
            found += await _at_rate(here, "whole way", heard, rate)
        found += await _at_rate(here, "unheard", unheard, 200)
        found += await _sustained(here, "whole way", heard)
        found += await _accepted(here)
    return found


@asynccontextmanager
async def counting(stage: Stage) -> AsyncIterator[Count]:
    """Fill in what happens while the block runs."""
    counted = Count()
    async with stage.gateway.database() as connection:
        before, began = await connection.fetchrow(_COUNTS), time.monotonic()
        use = ProcessorUse(stage.gateway.pid, {"receiver": [stage.receiver.pid]})
        yield counted
        taken, after = use.seconds(), await connection.fetchrow(_COUNTS)
        counted.seconds = time.monotonic() - began
    counted.gateway, counted.postgres = taken[NODES], taken[POSTGRES]
    counted.load, counted.receiver = taken[LOAD], taken["receiver"]
    assert before is not None
    assert after is not None
    for name in _COUNTED:
        setattr(counted, name, after[name] - before[name])


async def _idle(stage: Stage) -> list[Cost]:

    async with counting(stage) as counted:
        await asyncio.sleep(_SECONDS)
    async with stage.gateway.database() as connection:
        connections = await connection.fetchval(_CONNECTIONS) - 1
    return [
        *counted.costs("idle, a second", counted.seconds),
        Cost(name="idle: connections", value=connections, unit="of one node"),
    ]


async def _at_rate(
    stage: Stage, title: str, customers: Sequence[Customer], rate: int
) -> list[Cost]:
    count = stage.count(rate * _SECONDS)
    stage.track(f"{title}, {rate} a second", count)
    await stage.receiver.forget()
    async with counting(stage) as counted:
        connections = stage.gateway.customer.client.connections(CONNECTIONS)
        async with connections as opened:
            answers = await ask_at_rate(opened, _requests(customers, count), rate)
        require(all(answer.status < 300 for answer in answers), "a request was refused")
        await _await_read(stage.gateway)
    return [
        *counted.costs(f"{title}, {rate}/s", count),
        Cost(name=f"{title}, {rate}/s: rate", value=count / counted.seconds, unit="/s"),
    ]


def _requests(customers: Sequence[Customer], count: int) -> list[bytes]:
    each = [buttons(one.client, one.account_id, _PEOPLE, _PEOPLE) for one in customers]
    turns = itertools.cycle([request for turn in zip(*each, strict=True) for request in turn])
    return list(itertools.islice(turns, count))


async def _await_read(gateway: Gateway) -> None:
    """Wait until nothing waits any more, to be sent or to be posted."""

    deadline = time.monotonic() + 120
    async with gateway.database() as connection:
        while await _is_busy(connection):
            require(time.monotonic() < deadline, "messages were not read and posted in time")
            await asyncio.sleep(0.2)


async def _is_busy(connection: "asyncpg.Connection[asyncpg.Record]") -> bool:
    return bool(
        await connection.fetchval(
            """
            SELECT EXISTS (SELECT FROM delivery_queue)
                OR EXISTS (SELECT FROM messages WHERE status IN ('sending', 'sent', 'delivered'))
            """
        )
    )


async def _sustained(stage: Stage, title: str, customers: Sequence[Customer]) -> list[Cost]:
    async with counting(stage) as counted:
        reached = await sustain(stage, title, customers, stage.count(_SUSTAINED))
    messages = len(reached.arrivals) / 3
    return [
        *counted.costs(f"{title}, sustained", messages),
        Cost(name=f"{title}, sustained: rate", value=reached.rate, unit="/s"),
    ]


async def _accepted(stage: Stage) -> list[Cost]:
    customer, count = stage.gateway.customer, stage.count(_ACCEPTED)
    requests = buttons(customer.client, stage.gateway.asleep_account_id, count)
    async with counting(stage) as counted:
        _, took = await ask_over(customer.client, requests)
    return [
        *counted.costs("accepting", count),
        Cost(name="accepting: rate", value=count / took, unit="/s"),
    ]


async def _stored(stage: Stage, customers: Sequence[Customer]) -> list[Cost]:
    """Return the bytes that a message leaves in each table, with its indexes."""
    count = stage.count(10_000)
    async with stage.gateway.database() as connection:
        before = {row["name"]: row["bytes"] for row in await connection.fetch(_SIZES)}
        await stage.receiver.forget()
        await ask_over(customers[0].client, _requests(customers, count))
        await collect(stage, 3 * count)
        await _await_read(stage.gateway)
        after = {row["name"]: row["bytes"] for row in await connection.fetch(_SIZES)}
    return [
        Cost(name=f"stored: {name}", value=round((size - before[name]) / count), unit="bytes")
        for name, size in sorted(after.items())
        if size - before[name] > 10 * count
    ]
