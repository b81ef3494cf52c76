"""Pages of conversations that include each conversation at least once, however they move
meanwhile."""

from datetime import datetime, timedelta
from typing import TypeAlias
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.contacts.people_sql import PersonIds
from heliograph.core.inbox import sql
from heliograph.core.inbox.model import (
    EVERYTHING,
    Conversation,
    ConversationCursor,
    InboxCursor,
    InboxFilter,
)
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection

MAX_SCANNED = 10_000
"""How many conversations are read at most for one page of a filtered list."""
COMMITTED_WITHIN = timedelta(seconds=2)
"""A row's time is slightly earlier than the moment at which it becomes visible."""
_MAX_ID = UUID(int=2**128 - 1)
_MIN_ID = UUID(int=0)
_MAX_OF_PERSON = 10_000

Found: TypeAlias = tuple[list[Conversation], ConversationCursor | None]
"""A page, and where the next one begins."""


def first_place(now: datetime) -> ConversationCursor:
    """Return where the first page begins."""
    begun_at = now - COMMITTED_WITHIN
    return ConversationCursor(sql.START.last_message_at, sql.START.id, begun_at)


class ConversationReader:
    """Reads pages of conversations, of all or of one person: first those with messages, then those
    without, and finally those in which something was said since the first page.

    Of those that are pinned it reads the ones that have changed since `pinned_since`.
    """

    def __init__(
        self,
        connection: Connection,
        tenant: Tenant,
        only: InboxFilter,
        limit: int,
        *,
        person: PersonIds | None = None,
        pinned_since: datetime = sql.END.last_message_at,
    ) -> None:
        self._connection = connection
        self._tenant = tenant
        self._only = only
        self._limit = limit
        self._person = person
        self._pinned_since = pinned_since

    async def read(self, start: ConversationCursor, *, is_first: bool) -> Found:
        if start.is_catching_up:
            return await self._catch_up(start)
        if self._person is None:
            found, more = await self._list(start)
        else:
            found, more = await self._list_with(self._person, start)
        if more is not None:
            return found, replace(more, begun_at=start.begun_at)
        begun_at = start.begun_at
        if is_first or begun_at is None:
            return found, None
        moved = ConversationCursor(begun_at, _MAX_ID, begun_at, is_catching_up=True)
        entries, more = await self._catch_up(moved)
        return found, moved if entries or more else None

    async def _list(self, start: ConversationCursor) -> Found:
        if start.last_message_at is None:
            return await self._list_silent(start.id, self._limit)
        after, end, scan = InboxCursor(start.last_message_at, start.id), None, self._limit + 1
        if self._only != EVERYTHING:
            end = await sql.find_last_of(self._connection, self._tenant, after, MAX_SCANNED)
            scan = 2 * MAX_SCANNED  # some may have moved in since `end` was found
        found = await sql.list_conversations(
            self._connection,
            self._tenant,
            self._only,
            after=after,
            until=end or sql.END,
            limit=self._limit + 1,
            scan=scan,
            pinned_since=self._pinned_since,
        )
        last = _cursor_of(found[self._limit - 1]) if len(found) > self._limit else end
        if last is not None:
            return found[: self._limit], ConversationCursor(last.last_message_at, last.id)
        room = self._limit - len(found)
        silent, more = await self._list_silent(_MAX_ID, max(1, room))
        if room:
            return [*found, *silent], more
        return found, ConversationCursor(None, _MAX_ID) if silent or more else None

    async def _list_with(self, person: PersonIds, start: ConversationCursor) -> Found:
        found = await self._list_of(person, start, self._limit + 1)
        if len(found) <= self._limit:
            return found, None
        last = found[self._limit - 1]
        return found[: self._limit], ConversationCursor(last.last_message_at, last.id)

    async def _list_silent(self, before: UUID, limit: int) -> Found:
        end, scan = None, limit + 1
        if self._only != EVERYTHING:
            end = await sql.find_silent_end(self._connection, self._tenant, before, MAX_SCANNED)
            scan = 2 * MAX_SCANNED
        found = await sql.list_silent(
            self._connection,
            self._tenant,
            self._only,
            before=before,
            end=end or _MIN_ID,
            limit=limit + 1,
            scan=scan,
            pinned_since=self._pinned_since,
        )
        last = found[limit - 1].id if len(found) > limit else end
        return found[:limit], None if last is None else ConversationCursor(None, last)

    async def _catch_up(self, start: ConversationCursor) -> Found:
        after = InboxCursor(start.last_message_at or _LATEST, start.id)
        found = await self._list_moved(after)
        last = None
        if len(found) > self._limit:
            last = _cursor_of(found[self._limit - 1])
        elif self._person is None and self._only != EVERYTHING:
            last = await sql.find_moved_end(self._connection, self._tenant, after, MAX_SCANNED)
        if last is None:
            return found, None
        more = ConversationCursor(
            last.last_message_at, last.id, start.begun_at, is_catching_up=True
        )
        return found[: self._limit], more

    async def _list_moved(self, after: InboxCursor) -> list[Conversation]:
        if self._person is None:
            scan = self._limit + 1 if self._only == EVERYTHING else MAX_SCANNED
            return await sql.list_moved(
                self._connection, self._tenant, self._only, after, self._limit + 1, scan
            )
        everything = ConversationCursor(sql.START.last_message_at, sql.START.id)
        found = await self._list_of(self._person, everything, _MAX_OF_PERSON)
        moved = [each for each in found if _place_of(each) > _place_after(after)]
        return sorted(moved, key=_place_of)[: self._limit + 1]

    async def _list_of(
        self, person: PersonIds, start: ConversationCursor, limit: int
    ) -> list[Conversation]:
        return await sql.list_with_person(
            self._connection, self._tenant, self._only, person, start, limit
        )


_LATEST = sql.START.last_message_at
_EARLIEST = sql.END.last_message_at


def _place_of(conversation: Conversation) -> tuple[datetime, int]:
    """Return the place among those that have moved: the oldest activity first."""
    return conversation.last_message_at or _EARLIEST, -conversation.id.int


def _place_after(cursor: InboxCursor) -> tuple[datetime, int]:
    return cursor.last_message_at, -cursor.id.int


def _cursor_of(conversation: Conversation) -> InboxCursor:
    at = conversation.last_message_at or conversation.created_at
    return InboxCursor(at, conversation.id)
