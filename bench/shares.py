"""Measure what another tenant notices of one that works hard within its share, in turns with quiet.

The one who works has much data, and asks again as soon as it is answered. The other sends.
"""

import os
import statistics
import time
from asyncio import sleep
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field

from bench.attacking import Attack, attacking
from bench.checks import require
from bench.client import ask_at_rate
from bench.figures import Comparison, Finding, spread
from bench.gateway import Customer, Gateway, private_gateway
from bench.plenty import index_messages, insert_conversations, insert_messages, make_texts
from bench.processor import seconds_from
from bench.spinning import spinning
from bench.stage import CONNECTIONS, Stage, buttons, collect, message_ids
from bench.visitor import Visitor, sign_in
from bench.volume import send_template
from bench.working import KINDS

MOST = 1.3
"""The other tenant's p99 may be so many times what it is in quiet."""

_CONVERSATIONS, _MESSAGES = 10_000, 100_000
_RATE = 40  # the other tenant's messages a second
_SECONDS = 10
_ROUNDS = 5
_SETTLE = 1.0  # seconds until a process has started, and until what it asked for has ended


@dataclass(frozen=True, slots=True)
class Window:
    """The p99 of the other tenant's waits in milliseconds, by their names, and the processors that
    everything took together."""

    p99: Mapping[str, float]
    processors: float


@dataclass(frozen=True, slots=True)
class Round:
    quiet: Window
    beside: Window
    spinning: Window


@dataclass(slots=True)
class Outcome:
    rounds: list[Round] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Scene:
    """A gateway of one node with two tenants: one who works, and another."""

    stage: Stage
    visitor: Visitor
    seconds: int

    @property
    def gateway(self) -> Gateway:
        return self.stage.gateway

    @property
    def other(self) -> Customer:
        return self.gateway.customers[1]

    async def play(self, kind: str, rounds: int) -> Outcome:
        """Send in quiet, beside this kind of work, and beside processes that only spin as much, in
        turns."""
        outcome = Outcome()
        work = KINDS[kind](self.gateway.customer.client, self.visitor)
        attack = Attack(self.gateway.port, work.requests, loops=work.loops)
        move = self.stage.track(f"beside {kind}", 3 * rounds)
        for _ in range(rounds):
            quiet = await self.send_beside(nullcontext())
            move(1)
            async with attacking(attack) as statuses:
                beside = await self.send_beside(nullcontext())
            outcome.statuses += statuses
            move(1)
            more = max(0.0, beside.processors - quiet.processors)
            spun = await self.send_beside(spinning(more))
            outcome.rounds.append(Round(quiet, beside, spun))
            move(1)
        return outcome

    async def send_beside(self, work: AbstractAsyncContextManager[object]) -> Window:
        """Send at a steady rate while the work goes on, and wait for the webhooks."""
        count = _RATE * self.seconds
        requests = buttons(self.other.client, self.other.account_id, count, people=200)
        async with self.other.client.connections(CONNECTIONS) as connections, work:
            await sleep(_SETTLE)
            before, began = seconds_from(os.getpid()), time.monotonic()
            answers = await ask_at_rate(connections, requests, _RATE)
            took = seconds_from(os.getpid()) - before
            processors = took / (time.monotonic() - began)
            arrivals = await collect(self.stage, 3 * count)
        require(all(answer.status < 300 for answer in answers), "a message was refused")
        asked = dict(zip(message_ids(answers), answers, strict=True))
        sent = [
            arrival.at - asked[arrival.message_id].asked_at
            for arrival in arrivals
            if arrival.type == "message.sent" and arrival.message_id is not None
        ]
        p99 = {
            "accept": spread(answer.seconds for answer in answers).p99,
            "accept to webhook": spread(sent).p99,
        }
        return Window(p99, processors)


@asynccontextmanager
async def sharing(stage: Stage) -> AsyncIterator[Scene]:
    """Start the gateway, and give the first tenant its data."""
    async with private_gateway(1, RATE_LIMIT_PERSON="1000000") as gateway:
        await gateway.furnish(stage.receiver.url, 2)
        here, customer = stage.on(gateway), gateway.customer
        template = await send_template(here)
        people, texts = here.count(_CONVERSATIONS), make_texts(here.count(_MESSAGES))
        async with gateway.database() as connection:
            await insert_conversations(connection, customer, people)
            await insert_messages(connection, customer, template, texts, conversations=people)
            await index_messages(connection, customer)
            await connection.execute("VACUUM (ANALYZE)")
        visitor = await sign_in(gateway, customer)
        scene = Scene(here, visitor, _SECONDS // 4 if stage.quick else _SECONDS)
        await here.receiver.forget()
        await scene.send_beside(nullcontext())
        yield scene


async def shares(stage: Stage) -> list[Finding]:
    """Compare the other tenant's waits beside each kind of work with those in quiet."""
    rounds = 2 if stage.quick else _ROUNDS
    async with sharing(stage) as scene:
        outcomes = {kind: await scene.play(kind, rounds) for kind in KINDS}
    return [
        compare(kind, name, outcome)
        for kind, outcome in outcomes.items()
        for name in outcome.rounds[0].quiet.p99
    ]


def compare(kind: str, name: str, outcome: Outcome) -> Comparison:
    rounds = outcome.rounds

    def median(figure: Callable[[Round], float]) -> float:
        return round(statistics.median(map(figure, rounds)), 2)

    ratio = median(lambda found: found.beside.p99[name] / found.quiet.p99[name])
    spun = median(lambda found: found.spinning.p99[name] / found.quiet.p99[name])
    more = median(lambda found: found.beside.processors - found.quiet.processors)
    answered = ", ".join(f"{status} × {n}" for status, n in sorted(outcome.statuses.items()))
    each = ", ".join(f"{found.beside.p99[name] / found.quiet.p99[name]:.2f}" for found in rounds)
    return Comparison(
        name=f"{name} p99 beside {kind}",
        value=median(lambda found: found.beside.p99[name]),
        unit="ms",
        baseline=median(lambda found: found.quiet.p99[name]),
        baseline_name=f"quiet, {_RATE} messages a second",
        ratio=ratio,
        bar=f"<= {MOST}x",
        met=ratio <= MOST,
        note=f"rounds {each}; beside processes that only spin as much, {spun} times; the work took "
        f"{more} processors and was answered {answered or 'nothing'}",
    )
