"""Measure what many tenants on many shards reach together, in turns with one tenant on one."""

import asyncio
import statistics
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.client import ask_at_rate
from bench.figures import Comparison, Finding, Pair, Spread, compare_rounds, spread
from bench.gateway import UNHEARD, Customer, Gateway, private_gateway
from bench.stage import CONNECTIONS, ROUNDS, Stage, ask_over, buttons, collect
from bench.sustaining import Sustained, sustain

SHARDS = 64
_MANY = 1000
_SECONDS = 15
_BURST = 5_000
_LEAST = 0.85
_TOGETHER, _RATE, _MOST_WAIT = 200.0, 40.0, 1.3
"""Messages a second of all that send and of a tenant beside them, and how many times as long an
answer may take that one beside many as beside one."""


class _Burst(NamedTuple):
    """How many messages a second were accepted, and how many came to their last webhook."""

    accepted: float
    finished: float


@dataclass(slots=True)
class _Scene:
    """A gateway of one node, of whose customers the first `busy` send, and one beside them."""

    name: str
    gateway: Gateway
    busy: int
    beside: Customer
    ways: list[Sustained] = field(default_factory=list)
    waits: list[Spread] = field(default_factory=list)
    bursts: list[_Burst] = field(default_factory=list)

    @property
    def senders(self) -> Sequence[Customer]:
        return self.gateway.customers[: self.busy]


async def tenants(stage: Stage) -> list[Finding]:
    """Compare one tenant with 64 that send, and with 1,000 of which 64 send; one of these gateways
    runs at a time."""
    many = max(SHARDS, stage.count(_MANY))
    async with AsyncExitStack() as stack:

        async def scene(name: str, customers: int, shards: int) -> _Scene:
            gateway = await stack.enter_async_context(private_gateway(1, SHARDS=str(shards)))
            stage.track(f"making {name}", 1)
            await gateway.furnish(stage.receiver.url, customers)
            [beside] = await gateway.add_customers(stage.receiver.url, 1, events=UNHEARD)
            await gateway.stop()
            return _Scene(name, gateway, min(customers, SHARDS), beside)

        alone = await scene("one tenant", 1, 1)
        others = [
            await scene(f"{SHARDS} tenants", SHARDS, SHARDS),
            await scene(f"{many:,} tenants", many, SHARDS),
        ]
        rounds = 1 if stage.quick else ROUNDS
        for number in range(rounds):
            for one in (alone, *others):
                await _take_turn(stage.on(one.gateway), one, f"{number + 1} of {rounds}")
    return [found for other in others for found in _compare(other, alone)]


async def _take_turn(stage: Stage, scene: _Scene, turn: str) -> None:
    await scene.gateway.start()
    await scene.gateway.await_connected()
    title = f"{scene.name}, {turn}"
    seconds = stage.count(_SECONDS)
    scene.ways.append(await sustain(stage, title, scene.senders, seconds))
    scene.waits.append(await _send_beside(stage, scene, seconds))
    scene.bursts.append(await _accept(stage, title, scene.senders))
    await scene.gateway.stop()


async def _send_beside(stage: Stage, scene: _Scene, seconds: int) -> Spread:
    """Let all send at a steady rate; return how long answers took the one beside them."""
    await stage.receiver.forget()
    count = int(seconds * _TOGETHER)
    share = -(-count // len(scene.senders))
    each = [_requests(customer, share) for customer in scene.senders]
    together = [request for turn in zip(*each, strict=True) for request in turn][:count]
    async with (
        scene.senders[0].client.connections(CONNECTIONS) as theirs,
        scene.beside.client.connections(CONNECTIONS) as own,
    ):
        _, answers = await asyncio.gather(
            ask_at_rate(theirs, together, _TOGETHER),
            ask_at_rate(own, _requests(scene.beside, int(seconds * _RATE)), _RATE),
        )
    await collect(stage, 3 * count)
    return spread(answer.seconds for answer in answers)


def _requests(customer: Customer, count: int) -> list[bytes]:
    return buttons(customer.client, customer.account_id, count, CONNECTIONS)


async def _accept(stage: Stage, title: str, customers: Sequence[Customer]) -> _Burst:
    """Send messages as fast as they are accepted, each customer's in turn, over 64 connections, and
    wait for the last of their webhooks."""
    share = stage.count(_BURST) // len(customers)
    each = [_requests(customer, share) for customer in customers]
    requests = [request for turn in zip(*each, strict=True) for request in turn]
    move = stage.track(f"{title}, accepting", len(requests))
    began = time.monotonic()
    _, took = await ask_over(customers[0].client, requests, move)
    await collect(stage, 3 * len(requests))
    return _Burst(len(requests) / took, len(requests) / (time.monotonic() - began))


def _compare(scene: _Scene, alone: _Scene) -> list[Comparison]:
    ways = [Pair(here.rate, there.rate) for here, there in zip(scene.ways, alone.ways, strict=True)]
    bursts = list(zip(scene.bursts, alone.bursts, strict=True))
    accepts = [Pair(here.accepted, there.accepted) for here, there in bursts]
    ends = [Pair(here.finished, there.finished) for here, there in bursts]
    return [
        compare_rounds(
            f"whole way, {scene.name}",
            ways,
            baseline_name="one tenant on one shard",
            least=_LEAST,
            note=f"{scene.busy} send, on {SHARDS} shards; {scene.ways[-1].cost}; one tenant "
            f"{alone.ways[-1].cost}",
        ),
        compare_rounds(
            f"accept meanwhile, {scene.name}",
            accepts,
            baseline_name="one tenant on one shard",
            note="one account has at most 256 messages under way, many accounts as many each: the "
            "more is sent meanwhile, the less is accepted",
        ),
        compare_rounds(
            f"… from the first accept to the last webhook, {scene.name}",
            ends,
            baseline_name="one tenant on one shard",
            least=_LEAST,
        ),
        _compare_waits(scene, alone),
    ]


def _compare_waits(scene: _Scene, alone: _Scene) -> Comparison:
    rounds = list(zip(scene.waits, alone.waits, strict=True))
    ratio = statistics.median(here.p99 / there.p99 for here, there in rounds)
    return Comparison(
        name=f"another's accept p99 beside {scene.name}",
        value=statistics.median(here.p99 for here, _ in rounds),
        unit="ms",
        baseline=statistics.median(there.p99 for _, there in rounds),
        baseline_name="the same beside one tenant that sends as much",
        ratio=round(ratio, 2),
        bar=f"<= {_MOST_WAIT}x",
        met=ratio <= _MOST_WAIT,
        note=f"{_RATE:.0f} messages a second beside {_TOGETHER:.0f} of the others together",
    )
