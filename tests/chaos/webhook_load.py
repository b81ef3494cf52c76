"""Webhooks under a steady load: events that happen, and when and where they arrive."""

import asyncio
import json
import random
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import Any
from uuid import UUID, uuid4

from chaos.world import wait_until
from heliograph.core import topics
from heliograph.core.events.model import Event, EventType
from heliograph.core.events.service import encode_payload
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal, Tenant, operator
from heliograph.core.tenants.plans import UNLIMITED
from heliograph.core.webhooks.fan_out import fan_out

PROGRAM = Path(__file__).with_name("hostile_endpoints.py")
CONVERSATIONS = 8  # of each tenant


class Arrivals:
    """What came to endpoints that behave: `latencies` in seconds from the event, and the numbers
    of each conversation's events in order of their first arrival, by endpoint."""

    def __init__(self, services: Services) -> None:
        self._clock = services.database.clock
        self.latencies: list[float] = []
        self.numbers: defaultdict[tuple[str, str], list[int]] = defaultdict(list)

    def note(self, head: bytes, body: bytes) -> None:
        event = json.loads(body)
        happened = datetime.fromisoformat(event["timestamp"])
        self.latencies.append((self._clock.now() - happened).total_seconds())
        endpoint = head.split(b" ", 2)[1].decode()
        numbers = self.numbers[endpoint, event["data"]["conversation"]]
        if event["data"]["number"] not in numbers[-100:]:
            numbers.append(event["data"]["number"])

    @property
    def count(self) -> int:
        return sum(len(numbers) for numbers in self.numbers.values())

    @property
    def are_in_order(self) -> bool:
        return all(numbers == sorted(numbers) for numbers in self.numbers.values())

    async def take_p99(self) -> float:
        """Of what has come since this was asked last; waits until there is enough to tell."""
        await wait_until(self._are_enough, 60)
        taken, self.latencies = self.latencies, []
        return quantiles(taken, n=100)[98]

    async def _are_enough(self) -> bool:
        return len(self.latencies) > 1


class Happenings:
    """Events of some tenants, as a session's reports would make them."""

    def __init__(self, services: Services, tenants: Sequence[Tenant]) -> None:
        self._services = services
        self._tenants = tenants
        self._conversations = {
            tenant: [uuid4() for _ in range(CONVERSATIONS)] for tenant in tenants
        }
        self._numbers: Counter[UUID] = Counter()

    async def happen(self, tenant: Tenant) -> None:
        """One event, with all its deliveries; one of the same tenant must not happen meanwhile."""
        database = self._services.database
        conversation, now = random.choice(self._conversations[tenant]), database.clock.now()
        self._numbers[conversation] += 1
        data = {"conversation": str(conversation), "number": self._numbers[conversation]}
        event = Event(
            tenant=tenant,
            id=database.clock.new_id(),
            type=EventType.MESSAGE_SENT,
            payload=encode_payload(EventType.MESSAGE_SENT, now, data),
            created_at=now,
            conversation_id=conversation,
        )
        store = partial(fan_out, shards=tenant.shard, events=[event], clock=database.clock)
        webhook_ids = await database.within(60).transact(store)
        self._services.notifications.notify(*(topics.deliveries_of(id_) for id_ in webhook_ids))

    async def go_on(self, seconds: float, *, per_second: float) -> int:
        """Events of one tenant after the other at a steady rate; how many."""
        loop = asyncio.get_running_loop()
        began, made = loop.time(), 0
        while loop.time() < began + seconds:
            await self.happen(self._tenants[made % len(self._tenants)])
            made += 1
            await asyncio.sleep(max(0.0, began + made / per_second - loop.time()))
        return made


class HostileEndpoints:
    """The running program: `urls` by behaviour."""

    def __init__(self, process: Process, urls: dict[str, str]) -> None:
        self._process = process
        self.urls = urls

    async def seen(self) -> dict[str, dict[str, int]]:
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        return dict(await _read_json(self._process))


@asynccontextmanager
async def hostile_endpoints(hosts: Sequence[str] = ()) -> AsyncIterator[HostileEndpoints]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), *hosts, stdin=PIPE, stdout=PIPE
    )
    try:
        yield HostileEndpoints(process, await _read_json(process))
    finally:
        process.kill()
        await process.wait()


async def _read_json(process: Process) -> Any:
    assert process.stdout is not None
    return json.loads(await process.stdout.readline())


async def add_tenant(services: Services, name: str, urls: Sequence[str]) -> Principal:
    """An organization with a webhook to each URL."""
    organization = await services.organizations.create(name, plan=UNLIMITED)
    principal = operator(organization.tenant)
    for url in urls:
        await services.webhooks.create(principal, url, ["message.*"])
    return principal


def files_of(process_id: int) -> int:
    return len(list(Path(f"/proc/{process_id}/fd").iterdir()))
