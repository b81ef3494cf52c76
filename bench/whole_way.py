"""The whole way: messages that are accepted, sent, delivered, read, and told in three webhooks.

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
from bench.programs import insert_alone, post_alone
from bench.stage import CONNECTIONS, Stage, buttons, collect, send_samples

UNFINISHED = 1000
_LEAST = 0.25
_RAMP = 5.0
_LOOK_EVERY = 0.05
_POSTS = 30_000


@dataclass(slots=True)
class _Flow:
    """Messages of one run. `backlog` is what was unfinished at some moments, by seconds."""

    accepted: int = 0
    finished: float = 0.0
    over: bool = False
    backlog: dict[int, int] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def unfinished(self) -> int:
        return round(self.accepted - self.finished)

    def note_finished(self, finished: float) -> None:
        self.finished = finished
        self._news.set()

    async def may_send(self) -> bool:
        """Wait for room; False when the run is over."""
        while not self.over and self.accepted - self.finished >= UNFINISHED:
            self._news.clear()
            await self._news.wait()
        return not self.over


async def whole_way(stage: Stage) -> list[Finding]:
    """Sustained for a minute with each count of nodes, beside what its parts reach alone."""
    found: list[Finding] = []
    for nodes in stage.nodes:
        await stage.gateway.run_nodes(nodes)
        found += await _measure(stage)
    return found


async def _measure(stage: Stage) -> list[Finding]:
    nodes = stage.gateway.nodes
    title = f"whole way, {nodes} node{'s'[: nodes > 1]}"
    await send_samples(stage, 50)
    accepts = await reach_without_store(stage)
    posts = await _post_alone(stage)
    inserts = await _insert_alone(stage)
    limit = 1 / (1 / accepts + 3 / posts)
    rate, note = await _sustain(stage, title)
    limit_name = f"1 / (1/A + 3/P), A {accepts:,.0f}/s, P {posts:,.0f}/s"
    inserts_name = "pgbench: commits of one row each"
    return [
        _compare(title, rate, limit, limit_name, note=note, least=_LEAST),
        _compare(f"{title}, to commits", rate, inserts, inserts_name),
    ]


def _compare(
    title: str,
    rate: float,
    baseline: float,
    name: str,
    *,
    note: str | None = None,
    least: float | None = None,
) -> Comparison:
    return Comparison(
        name=title,
        value=round(rate, 1),
        unit="/s",
        baseline=round(baseline, 1),
        baseline_name=name,
        ratio=round(rate / baseline, 3),
        bar=None if least is None else f">= {least:.0%}",
        met=None if least is None else rate / baseline >= least,
        note=note,
    )


async def _post_alone(stage: Stage) -> float:
    """The client that posts webhooks, in as many processes as there are nodes."""
    payload = await stage.gateway.sample_payload()
    stage.track("posting alone", 1)
    url, count = stage.receiver.url + "/hook", stage.count(_POSTS)
    reached = await post_alone(url, payload, count, stage.gateway.nodes)
    await stage.receiver.forget()
    return reached


async def _insert_alone(stage: Stage) -> float:
    size = len(await stage.gateway.sample_payload())
    async with stage.gateway.database() as connection:
        await connection.execute("CREATE TABLE IF NOT EXISTS bench_rows (body text NOT NULL)")
    stage.track("inserting alone", 1)
    url = stage.gateway.owner_url
    return await insert_alone(url, size, 1 if stage.quick else 5)


async def _sustain(stage: Stage, title: str) -> tuple[float, str]:
    """Messages finished a second after the ramp, and where things stood."""
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
    """64 connections shared by the customers, each with requests without end."""
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
    """Let the flow know what is finished; its rate after the ramp, and who took the processor."""
    await _follow(stage, flow, came_before, time.monotonic() + _RAMP)
    use = ProcessorUse(stage.gateway.pid, {"receiver": stage.receiver.pid})
    began, before = time.monotonic(), flow.finished
    for quarter in range(1, 5):
        await _follow(stage, flow, came_before, began + quarter * seconds / 4)
        flow.backlog[round(quarter * seconds / 4)] = flow.unfinished
        move(seconds // 4)
    rate = (flow.finished - before) / (time.monotonic() - began)
    flow.over = True
    flow.note_finished(flow.finished)
    return rate, use.text()


async def _follow(stage: Stage, flow: _Flow, came_before: int, until: float) -> None:
    while time.monotonic() < until:
        await asyncio.sleep(_LOOK_EVERY)
        flow.note_finished((await stage.receiver.count() - came_before) / len(PER_MESSAGE))
