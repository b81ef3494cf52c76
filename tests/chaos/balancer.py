"""What stands before several machines: requests go to those that say they are ready."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from chaos.machine import Machine

PROBE_EVERY = 0.5


class Balancer:
    """Asks each machine's `/readyz`, and sends nobody to one that did not answer 200."""

    def __init__(self, machines: Sequence[Machine]) -> None:
        self._machines = machines
        self._ready: list[Machine] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Balancer"]:
        await self._probe()
        task = asyncio.create_task(self._go_on_probing())
        try:
            yield self
        finally:
            task.cancel()

    def choose(self) -> Machine:
        """One that is ready; any, when none is."""
        return random.choice(self._ready or self._machines)

    async def _probe(self) -> None:
        found = await asyncio.gather(*[machine.is_ready() for machine in self._machines])
        both = zip(self._machines, found, strict=True)
        self._ready = [machine for machine, is_ready in both if is_ready]

    async def _go_on_probing(self) -> None:
        while True:
            await asyncio.sleep(PROBE_EVERY)
            await self._probe()
