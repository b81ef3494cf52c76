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
MIN_INTERVAL = 0.2


class _Reader:
    """Looks for all the views of one organization, from the first that joins to the last."""

    def __init__(self, database: Database, tenant: Tenant, notifications: Notifications) -> None:
        self._database = database
        self._tenant = tenant
        self._views: set[LiveView] = set()
        self._feed = EventFeed(database, tenant, ("message.*",))
        self._accounts: Mapping[UUID, Hashable] = {}
        self._standings: Mapping[UUID, Hashable] = {}
        self._started, self._woken = asyncio.Event(), asyncio.Event()
        self._unsubscribe = notifications.subscribe(topics.live(tenant), self._woken.set)
        self._task = asyncio.create_task(self._run())

    @property
    def is_over(self) -> bool:
        return self._task.done()

    async def join(self, view: LiveView) -> None:
        """Tell the view what happens from now on."""
        self._views.add(view)
        self._woken.set()
        await self._started.wait()

    def leave(self, view: LiveView) -> bool:
        """Whether it was the last one, for whom alone this was still at work."""
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
                await self._end_the_no_longer_allowed()
                if hints := await self._look():
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

    async def _end_the_no_longer_allowed(self) -> None:
        """Who comes again with another role is told anew."""
        viewers = {each.viewer for each in self._views}
        sessions = {viewer.session for viewer in viewers if viewer.session is not None}
        if not sessions:
            return
        now = self._database.clock.now()
        roles = await self._database.read(list_session_roles, self._tenant, sorted(sessions), now)
        allowed = {Viewer(granted_scopes(role), session) for session, role in roles.items()}
        for view in self._views:
            if view.viewer.session in sessions and view.viewer not in allowed:
                view.end(AccessRevokedError())

    async def _look(self) -> list[Hint]:
        accounts, self._accounts = self._accounts, await self._read_accounts()
        standings, self._standings = self._standings, await self._read_standings()
        return [
            *_changes("devices", accounts, self._accounts),
            *_changes("conversations", standings, self._standings),
            *await self._look_at_events(),
        ]

    async def _look_at_events(self) -> list[Hint]:
        events = await self._feed.read()
        conversations = dict.fromkeys(event.conversation_id for event in events)
        if len(events) < PAGE:
            return [Hint("messages", conversation) for conversation in conversations]
        await self._feed.start()
        return [Hint("messages", None)]

    async def _read_accounts(self) -> Mapping[UUID, Hashable]:
        found = await self._database.read(list_versions, self._tenant)
        return {each.account_id: each for each in found}

    async def _read_standings(self) -> Mapping[UUID, Hashable]:
        """Of the conversations that are looked at."""
        wanted = {view.conversation_id for view in self._views if view.conversation_id is not None}
        if not wanted:
            return {}

        async def work(connection: Connection) -> Mapping[UUID, Hashable]:
            found = await list_conversation_states(connection, self._tenant, sorted(wanted))
            return {each.conversation_id: each for each in found}

        return await self._database.read(work)


def _changes(
    kind: Kind, before: Mapping[UUID, Hashable], after: Mapping[UUID, Hashable]
) -> list[Hint]:
    """What is new counts as changed: nobody knows what it was when its page was made."""
    ids = before.keys() | after.keys()
    return [Hint(kind, id_) for id_ in sorted(ids) if before.get(id_) != after.get(id_)]


class LiveService:
    def __init__(self, database: Database, notifications: Notifications) -> None:
        self._database = database
        self._notifications = notifications
        self._readers: dict[Tenant, _Reader] = {}
        self._limits = LiveLimits()

    @property
    def viewers(self) -> int:
        """How many views this process has open."""
        return self._limits.count

    @asynccontextmanager
    async def watch(
        self,
        principal: Principal,
        conversation_id: UUID | None = None,
        *,
        session: bytes | None = None,
    ) -> AsyncIterator[LiveView]:
        """A view of what happens from now on, also of how this conversation stands.

        It ends with `session`, a browser session's hash. Raises `TooManyRequestsError`.
        """
        principal.require("messages:read")
        view = LiveView(Viewer(principal.scopes, session), conversation_id)
        self._limits.enter(principal, view)
        reader = self._reader_of(principal.tenant)
        try:
            await reader.join(view)
            yield view
        finally:
            self._limits.leave(principal, view)
            if reader.leave(view) and self._readers.get(principal.tenant) is reader:
                del self._readers[principal.tenant]

    def _reader_of(self, tenant: Tenant) -> _Reader:
        reader = self._readers.get(tenant)
        if reader is None or reader.is_over:
            reader = _Reader(self._database, tenant, self._notifications)
            self._readers[tenant] = reader
        return reader
