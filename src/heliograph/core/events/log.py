"""The event log of an organization, read from a position on, for clients without an endpoint.

A position is never beyond an event that may still be committed with a lower `seq` (`horizon`), so a
client that keeps it misses nothing and gets nothing twice, on any node.
"""

import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias
from uuid import UUID

from heliograph.core.events.horizon import EventHorizon
from heliograph.core.events.log_sql import (
    LogPage,
    get_first_position,
    get_last_position,
    read_log,
)
from heliograph.core.events.model import (
    PATTERNS,
    EventPosition,
    EventType,
    LoggedEvent,
    matches,
)
from heliograph.core.events.service import READ_ALL, may_read, require_events
from heliograph.core.events.tail import Tail, TailClosedError, Tails
from heliograph.core.pages import decode_cursor
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.sql import refuse_others
from heliograph.errors import CursorExpiredError, InvalidInputError, TooManyReadersError
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database

SCANNED = 500
"""How many events a page of a filtered log checks."""
MAX_PAGE_BYTES = 1024 * 1024
"""The number of payload bytes after which a page ends."""
SLICE = 0.5
"""Seconds after which a waiting reader checks whether to go on."""


class Start(Enum):
    """Where to begin without a position: with new events, or with the oldest one kept."""

    NOW = auto()
    OLDEST = auto()


After: TypeAlias = EventPosition | Start


def parse_after(text: str | None, name: str = "after", place: str = "query") -> After:
    """Parse the starting point: a cursor, `oldest`, or None for now. Raises `InvalidInputError`."""
    if text is None:
        return Start.NOW
    return Start.OLDEST if text == "oldest" else decode_cursor(text, EventPosition, name, place)


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events a reader gets; None stands for all types, and for all accounts."""

    reader: Principal
    types: tuple[str, ...] | None
    accounts: frozenset[UUID] | None

    @property
    def takes_all(self) -> bool:
        return self.types is None and self.accounts is None and self.reader.may(READ_ALL)

    def takes(self, event: LoggedEvent) -> bool:
        """Whether the event matches, and its payload is still kept."""
        if not event.payload or not (self.accounts is None or event.account_id in self.accounts):
            return False
        if self.types is not None:
            return matches(self.types, event.type)
        return may_read(self.reader, event.type)


def make_filter(
    principal: Principal, types: Sequence[str] | None, account_id: UUID | None
) -> EventFilter:
    """Make a filter of the caller's choice, restricted to what they may read.

    Raises `InvalidInputError` for an unknown type, `MissingScopeError` and
    `AccountNotAllowedError`.
    """
    if types is not None:
        _check_types(types)
        require_events(principal, types)
    accounts = principal.account_ids
    if account_id is not None:
        principal.require_account(account_id)
        accounts = frozenset((account_id,))
    named = None if types is None or "*" in types else tuple(types)
    return EventFilter(principal, named, accounts)


def _check_types(types: Iterable[str]) -> None:
    known = (*PATTERNS, *(kind.value for kind in EventType))
    for name in types:
        if name not in known:
            raise InvalidInputError.at(
                ("query", "types"),
                f"There is no event type '{name}'; there are {', '.join(known)}.",
                input=name,
            )


class EventReader:
    """Reads a log, event by event, from `position` on. For one caller at a time.

    `is_behind` says whether the last read has left existing events.
    """

    def __init__(
        self,
        database: Database,
        horizon: EventHorizon,
        tails: Tails,
        tenant: Tenant,
        event_filter: EventFilter,
    ) -> None:
        self._database = database
        self._horizon = horizon
        self._tails = tails
        self._tenant = tenant
        self._filter = event_filter
        self._tail: Tail | None = None
        self._covered = 0  # all events up to this `seq` are read, settled or not
        self.position = EventPosition(0)
        self.is_behind = False

    async def start(self, after: After) -> None:
        if isinstance(after, EventPosition):
            self.position = after
        elif after is Start.OLDEST:
            self.position = await self._database.read(get_first_position, self._tenant)
        else:
            settled = await self._horizon.settle()
            self.position = await self._database.read(get_last_position, self._tenant, settled)
        self._covered = self.position.seq

    async def read(self, limit: int) -> list[LoggedEvent]:
        """Return the next events, at most `limit`, and move the position behind them.

        The position may move without an event, past those that the filter excludes. Raises
        `CursorExpiredError` and `UnavailableError`.
        """
        newer = self._find_in_tail()
        if newer is not None and self._tail is not None:
            return self._take(newer, limit, self._tail.end)
        return await self._read_table(limit)

    async def wait(self, seconds: float) -> None:
        """Wait until there may be new events, for at most this many seconds."""
        if self._tail is None:
            self._tail = self._tails.join(self._tenant, self._covered)
        if not self.is_behind and self._covered >= self._tail.start:
            await self._tail.wait(self._covered, seconds)

    async def read_or_wait(
        self, limit: int, seconds: float, is_over: Callable[[], Awaitable[bool]]
    ) -> list[LoggedEvent]:
        """Read as `read` does, and wait for so many seconds until there is something, or it is
        over."""
        until = time.monotonic() + seconds
        while not (events := await self.read(limit)):
            left = until - time.monotonic()
            if left <= 0 or await is_over():
                break
            await self.wait(min(left, SLICE))
        return events

    def close(self) -> None:
        if self._tail is not None:
            self._tails.leave(self._tail)
            self._tail = None

    def _find_in_tail(self) -> list[LoggedEvent] | None:
        if self._tail is None:
            return None
        try:
            return self._tail.list_after(self._covered)
        except TailClosedError:
            self.close()
            self._covered = self.position.seq
            return None

    async def _read_table(self, limit: int) -> list[LoggedEvent]:
        looked_at = limit if self._filter.takes_all else max(limit, SCANNED)
        while True:
            # a reader that is far behind need not know the end
            settled = self._horizon.seq if self.is_behind else await self._horizon.settle()
            up_to, server = max(settled, self.position.seq), self._horizon.server
            page = await self._database.read(
                read_log, self._tenant, self.position.seq, up_to, looked_at + 1
            )
            if page.server == server:
                break
            self.is_behind = False
        newer = self._check(page)
        is_whole = len(page.events) <= looked_at
        events = self._take(newer, limit, up_to if is_whole else 0)
        self.is_behind = self.is_behind or not is_whole
        return events

    def _check(self, page: LogPage) -> list[LoggedEvent]:
        """Return the page's events after the position. Raises `CursorExpiredError` unless they are
        all that there have been since."""
        seq, own = self.position.seq, self.position.event_id
        is_there = bool(page.events) and page.events[0].position == self.position
        if page.deleted > seq or not (own is None or is_there or page.deleted == seq):
            raise CursorExpiredError
        return [event for event in page.events if event.seq > seq]

    def _take(self, events: Sequence[LoggedEvent], limit: int, end: int) -> list[LoggedEvent]:
        found: list[LoggedEvent] = []
        size = 0
        for event in events:
            if self._filter.takes(event):
                if len(found) == limit or size >= MAX_PAGE_BYTES:
                    self.is_behind = True
                    return found
                found.append(event)
                size += len(event.payload)
            self.position, self._covered = event.position, event.seq
        self._covered = max(self._covered, end)
        self.is_behind = False
        return found


MAX_READERS = 1000
"""The most waiting readers of one process; the next two limits are within this one."""
MAX_READERS_OF_ORGANIZATION = 100
MAX_READERS_OF_KEY = 10


class ReaderLimits:
    """Counts the waiting readers of one process."""

    def __init__(self) -> None:
        self._of_organizations: Counter[UUID] = Counter()
        self._of_keys: Counter[str] = Counter()

    @property
    def count(self) -> int:
        return self._of_organizations.total()

    def enter(self, principal: Principal) -> None:
        """Count a reader. Raises `TooManyReadersError`."""
        for limit, count, most in (
            ("key", self._of_keys[principal.actor], MAX_READERS_OF_KEY),
            (
                "organization",
                self._of_organizations[principal.organization_id],
                MAX_READERS_OF_ORGANIZATION,
            ),
            ("gateway", self.count, MAX_READERS),
        ):
            if count >= most:
                raise TooManyReadersError(limit, most)
        self._of_keys[principal.actor] += 1
        self._of_organizations[principal.organization_id] += 1

    def leave(self, principal: Principal) -> None:
        self._of_keys -= Counter([principal.actor])  # also forgets those at zero
        self._of_organizations -= Counter([principal.organization_id])


class EventLogService:
    """The logs of all organizations, as one process reads them."""

    def __init__(self, database: Database, notifications: Notifications) -> None:
        self._database = database
        self._horizon = EventHorizon(database)
        self._tails = Tails(database, notifications, self._horizon)
        self._limits = ReaderLimits()

    @property
    def waiting(self) -> int:
        """The number of readers that this process keeps waiting, or streams to."""
        return self._limits.count

    @asynccontextmanager
    async def open(
        self,
        principal: Principal,
        after: After,
        *,
        types: Sequence[str] | None = None,
        account_id: UUID | None = None,
        waits: bool = False,
    ) -> AsyncIterator[EventReader]:
        """Open the log of the caller's organization, to be read from a position on.

        Without `types`, it has all that the caller may read; an unknown account has no events.
        A reader who `waits` is counted meanwhile. Raises what `make_filter` raises,
        `OtherOrganizationError`, `TooManyReadersError` and `UnavailableError`.
        """
        principal.require("webhooks:read")
        event_filter = make_filter(principal, types, account_id)
        if account_id is not None:  # a removed account still has its events
            await self._database.read(refuse_others, principal.tenant, "accounts", account_id)
        reader = EventReader(
            self._database, self._horizon, self._tails, principal.tenant, event_filter
        )
        if waits:
            self._limits.enter(principal)
        try:
            await reader.start(after)
            yield reader
        finally:
            reader.close()
            if waits:
                self._limits.leave(principal)
