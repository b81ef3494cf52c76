"""Hints for open pages about what happens in an organization.

A hint says what to read again, not what it has become. All pages of one organization in a process
share one poller. It is woken when something is reported in its process, or an account changes in
any, and polls by itself once a second, but never more often than every `MIN_INTERVAL` seconds. A
poll is four statements at most, however many pages are open, and reads one page of events at most.
One of the four asks which viewers still have access, for sessions and memberships end on any node.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Hashable, Iterable, Mapping
from contextlib import asynccontextmanager
from contextvars import Context
from dataclasses import dataclass
from typing import Literal, TypeAlias
from uuid import UUID

from heliograph.core import topics
from heliograph.core.accounts.sql import list_versions
from heliograph.core.events.service import PAGE, EventFeed
from heliograph.core.inbox.sql import list_conversation_states
from heliograph.core.members.model import granted_scopes
from heliograph.core.members.sessions import list_session_roles
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.errors import TooManyRequestsError
from heliograph.platform.aio.periodic import wait_until_set
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database

POLL_INTERVAL = 1.0
"""Seconds between two polls when nothing wakes the poller."""
MIN_INTERVAL = 0.2
"""Seconds between two polls at least."""
MAX_WAIT = 1.0
"""Seconds after which `LiveView.next` returns, whether anything has happened or not."""

Kind: TypeAlias = Literal["messages", "conversations", "devices"]


class AccessRevokedError(Exception):
    """The viewer has signed out, the session has ended, or the membership has changed."""


class DisplacedError(Exception):
    """The viewer has opened more pages than one person may keep open; the newest stay."""


@dataclass(frozen=True, slots=True)
class Hint:
    """The messages or the state of a conversation, or an account, have changed.

    `subject` is the id of the conversation or account; None when there are too many to list.
    """

    kind: Kind
    subject: UUID | None


_EVERYTHING = (Hint("messages", None), Hint("conversations", None), Hint("devices", None))


@dataclass(frozen=True, slots=True)
class Viewer:
    """The scopes and the browser session with which a page is open.

    The operator has no session, and cannot be signed out.
    """

    scopes: frozenset[str]
    session: bytes | None = None


class LiveView:
    """The hints that one page has yet to get. `next` is for one caller at a time."""

    def __init__(self, viewer: Viewer, conversation_id: UUID | None = None) -> None:
        self.viewer = viewer
        self.conversation_id = conversation_id
        self._hints: dict[Hint, None] = {}
        self._failure: Exception | None = None
        self._reported = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        return self._failure is not None

    def report(self, hints: Iterable[Hint]) -> None:
        self._hints |= dict.fromkeys(hints)
        if len(self._hints) > PAGE:  # a bound on memory for a page that does not read
            self._hints = dict.fromkeys(_EVERYTHING)
        self._reported.set()

    def end(self, failure: Exception) -> None:
        """End the view. Of several reasons, the first counts."""
        self._failure = self._failure or failure
        self._reported.set()

    async def next(self) -> list[Hint]:
        """Return what has happened since the last call, after `MAX_WAIT` seconds at most.

        Raises, when the view has ended, `AccessRevokedError`, `DisplacedError`, or
        `UnavailableError` if the database could not be read.
        """
        await wait_until_set(self._reported, MAX_WAIT)
        self._reported.clear()
        if self._failure is not None:
            raise self._failure
        hints, self._hints = list(self._hints), {}
        return hints


MAX_VIEWS = 1000
"""Views that one process has open; the next two limits are within this one."""
MAX_VIEWS_OF_ORGANIZATION = 250
MAX_VIEWS_OF_PERSON = 12
RETRY_INTERVAL = 30
"""Seconds after which a page that was refused may try again."""


class LiveLimits:
    """Counts the views of one process, from their start until their connections are gone.

    A person's newest page displaces their oldest, for the newest is the one being looked at. No
    page displaces another person's: past the limit of an organization or a process, a new page is
    refused.
    """

    def __init__(self) -> None:
        self._of_organizations: Counter[UUID] = Counter()
        self._of_people: defaultdict[str, list[LiveView]] = defaultdict(list)

    @property
    def count(self) -> int:
        return self._of_organizations.total()

    def enter(self, principal: Principal, view: LiveView) -> None:
        """Count the view in; displace the person's oldest one where there is no room for both.

        Raises `TooManyRequestsError`.
        """
        mine = self._of_people.get(principal.actor, [])
        active = [other for other in mine if not other.has_ended]
        is_full = self._is_full(principal.organization_id)
        # A displaced view stays until its connection is gone, which may take long if nobody reads.
        if len(mine) >= 2 * MAX_VIEWS_OF_PERSON or (is_full and not active):
            raise TooManyRequestsError(
                "Too many pages are open at the same time.", retry_after=RETRY_INTERVAL
            )
        if is_full or len(active) >= MAX_VIEWS_OF_PERSON:
            active[0].end(DisplacedError())
        self._of_people[principal.actor].append(view)
        self._of_organizations[principal.organization_id] += 1

    def leave(self, principal: Principal, view: LiveView) -> None:
        mine = self._of_people[principal.actor]
        mine.remove(view)
        if not mine:
            del self._of_people[principal.actor]
        self._of_organizations[principal.organization_id] -= 1
        if not self._of_organizations[principal.organization_id]:
            del self._of_organizations[principal.organization_id]

    def _is_full(self, organization_id: UUID) -> bool:
        return (
            self.count >= MAX_VIEWS
            or self._of_organizations[organization_id] >= MAX_VIEWS_OF_ORGANIZATION
        )


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
        # it outlives the view that was the first
        self._task = asyncio.create_task(self._run(), context=Context())

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
        states = self._conversation_states
        self._conversation_states = await self._read_conversation_states()
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
        await self._feed.start()  # pages read everything again, so what was not read may be skipped
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
        found = await self._database.read(list_conversation_states, self._tenant, sorted(open_ids))
        return {state.conversation_id: state for state in found}


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
