"""kill -9 around the commit of what clients send; they repeat it under the same key."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx
import pytest

from chaos.commit_gate import CommitGate, Moment
from chaos.conftest import Form
from chaos.counters import miscounted
from chaos.kills import Kills, succeeded
from chaos.ledger import Promise
from chaos.load import HANG, Outcomes, send_once, until_accepted
from chaos.machine import Machine
from chaos.postgres import Queried
from chaos.verdict import judge
from chaos.world import World, made_world
from heliograph.core.messages.sql import INSERT_OUTBOUND

pytestmark = pytest.mark.extra_fault

CLIENTS = 4
STORED = "SELECT 1 FROM messages WHERE content->>'body' = ANY($1::text[])"


@dataclass
class Trial:
    """Two machines of one node each. Clients send to one of them, whose node dies, and then send
    again to both at once: to a node that has heard of nothing, and to the one that is started."""

    world: World
    gate: CommitGate
    client: httpx.AsyncClient
    kills: Kills
    outcomes: Outcomes = field(default_factory=Outcomes)
    stored_when_killed: int = 0
    answered_when_killed: int = 0
    number: int = 0

    async def kill(self, moment: Moment, *, late: bool = False) -> None:
        """Kill the node while it is held there; `late` in the breath in which its answer comes."""
        machine, promises = self.world.machines[self.number % 2], self._promises()
        [node] = machine.nodes()
        async with self.gate.trap(INSERT_OUTBOUND, {node: moment}) as trap:
            first = [asyncio.create_task(self._send(machine, promise)) for promise in promises]
            await trap.full()
            self.stored_when_killed += await self._stored(promises)
            for held in trap.held if late else ():
                held.let_go()
            await self.kills.kill([node], after=random.uniform(0, 0.003) if late else 0.0)
        self.answered_when_killed += sum(await asyncio.gather(*first))
        repeats = [partial(self._send, to) for to in self.world.machines]
        await asyncio.gather(
            *[until_accepted(partial(send, each), each) for send in repeats for each in promises]
        )
        await succeeded(machine)
        self.number += 1

    def _promises(self) -> list[Promise]:
        """One of each client; those that wait together share a transaction."""
        tenant, account = random.choice(self.world.accounts)
        made = [
            tenant.promise(
                account, f"{self.number} of client {client}", f"+1555020{client:04}", self.number
            )
            for client in range(CLIENTS)
        ]
        self.world.ledger.sent |= {promise.tag: promise for promise in made}
        return made

    async def _stored(self, promises: list[Promise]) -> int:
        return len(await self.world.database.fetch(STORED, [promise.tag for promise in promises]))

    async def _send(self, machine: Machine, promise: Promise) -> bool:
        return await send_once(self.client, machine, self.world, promise, self.outcomes)


@asynccontextmanager
async def made_trial(folder: Path, given: Queried | None) -> AsyncIterator[Trial]:
    one_request_each = httpx.Limits(max_keepalive_connections=0)
    async with (
        httpx.AsyncClient(timeout=HANG, limits=one_request_each) as client,
        made_world(folder, database=given, machines=2, nodes=1, gated=True) as world,
    ):
        assert world.gate is not None
        yield Trial(world, world.gate, client, Kills(world))


@pytest.mark.timeout(3600)
async def test_killed_between_commit_and_answer(
    folder: Path, given: Queried | None, form: Form
) -> None:
    """On disk, and nobody has heard: the repeat is told of the same message."""
    times = form.pick(3, 100)
    async with made_trial(folder, given) as trial:
        for _ in form.each("killed between commit and answer", range(times)):
            await trial.kill(Moment.BEFORE_ANSWER)
        await judge_repeats(trial, form, "kill -9 between commit and answer")
        assert trial.stored_when_killed >= times
        assert trial.answered_when_killed == 0


@pytest.mark.timeout(3600)
async def test_killed_around_commit_and_answer(
    folder: Path, given: Queried | None, form: Form
) -> None:
    """Just before the commit, when nothing is on disk, and just as the answer goes out."""
    times = form.pick(3, 100)
    async with made_trial(folder, given) as trial:
        for number in form.each("killed around the commit", range(times)):
            if number % 2:
                await trial.kill(Moment.BEFORE_ANSWER, late=True)
            else:
                await trial.kill(Moment.BEFORE_COMMIT)
        await judge_repeats(trial, form, "kill -9 before the commit, and as the answer goes out")
        assert trial.stored_when_killed >= times // 2


async def judge_repeats(trial: Trial, form: Form, fault: str) -> None:
    world, kills = trial.world, trial.kills
    await judge(
        form,
        world,
        fault,
        trial.outcomes,
        repeats=kills.allowed,
        times=trial.number,
        requests=trial.number * CLIENTS,
        stored_when_killed=trial.stored_when_killed,
        answered_when_killed=trial.answered_when_killed,
        webhooks_in_doubt=kills.in_doubt.total(),
        uncounted=kills.uncounted,
        answers_2xx=sum(map(len, world.ledger.answers.values())),
    )
    assert len(world.ledger.stored) == trial.number * CLIENTS
    assert not trial.kills.unexplained
    assert await miscounted(world) == []
