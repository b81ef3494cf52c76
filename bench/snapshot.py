"""Send while a transaction stays open that has read something, as that of a dump does: what has
changed since then can't be cleaned up."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bench.checks import require
from bench.client import ask_at_rate
from bench.figures import Comparison, Finding, spread
from bench.gateway import CUSTOMERS, Customer, Gateway, private_gateway
from bench.processor import POSTGRES, ProcessorUse
from bench.receiver import Receiver
from bench.stage import CONNECTIONS, PATIENCE, Stage, buttons, message_ids, send_samples

_RATE = 500
_WINDOWS = 10
_WINDOW = 60
"""Seconds, of which the first and the last are compared."""
_MOST = 1.3
_LOOK_EVERY = 0.2

_BLOCKS = """
SELECT sum(heap_blks_hit + heap_blks_read
    + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::float8
FROM pg_statio_user_tables WHERE schemaname = 'public'
"""


@dataclass(slots=True)
class _Arrivals:
    """When each message was reported as sent and as read, by its id."""

    sent: dict[str, float] = field(default_factory=dict)
    read: dict[str, float] = field(default_factory=dict)
    count: int = 0

    @asynccontextmanager
    async def taken(self, receiver: Receiver) -> AsyncIterator[None]:
        """Take what comes while the block runs."""
        task = asyncio.create_task(self._take(receiver))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _take(self, receiver: Receiver) -> None:
        steps = {"message.sent": self.sent, "message.read": self.read}
        while True:
            for arrival in await receiver.take():
                self.count += 1
                if arrival.message_id is not None and arrival.type in steps:
                    steps[arrival.type][arrival.message_id] = arrival.at
            await asyncio.sleep(_LOOK_EVERY)

    async def wait_for(self, count: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while self.count < count:
            require(time.monotonic() < deadline, f"{self.count} of {count} webhooks came in time")
            await asyncio.sleep(_LOOK_EVERY)
        require(self.count == count, f"{self.count} webhooks came instead of {count}")


@dataclass(frozen=True, slots=True)
class _Window:
    """What was asked for when, by the messages' ids, and what PostgreSQL did meanwhile: blocks that
    it looked at, and milliseconds of processor, for each message."""

    began: float
    ended: float
    asked: dict[str, float]
    blocks: float
    milliseconds: float

    def p99(self, arrivals: _Arrivals) -> float:
        """Return milliseconds from accept to webhook."""
        return spread(arrivals.sent[id_] - at for id_, at in self.asked.items()).p99

    def rate(self, arrivals: _Arrivals) -> float:
        """Return how many messages a second came to their end."""
        came = sum(self.began <= at < self.ended for at in arrivals.read.values())
        return came / (self.ended - self.began)


async def snapshot(stage: Stage) -> list[Finding]:
    """Let 500 messages a second pass for ten minutes, and compare the last one with the first."""
    rate, seconds = stage.count(_RATE), stage.count(_WINDOW)
    await stage.receiver.forget()
    async with private_gateway(1, SHARDS=str(CUSTOMERS)) as gateway:
        await gateway.furnish(stage.receiver.url)
        here, arrivals, windows = stage.on(gateway), _Arrivals(), []
        await send_samples(here, 50)
        requests = _requests(gateway.customers)
        move = here.track("sending under an open snapshot", _WINDOWS)
        async with arrivals.taken(stage.receiver):
            await _send(gateway, requests, rate, seconds)  # until everybody is known
            async with _open_snapshot(gateway):
                for _ in range(_WINDOWS):
                    windows.append(await _send(gateway, requests, rate, seconds))
                    move(1)
                await arrivals.wait_for(3 * rate * seconds * (_WINDOWS + 1))
    return _compare(windows, arrivals, f"{rate} messages a second", seconds)


def _requests(customers: Sequence[Customer]) -> Iterator[bytes]:
    """Make requests without end, of each customer in turn."""
    each = [buttons(customer.client, customer.account_id, 500, 500) for customer in customers]
    return itertools.cycle([request for turn in zip(*each, strict=True) for request in turn])


@asynccontextmanager
async def _open_snapshot(gateway: Gateway) -> AsyncIterator[None]:
    async with (
        gateway.database() as connection,
        connection.transaction(isolation="repeatable_read", readonly=True),
    ):
        await connection.fetchval("SELECT count(*) FROM messages")
        yield


async def _send(gateway: Gateway, requests: Iterator[bytes], rate: int, seconds: int) -> _Window:
    async with gateway.database() as connection:
        blocks = await connection.fetchval(_BLOCKS)
        use, began = ProcessorUse(gateway.pid), time.monotonic()
        async with gateway.customer.client.connections(CONNECTIONS) as connections:
            wanted = itertools.islice(requests, rate * seconds)
            answers = await ask_at_rate(connections, wanted, rate)
        refused = [answer.body for answer in answers if answer.status >= 300]
        require(not refused, f"{len(refused)} requests were refused: {refused[:1]}")
        ids = message_ids(answers)
        return _Window(
            began=began,
            ended=time.monotonic(),
            asked={id_: answer.asked_at for id_, answer in zip(ids, answers, strict=True)},
            blocks=(await connection.fetchval(_BLOCKS) - blocks) / len(ids),
            milliseconds=1000 * use.seconds()[POSTGRES] / len(ids),
        )


def _compare(
    windows: Sequence[_Window], arrivals: _Arrivals, load: str, seconds: int
) -> list[Finding]:
    first, last = windows[0], windows[-1]
    before, after = first.p99(arrivals), last.p99(arrivals)
    rate, rate_after = first.rate(arrivals), last.rate(arrivals)
    base = f"the first {seconds} s"
    return [
        Comparison(
            name="accept to webhook p99, snapshot",
            value=after,
            unit="ms",
            baseline=before,
            baseline_name=base,
            ratio=round(after / before, 2),
            bar=f"<= {_MOST}x",
            met=after <= _MOST * before,
            note=f"{load} for {len(windows) * seconds} s; each took PostgreSQL "
            f"{first.milliseconds:.2f} ms and {first.blocks:,.0f} blocks at first, "
            f"{last.milliseconds:.2f} ms and {last.blocks:,.0f} blocks at last",
        ),
        Comparison(
            name="whole way, snapshot",
            value=round(rate_after, 1),
            unit="/s",
            baseline=round(rate, 1),
            baseline_name=base,
            ratio=round(rate_after / rate, 2),
            bar=f">= {1 / _MOST:.0%}",
            met=rate <= _MOST * rate_after,
        ),
    ]
