"""Measure what another tenant notices of an attack, in turns with as many harmless requests, and
then of work within a share."""

import asyncio
import itertools
import statistics
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from bench.attacking import CONNECTIONS, PER_SECOND
from bench.attacks import (
    ATTACKS,
    UNANSWERED_NAMES,
    Attacking,
    harmless,
    make_attackers,
)
from bench.client import ask_at_rate
from bench.figures import Comparison, Finding, Spread, spread
from bench.gateway import Customer, Gateway, private_gateway
from bench.programs import provider, unanswered_names
from bench.reading import message_path
from bench.shares import shares
from bench.stage import PATIENCE, ROUNDS, Stage, ask_over, buttons, message_ids

MOST, ENOUGH = 3.0, 50.0
"""The other tenant's p99 may be so many times what it is beside harmless requests, or so many
milliseconds."""
IN_TIME = 11.0
"""Seconds that a lease of 15, renewed every 3, has left at the least when no heartbeat is late."""

_SECONDS = 8.0
_RATE = 40.0  # the other tenant's requests a second
_AT_ONCE = 512  # of them under way at the most: a gateway that stalls is to be seen, too
_PAUSE = 1.0  # seconds, and until it answers: what one round leaves behind is not the next one's
_LEFT = "SELECT extract(epoch FROM max(lease_expires_at) - now())::float8 FROM nodes"


@dataclass(slots=True)
class Outcome:
    """What one attack did, for each round: the other tenant's latencies, what the attackers were
    answered, how many requests of the other tenant failed, and the least time that the node's lease
    had left, in seconds."""

    beside_harmless: list[Spread] = field(default_factory=list)
    beside_attack: list[Spread] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    failed: int = 0
    least_left: float = 15.0

    @property
    def p99(self) -> float:
        """Milliseconds beside the attack."""
        return statistics.median(latencies.p99 for latencies in self.beside_attack)

    @property
    def harmless_p99(self) -> float:
        return statistics.median(latencies.p99 for latencies in self.beside_harmless)

    @property
    def ratio(self) -> float:
        """Return the median of the rounds' ratios of p99."""
        rounds = zip(self.beside_attack, self.beside_harmless, strict=True)
        return statistics.median(attacked.p99 / alone.p99 for attacked, alone in rounds)

    @property
    def is_met(self) -> bool:
        """Return whether nobody else noticed and no heartbeat was late."""
        is_fast = self.ratio <= MOST or self.p99 <= ENOUGH
        return is_fast and not self.failed and self.least_left >= IN_TIME


@dataclass(frozen=True, slots=True)
class _Work:
    """What the other tenant met in one round, and what the attackers were answered."""

    latencies: Spread
    failed: int
    statuses: Counter[int]


@dataclass(frozen=True, slots=True)
class Scene:
    """A gateway of one node, another tenant at work, and the names of the attacks that this machine
    can make."""

    gateway: Gateway
    requests: list[bytes]
    attacks: Sequence[str]

    @property
    def other(self) -> Customer:
        return self.gateway.customer

    async def play(
        self,
        name: str,
        *,
        seconds: float,
        rounds: int,
        move: Callable[[int], None] = lambda _: None,
    ) -> Outcome:
        """Run the attack of this name and as many harmless requests, in turns."""
        outcome, attack = Outcome(), ATTACKS[name]
        attackers = await make_attackers(self.gateway, self.attacks.index(name))
        async with self._lease_watched(outcome):
            for _ in range(rounds):
                alone = await self._work_beside(harmless(attackers), seconds)
                attacked = await self._work_beside(attack(attackers), seconds)
                outcome.beside_harmless.append(alone.latencies)
                outcome.beside_attack.append(attacked.latencies)
                outcome.statuses += attacked.statuses
                outcome.failed += attacked.failed
                move(1)
        return outcome

    async def _work_beside(self, attack: Attacking, seconds: float) -> _Work:
        requests = itertools.islice(itertools.cycle(self.requests), int(seconds * _RATE))
        async with self.other.client.connections(_AT_ONCE) as ours:
            async with attack as statuses:
                answers = await ask_at_rate(ours, requests, _RATE)
            await asyncio.sleep(_PAUSE)
            await ours[0].ask(self.requests[0])
        return _Work(
            spread(answer.seconds for answer in answers),
            sum(answer.status >= 300 for answer in answers),
            statuses,
        )

    @asynccontextmanager
    async def _lease_watched(self, outcome: Outcome) -> AsyncIterator[None]:
        async with self.gateway.database() as connection:

            async def watch() -> None:
                while True:
                    left = await connection.fetchval(_LEFT)
                    outcome.least_left = min(outcome.least_left, left or 0.0)
                    await asyncio.sleep(0.2)

            watching = asyncio.create_task(watch())
            try:
                yield
            finally:
                watching.cancel()
                await asyncio.wait([watching])


@asynccontextmanager
async def playing(receiver_url: str) -> AsyncIterator[Scene]:
    async with AsyncExitStack() as stack:
        issuer = await stack.enter_async_context(provider())
        silent = stack.enter_context(unanswered_names())
        gateway = await stack.enter_async_context(
            private_gateway(1, before=silent or (), OIDC_ISSUER=issuer)
        )
        await gateway.furnish(receiver_url, 1)
        client, account_id = gateway.customer.client, gateway.customer.account_id
        sends = buttons(client, account_id, 100)
        answers, _ = await ask_over(client, sends, patience=PATIENCE)
        reads = [client.get(message_path(id_)) for id_ in message_ids(answers)]
        mixed = list(itertools.chain.from_iterable(zip(sends, reads, strict=True)))
        attacks = [attack for attack in ATTACKS if silent is not None or attack != UNANSWERED_NAMES]
        yield Scene(gateway, mixed, attacks)


async def availability(stage: Stage) -> list[Finding]:
    """Run each attack over 64 connections, at 100 requests a second, and then each kind of work."""
    return [*await _attacks(stage), *await shares(stage)]


async def _attacks(stage: Stage) -> list[Finding]:
    seconds = _SECONDS / 4 if stage.quick else _SECONDS
    async with playing(stage.receiver.url) as scene:
        move = stage.track("attacks", len(scene.attacks) * ROUNDS)
        return [
            _compare(name, await scene.play(name, seconds=seconds, rounds=ROUNDS, move=move))
            for name in scene.attacks
        ]


def _compare(name: str, outcome: Outcome) -> Comparison:
    answered = ", ".join(f"{status} × {n}" for status, n in sorted(outcome.statuses.items()))
    return Comparison(
        name=f"beside {name}, p99",
        value=outcome.p99,
        unit="ms",
        baseline=outcome.harmless_p99,
        baseline_name=f"{PER_SECOND} harmless requests a second from {CONNECTIONS} connections",
        ratio=round(outcome.ratio, 2),
        bar=f"<= {MOST:.0f} times, or {ENOUGH:.0f} ms",
        met=outcome.is_met,
        note=f"attackers were answered {answered or 'nothing'}; {outcome.failed} failed; "
        f"a lease of 15 s had {outcome.least_left:.1f} s left at the least",
    )
