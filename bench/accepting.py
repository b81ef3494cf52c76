"""Accept messages with the gateway and, in turns, with the same application without a store."""

import time

from bench.client import Client
from bench.figures import Comparison, Figure, Finding, Pair, compare_rounds, rate_figure
from bench.processor import ProcessorUse
from bench.programs import storeless
from bench.stage import ROUNDS, Stage, ask_over, buttons, collect

STORELESS = "A: the same route, storing nothing"
_LEAST = {1: 0.90, 2: 0.50}
_COUNT = 10_000


async def accept(stage: Stage) -> list[Finding]:
    """Measure accepting for an account that is not connected, then for one that sends meanwhile."""
    found: list[Finding] = [await _compare(stage, nodes) for nodes in stage.nodes]
    await stage.gateway.run_nodes(stage.nodes[0])
    return [*found, *await _while_sending(stage)]


async def _compare(stage: Stage, nodes: int) -> Comparison:
    await stage.gateway.run_nodes(nodes)
    title = f"accepts, {nodes} node{'s'[: nodes > 1]}"
    found = await compare_accepts(stage, title, stage.count(_COUNT), least=_LEAST.get(nodes))
    stage.storeless[nodes] = found.baseline
    return found


async def compare_accepts(
    stage: Stage, title: str, count: int, *, least: float | None = None
) -> Comparison:
    """Compare the gateway as it runs with baseline A on as many nodes, in turns."""
    gateway, rounds, latest = stage.gateway, [], ""
    move = stage.track(title, 2 * ROUNDS * count)
    async with storeless(gateway.settings, gateway.nodes) as base_url:
        without = Client(base_url, gateway.customer.client.api_key)
        await _warm_up(stage, without)
        for _ in range(ROUNDS):
            alone = time.process_time()
            baseline = await accept_for_asleep(stage, without, count)
            alone = (time.process_time() - alone) / baseline.seconds
            move(count)
            use = ProcessorUse(gateway.pid)
            durable = await accept_for_asleep(stage, gateway.customer.client, count)
            latest = f"{use.text()}; in A's turn load generator {alone:.0%}"
            move(count)
            rounds.append(Pair(durable.rate or 0.0, baseline.rate or 0.0))
    return compare_rounds(
        title,
        rounds,
        baseline_name=STORELESS,
        least=least,
        note=f"{ROUNDS} rounds of {count:,} in turns, the ratio is their median; durable "
        f"p50 {durable.p50} ms, p99 {durable.p99} ms; {latest}",
    )


async def _warm_up(stage: Stage, without: Client) -> None:
    """Load plans, caches and connections, so that the rounds don't pay for it."""
    for client in (without, stage.gateway.customer.client):
        await accept_for_asleep(stage, client, 500)


async def accept_for_asleep(stage: Stage, client: Client, count: int) -> Figure:
    """Send so many messages over 64 connections to an account that is not connected."""
    answers, took = await ask_over(client, buttons(client, stage.gateway.asleep_account_id, count))
    return rate_figure("accept", [answer.seconds for answer in answers], took)


async def reach_without_store(stage: Stage) -> float:
    """Return what baseline A reaches with as many nodes as run now; measure each count once."""
    nodes = stage.gateway.nodes
    if nodes not in stage.storeless:
        async with storeless(stage.gateway.settings, nodes) as base_url:
            client = Client(base_url, stage.gateway.customer.client.api_key)
            await _warm_up(stage, client)
            figure = await accept_for_asleep(stage, client, stage.count(_COUNT))
        stage.storeless[nodes] = figure.rate or 0.0
    return stage.storeless[nodes]


async def _while_sending(stage: Stage) -> list[Finding]:
    customer, count = stage.gateway.customer, stage.count(5_000)
    await stage.receiver.forget()
    move = stage.track("accept, while sending", 3 * count)
    requests = buttons(customer.client, customer.account_id, count)
    use = ProcessorUse(stage.gateway.pid)
    answers, took = await ask_over(customer.client, requests)
    arrivals = await collect(stage, 3 * count, move)
    began = min(answer.asked_at for answer in answers)
    drained = max(arrival.at for arrival in arrivals) - began
    return [
        rate_figure("accept, while sending", [answer.seconds for answer in answers], took),
        Figure(
            name="… until all are read and posted",
            count=count,
            seconds=round(drained, 2),
            rate=round(count / drained, 1),
            note=use.text(),
        ),
    ]
