"""Measure the log of events: how fast one consumer gets it, and how soon one who waits is told.

Events are written as the gateway writes them, by `insert_events`, from beside it: its sessions and
webhooks have nothing to do meanwhile.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from bench.client import Client, Connection
from bench.figures import Figure, Finding, spread
from bench.stage import PATIENCE, Stage, send_samples
from heliograph.core.events.model import Event, EventType
from heliograph.core.events.sql import insert_events
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.pool import Connection as DatabaseConnection

_EVENTS = "/api/v1/events"
_RATE = 5000
_BATCH = 50
_TARGET = "5,000 a second"


class _Page(msgspec.Struct):
    events: list[msgspec.Raw]
    next_cursor: str


async def events(stage: Stage) -> list[Finding]:
    """Measure a stream that catches up, one that keeps up with 5,000 events a second, and requests
    that wait for one event each."""
    await stage.gateway.run_nodes(stage.nodes[0])
    await send_samples(stage, 10)
    async with stage.gateway.database() as connection:
        writer = _Writer(
            connection, stage.gateway.customer.tenant, await stage.gateway.sample_payload()
        )
        return [
            *await _catch_up(stage, writer),
            *await _keep_up(stage, writer),
            *await _wake(stage, writer),
        ]


class _Writer:
    def __init__(self, connection: DatabaseConnection, tenant: Tenant, payload: bytes) -> None:
        self._connection = connection
        self._tenant = tenant
        self._payload = payload
        self._clock = Clock()

    async def write(self, count: int) -> float:
        """Store so many events in one transaction; return the moment at which it was committed."""
        now = self._clock.now()
        made = [
            Event(self._tenant, self._clock.new_id(), EventType.MESSAGE_SENT, self._payload, now)
            for _ in range(count)
        ]
        async with self._connection.transaction():
            await insert_events(self._connection, self._tenant.shard, made)
        return time.perf_counter()


async def _catch_up(stage: Stage, writer: _Writer) -> list[Finding]:
    count = stage.count(50_000)
    cursor = await _cursor(stage)
    move = stage.track("events to catch up with", count)
    for _ in range(0, count, 1000):
        await writer.write(1000)
    began = time.perf_counter()
    async with _stream(stage, cursor) as stream:
        while stream.count < count:
            move(await stream.read())
    seconds = time.perf_counter() - began
    return [_figure("events, to one stream that catches up", count, seconds)]


async def _keep_up(stage: Stage, writer: _Writer) -> list[Finding]:
    """Write `_RATE` events a second. What a batch waits for is counted from its commit."""
    count = stage.count(50_000)
    move = stage.track("events as they happen", count)
    committed: list[float] = []
    received: list[float] = []

    async def write() -> None:
        began = time.perf_counter()
        for number in range(count // _BATCH):
            await asyncio.sleep(began + number * _BATCH / _RATE - time.perf_counter())
            committed.append(await writer.write(_BATCH))

    async with _stream(stage, await _cursor(stage)) as stream, asyncio.timeout(PATIENCE):
        began = time.perf_counter()
        writing = asyncio.create_task(write())
        while stream.count < count:
            move(await stream.read())
            now = time.perf_counter()
            received += [now] * (stream.count // _BATCH - len(received))
        await writing
    seconds = time.perf_counter() - began
    waited = spread([max(0.0, got - at) for at, got in zip(committed, received, strict=True)])
    figure = _figure("events, to one stream as they happen", count, seconds)
    return [
        msgspec.structs.replace(
            figure,
            p50=waited.p50,
            p95=waited.p95,
            p99=waited.p99,
            max=waited.max,
            target=None,
            met=None,
            note=f"written at {_RATE:,} a second; times from a batch's commit to its last event",
        )
    ]


async def _wake(stage: Stage, writer: _Writer) -> list[Finding]:
    count = stage.count(300)
    move = stage.track("requests that wait", count)
    waited: list[float] = []
    began = time.perf_counter()
    async with stage.gateway.customer.client.connections(1) as [connection]:
        cursor = await _cursor(stage)
        for _ in range(count):
            asking = asyncio.create_task(_ask(stage, connection, cursor))
            await asyncio.sleep(0.05 + 0.015 * (len(waited) % 10) / 10)  # at any moment of a poll
            at = await writer.write(1)
            page = await asking
            waited.append(max(0.0, time.perf_counter() - at))
            cursor = page.next_cursor
            move(1)
    seconds, found = time.perf_counter() - began, spread(waited)
    return [
        Figure(
            name="from commit to the answer of one who waits",
            count=count,
            seconds=round(seconds, 2),
            p50=found.p50,
            p95=found.p95,
            p99=found.p99,
            max=found.max,
            target="p50 within 20 ms",
            met=found.p50 <= 20,
        )
    ]


async def _cursor(stage: Stage) -> str:
    async with stage.gateway.customer.client.connections(1) as [connection]:
        answer = await connection.ask(stage.gateway.customer.client.get(_EVENTS))
        return msgspec.json.decode(answer.body, type=_Page).next_cursor


async def _ask(stage: Stage, connection: Connection, cursor: str) -> _Page:
    request = stage.gateway.customer.client.get(f"{_EVENTS}?wait=30&after={cursor}")
    return msgspec.json.decode((await connection.ask(request)).body, type=_Page)


def _figure(name: str, count: int, seconds: float) -> Figure:
    rate = count / seconds
    return Figure(
        name=name,
        count=count,
        seconds=round(seconds, 2),
        rate=round(rate, 1),
        target=_TARGET,
        met=rate >= _RATE,
    )


class _Stream:
    """Counts the events that come over a connection."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._rest = b""
        self.count = 0

    async def read(self) -> int:
        """Read on; return how many events that were."""
        data = self._rest + await self._reader.read(1 << 20)
        if len(data) == len(self._rest):
            raise ConnectionError("the stream ended")
        found = data.count(b"\ndata: ")
        self._rest = data[-6:]
        self.count += found
        return found


@asynccontextmanager
async def _stream(stage: Stage, cursor: str) -> AsyncIterator[_Stream]:
    client: Client = stage.gateway.customer.client
    reader, writer = await asyncio.open_connection("127.0.0.1", stage.gateway.port, limit=1 << 20)
    try:
        request = client.get(f"{_EVENTS}?after={cursor}")
        accepts = b"\r\nAccept: text/event-stream\r\n\r\n"
        writer.write(request.removesuffix(b"\r\n\r\n") + accepts)
        stream = _Stream(reader)
        await stream.read()
        yield stream
    finally:
        writer.close()
