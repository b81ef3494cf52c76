"""What is measured. Each measure takes the stage and returns its figures."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg
import msgspec

from bench.client import Answer, ask_all, ask_at_rate
from bench.figures import Figure, spread
from bench.gateway import Gateway
from bench.receiver import Arrival, Receiver

CONNECTIONS = 64
PER_MESSAGE = ("message.sent", "message.delivered", "message.read")
PATIENCE = 180.0

Track = Callable[[str, int], Callable[[int], None]]
"""Shows a bar of this title and total; what it returns moves the bar on by so many."""


@dataclass(frozen=True, slots=True)
class Stage:
    gateway: Gateway
    receiver: Receiver
    track: Track
    quick: bool

    def count(self, full: int) -> int:
        return full // 10 if self.quick else full


class SendResult(msgspec.Struct):
    message_id: str


def phone(number: int) -> str:
    return f"+1555{2_000_000 + number}"


def message_ids(answers: Sequence[Answer]) -> list[str]:
    return [msgspec.json.decode(answer.body, type=SendResult).message_id for answer in answers]


async def accept(stage: Stage) -> list[Figure]:
    """Messages accepted for an account that sleeps, then for one that sends at the same time.

    What `/healthz` reaches in the same run is the baseline: a request that does nothing.
    """
    asleep, awake = stage.gateway.asleep_account_id, stage.gateway.account_id
    bare = await _read(stage, "bare answer (/healthz)", "/healthz", stage.count(10_000))
    alone = await _accept(stage, "accept", asleep, stage.count(20_000))
    beside = await _accept(stage, "accept, while sending", awake, stage.count(5_000))
    began = time.monotonic()
    total = 3 * beside.count
    move = stage.track("webhooks of these", total)
    await _collect(stage, total, move)
    drained = beside.seconds + time.monotonic() - began
    through = Figure(
        name="accept to read and posted",
        count=beside.count,
        seconds=round(drained, 2),
        rate=round(beside.count / drained, 1),
    )
    return [bare, alone, beside, through]


async def _accept(stage: Stage, name: str, account_id: UUID | None, count: int) -> Figure:
    client = stage.gateway.known_client
    requests = [
        client.send_buttons(phone(number % 1000), account_id, f"Message {number}")
        for number in range(count)
    ]
    move = stage.track(name, count)
    async with client.connections(CONNECTIONS) as connections:
        began = time.monotonic()
        answers = await ask_all(connections, requests, tick=lambda: move(1))
        seconds = time.monotonic() - began
    found = spread(answer.seconds for answer in answers)
    return Figure(
        name=name,
        count=count,
        seconds=round(seconds, 2),
        rate=round(count / seconds, 1),
        p50=found.p50,
        p99=found.p99,
        max=found.max,
        note=f"{CONNECTIONS} connections",
    )


async def latency(stage: Stage) -> list[Figure]:
    """From sending a request to the receipt of its `message.sent`, at 50 messages a second."""
    client, rate, count = stage.gateway.known_client, 50, stage.count(1000)
    requests = [
        client.send_buttons(phone(number % 200), stage.gateway.account_id, f"Message {number}")
        for number in range(count)
    ]
    await _warm_up(stage)
    move = stage.track("accept to webhook", count)
    async with client.connections(CONNECTIONS) as connections:
        began = time.monotonic()
        answers = await ask_at_rate(connections, requests, rate, tick=lambda: move(1))
        seconds = time.monotonic() - began
    arrivals = await _collect(stage, 3 * count, lambda _: None)
    asked = dict(zip(message_ids(answers), answers, strict=True))
    sent = [
        arrival.at - asked[arrival.message_id].asked_at
        for arrival in arrivals
        if arrival.type == "message.sent" and arrival.message_id in asked
    ]
    found, accepted = spread(sent), spread(answer.seconds for answer in answers)
    return [
        Figure(
            name="accept to webhook",
            count=len(sent),
            seconds=round(seconds, 2),
            rate=round(count / seconds, 1),
            p50=found.p50,
            p99=found.p99,
            max=found.max,
            target="p50 <= 25 ms, p99 <= 100 ms",
            met=found.p50 <= 25 and found.p99 <= 100,
        ),
        Figure(
            name="… of which until the answer",
            count=count,
            seconds=round(seconds, 2),
            p50=accepted.p50,
            p99=accepted.p99,
            max=accepted.max,
        ),
    ]


async def _warm_up(stage: Stage) -> None:
    """A first second that is not measured: plans, caches and connections are there after it."""
    client = stage.gateway.known_client
    requests = [
        client.send_buttons(phone(number), stage.gateway.account_id, "Warm") for number in range(50)
    ]
    async with client.connections(8) as connections:
        await ask_at_rate(connections, requests, 50)
    await _collect(stage, 3 * len(requests), lambda _: None)


async def reads(stage: Stage) -> list[Figure]:
    """Endpoints 6 to 10 over what a message has left behind."""
    client = stage.gateway.known_client
    request = client.send_buttons(phone(1), stage.gateway.account_id, "To be read")
    async with client.connections(1) as connections:
        message_id = message_ids(await ask_all(connections, [request]))[0]
    arrivals = await _collect(stage, 3, lambda _: None)
    conversation_id = next(each.conversation_id for each in arrivals if each.conversation_id)
    paths = {
        "get conversation (6)": f"/api/v1/conversations/{conversation_id}",
        "get message (7)": f"/api/v1/messages/{message_id}",
        "list devices (8)": "/api/v1/devices",
        "get message stats (9)": "/api/v1/messages/stats/summary",
        "list webhook events (10)": "/api/v1/webhooks/subscriptions/events",
    }
    return [await _read(stage, name, path, stage.count(2000)) for name, path in paths.items()]


async def _read(stage: Stage, name: str, path: str, count: int) -> Figure:
    client = stage.gateway.known_client
    move = stage.track(name, count)
    async with client.connections(CONNECTIONS) as connections:
        began = time.monotonic()
        answers = await ask_all(connections, [client.get(path)] * count, tick=lambda: move(1))
        seconds = time.monotonic() - began
    found = spread(answer.seconds for answer in answers)
    return Figure(
        name=name,
        count=count,
        seconds=round(seconds, 2),
        rate=round(count / seconds, 1),
        p50=found.p50,
        p99=found.p99,
        max=found.max,
    )


async def burst(stage: Stage) -> list[Figure]:
    """1,000 messages at once: all read, every webhook once, in order per conversation."""
    client, count = stage.gateway.known_client, 1000
    requests = [
        client.send_buttons(phone(number % 50), stage.gateway.account_id, f"Message {number}")
        for number in range(count)
    ]
    move = stage.track("burst", 3 * count)
    began = time.monotonic()
    async with client.connections(CONNECTIONS) as connections:
        answers = await ask_all(connections, requests)
    accepted = time.monotonic() - began
    arrivals = await _collect(stage, 3 * count, move)
    last = max(arrival.at for arrival in arrivals) - began
    await check_arrivals(stage.gateway, message_ids(answers), arrivals)
    return [
        Figure(
            name="burst of 1,000 read and posted",
            count=count,
            seconds=round(last, 2),
            rate=round(count / last, 1),
            target="each webhook once, in order",
            met=True,
            note=f"accepted after {accepted:.2f} s; checked: all read, {3 * count:,} webhooks",
        )
    ]


async def check_arrivals(
    gateway: Gateway, sent_ids: Sequence[str], arrivals: Sequence[Arrival]
) -> None:
    """Each message is read; each event came once, in the order the gateway has written it."""
    doubles = [name for name, n in Counter(each.webhook_id for each in arrivals).items() if n > 1]
    _require(not doubles, f"{len(doubles)} webhooks came more than once")
    told: dict[str | None, list[str]] = defaultdict(list)
    for arrival in arrivals:
        told[arrival.message_id].append(arrival.type)
    wrong = [each for each in sent_ids if tuple(told[each]) != PER_MESSAGE]
    _require(not wrong, f"{len(wrong)} messages did not tell sent, delivered, read in this order")
    async with gateway.services() as services:
        statuses = await services.database.pool.fetch(
            """
            SELECT status, count(*) AS n FROM messages
            WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[]) GROUP BY status
            """,
            *gateway.known_tenant,
            sent_ids,
        )
        written = await services.database.pool.fetch(
            """
            SELECT conversation_id, message_id, type FROM events
            WHERE shard = $1 AND organization_id = $2 AND message_id = ANY($3::uuid[])
            ORDER BY seq
            """,
            *gateway.known_tenant,
            sent_ids,
        )
    _require([tuple(row) for row in statuses] == [("read", len(sent_ids))], "not all are read")
    _check_order(written, arrivals)


def _check_order(written: Sequence[asyncpg.Record], arrivals: Sequence[Arrival]) -> None:
    """Conversation by conversation, what was written is what came."""
    wanted: dict[str, list[tuple[str, str]]] = defaultdict(list)
    came: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in written:
        wanted[str(row["conversation_id"])].append((str(row["message_id"]), row["type"]))
    for arrival in arrivals:
        came[str(arrival.conversation_id)].append((str(arrival.message_id), arrival.type))
    wrong = [conversation for conversation in wanted if wanted[conversation] != came[conversation]]
    _require(not wrong, f"{len(wrong)} conversations were told in another order")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise RuntimeError(otherwise)


async def start(stage: Stage) -> list[Figure]:
    """Later starts of the gateway, on the data directory that the measures have filled."""
    times, stops = [], []
    count = 2 if stage.quick else 3
    move = stage.track("start", count)
    for _ in range(count):
        stops.append(await stage.gateway.stop())
        times.append(await stage.gateway.start())
        move(1)
    found = spread(times)
    return [
        Figure(
            name="later start until /readyz",
            count=count,
            seconds=round(sum(times), 2),
            p50=found.p50,
            max=found.max,
            target="<= 5 s",
            met=found.max <= 5000,
            note=f"a stop takes {max(stops):.2f} s at most",
        )
    ]


async def _collect(stage: Stage, count: int, move: Callable[[int], None]) -> list[Arrival]:
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


MEASURES: dict[str, Callable[[Stage], Awaitable[list[Figure]]]] = {
    "latency": latency,
    "burst": burst,
    "reads": reads,
    "accept": accept,
    "start": start,
}
