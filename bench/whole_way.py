"""Measure the whole way of messages: accepted, sent, delivered, read, and reported in three
webhooks.

As many are offered as the gateway finishes: no more than `UNFINISHED` are under way at any time, so
what is finished a second is what it can sustain.
"""

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bench.accepting import reach_without_store
from bench.checks import PER_MESSAGE, check_each_once
from bench.client import Connection
from bench.figures import Comparison, Finding
from bench.processor import ProcessorUse
from bench.programs import post_alone
from bench.stage import CONNECTIONS, Stage, buttons, collect, send_samples

UNFINISHED = 1000
_LEAST = 0.25
_RAMP = 5.0
_LOOK_EVERY = 0.05
_POSTS = 30_000


@dataclass(slots=True)
class _Flow:
    """Messages of one run. `backlog` is how many were unfinished at some moments, by seconds."""

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
        while not self.over and self.accepted - self.finished >= UNFINISHED:
            self._changed.clear()
            await self._changed.wait()
        return not self.over


async def whole_way(stage: Stage) -> list[Finding]:
    """Measure for a minute with each count of nodes, beside what its parts reach alone."""
    found: list[Finding] = []
    for nodes in stage.nodes:
        await stage.gateway.run_nodes(nodes)
        found.append(await _measure(stage))
    return found


async def _measure(stage: Stage) -> Comparison:
    nodes = stage.gateway.nodes
    title = f"whole way, {nodes} node{'s'[: nodes > 1]}"
    await send_samples(stage, 50)
    accepts = await reach_without_store(stage)
    posts = await _post_alone(stage)
    limit = 1 / (1 / accepts + 3 / posts)
    rate, note = await _sustain(stage, title)
    return Comparison(
        name=title,
        value=round(rate, 1),
        unit="/s",
        baseline=round(limit, 1),
        baseline_name=f"1 / (1/A + 3/P), A {accepts:,.0f}/s, P {posts:,.0f}/s",
        ratio=round(rate / limit, 3),
        bar=f">= {_LEAST:.0%}",
        met=rate / limit >= _LEAST,
        note=note,
    )


async def _post_alone(stage: Stage) -> float:
    """Run the client that posts webhooks in as many processes as there are nodes."""
    payload = await stage.gateway.sample_payload()
    stage.track("posting alone", 1)
    url, count = stage.receiver.url + "/hook", stage.count(_POSTS)
    reached = await post_alone(url, payload, count, stage.gateway.nodes)
    await stage.receiver.forget()
    return reached


async def _sustain(stage: Stage, title: str) -> tuple[float, str]:
    """Return the messages finished a second after the ramp, and a note on where things stood."""
    flow, came_before = _Flow(), await stage.receiver.count()
    seconds = 6 if stage.quick else 60
    move = stage.track(title, seconds)
    async with asyncio.TaskGroup() as group:
        for connection, requests in await _open(stage):
            group.create_task(_send(flow, connection, requests))
        rate, use = await _watch(stage, flow, came_before, seconds, move)
    arrivals = await collect(stage, len(PER_MESSAGE) * flow.accepted)
    check_each_once(flow.accepted, arrivals)
    backlog = ", ".join(f"{at} s {count:,}" for at, count in flow.backlog.items())
    return rate, (
        f"{flow.accepted:,} messages, {len(arrivals):,} webhooks, each once and "
        f"in order; at most {UNFINISHED:,} unfinished, and that at {backlog}; {use}"
    )


async def _open(stage: Stage) -> list[tuple[Connection, Iterator[bytes]]]:
    """Open 64 connections shared by the customers, each with requests without end."""
    opened: list[tuple[Connection, Iterator[bytes]]] = []
    for customer in stage.gateway.customers:
        requests = itertools.cycle(buttons(customer.client, customer.account_id, 500))
        share = CONNECTIONS // len(stage.gateway.customers)
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
) -> tuple[float, str]:
    """Keep the flow informed of what is finished; return its rate after the ramp, and who took the
    processor."""
    await _follow(stage, flow, came_before, time.monotonic() + _RAMP)
    use = ProcessorUse(stage.gateway.pid, {"receiver": stage.receiver.pid})
    began, before = time.monotonic(), flow.finished
    for quarter in range(1, 5):
        await _follow(stage, flow, came_before, began + quarter * seconds / 4)
        flow.backlog[round(quarter * seconds / 4)] = flow.unfinished
        move(seconds // 4)
    rate = (flow.finished - before) / (time.monotonic() - began)
    flow.over = True
    flow.set_finished(flow.finished)
    return rate, use.text()


async def _follow(stage: Stage, flow: _Flow, came_before: int, until: float) -> None:
    while time.monotonic() < until:
        await asyncio.sleep(_LOOK_EVERY)
        flow.set_finished((await stage.receiver.count() - came_before) / len(PER_MESSAGE))
