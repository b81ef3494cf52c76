"""Leases: each node owns its fair share of the accounts and webhooks.

`LeaseKeeper` takes free leases, releases those beyond its share, and drops all of them if the node
was considered dead.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Protocol
from uuid import UUID

import structlog

from heliograph.core.cluster import sql
from heliograph.core.cluster.chores import Chore
from heliograph.core.cluster.heartbeat import Heartbeat
from heliograph.core.cluster.model import Holding, Lease
from heliograph.core.cluster.sql import LeaseTable
from heliograph.platform.aio.periodic import Attempt, attempt_and_log, wait_until_set
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pace import Pace
from heliograph.platform.database.pool import Database

log = structlog.get_logger()

LOOK_INTERVAL = 1.0
RECONCILE_INTERVAL = 10
"""Looks."""
HAND_OVER = 20.0
"""Seconds that work in progress may take when a lease is released."""


class Owner(Protocol):
    """Does the work for the accounts or webhooks that this node owns. `gained` and `lost` return at
    once."""

    def gained(self, lease: Lease) -> None: ...

    def lost(self, lease: Lease) -> None: ...

    async def finish(self, lease: Lease) -> None:
        """Begin no more work under this lease, which will be released. Returns when its work in
        progress has ended and is on disk. `lost` is called afterwards, or earlier if that takes too
        long."""


class LeaseKeeper:
    """Holds this node's share of the leases in `table`, and reports changes to `owner`."""

    def __init__(
        self,
        table: LeaseTable,
        *,
        role: str,
        database: Database,
        notifications: Notifications,
        heartbeat: Heartbeat,
        attempt: Attempt = attempt_and_log,
    ) -> None:
        self._attempt = attempt
        self._table = table
        self._role = role
        self._database = database
        self._notifications = notifications
        self._heartbeat = heartbeat
        self._owner: Owner | None = None
        self._held: dict[UUID, Lease] = {}
        self._leaving: dict[UUID, asyncio.Task[None]] = {}
        self._given_back: set[Lease] = set()
        self._looks = 0
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] | None = None

    def start(self, owner: Owner) -> None:
        self._owner = owner
        self._unsubscribe = self._notifications.subscribe(self._table.topic, self._wake.set)
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop taking leases; those held are kept until `release_all`."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        tasks = [*self._leaving.values(), *([self._task] if self._task is not None else ())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def release_all(self) -> None:
        """Release all leases and wake the other nodes, so that they take them at once."""
        held = self.held
        for lease in held:
            self._lost(lease)
        if held:
            with suppress(Exception):
                await self._release(held, timeout=2)
            self._notifications.notify(self._table.topic)

    @property
    def held(self) -> list[Lease]:
        return list(self._held.values())

    def is_valid(self, lease: Lease) -> bool:
        """Return whether this node may begin work under this lease."""
        # a node that was considered dead continues under a new id: its old leases are void
        is_own = lease.node_id == self._heartbeat.node_id
        return is_own and self._held.get(lease.resource_id) == lease and self._heartbeat.is_alive

    async def _run(self) -> None:
        pace = Pace(self._database, LOOK_INTERVAL)
        while True:
            await wait_until_set(self._wake, pace.rest)
            is_woken = self._wake.is_set()
            self._wake.clear()
            # perhaps because a node has ended and its share is free
            look = self._look_anew if is_woken else self._look
            await self._attempt(Chore.KEEP_LEASES, partial(pace.timed, look))

    async def _look_anew(self) -> None:
        await self._heartbeat.reload_nodes()
        await self._look()

    async def _look(self) -> None:
        self._drop_lost()
        if not self._heartbeat.is_alive:
            return
        holders = await self._database.read(sql.list_holders, self._table)
        share = self._fair_share(sum(holder.count for holder in holders))
        mine = sum(holder.count for holder in holders if holder.node_id == self._heartbeat.node_id)
        claimed = await self._claim(share - mine, holders) if mine < share else 0
        if claimed or mine != len(self._held) or self._looks % RECONCILE_INTERVAL == 0:
            await self._reconcile()
        staying = [lease for lease in self.held if lease.resource_id not in self._leaving]
        for lease in staying[share:]:
            self._leaving[lease.resource_id] = asyncio.create_task(self._give_back(lease))
        self._looks += 1

    def _drop_lost(self) -> None:
        """Drop the leases held under an earlier id, or all if the node was considered dead."""
        for lease in self.held:
            if lease.node_id != self._heartbeat.node_id or not self._heartbeat.is_alive:
                self._lost(lease)

    def _fair_share(self, total: int) -> int:
        """Return this node's share of `total`; the oldest nodes take the remainder, one each."""
        # Rounding up on each would leave 9 of 20 nodes idle with 21 accounts. A node that was alive
        # at the last heartbeat may have died since.
        mine, now = self._heartbeat.node_id, self._database.clock.now()
        others = {
            node.id
            for node in self._heartbeat.nodes
            if self._role in node.roles and node.lease_expires_at > now and node.id != mine
        }
        share, over = divmod(total, len(others) + 1)
        return share + (sum(1 for other in others if other < mine) < over)

    async def _claim(self, wanted: int, holders: list[Holding]) -> int:
        """Take at most `wanted` leases. Returns how many were taken."""
        # Read after the holders: a holder that is not among the living nodes is certainly dead.
        alive = {node.id for node in await self._database.read(sql.list_alive_nodes)}
        free = [holder for holder in holders if holder.node_id not in alive]
        dead = [holder.node_id for holder in free if holder.node_id is not None]
        claimed = 0
        for shard in sorted({holder.shard for holder in free}):
            if claimed < wanted:
                claimed += await self._claim_in(shard, wanted - claimed, dead)
        return claimed

    async def _claim_in(self, shard: int, wanted: int, dead: list[UUID]) -> int:
        node_id = self._heartbeat.node_id
        return await self._database.transact(
            sql.claim_leases, self._table, shard, node_id, dead, wanted
        )

    async def _reconcile(self) -> None:
        """Synchronize the held leases with the table: a claim's answer can be lost, a row
        deleted."""
        node_id = self._heartbeat.node_id
        leases = await self._database.read(sql.list_owned_leases, self._table, node_id)
        # The table may have been read before a lease was released that another node holds by now.
        self._given_back.intersection_update(leases)
        owned = {lease.resource_id: lease for lease in leases if lease not in self._given_back}
        for lease in self.held:
            if owned.get(lease.resource_id) != lease:
                self._lost(lease)
        for lease in owned.values():
            if lease.resource_id not in self._held:
                self._gained(lease)

    async def _give_back(self, lease: Lease) -> None:
        """Release the lease once the work begun under it has ended: the next owner would repeat
        it."""
        try:
            if self._owner is not None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._owner.finish(lease), HAND_OVER)
            if self._held.get(lease.resource_id) == lease:
                self._lost(lease)
                self._given_back.add(lease)
                await self._release([lease], timeout=5)
                self._notifications.notify(self._table.topic)
        except Exception:
            self._given_back.discard(lease)
            log.warning("a lease could not be given back", kind=self._table.topic, exc_info=True)
        finally:
            del self._leaving[lease.resource_id]

    async def _release(self, leases: list[Lease], *, timeout: float) -> None:
        await self._database.within(timeout).transact(sql.release_leases, self._table, leases)

    def _gained(self, lease: Lease) -> None:
        self._held[lease.resource_id] = lease
        if self._owner is not None:
            self._owner.gained(lease)

    def _lost(self, lease: Lease) -> None:
        self._held.pop(lease.resource_id, None)
        if self._owner is not None:
            self._owner.lost(lease)
