"""What every measure uses: the gateway, the receiver, and ways to ask and to wait."""

import asyncio
import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

import msgspec

from bench.client import Answer, Client, ask_all
from bench.figures import Figure, rate_figure
from bench.gateway import Gateway
from bench.progress import Track
from bench.receiver import Arrival, Receiver

CONNECTIONS = 64
ROUNDS = 3
PATIENCE = 180.0


@dataclass(frozen=True, slots=True)
class Stage:
    """`nodes` are the counts of nodes to measure. `storeless` remembers what baseline A reached
    with each of them, for later measures."""

    gateway: Gateway
    receiver: Receiver
    track: Track
    nodes: tuple[int, ...]
    quick: bool = False
    full: bool = False
    storeless: dict[int, float] = field(default_factory=dict)

    def count(self, full: int) -> int:
        return full // 10 if self.quick else full

    def on(self, gateway: Gateway) -> "Stage":
        """Return the same stage with another gateway."""
        return replace(self, gateway=gateway, storeless={})


class SendResult(msgspec.Struct):
    message_id: str


def phone(number: int) -> str:
    """Return a number that no account of the sandbox network gets by itself."""
    return f"+1555{1_000_000 + number}"


def message_ids(answers: Sequence[Answer]) -> list[str]:
    return [msgspec.json.decode(answer.body, type=SendResult).message_id for answer in answers]


def buttons(client: Client, account_id: UUID | None, count: int, people: int = 1000) -> list[bytes]:
    """Make requests to endpoint 2, to so many people in turn."""
    ready = [
        client.send_buttons(phone(number), account_id, f"Message {number}")
        for number in range(min(people, count))
    ]
    return list(itertools.islice(itertools.cycle(ready), count))


async def ask_over(
    client: Client,
    requests: Iterable[bytes],
    move: Callable[[int], None] = lambda _: None,
    *,
    patience: float = 0.0,
) -> tuple[list[Answer], float]:
    """Return the answers over 64 connections, and how many seconds they took together. `patience`
    is as in `ask_all`."""
    async with client.connections(CONNECTIONS) as connections:
        began = time.monotonic()
        answers = await ask_all(connections, requests, move=move, patience=patience)
        return answers, time.monotonic() - began


async def read(stage: Stage, name: str, client: Client, paths: Sequence[str], count: int) -> Figure:
    """GET these paths in turn, so many times, over 64 connections."""
    move = stage.track(name, count)
    requests = itertools.cycle([client.get(path) for path in paths])
    answers, took = await ask_over(client, itertools.islice(requests, count), move)
    return rate_figure(name, [answer.seconds for answer in answers], took)


async def collect(
    stage: Stage, count: int, move: Callable[[int], None] = lambda _: None
) -> list[Arrival]:
    """Wait for that many webhooks."""
    arrivals: list[Arrival] = []
    deadline = time.monotonic() + PATIENCE
    while len(arrivals) < count:
        if time.monotonic() > deadline:
            raise RuntimeError(f"{len(arrivals)} of {count} webhooks came within {PATIENCE:.0f} s")
        await asyncio.sleep(0.1)
        new = await stage.receiver.take()
        move(len(new))
        arrivals += new
    return arrivals


async def send_samples(stage: Stage, count: int = 1) -> tuple[list[str], list[Arrival]]:
    """Send some messages as the first customer; return their ids and all their webhooks."""
    customer = stage.gateway.customer
    await stage.receiver.forget()
    answers, _ = await ask_over(
        customer.client, buttons(customer.client, customer.account_id, count)
    )
    return message_ids(answers), await collect(stage, 3 * count)
