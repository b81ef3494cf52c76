"""Measure accepting, reading and the way to the webhook with more and more stored messages."""

import statistics
import time
from dataclasses import dataclass

from bench.accepting import compare_accepts
from bench.client import ask_at_rate
from bench.figures import Comparison, Finding, Pair, compare_rounds, spread
from bench.gateway import private_gateway
from bench.programs import post_alone
from bench.reading import compare_read, message_path
from bench.seeding import Seeding
from bench.stage import CONNECTIONS, ROUNDS, Stage, ask_over, buttons, collect, message_ids, phone

_CUSTOMERS = 8
_SIZES = (100_000, 1_000_000)
_FULL_SIZE = 10_000_000
_MOST = 1.2

_STATISTICS = "/api/v1/messages/stats/summary"
_MOST_P99 = 20.0
_PER_SECOND = 100
_WINDOWS = 9
_WINDOW = 4
"""Seconds, of which the median window's 99th percentile counts."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A rate, and the rate of its baseline at the same time."""

    rate: float
    baseline: float

    def times_slower_than(self, other: "Reached") -> float:
        return (other.rate / other.baseline) / (self.rate / self.baseline)


async def volume(stage: Stage) -> list[Finding]:
    """Run a gateway of one node with eight tenants and nine accounts, filled in steps."""
    sizes = tuple(stage.count(size) for size in (*_SIZES, *[_FULL_SIZE] * stage.full))
    found: list[Finding] = []
    async with private_gateway(1) as gateway:
        await gateway.furnish(stage.receiver.url, _CUSTOMERS)
        here = stage.on(gateway)
        seeding = await Seeding.begin(gateway, await send_template(here))
        first: dict[str, Reached] = {}
        p99s: list[float] = []
        people = 0
        for size in sizes:
            took = await _fill(here, seeding, size)
            people = people or seeding.conversations  # those whom every size knows
            reached = await _measure(here, seeding, people)
            first = first or reached
            p99s.append(await _statistics_p99(here))
            if size > sizes[0]:
                found += [
                    _compare(name, size, sizes[0], now, first[name], took)
                    for name, now in reached.items()
                ]
                found.append(_compare_p99(size, sizes[0], p99s[-1], p99s[0]))
    return found


async def send_template(stage: Stage) -> str:
    """Send a message to somebody whom no seeded row is about; return its id, once it is read."""
    customer = stage.gateway.customer
    await stage.receiver.forget()
    request = customer.client.send_buttons(phone(999_999), customer.account_id, "Message")
    answers, _ = await ask_over(customer.client, [request])
    await collect(stage, 3)
    return message_ids(answers)[0]


async def _fill(stage: Stage, seeding: Seeding, size: int) -> float:
    move = stage.track(f"storing {size:,} messages", size - seeding.stored)
    began = time.monotonic()
    await seeding.fill(size, move)
    return time.monotonic() - began


async def _measure(stage: Stage, seeding: Seeding, people: int) -> dict[str, Reached]:
    messages = [message_path(id_) for id_ in await seeding.list_ids(1000)]
    reads = {
        "get message (7)": messages,
        "get message stats (9)": [_STATISTICS],
        "list webhook events (10)": ["/api/v1/webhooks/subscriptions/events"],
    }
    accepts = await compare_accepts(stage, "accepts", stage.count(5_000))
    reached = {"accept": Reached(accepts.value, accepts.baseline * _scale(accepts))}
    for name, paths in reads.items():
        compared = await compare_read(stage, name, paths, stage.count(1500))
        reached[name] = Reached(compared.value, compared.baseline * _scale(compared))
    dispatch = await _dispatch(stage, people)
    reached["dispatch to webhooks"] = Reached(dispatch.value, dispatch.baseline * _scale(dispatch))
    return reached


async def _statistics_p99(stage: Stage) -> float:
    """Return milliseconds, of endpoint 9 asked 100 times a second and nothing else."""
    client, found = stage.gateway.customer.client, []
    windows = stage.count(_WINDOWS) or 1
    move = stage.track("get message stats (9), 100 a second", windows)
    for _ in range(windows):
        requests = [client.get(_STATISTICS)] * (_PER_SECOND * _WINDOW)
        async with client.connections(CONNECTIONS) as connections:
            answers = await ask_at_rate(connections, requests, _PER_SECOND)
        found.append(spread(answer.seconds for answer in answers).p99)
        move(1)
    return statistics.median(found)


def _scale(compared: Comparison) -> float:
    """Return a factor that makes value / baseline the median of the rounds' ratios."""
    return compared.value / compared.baseline / compared.ratio


async def _dispatch(stage: Stage, people: int) -> Comparison:
    """Send 2,000 messages and wait for their webhooks, in turns with as many posts alone."""
    customer, count = stage.gateway.customer, stage.count(2000)
    move = stage.track("dispatch", 3 * count * ROUNDS)
    payload = await stage.gateway.sample_payload()
    rounds = []
    for _ in range(ROUNDS):
        await stage.receiver.forget()
        requests = buttons(customer.client, customer.account_id, count, people)
        answers, _ = await ask_over(customer.client, requests)
        arrivals = await collect(stage, 3 * count, move)
        began = min(answer.asked_at for answer in answers)
        rate = count / (max(arrival.at for arrival in arrivals) - began)
        posts = await post_alone(stage.receiver.url + "/hook", payload, 3 * count, 1)
        rounds.append(Pair(rate, posts))
    await stage.receiver.forget()
    return compare_rounds("dispatch", rounds, baseline_name="posts alone")


def _compare(
    name: str, size: int, base: int, reached: Reached, first: Reached, took: float
) -> Comparison:
    slower = reached.times_slower_than(first)
    return Comparison(
        name=f"{name}, {size:,} stored",
        value=round(reached.rate, 1),
        unit="/s",
        baseline=round(first.rate, 1),
        baseline_name=f"the same, {base:,} stored",
        ratio=round(slower, 2),
        bar=f"<= {_MOST}x slower",
        met=slower <= _MOST,
        note="the ratio says how much slower, each beside its baseline of the same minute; "
        f"stored in {took:.0f} s",
    )


def _compare_p99(size: int, base: int, p99: float, first: float) -> Comparison:
    return Comparison(
        name=f"get message stats (9) p99, {size:,} stored",
        value=round(p99, 2),
        unit="ms",
        baseline=round(first, 2),
        baseline_name=f"the same, {base:,} stored",
        ratio=round(p99 / first, 2),
        bar=f"<= {_MOST_P99:.0f} ms and <= {_MOST}x",
        met=p99 <= _MOST_P99 and p99 <= _MOST * first,
        note=f"{_PER_SECOND} a second, the median of {_WINDOWS} windows of {_WINDOW} s",
    )
