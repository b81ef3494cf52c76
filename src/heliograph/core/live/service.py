"""Hints for open pages about what happens in an organization.

A hint says what to read again, not what it has become. All pages of one organization in a process
share one poller. It is woken when something is reported in its process, or an account changes in
any, and polls by itself once a second, but never more often than every `MIN_INTERVAL` seconds. A
poll is four statements at most, however many pages are open, and reads one page of events at most.
One of the four asks which viewers still have access, for sessions and memberships end on any node.
"""

import asyncio
from collections.abc import AsyncIterator, Hashable, Mapping
from contextlib import asynccontextmanager
from uuid import UUID

from heliograph.core import topics
from heliograph.core.accounts.sql import list_versions
from heliograph.core.events.service import PAGE, EventFeed
from heliograph.core.inbox.sql import list_conversation_states
from heliograph.core.live.views import (
    AccessRevokedError,
    Hint,
    Kind,
    LiveLimits,
    LiveView,
    Viewer,
)
from heliograph.core.members.model import granted_scopes
from heliograph.core.members.sessions import list_session_roles
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.platform.aio.periodic import wait_until_set
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

POLL_INTERVAL = 1.0
"""Seconds between two polls when nothing wakes the poller."""
MIN_INTERVAL = 0.2
"""Seconds between two polls at least."""


class _Poller:
    """Polls for all the views of one organization, while there is one."""

    def __init__(self, database: Database, tenant: Tenant, notifications: Notifications) -> None:
        self._database = database
        self._tenant = tenant
        self._views: set[LiveView] = set()
        self._feed = EventFeed(database, tenant, ("message.*",))
        self._accounts: Mapping[UUID, Hashable] = {}
        self._conversation_states: Mapping[UUID, Hashable] = {}
        self._started, self._woken = asyncio.Event(), asyncio.Event()
        self._unsubscribe = notifications.subscribe(topics.live(tenant), self._woken.set)
        self._task = asyncio.create_task(self._run())

    @property
    def is_over(self) -> bool:
        return self._task.done()

    async def join(self, view: LiveView) -> None:
        """Report to the view what happens from now on."""
        self._views.add(view)
        self._woken.set()
        await self._started.wait()

    def leave(self, view: LiveView) -> bool:
        """Remove the view; stop with the last one. Return whether it was the last."""
        self._views.discard(view)
        if self._views:
            return False
        self._unsubscribe()
        self._task.cancel()
        return True

    async def _run(self) -> None:
        try:
            await self._feed.start()
            self._accounts = await self._read_accounts()
            self._started.set()
            while True:
                await self._wait()
                await self._end_revoked_views()
                if hints := await self._poll():
                    for view in self._views:
                        view.report(hints)
        except Exception as error:
            for view in self._views:
                view.end(error)
            self._started.set()

    async def _wait(self) -> None:
        await asyncio.sleep(MIN_INTERVAL)
        await wait_until_set(self._woken, POLL_INTERVAL - MIN_INTERVAL)
        self._woken.clear()

    async def _end_revoked_views(self) -> None:
        """End the views of sessions that are over or have another role; the page may come back."""
        sessions = {view.viewer.session for view in self._views if view.viewer.session is not None}
        if not sessions:
            return
        now = self._database.clock.now()
        roles = await self._database.read(list_session_roles, self._tenant, sorted(sessions), now)
        allowed = {Viewer(granted_scopes(role), session) for session, role in roles.items()}
        for view in self._views:
            if view.viewer.session in sessions and view.viewer not in allowed:
                view.end(AccessRevokedError())

    async def _poll(self) -> list[Hint]:
        accounts, self._accounts = self._accounts, await self._read_accounts()
        states, self._conversation_states = (
            self._conversation_states,
            await self._read_conversation_states(),
        )
        return [
            *_changes("devices", accounts, self._accounts),
            *_changes("conversations", states, self._conversation_states),
            *await self._poll_events(),
        ]

    async def _poll_events(self) -> list[Hint]:
        events = await self._feed.read()
        conversations = dict.fromkeys(event.conversation_id for event in events)
        if len(events) < PAGE:
            return [Hint("messages", conversation) for conversation in conversations]
        await self._feed.start()  # pages read everything again: what was not read is passed over
        return [Hint("messages", None)]

    async def _read_accounts(self) -> Mapping[UUID, Hashable]:
        found = await self._database.read(list_versions, self._tenant)
        return {version.account_id: version for version in found}

    async def _read_conversation_states(self) -> Mapping[UUID, Hashable]:
        """Read the states of the conversations that are open."""
        open_ids = {
            view.conversation_id for view in self._views if view.conversation_id is not None
        }
        if not open_ids:
            return {}

        async def work(connection: Connection) -> Mapping[UUID, Hashable]:
            found = await list_conversation_states(connection, self._tenant, sorted(open_ids))
            return {state.conversation_id: state for state in found}

        return await self._database.read(work)


def _changes(
    kind: Kind, before: Mapping[UUID, Hashable], after: Mapping[UUID, Hashable]
) -> list[Hint]:
    ids = before.keys() | after.keys()
    # What is new counts as changed: it may have changed since its page was made.
    return [Hint(kind, id_) for id_ in sorted(ids) if before.get(id_) != after.get(id_)]


class LiveService:
    def __init__(self, database: Database, notifications: Notifications) -> None:
        self._database = database
        self._notifications = notifications
        self._pollers: dict[Tenant, _Poller] = {}
        self._limits = LiveLimits()

    @property
    def viewers(self) -> int:
        """The number of views that this process has open."""
        return self._limits.count

    @asynccontextmanager
    async def watch(
        self,
        principal: Principal,
        conversation_id: UUID | None = None,
        *,
        session: bytes | None = None,
    ) -> AsyncIterator[LiveView]:
        """Open a view of what happens from now on, including changes of this conversation's state.

        It ends with `session`, the hash of a browser session. Raises `TooManyRequestsError`.
        """
        principal.require("messages:read")
        view = LiveView(Viewer(principal.scopes, session), conversation_id)
        self._limits.enter(principal, view)
        poller = self._poller_of(principal.tenant)
        try:
            await poller.join(view)
            yield view
        finally:
            self._limits.leave(principal, view)
            if poller.leave(view) and self._pollers.get(principal.tenant) is poller:
                del self._pollers[principal.tenant]

    def _poller_of(self, tenant: Tenant) -> _Poller:
        poller = self._pollers.get(tenant)
        if poller is None or poller.is_over:
            poller = _Poller(self._database, tenant, self._notifications)
            self._pollers[tenant] = poller
        return poller
