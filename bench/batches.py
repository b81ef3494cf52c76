"""Measure the whole way with webhooks that take batches, in turns with the same without."""

from collections.abc import Sequence

from bench.figures import Finding, Pair, compare_rounds
from bench.gateway import CUSTOMERS, private_gateway
from bench.receiver import Arrival
from bench.stage import ROUNDS, Stage
from bench.sustaining import Sustained, sustain
from heliograph.core.webhooks.model import Batching

_BATCHING = Batching(max_events=50, max_wait_ms=100)
_SECONDS = 20
_LEAST = 1.4


async def batch(stage: Stage) -> list[Finding]:
    """Run a gateway of one node, in which four customers have such a webhook and four have not."""
    rounds: list[tuple[Sustained, Sustained]] = []
    async with private_gateway(1, SHARDS=str(CUSTOMERS)) as gateway:
        await gateway.furnish(stage.receiver.url)
        here, single = stage.on(gateway), gateway.customers[:]
        batched = await gateway.add_customers(stage.receiver.url, CUSTOMERS, batch=_BATCHING)
        seconds = stage.count(_SECONDS)
        for number in range(ROUNDS):
            turn = f"{number + 1} of {ROUNDS}"
            without = await sustain(here, f"without batches, {turn}", single, seconds)
            rounds.append((await sustain(here, f"with batches, {turn}", batched, seconds), without))
    reached, without = rounds[-1]
    return [
        compare_rounds(
            "whole way, batches of up to 50",
            [Pair(with_.rate, alone.rate) for with_, alone in rounds],
            baseline_name="the same with a request for each event",
            least=_LEAST,
            note=f"{ROUNDS} rounds of {seconds} s in turns; {_mean_size(reached.arrivals):.0f} "
            f"events a request; {reached.cost}; without batches {without.cost}",
        )
    ]


def _mean_size(arrivals: Sequence[Arrival]) -> float:
    return len(arrivals) / len({arrival.request_id for arrival in arrivals})
