"""Simulate how long messages wait on their way, on a node whose one core all steps share.

Messages come at random. Each step takes the core for a while, first come first served; then the
step's transaction gathers what else has come, and waits for the disk. The seed is fixed, so that
the same inputs give the same result.
"""

import heapq
import random
from dataclasses import dataclass, field

from bench.capacity.costs import Costs

_MESSAGES = 20_000
_SEED = 20_261_126
_STEPS = 3
"""Transactions in a chain from accept to webhook: stored, taken, told."""
_SIDE_BY_SIDE = (2, 1, 1)
"""How many transactions of a step run at a time."""


@dataclass(frozen=True, slots=True)
class Latency:
    """`accept` until the request is answered; the others until the first webhook."""

    accept_p50_ms: float
    accept_p99_ms: float
    p50_ms: float
    p99_ms: float


@dataclass(slots=True)
class _Core:
    """Who needs it waits for whoever asked before."""

    free_at: float = 0.0

    def take(self, now: float, seconds: float) -> float:
        self.free_at = max(now, self.free_at) + seconds
        return self.free_at


@dataclass(slots=True)
class _Step:
    running: int = 0
    waiting: list[int] = field(default_factory=list)


class _Node:
    def __init__(self, costs: Costs, rate: float, steps: int) -> None:
        chance = random.Random(_SEED)  # noqa: S311 - it keeps no secret
        later = (costs.gateway_ms - costs.accept_gateway_ms) / (_STEPS - 1)
        self._message = [costs.accept_gateway_ms / 1000, *[later / 1000] * (_STEPS - 1)]
        self._statements = costs.gateway_transaction_ms / 1000
        # what a message alone takes PostgreSQL for its transactions in the chain, and the disk
        self._transaction = (costs.postgres_transaction_ms + costs.flush_ms) / 1000
        self._row = costs.postgres_ms / 1000 / _STEPS
        self._core, self._steps = _Core(), [_Step() for _ in range(steps)]
        self._events: list[tuple[float, int, int, tuple[int, ...]]] = []
        self._count = 0
        self.began: list[float] = []
        at = 0.0
        for number in range(_MESSAGES):
            at += chance.expovariate(rate)
            self.began.append(at)
            self._plan(at, 0, (number,))
        self.accepted = [0.0] * _MESSAGES
        self.told = [0.0] * _MESSAGES

    def _plan(self, at: float, kind: int, messages: tuple[int, ...]) -> None:
        """Let something happen: at an even `kind` messages come to step `kind / 2`, at an odd one
        their transaction has ended."""
        self._count += 1
        heapq.heappush(self._events, (at, self._count, kind, messages))

    def run(self) -> None:
        while self._events:
            now, _, kind, messages = heapq.heappop(self._events)
            step = kind // 2
            if kind % 2 == 0:
                self._steps[step].waiting += messages
            else:
                self._steps[step].running -= 1
                self._end(now, step, messages)
            self._begin(now, step)

    def _begin(self, now: float, number: int) -> None:
        step = self._steps[number]
        while step.waiting and step.running < _SIDE_BY_SIDE[number]:
            batch, step.waiting = tuple(step.waiting), []
            step.running += 1
            ready = self._core.take(now, self._statements + self._message[number] * len(batch))
            took = self._transaction + self._row * len(batch)
            self._plan(ready + took, 2 * number + 1, batch)

    def _end(self, now: float, number: int, messages: tuple[int, ...]) -> None:
        if number + 1 < len(self._steps):
            self._plan(now, 2 * number + 2, messages)
        for message in messages:
            if number == 0:
                self.accepted[message] = now
            self.told[message] = now


def simulate(costs: Costs, rate: float, *, steps: int = _STEPS) -> Latency:
    """Let 20,000 messages come at this rate a second; a tenth is left out until it is under way.
    With one step, they are accepted and nothing else happens."""
    node = _Node(costs, rate, steps)
    node.run()
    first = _MESSAGES // 10
    accepts = sorted(node.accepted[n] - node.began[n] for n in range(first, _MESSAGES))
    ways = sorted(node.told[n] - node.began[n] for n in range(first, _MESSAGES))
    return Latency(
        accept_p50_ms=1000 * accepts[len(accepts) // 2],
        accept_p99_ms=1000 * accepts[len(accepts) * 99 // 100],
        p50_ms=1000 * ways[len(ways) // 2],
        p99_ms=1000 * ways[len(ways) * 99 // 100],
    )
