"""Measure how long things take: from accept to webhook, a burst, a start."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from bench.checks import check_each_once, check_order
from bench.client import Answer, Client, ask_at_rate
from bench.figures import Comparison, Figure, Finding, Spread, spread
from bench.stage import CONNECTIONS, Stage, ask_over, buttons, collect, message_ids, send_samples

_SECONDS = 20
_BARE = "a bare POST to the receiver"


@dataclass(frozen=True, slots=True)
class _Pace:
    """Messages a second, and the most that percentiles in milliseconds may be at it."""

    rate: int
    bars: Mapping[str, float]


_PACES = (_Pace(50, {"p50": 6.0, "p99": 13.0}), _Pace(20, {"p50": 8.0}))


async def latency(stage: Stage) -> list[Finding]:
    """Measure from sending a request to the receipt of its `message.sent`, at 50 and at 20 messages
    a second; beside it, how long the receiver takes to answer when it is asked directly at that
    rate."""
    await stage.gateway.run_nodes(stage.nodes[0])
    await send_samples(stage, 50)
    return [found for pace in _PACES for found in await _measure(stage, pace)]


async def _measure(stage: Stage, pace: _Pace) -> list[Finding]:
    count = stage.count(_SECONDS * pace.rate)
    before = await _ask_receiver(stage, pace.rate, count // 2)
    sent, accepted = await _send_steadily(stage, pace.rate, count)
    bare = spread([*before, *await _ask_receiver(stage, pace.rate, count // 2)])
    title = f"accept to webhook, {pace.rate}/s"
    return [
        *[_compare(title, percentile, sent, bare, most) for percentile, most in pace.bars.items()],
        _figure(title, count, pace.rate, sent),
        _figure("… of which until the answer", count, pace.rate, accepted),
        _figure(_BARE, count, pace.rate, bare),
    ]


def _compare(title: str, percentile: str, sent: Spread, bare: Spread, most: float) -> Comparison:
    value, baseline = getattr(sent, percentile), getattr(bare, percentile)
    return Comparison(
        name=f"{title}, {percentile}",
        value=value,
        unit="ms",
        baseline=baseline,
        baseline_name=f"{_BARE} at the same rate",
        ratio=round(value / baseline, 2),
        bar=f"<= {most:g} ms",
        met=value <= most,
        note="the bar is for a quiet machine; on a busy one the ratio tells more",
    )


def _figure(name: str, count: int, rate: int, found: Spread) -> Figure:
    return Figure(
        name=name,
        count=count,
        seconds=round(count / rate, 2),
        rate=rate,
        p50=found.p50,
        p99=found.p99,
        max=found.max,
    )


async def _ask_receiver(stage: Stage, rate: int, count: int) -> list[float]:
    client = Client(stage.receiver.url, "")
    payload = await stage.gateway.sample_payload()
    move = stage.track(_BARE, count)
    async with client.connections(8) as connections:
        requests = [client.post_raw("/hook", payload)] * count
        answers = await ask_at_rate(connections, requests, rate, tick=lambda: move(1))
    await stage.receiver.forget()
    return [answer.seconds for answer in answers]


async def _send_steadily(stage: Stage, rate: int, count: int) -> tuple[Spread, Spread]:
    """Return the times until the webhook, and until the answer."""
    customer = stage.gateway.customer
    requests = buttons(customer.client, customer.account_id, count, people=200)
    move = stage.track("accept to webhook", count)
    async with customer.client.connections(CONNECTIONS) as connections:
        answers = await ask_at_rate(connections, requests, rate, tick=lambda: move(1))
    asked = dict(zip(message_ids(answers), answers, strict=True))
    arrivals = await collect(stage, 3 * count)
    sent = [
        arrival.at - _of(asked, arrival.message_id).asked_at
        for arrival in arrivals
        if arrival.type == "message.sent"
    ]
    return spread(sent), spread(answer.seconds for answer in answers)


def _of(asked: dict[str, Answer], message_id: str | None) -> Answer:
    assert message_id is not None
    return asked[message_id]


async def burst(stage: Stage) -> list[Finding]:
    """Send 1,000 messages at once: all read, every webhook once, in order per conversation."""
    await stage.gateway.run_nodes(stage.nodes[0])
    await stage.receiver.forget()
    customer, count = stage.gateway.customer, 1000
    requests = buttons(customer.client, customer.account_id, count, people=50)
    move = stage.track("burst", 3 * count)
    began = time.monotonic()
    answers, accepted = await ask_over(customer.client, requests)
    arrivals = await collect(stage, 3 * count, move)
    last = max(arrival.at for arrival in arrivals) - began
    check_each_once(count, arrivals)
    await check_order(stage.gateway, message_ids(answers), arrivals)
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


async def start(stage: Stage) -> list[Finding]:
    """Start the gateway again, on the data directory that the measures have filled."""
    await stage.gateway.run_nodes(stage.nodes[0])
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
