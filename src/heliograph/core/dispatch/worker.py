"""Runs the sessions of the accounts that this node owns, one for each lease."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from heliograph.core import topics
from heliograph.core.accounts.sql import list_asked_to_reopen
from heliograph.core.cluster import due_sql
from heliograph.core.cluster.chores import Chore
from heliograph.core.cluster.model import Lease
from heliograph.core.dispatch.account_session import AccountSession, SessionContext
from heliograph.core.messages.queue.sql import QUEUED
from heliograph.networks.port import AccountStatus
from heliograph.platform.aio.periodic import run_chore_every
from heliograph.platform.database.floors import Floors
from heliograph.platform.database.pace import Pace
from heliograph.platform.database.pool import Database

LOOK_INTERVAL = 1.0


class SessionWorker:
    """The `Owner` of account leases. Wakes a session when it has work."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._floors = _floors_of(context.database)
        self._list_due = (
            due_sql.list_due_accounts_of_node
            if context.database.is_distributed
            else due_sql.list_due_accounts
        )
        self._sessions: dict[UUID, AccountSession] = {}
        self._tasks: dict[UUID, asyncio.Task[None]] = {}
        self._subscriptions: dict[UUID, list[Callable[[], None]]] = {}
        self._ending: dict[asyncio.Task[None], UUID] = {}

    def gained(self, lease: Lease) -> None:
        account_id = lease.resource_id
        session = AccountSession(self._context, lease, partial(self._floors.of, lease))
        self._sessions[account_id] = session
        subscribe = self._context.notifications.subscribe
        self._subscriptions[account_id] = [
            subscribe(topics.messages_of(account_id), session.wake_outbound),
            subscribe(topics.jobs_of(account_id), session.wake_jobs),
            subscribe(topics.account_changed(account_id), session.account_changed),
        ]
        before = [task for task, ending in self._ending.items() if ending == account_id]
        self._tasks[account_id] = asyncio.create_task(_run_after(before, session))

    def lost(self, lease: Lease) -> None:
        account_id = lease.resource_id
        self._sessions.pop(account_id, None)
        for unsubscribe in self._subscriptions.pop(account_id, []):
            unsubscribe()
        task = self._tasks.pop(account_id, None)
        if task is not None:
            task.cancel()
            self._ending[task] = account_id
            task.add_done_callback(self._ending.pop)

    async def finish(self, lease: Lease) -> None:
        """Close the account's session. Returns when its outcomes are written."""
        task = self._tasks.get(lease.resource_id)
        self.lost(lease)
        if task is not None:
            await asyncio.wait([task])

    def statuses(self) -> list[AccountStatus]:
        """Return the states of the sessions on this node."""
        return [session.status for session in self._sessions.values() if session.status]

    def count_restricted(self) -> int:
        """Return how many accounts of this node are restricted by their network at present."""
        return sum(session.is_restricted for session in self._sessions.values())

    async def run(self) -> None:
        """Poll for sessions with work or a changed account, in case a notification was lost."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._poll_for_work())
            group.create_task(
                run_chore_every(
                    self._context.health_check_interval,
                    Chore.LOOK_FOR_CHANGED_ACCOUNTS,
                    self.look_for_changes,
                    self._context.attempt,
                )
            )

    async def _poll_for_work(self) -> None:
        pace = Pace(self._context.database, LOOK_INTERVAL)
        while True:
            await asyncio.sleep(pace.rest)
            await self._context.attempt(
                Chore.LOOK_FOR_DUE_MESSAGES, partial(pace.timed, self._look)
            )

    async def _look(self) -> None:
        leases = [session.lease for session in self._sessions.values()]
        if not leases:
            return
        now = self._context.database.clock.now()
        due = await self._floors.look(leases, partial(self._list_due, now=now))
        for lease in due:
            session = self._sessions.get(lease.resource_id)
            if session is not None:
                session.wake()

    async def look_for_changes(self) -> None:
        """Reopen the sessions that were asked to read their accounts again and have not."""
        by_shard: defaultdict[int, list[tuple[UUID, UUID]]] = defaultdict(list)
        known: dict[UUID, datetime | None] = {}
        for account_id, session in self._sessions.items():
            if session.status is None:
                continue  # it is about to read its account anyway
            tenant = session.lease.tenant
            by_shard[tenant.shard].append((tenant.organization_id, account_id))
            known[account_id] = session.reopen_asked_at
        for shard, keys in by_shard.items():
            asked = await self._context.database.read(list_asked_to_reopen, shard=shard, keys=keys)
            for account_id, at in asked.items():
                found = self._sessions.get(account_id)
                # one that has been opened meanwhile may know more than what was read
                if found is not None and found.reopen_asked_at == known[account_id] != at:
                    found.account_changed()

    async def drained(self) -> None:
        """Wait until the sessions whose leases were lost have closed."""
        await asyncio.gather(*self._ending, return_exceptions=True)


def _floors_of(database: Database) -> Floors[Lease]:
    # on a distributed database, other servers hold locks of their own
    return Floors(database.read, QUEUED, are_known=not database.is_distributed)


async def _run_after(before: Sequence["asyncio.Task[None]"], session: AccountSession) -> None:
    """Run the session once its predecessors have closed: two connections of one account would
    disconnect each other."""
    if before:
        await asyncio.wait(before)
    await session.run()
