"""kill -9 of nodes that have read messages from the network and not yet acknowledged them."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from chaos.commit_gate import CommitGate, Moment
from chaos.conftest import Form
from chaos.counters import miscounted
from chaos.kills import Kills
from chaos.postgres import Queried
from chaos.verdict import judge
from chaos.world import TenantOfTest, World, made_world, wait_until
from heliograph.core.accounts.model import Account
from heliograph.core.messages.sql import INSERT_INBOUND_KEYS
from heliograph.core.services import Services
from heliograph.networks.phone_actions import Say
from processes import node_names

pytestmark = pytest.mark.extra_fault

SAID_AT_ONCE = 3
TAKE_OVER = 60.0

HOLDERS = "SELECT DISTINCT n.name FROM account_leases AS l JOIN nodes AS n ON n.id = l.node_id"
UNACKNOWLEDGED = """
SELECT n.name, count(*) FILTER (WHERE k.message_id IS NULL) AS read, count(k.message_id) AS stored
FROM sandbox.updates AS u
JOIN account_leases AS l USING (account_id) JOIN nodes AS n ON n.id = l.node_id
LEFT JOIN inbound_keys AS k
  ON k.shard = l.shard AND k.account_id = u.account_id AND k.chat_message_id = u.chat_message_id
WHERE u.kind = 'inbound' GROUP BY n.name
"""


@dataclass
class Trial:
    """Accounts spread over nodes. In each round phones write to all of them, all nodes but one are
    held with what they read, and killed together; the phones write on, and others take over."""

    world: World
    gate: CommitGate
    services: Services
    kills: Kills
    nodes: int
    before: int = 0
    """Messages that were read and not committed when their node was killed."""
    after: int = 0
    """Messages that were committed and not acknowledged to the network."""
    _places: "Counter[str]" = field(default_factory=Counter)

    async def round(self) -> int:
        """Kill all nodes but one; how many."""
        await wait_until(self._all_nodes_own_accounts, TAKE_OVER)
        nodes = [node for _, node in self.world.nodes()]
        victims = random.sample(nodes, len(nodes) - 1)
        moments = {node: random.choice(list(Moment)) for node in victims}
        async with self.gate.trap(INSERT_INBOUND_KEYS, moments) as trap:
            writing = asyncio.create_task(self.write())
            await trap.full()
            await asyncio.sleep(random.uniform(0, 0.2))
            await self._check(moments)
            await self.kills.kill(victims)
            await writing
        await self.write()
        return len(victims)

    async def _all_nodes_own_accounts(self) -> bool:
        names = {row["name"] for row in await self.world.database.fetch(HOLDERS)}
        running = [node for _, node in self.world.nodes()]
        return len(running) == self.nodes and names == set(node_names(running))

    async def _check(self, moments: Mapping[int, Moment]) -> None:
        """That each node has what is lost or doubled if the gateway forgets it at this moment."""
        rows = await self.world.database.fetch(UNACKNOWLEDGED)
        found = {row["name"]: row for row in rows}
        for node, moment in moments.items():
            [name] = node_names([node])
            kind = "read" if moment is Moment.BEFORE_COMMIT else "stored"
            assert found[name][kind] > 0, f"{name} was to be killed {moment.value}"
            self.before += found[name]["read"]
            self.after += found[name]["stored"]

    async def write(self) -> None:
        """Two phones to each account, and each says a few things, one after another."""
        async with asyncio.TaskGroup() as group:
            for number, (tenant, account) in enumerate(self.world.accounts * 2):
                group.create_task(self._say(f"+1555030{number:04}", tenant, account))

    async def _say(self, phone: str, tenant: TenantOfTest, account: Account) -> None:
        for _ in range(SAID_AT_ONCE):
            tag, place = f"{phone}: {self._places[phone]}", self._places[phone]
            self.world.ledger.said[tag] = tenant.promise(account, tag, phone, place)
            self._places[phone] += 1
            await self.services.simulator.of(account).act(Say(phone, tag))


@asynccontextmanager
async def made_trial(folder: Path, given: Queried | None, nodes: int) -> AsyncIterator[Trial]:
    """Two machines of so many nodes each, and two accounts for each node."""
    async with (
        made_world(
            folder, database=given, machines=2, nodes=nodes, tenants=4, accounts=nodes, gated=True
        ) as world,
        world.services() as services,
    ):
        assert world.gate is not None
        yield Trial(world, world.gate, services, Kills(world), nodes * 2)


@pytest.mark.timeout(5400)
async def test_nodes_killed_with_what_they_read_lose_nothing(
    folder: Path, given: Queried | None, form: Form
) -> None:
    times = form.pick(3, 200)
    async with made_trial(folder, given, nodes=form.pick(2, 3)) as trial:
        with form.progress("killed between network and commit", times) as advance:
            while trial.kills.nodes < times:
                advance(await trial.round())
        kills = trial.kills
        await judge(
            form,
            trial.world,
            "inbound: kill -9 between network and commit",
            times=kills.nodes,
            repeats=kills.allowed,
            read_and_not_committed=trial.before,
            webhooks_in_doubt=kills.in_doubt.total(),
            uncounted=kills.uncounted,
            committed_and_not_acknowledged=trial.after,
        )
        assert not kills.unexplained
        assert len(trial.world.ledger.heard) == len(trial.world.ledger.said)
        assert len(trial.world.ledger.stored) == len(trial.world.ledger.said)
        assert out_of_order(trial.world) == []
        assert await miscounted(trial.world) == []


def out_of_order(world: World) -> list[str]:
    """Messages of a conversation whose rows are not in the order in which they were said."""
    last: dict[str, int] = {}
    wrong = []
    for row in world.ledger.stored:
        place = world.ledger.said[row.tag].place
        if place != last.get(row.phone, -1) + 1:
            wrong.append(f"{row.tag} after place {last.get(row.phone)}")
        last[row.phone] = place
    return wrong
