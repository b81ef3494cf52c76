"""Sustain the whole way of messages: accepted, sent, delivered, read, and reported in three
webhooks.

As many are offered as the gateway finishes: no more than so many are under way at any time, so what
is finished a second is what it can sustain.
"""

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from bench.checks import PER_MESSAGE, check_each_once
from bench.client import Connection
from bench.gateway import Customer
from bench.processor import NODES, POSTGRES, ProcessorUse
from bench.receiver import Arrival
from bench.stage import CONNECTIONS, Stage, buttons, collect

UNFINISHED = 1000
_PEOPLE = 2000
_RAMP = 5.0
_LOOK_EVERY = 0.05
_WAL = "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8"


@dataclass(frozen=True, slots=True)
class Sustained:
    """What was reached. `finished` messages took `seconds` of processor time, by process, and wrote
    `wal_bytes`; `arrivals` has the events of all, of those before and after as well."""

    rate: float
    finished: float
    seconds: dict[str, float]
    wal_bytes: float
    arrivals: Sequence[Arrival]
    note: str

    def milliseconds(self, process: str) -> float:
        """Return a message's share of this process's time."""
        return round(1000 * self.seconds[process] / self.finished, 3)

    @property
    def wal_each(self) -> float:
        """Return a message's bytes."""
        return round(self.wal_bytes / self.finished)

    @property
    def cost(self) -> str:
        """Return in words what a message took."""
        return (
            f"{self.milliseconds(NODES)} + {self.milliseconds(POSTGRES)} ms of processor (node + "
            f"PostgreSQL) and {self.wal_each:,.0f} bytes of WAL a message"
        )


@dataclass(slots=True)
class _Flow:
    """Messages of one run. `backlog` is how many were unfinished at some moments, by seconds."""

    room: int
    accepted: int = 0
    finished: float = 0.0
    over: bool = False
    backlog: dict[int, int] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def unfinished(self) -> int:
        return round(self.accepted - self.finished)

    def set_finished(self, finished: float) -> None:
        self.finished = finished
        self._changed.set()

    async def may_send(self) -> bool:
        """Wait for room; False when the run is over."""
        while not self.over and self.accepted - self.finished >= self.room:
            self._changed.clear()
            await self._changed.wait()
        return not self.over


@dataclass(frozen=True, slots=True)
class _Window:
    """What happened between the ramp and the end."""

    elapsed: float
    finished: float
    seconds: dict[str, float]
    wal_bytes: float
    use: str


async def sustain(
    stage: Stage,
    title: str,
    customers: Sequence[Customer],
    seconds: int,
    *,
    unfinished: int = UNFINISHED,
) -> Sustained:
    """Keep so many messages of these customers under way for so many seconds after a ramp, and wait
    for the last of their webhooks."""
    await stage.receiver.forget()
    flow, came_before = _Flow(unfinished), await stage.receiver.count()
    move = stage.track(title, seconds)
    async with asyncio.TaskGroup() as group:
        for connection, requests in await _open(customers):
            group.create_task(_send(flow, connection, requests))
        window = await _watch(stage, flow, came_before, seconds, move)
    arrivals = await collect(stage, len(PER_MESSAGE) * flow.accepted)
    check_each_once(flow.accepted, arrivals)
    backlog = ", ".join(f"{at} s {count:,}" for at, count in flow.backlog.items())
    return Sustained(
        rate=window.finished / window.elapsed,
        finished=window.finished,
        seconds=window.seconds,
        wal_bytes=window.wal_bytes,
        arrivals=arrivals,
        note=f"{flow.accepted:,} messages, {len(arrivals):,} webhooks, each once and in order; at "
        f"most {unfinished:,} unfinished, and that at {backlog}; {window.use}",
    )


async def _open(customers: Sequence[Customer]) -> list[tuple[Connection, Iterator[bytes]]]:
    """Open 64 connections shared by the customers, as are 2,000 people, each with requests without
    end."""
    opened: list[tuple[Connection, Iterator[bytes]]] = []
    share, people = max(1, CONNECTIONS // len(customers)), _PEOPLE // len(customers)
    for customer in customers:
        requests = itertools.cycle(buttons(customer.client, customer.account_id, people, people))
        opened += [
            (connection, requests) for connection in await customer.client.open_connections(share)
        ]
    return opened


async def _send(flow: _Flow, connection: Connection, requests: Iterator[bytes]) -> None:
    try:
        while await flow.may_send():
            flow.accepted += 1
            answer = await connection.ask(next(requests))
            if answer.status >= 300:
                raise RuntimeError(f"answered {answer.status}: {answer.body[:300]!r}")
    finally:
        connection.close()


async def _watch(
    stage: Stage, flow: _Flow, came_before: int, seconds: int, move: Callable[[int], None]
) -> _Window:
    """Keep the flow informed of what is finished; return what happened after the ramp."""
    await _follow(stage, flow, came_before, time.monotonic() + _RAMP)
    async with stage.gateway.database() as connection:
        written = await connection.fetchval(_WAL)
        use = ProcessorUse(
            stage.gateway.pid,
            {"receiver": [stage.receiver.pid], POSTGRES: stage.gateway.postmasters},
        )
        began, before, moved = time.monotonic(), flow.finished, 0
        for quarter in range(1, 5):
            await _follow(stage, flow, came_before, began + quarter * seconds / 4)
            flow.backlog[round(quarter * seconds / 4)] = flow.unfinished
            move(quarter * seconds // 4 - moved)
            moved = quarter * seconds // 4
        window = _Window(
            elapsed=time.monotonic() - began,
            finished=flow.finished - before,
            seconds=use.seconds(),
            wal_bytes=await connection.fetchval(_WAL) - written,
            use=use.text(),
        )
    flow.over = True
    flow.set_finished(flow.finished)
    return window


async def _follow(stage: Stage, flow: _Flow, came_before: int, until: float) -> None:
    while time.monotonic() < until:
        await asyncio.sleep(_LOOK_EVERY)
        flow.set_finished((await stage.receiver.count() - came_before) / len(PER_MESSAGE))
