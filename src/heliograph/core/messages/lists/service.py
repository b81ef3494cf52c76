"""Lists of messages, newest first, filtered and searched, with all their members and names."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec
from msgspec.structs import replace

from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.contacts.people import PeopleDirectory
from heliograph.core.contacts.people_sql import PersonIds
from heliograph.core.messages.lists import sql
from heliograph.core.messages.lists.filters import EVERYTHING, MessageFilter
from heliograph.core.messages.lists.names_sql import NamedMessage, list_with_names
from heliograph.core.messages.lists.sql import Conditions, IdSpan, Thread
from heliograph.core.messages.search.words import query_of
from heliograph.core.messages.serializers import RenewLink, keep_link, message_record
from heliograph.core.pages import Page, decode_cursor, encode_cursor, run_search
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.sql import refuse_others
from heliograph.platform.database.clock import first_id
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.folding import fold

EXPORT = Write(scope="messages:read", audits=(AuditAction.MESSAGES_EXPORTED,))

MAX_SCANNED = 10_000
"""How many messages are checked for one page of a filtered list."""
MAX_SCANNED_WORDS = 2_000
"""How many of the newest messages a search checks one by one."""
MAX_CANDIDATES = 5_000
"""How many matches are taken from the word index; if there are more, it is not used."""
_AROUND = timedelta(minutes=5)
"""How far the time in an id may be from the time a message was created, since clocks are
adjusted."""
_FIRST, _LAST = UUID(int=0), UUID(int=2**128 - 1)
_LAST_SEQ = 2**63 - 1


class _BeforeMessage(msgspec.Struct, frozen=True):
    """A position among all messages: the next page begins before this id."""

    before: UUID


class _BeforeSeq(msgspec.Struct, frozen=True):
    """A position in a conversation."""

    before_seq: int


class MessageListService:
    def __init__(
        self,
        database: Database,
        changes: Changes,
        people: PeopleDirectory,
        *,
        renew: RenewLink = keep_link,
    ) -> None:
        self._database = database
        self._changes = changes
        self._people = people
        self._renew = renew

    async def list(
        self,
        principal: Principal,
        only: MessageFilter = EVERYTHING,
        *,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Return the newest matching messages before the cursor; `limit` is 1 to 100.

        A page may hold fewer, even none, and still have a next one; an unknown id or word matches
        nothing, and a text without visible characters does not filter. Raises
        `AccountNotAllowedError` for anything of an account that the caller may not see,
        `OtherOrganizationError`, `TooManyReadsError`, and `InvalidInputError` for a cursor of
        another list, a `phone_number` that is neither a number nor a JID, a `person` that matches
        too many contacts, and a search that takes too long.
        """
        principal.require("messages:read")
        if only.chat_account_id is not None:
            principal.require_account(only.chat_account_id)
        only = _without_blanks(only)
        seq = before = None
        if cursor is not None and only.conversation_id is not None and not only.has_reference:
            seq = decode_cursor(cursor, _BeforeSeq).before_seq
        elif cursor is not None:
            before = decode_cursor(cursor, _BeforeMessage).before

        async def work(connection: Connection) -> Page:
            ids, following = await self._find(connection, principal, only, limit, before, seq)
            named = await _with_names(connection, principal.tenant, ids)
            records = [message_record(self._renew(each.message), each.names) for each in named]
            return Page(records, encode_cursor(following) if following else None)

        if field := _searched_field(only):
            return await run_search(self._database, principal.tenant, field, work)
        return await self._database.read(work)

    async def record_export(self, principal: Principal, **details: object) -> None:
        """Record that the caller takes messages out as a file, before the first is sent."""
        await self._changes.run(EXPORT, principal, _record_export, details)

    async def _find(
        self,
        connection: Connection,
        principal: Principal,
        only: MessageFilter,
        limit: int,
        before: UUID | None,
        seq: int | None,
    ) -> tuple[Sequence[UUID], msgspec.Struct | None]:
        """Return the ids of a page, and where the next one begins."""
        tenant, query = principal.tenant, None
        if only.chat_account_id is not None:  # a removed account still has its messages
            await refuse_others(connection, tenant, "accounts", only.chat_account_id)
        if only.conversation_id is not None:
            account_id = await _find_account_of(connection, tenant, only.conversation_id)
            if account_id is None:
                return [], None
            principal.require_account(account_id)
        person = await self._find_person(connection, principal, only)
        if person is not None and not any(person):
            return [], None
        if only.search is not None:
            query = query_of(tenant.organization_id, only.search)
            if query is None:
                return [], None
        fits = _conditions(only, principal.account_filter, person)
        finder = _Finder(connection, tenant, fits, limit)
        if only.has_reference:
            return await finder.by_reference(only, before or _LAST, query)
        if only.conversation_id is not None:
            place = _LAST_SEQ if seq is None else seq
            return await finder.in_thread(only.conversation_id, place, query)
        span = _span(only, before or _LAST)
        if query is None:
            return await finder.among_all(span)
        return await finder.with_words(span, query)

    async def _find_person(
        self, connection: Connection, principal: Principal, only: MessageFilter
    ) -> PersonIds | None:
        tenant = principal.tenant
        if only.person is not None:
            return await self._people.search(
                connection, tenant, only.person, principal.account_filter
            )
        return await self._people.find(connection, tenant, only.contact_id, only.phone_number)


async def _record_export(change: Change, details: dict[str, object]) -> None:
    change.audit(AuditAction.MESSAGES_EXPORTED, change.tenant.organization_id, **details)


_SEARCHED = ("search", "person", "reason")


def _without_blanks(only: MessageFilter) -> MessageFilter:
    """Return the filter without texts that are empty after folding, as other lists ignore these,
    too."""
    blank = [name for name in _SEARCHED if not fold(getattr(only, name) or "")]
    return replace(only, **dict.fromkeys(blank))


def _searched_field(only: MessageFilter) -> str | None:
    """Return the part of the filter that is searched for in many texts, if there is one."""
    return next((name for name in _SEARCHED if getattr(only, name)), None)


class _Finder:
    """Finds the ids of one page, and the position where the next begins."""

    def __init__(
        self, connection: Connection, tenant: Tenant, fits: Conditions, limit: int
    ) -> None:
        self._connection = connection
        self._tenant = tenant
        self._fits = fits
        self._limit = limit

    async def among_all(self, span: IdSpan) -> tuple[Sequence[UUID], _BeforeMessage | None]:
        ids = await sql.list_ids(self._connection, self._tenant, self._fits, span, self._limit + 1)
        if len(ids) > self._limit:
            return self._full(ids)
        end = await sql.find_end(self._connection, self._tenant, span)
        return ids, None if end is None else _BeforeMessage(end)

    async def by_reference(
        self, only: MessageFilter, before: UUID, query: str | None
    ) -> tuple[Sequence[UUID], _BeforeMessage | None]:
        ids = await sql.list_by_reference(
            self._connection,
            self._tenant,
            self._fits,
            sql.Reference(only.chat_message_id, only.run_id),
            conversation_id=only.conversation_id,
            before=before,
            query=query,
            limit=self._limit + 1,
        )
        return self._full(ids) if len(ids) > self._limit else (ids, None)

    async def in_thread(
        self, conversation_id: UUID, before: int, query: str | None
    ) -> tuple[Sequence[UUID], _BeforeSeq | None]:
        scan = MAX_SCANNED if query is None else MAX_SCANNED_WORDS
        thread = Thread(conversation_id, max(0, min(before, _LAST_SEQ)), scan)
        places = await sql.list_thread(
            self._connection, self._tenant, self._fits, thread, self._limit + 1, query
        )
        ids = [place.id for place in places[: self._limit]]
        if len(places) > self._limit:
            return ids, _BeforeSeq(places[self._limit - 1].seq)
        end = await sql.find_thread_end(self._connection, self._tenant, thread)
        return ids, None if end is None else _BeforeSeq(end)

    async def with_words(
        self, span: IdSpan, query: str
    ) -> tuple[Sequence[UUID], _BeforeMessage | None]:
        """Find messages by their words. A common word is in enough of the newest messages, which
        are scanned first; a rare one is found by the index. A word that is common, but not in
        recent messages, is searched further and further back."""
        newest = span._replace(scan=MAX_SCANNED_WORDS)
        ids = await self._scan(newest, query)
        if len(ids) > self._limit:
            return self._full(ids)
        if len(ids) * MAX_SCANNED <= self._limit * MAX_SCANNED_WORDS:
            candidates = span._replace(scan=MAX_CANDIDATES)
            found = await sql.look_up_words(
                self._connection, self._tenant, self._fits, candidates, self._limit + 1, query
            )
            if found is not None:
                return self._full(found) if len(found) > self._limit else (found, None)
        ids = await self._scan(span, query)
        if len(ids) > self._limit:
            return self._full(ids)
        end = await sql.find_end(self._connection, self._tenant, span, of_words=True)
        return ids, None if end is None else _BeforeMessage(end)

    async def _scan(self, span: IdSpan, query: str) -> Sequence[UUID]:
        return await sql.scan_words(
            self._connection, self._tenant, self._fits, span, self._limit + 1, query
        )

    def _full(self, ids: Sequence[UUID]) -> tuple[Sequence[UUID], _BeforeMessage]:
        return ids[: self._limit], _BeforeMessage(ids[self._limit - 1])


async def _with_names(
    connection: Connection, tenant: Tenant, ids: Sequence[UUID]
) -> list[NamedMessage]:
    """Return the messages in this order, without those that no longer exist."""
    keys = [(tenant.organization_id, id_) for id_ in ids]
    named = await list_with_names(connection, tenant.shard, keys) if keys else {}
    return [named[key] for key in keys if key in named]


async def _find_account_of(
    connection: Connection, tenant: Tenant, conversation_id: UUID
) -> UUID | None:
    account_id = await sql.find_account_of(connection, tenant, conversation_id)
    if account_id is None:
        await refuse_others(connection, tenant, "conversations", conversation_id)
    return account_id


def _conditions(
    only: MessageFilter, account_filter: Sequence[UUID] | None, person: PersonIds | None
) -> Conditions:
    accounts = account_filter if only.chat_account_id is None else [only.chat_account_id]
    return Conditions(
        account_ids=accounts,
        direction=only.direction,
        status=only.status,
        message_type=only.message_type,
        batch_id=only.batch_id,
        since=_in_utc(only.since),
        until=_in_utc(only.until),
        contact_ids=person and person.ids,
        addresses=person.addresses if person else (),
        phone_numbers=person.phone_numbers if person else (),
        reason=None if only.reason is None else fold(only.reason),
    )


def _span(only: MessageFilter, before: UUID) -> IdSpan:
    """Return the span of ids of this time range, with a margin on both sides."""
    first = _FIRST if only.since is None else first_id(_moved(only.since, -_AROUND))
    last = _LAST if only.until is None else first_id(_moved(only.until, _AROUND))
    return IdSpan(first, min(before, last), MAX_SCANNED)


def _in_utc(at: datetime | None) -> datetime | None:
    try:
        return at and at.astimezone(UTC)
    except OverflowError:  # in another time zone it is out of range
        return at and at.replace(tzinfo=UTC)


def _moved(at: datetime, by: timedelta) -> datetime:
    try:
        return at + by
    except OverflowError:  # at the end of the range
        return at
