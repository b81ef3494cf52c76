"""kill -9 at a moment, and what the nodes had under way that died.

A supervisor ends a dead node's leases at once, and others go on with its work. It is stopped here
until that work has been counted.
"""

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from chaos.machine import Machine
from chaos.world import World, wait_until
from heliograph.core.webhooks.posting.queue import MAX_UNRECORDED
from processes import LIVING_NODES, are_working, is_node, node_names

LAST_WORDS = 0.25  # seconds in which all that a dead process has sent is read
TAKEN_FOR_DEAD = "this node was taken for dead"

STILL_HELD = """
SELECT count(DISTINCT name) FROM nodes WHERE name = ANY($1::text[]) AND lease_expires_at > now()
"""
OWNED = """
SELECT l.organization_id FROM webhook_leases AS l JOIN nodes AS n ON n.id = l.node_id
WHERE n.name = ANY($1::text[])
"""
NOT_RECORDED = """
SELECT organization_id, event_id FROM delivery_queue
WHERE organization_id = ANY($1::uuid[]) AND event_id = ANY($2::uuid[])
"""
SENDING = """
SELECT count(*) FROM messages AS m
JOIN account_leases AS l USING (shard, organization_id, account_id)
JOIN nodes AS n ON n.id = l.node_id
WHERE n.name = ANY($1::text[]) AND m.status = 'sending' AND m.claim_epoch = l.epoch
"""


@dataclass(slots=True)
class Kills:
    """Kills nodes of a world whose tenants have one webhook each, and keeps count.

    `in_doubt` has the webhooks, by tenant and webhook-id, that had been posted and not recorded
    when a node died: each may come once more for each time it is there, and no other may. Unless
    supervisors are stopped, others may have done that work before it is counted: then no more is
    known than how many webhooks a node can have in doubt.
    """

    world: World
    stops_supervisors: bool = True
    nodes: int = 0
    at_work: int = 0
    """Nodes' deaths, those of a whole machine as one, that cut off a webhook or a send."""
    widest: int = 0
    """The most webhooks of one endpoint that were in doubt after one kill."""
    seen_late: int = 0
    """Kills after which this machine was so busy that others may have owned the webhooks before
    what was in doubt had been read."""
    in_doubt: "Counter[tuple[str, str]]" = field(default_factory=Counter)
    _seen: dict[str, int] = field(default_factory=dict)

    async def kill(self, processes: Sequence[int], *, after: float = 0.0) -> None:
        """End these nodes (and supervisors) so many seconds from now, to the microsecond."""
        moment = time.perf_counter() + after
        nodes = [process for process in processes if is_node(process)]
        supervisors = {find_parent(node) for node in nodes} if self.stops_supervisors else set()
        with standing_still(supervisors.difference(processes)):
            await asyncio.to_thread(_kill_at, moment, processes)
            await asyncio.sleep(LAST_WORDS)
            names = node_names(nodes)
            await self._note(names)
            held = (await self.world.database.fetch(STILL_HELD, names))[0][0]
        self.seen_late += self.stops_supervisors and held < len(names)
        self.nodes += len(nodes)

    @property
    def taken_for_dead(self) -> int:
        """Living nodes whose lease had ended: this machine was too busy to let them renew it."""
        logs = [machine.log.read_text(errors="replace") for machine in self.world.machines]
        return sum(log.count(TAKEN_FOR_DEAD) for log in logs)

    @property
    def allowed(self) -> int:
        """How many webhooks may come again: what was in doubt, and what could not be counted."""
        return self.in_doubt.total() + self.uncounted * MAX_UNRECORDED * len(self.world.tenants)

    @property
    def uncounted(self) -> int:
        """Times at which nodes lost webhooks in flight and it is not known which."""
        return self.taken_for_dead + self.seen_late + (0 if self.stops_supervisors else self.nodes)

    @property
    def unexplained(self) -> "Counter[tuple[str, str]]":
        """Webhooks that came again and were not in doubt, by tenant and webhook-id."""
        return Counter() if self.uncounted else self.world.ledger.repeated() - self.in_doubt

    async def _note(self, names: Sequence[str]) -> None:
        fetch = self.world.database.fetch
        owned = await fetch(OWNED, names)
        in_doubt = await self._not_recorded([str(row["organization_id"]) for row in owned])
        sending = (await fetch(SENDING, names))[0][0]
        self.at_work += bool(in_doubt or sending)
        self.in_doubt.update(in_doubt)
        by_tenant = Counter(tenant for tenant, _ in in_doubt)
        self.widest = max(self.widest, *by_tenant.values(), 0)

    async def _not_recorded(self, tenants: Sequence[str]) -> set[tuple[str, str]]:
        """What was posted to these since their webhooks' owners before died, and has no outcome."""
        posted = self.world.endpoints.posted
        fresh = {
            (webhook.tenant, webhook.webhook_id)
            for tenant in tenants
            for webhook in posted[self._seen.get(tenant, 0) :]
            if webhook.tenant == tenant
        }
        self._seen |= dict.fromkeys(tenants, len(posted))
        events = [webhook_id for _, webhook_id in fresh]
        rows = await self.world.database.fetch(NOT_RECORDED, tenants, events)
        return fresh & {(str(row["organization_id"]), str(row["event_id"])) for row in rows}


async def whole_machine(world: World, *, nodes: int) -> Machine:
    """One whose nodes, so many, all work, once there is one beside another that answers: a client
    always finds a node, as behind a load balancer."""
    found: list[Machine] = []

    async def look() -> bool:
        living = await world.database.fetch(LIVING_NODES)
        found[:] = [
            machine for machine in world.machines if are_working(machine.nodes(), living, nodes)
        ]
        return bool(found) and len(world.machines) > 1

    await wait_until(look, 120)
    return random.choice(found)


async def succeeded(machine: Machine) -> None:
    """Wait until another node is ready in the place of the machine's only one, which was killed."""

    async def has_a_node() -> bool:
        return len(machine.nodes()) == 1

    await wait_until(has_a_node, 60)
    await machine.ready()


def find_parent(process: int) -> int:
    """The process that has started this one."""
    status = Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:"))


@contextmanager
def standing_still(processes: Collection[int]) -> Iterator[None]:
    """Stopped by SIGSTOP while the block lasts."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)


def _kill_at(moment: float, processes: Sequence[int]) -> None:
    """In a thread: the loop's own turns must not choose the moment."""
    time.sleep(max(0.0, moment - time.perf_counter()))
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
