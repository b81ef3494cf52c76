"""Measure what the gateway sustains on the whole way of messages, beside what its parts reach
alone, and what a message costs."""

from collections.abc import Sequence

from bench.accepting import reach_without_store
from bench.checks import count_transactions
from bench.figures import Comparison, Cost, Finding
from bench.gateway import CUSTOMERS, UNFOLDED, Customer
from bench.processor import NODES, POSTGRES
from bench.programs import post_alone
from bench.stage import Stage, send_samples
from bench.sustaining import UNFINISHED, sustain

_SECONDS = 60
_LEAST = {1: 0.40, 2: 0.25}
_MOST_MS = {NODES: 0.62, POSTGRES: 0.40}
_MOST_WAL = 10_000
_POSTS = 30_000


async def whole_way(stage: Stage) -> list[Finding]:
    """Measure for a minute with each count of nodes; then the same where the sandbox reports each
    status by itself, a second after the message was sent."""
    folded = stage.gateway.customers[:CUSTOMERS]
    unfolded = await stage.gateway.add_customers(stage.receiver.url, len(folded), network=UNFOLDED)
    found: list[Finding] = []
    for nodes in stage.nodes:
        await stage.gateway.run_nodes(nodes)
        await send_samples(stage, 50)
        limit, parts = await _limit(stage)
        name = f"whole way, {nodes} node{'s'[: nodes > 1]}"
        found += await _measure(stage, name, folded, UNFINISHED, limit, parts)
        name += ", unfolded"
        found += await _measure(stage, name, unfolded, 3 * UNFINISHED, limit, parts)
    return found


async def _limit(stage: Stage) -> tuple[float, str]:
    """Return what would be reached if accepting and posting were all, and of what it is made."""
    accepts = await reach_without_store(stage)
    payload = await stage.gateway.sample_payload()
    stage.track("posting alone", 1)
    url, count = stage.receiver.url + "/hook", stage.count(_POSTS)
    posts = await post_alone(url, payload, count, stage.gateway.nodes)
    limit = 1 / (1 / accepts + 3 / posts)
    return limit, f"1 / (1/A + 3/P), A {accepts:,.0f}/s, P {posts:,.0f}/s"


async def _measure(
    stage: Stage,
    name: str,
    customers: Sequence[Customer],
    unfinished: int,
    limit: float,
    parts: str,
) -> list[Finding]:
    seconds = _SECONDS // 10 if stage.quick else _SECONDS
    reached = await sustain(stage, name, customers, seconds, unfinished=unfinished)
    transactions = await count_transactions(stage.gateway, customers, reached.arrivals)
    ratio, least = reached.rate / limit, _LEAST.get(stage.gateway.nodes)
    return [
        Comparison(
            name=name,
            value=round(reached.rate, 1),
            unit="/s",
            baseline=round(limit, 1),
            baseline_name=parts,
            ratio=round(ratio, 3),
            bar=None if least is None else f">= {least:.0%}",
            met=None if least is None else ratio >= least,
            note=f"{reached.note}; a message's events were written in {transactions:.2f} "
            "transactions",
        ),
        *[
            Cost(
                name=f"{name}: {process}",
                value=reached.milliseconds(process),
                unit="ms of processor",
                most=most,
            )
            for process, most in _MOST_MS.items()
        ],
        Cost(name=f"{name}: WAL", value=reached.wal_each, unit="bytes", most=_MOST_WAL),
    ]
