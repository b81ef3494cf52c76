"""All loops of one node: started together, stopped in order.

heartbeat → leases → sessions and deliveries … no new leases → sessions closed, outcomes
written → webhooks' attempts ended → leases given back → the node's row gone
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import structlog

from heliograph.core.audit.refusals import RefusalAudit
from heliograph.core.cluster.heartbeat import Heartbeat
from heliograph.core.cluster.leases import LeaseKeeper
from heliograph.core.dispatch.worker import SessionWorker
from heliograph.core.health.disk import MIN_FREE_BYTES, read_free
from heliograph.core.ingest.service import ReportService
from heliograph.core.keys.service import KeyService
from heliograph.core.webhooks.posting.worker import DeliveryWorker
from heliograph.networks.port import AccountStatus
from heliograph.platform.outbound_http import GuardedClient, SystemResolver
from heliograph.platform.telemetry.metrics import LOOP_LAG

log = structlog.get_logger()

_STEP_TIMEOUT = 2.5
_LAG_INTERVAL = 0.5
_DISK_INTERVAL, _DISK_WARNING_INTERVAL = 30.0, 3600.0


class NodeLoops:
    def __init__(
        self,
        heartbeat: Heartbeat,
        reports: ReportService,
        keys: KeyService,
        refusals: RefusalAudit,
    ) -> None:
        self.heartbeat = heartbeat
        self._reports = reports
        self._keys = keys
        self._refusals = refusals
        self._loops: list[Callable[[], Awaitable[None]]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._sessions: tuple[LeaseKeeper, SessionWorker] | None = None
        self._deliveries: tuple[LeaseKeeper, DeliveryWorker] | None = None
        self._clients: tuple[GuardedClient, SystemResolver] | None = None

    def add_loop(self, loop: Callable[[], Awaitable[None]]) -> None:
        self._loops.append(loop)

    def add_sessions(self, keeper: LeaseKeeper, worker: SessionWorker) -> None:
        self._sessions = (keeper, worker)
        self.add_loop(worker.run)

    def add_deliveries(
        self,
        keeper: LeaseKeeper,
        worker: DeliveryWorker,
        client: GuardedClient,
        resolver: SystemResolver,
    ) -> None:
        self._deliveries = (keeper, worker)
        self._clients = (client, resolver)
        self.add_loop(worker.run)

    async def start(self) -> None:
        await self.heartbeat.start()
        self._tasks = [asyncio.create_task(_forever(loop)) for loop in self._loops]
        if self._sessions is not None:
            self._sessions[0].start(self._sessions[1])
        if self._deliveries is not None:
            self._deliveries[0].start(self._deliveries[1])

    async def stop(self) -> None:
        """Stop everything within a few seconds, giving back what this node owns."""
        if self._sessions is not None:
            keeper, sessions = self._sessions
            await keeper.stop()
            for lease in keeper.held:
                sessions.lost(lease)
            await _bounded(sessions.drained())
            await _bounded(self._reports.drain())
            await _bounded(keeper.release_all())
        if self._deliveries is not None:
            delivery_keeper, deliveries = self._deliveries
            await delivery_keeper.stop()
            await _bounded(deliveries.stop(grace=2.0))
            await _bounded(delivery_keeper.release_all())
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await _bounded(self._keys.usage.flush())
        await _bounded(self._refusals.flush())
        await self.heartbeat.stop()
        if self._clients is not None:
            client, resolver = self._clients
            await _bounded(client.close())
            await _bounded(resolver.close())

    def is_running(self) -> bool:
        """Return whether every loop of this node is at work."""
        return self.heartbeat.is_alive and not any(task.done() for task in self._tasks)

    def session_statuses(self) -> list[AccountStatus]:
        return self._sessions[1].statuses() if self._sessions is not None else []

    def count_restricted(self) -> int:
        """Return how many accounts of this node are currently restricted by their network."""
        return self._sessions[1].count_restricted() if self._sessions is not None else 0

    def delivery_outcomes(self) -> dict[str, int]:
        """Return how many attempts ended since the start, by the delivery's status after them."""
        return dict(self._deliveries[1].attempts_ended) if self._deliveries is not None else {}


async def _forever(loop: Callable[[], Awaitable[None]]) -> None:
    """Run a loop, and start it again when it fails: the node can't work without it."""
    while True:
        try:
            await loop()
            return
        except Exception:
            log.exception("a loop failed and is started again")
            await asyncio.sleep(1.0)


async def _bounded(step: Awaitable[None]) -> None:
    try:
        await asyncio.wait_for(step, _STEP_TIMEOUT)
    except Exception as error:
        log.warning("a step of the stop was cut short", error=repr(error))


async def watch_disk(folder: Path) -> None:
    """Log, until canceled, when a folder's disk is nearly full, hourly, and when it no longer
    is."""
    tell_at, was_full = 0.0, False
    while True:
        free = await asyncio.to_thread(read_free, folder)
        is_full = free < MIN_FREE_BYTES
        if is_full and time.monotonic() >= tell_at:
            tell_at = time.monotonic() + _DISK_WARNING_INTERVAL
            log.error("the disk is nearly full", folder=str(folder), free_mib=free // 1024**2)
        elif was_full and not is_full:
            tell_at = 0.0
            log.info("the disk has room again", folder=str(folder), free_mib=free // 1024**2)
        was_full = is_full
        await asyncio.sleep(_DISK_INTERVAL)


async def watch_event_loop() -> None:
    """Measure, until canceled, how late the event loop is: all else on this node waits for it."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _LAG_INTERVAL
        await asyncio.sleep(_LAG_INTERVAL)
        LOOP_LAG.observe(max(0.0, loop.time() - due))
