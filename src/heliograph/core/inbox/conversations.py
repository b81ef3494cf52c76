"""Conversations for clients: read and listed as records, and changed by one request each."""

from uuid import UUID

from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.contacts.people import PeopleDirectory
from heliograph.core.contacts.people_sql import Person
from heliograph.core.contacts.sql import find_picture
from heliograph.core.events.service import EventBuilder
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse, encode_response
from heliograph.core.inbox import sql
from heliograph.core.inbox.changes import (
    Change,
    change_conversation,
    get_conversation,
    make_change,
)
from heliograph.core.inbox.model import (
    EVERYTHING,
    Conversation,
    ConversationChange,
    ConversationCursor,
    InboxCursor,
    InboxFilter,
)
from heliograph.core.inbox.serializers import ConversationRecord, conversation_record
from heliograph.core.inbox.service import MAX_SCANNED, checked_filter, cursor_of
from heliograph.core.media.service import MediaService
from heliograph.core.pages import Page, decode_cursor, encode_cursor
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.sql import refuse_others
from heliograph.core.webhooks.changes import ChangeWriter
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

_MAX_ID = UUID(int=2**128 - 1)
_MIN_ID = UUID(int=0)


class ConversationService:
    """Methods that take a conversation's id raise `ConversationNotFoundError`,
    `OtherOrganizationError` and `AccountNotAllowedError`; all of them `MissingScopeError`."""

    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        people: PeopleDirectory,
        media: MediaService,
        changes: ChangeWriter,
    ) -> None:
        self._database = database
        self._notifications = notifications
        self._people = people
        self._media = media
        self._changes = changes

    async def get(self, principal: Principal, conversation_id: UUID) -> ConversationRecord:
        """Return the conversation, with a link to the contact's picture if one is stored, and a
        preview of the last message for those who may read messages."""
        principal.require("conversations:read")

        async def work(connection: Connection) -> ConversationRecord:
            conversation = await get_conversation(connection, principal, conversation_id)
            return await self._record(connection, principal, conversation)

        return await self._database.read(work)

    async def list(
        self,
        principal: Principal,
        only: InboxFilter = EVERYTHING,
        cursor: str | None = None,
        limit: int = 50,
        *,
        contact_id: UUID | None = None,
        phone_number: str | None = None,
    ) -> Page:
        """List conversations, newest activity first, at the end those in which nothing was said.

        One that gets a message meanwhile moves to the top: no later page repeats it, and a new
        first page has it. Without pictures, each of which would be looked up by itself. With a
        contact's id, or a phone number or JID as people write it, only those with this person, or
        the group of this JID. Raises `AccountNotAllowedError` and `OtherOrganizationError` for an
        account that is not the caller's, `ContactNotFoundError`, and `InvalidInputError` for a
        cursor of another list and text that is neither a number nor a JID.
        """
        principal.require("conversations:read")
        if only.account_id is not None:
            principal.require_account(only.account_id)
        only = checked_filter(principal, only)
        start = ConversationCursor(sql.START.last_message_at, sql.START.id)
        if cursor is not None:
            start = decode_cursor(cursor, ConversationCursor)

        async def work(connection: Connection) -> Page:
            if only.account_id is not None:  # one that was removed still has its conversations
                await refuse_others(connection, principal.tenant, "accounts", only.account_id)
            person = await self._people.find(connection, principal.tenant, contact_id, phone_number)
            if person is None:
                found, more = await _list(connection, principal, only, start, limit)
            else:
                found, more = await _list_with(connection, principal, only, person, start, limit)
            shows = principal.may("messages:read")
            records = [conversation_record(each, shows_messages=shows) for each in found]
            return Page(records, None if more is None else encode_cursor(more))

        return await self._database.read(work)

    async def change(
        self, principal: Principal, conversation_id: UUID, wanted: ConversationChange
    ) -> ConversationRecord:
        """Make several changes at once, or none of them.

        Raises `InvalidInputError` for an assignee who is no member, more than 50 pinned ones, and a
        time to reopen at that is over or of no snooze; and what `LabelService.get` raises.
        """
        now = self._database.clock.now()
        change = make_change(principal, wanted, now)

        async def work(connection: Connection, events: EventBuilder) -> ConversationRecord:
            return await self._change_in(connection, events, principal, conversation_id, change)

        principal.require("conversations:write")
        record = await self._changes.write(principal.tenant, work)
        if record["snoozed_until"] is not None:
            self._notifications.notify(topics.SCHEDULED)
        return record

    async def mark_read(
        self, principal: Principal, conversation_id: UUID, key: IdempotencyKey | None = None
    ) -> StoredResponse:
        """Set the number of unread messages to 0, and answer with the conversation."""

        async def change(_: Connection, conversation: Conversation) -> Conversation:
            return replace(conversation, unread_count=0)

        async def work(connection: Connection, events: EventBuilder) -> StoredResponse:
            return encode_response(
                200, await self._change_in(connection, events, principal, conversation_id, change)
            )

        principal.require("conversations:write")
        return await self._changes.answer(principal, key, work)

    async def _change_in(
        self,
        connection: Connection,
        events: EventBuilder,
        principal: Principal,
        conversation_id: UUID,
        change: Change,
    ) -> ConversationRecord:
        changed = await change_conversation(connection, events, principal, conversation_id, change)
        return await self._record(connection, principal, changed)

    async def _record(
        self, connection: Connection, principal: Principal, conversation: Conversation
    ) -> ConversationRecord:
        return conversation_record(
            conversation,
            shows_messages=principal.may("messages:read"),
            picture_url=await self._find_picture_url(connection, conversation),
        )

    async def _find_picture_url(
        self, connection: Connection, conversation: Conversation
    ) -> str | None:
        """Return a link to the stored picture, else to its stored thumbnail."""
        if conversation.contact_id is None:
            return None
        for preview in (False, True):
            picture = await find_picture(
                connection,
                conversation.tenant,
                conversation.contact_id,
                conversation.account_id,
                preview=preview,
            )
            if picture is not None:
                return self._media.link(picture.object_key)
        return None


async def _list(
    connection: Connection,
    principal: Principal,
    only: InboxFilter,
    start: ConversationCursor,
    limit: int,
) -> tuple[list[Conversation], ConversationCursor | None]:
    """Return a page and where the next one begins: first of those with messages, then of those
    without."""
    if start.last_message_at is None:
        return await _list_silent(connection, principal, only, start.id, limit)
    after, end, scan = InboxCursor(start.last_message_at, start.id), None, limit + 1
    if only != EVERYTHING:
        end = await sql.find_last_of(connection, principal.tenant, after, MAX_SCANNED)
        scan = 2 * MAX_SCANNED  # some may have moved in since `end` was found
    found = await sql.list_conversations(
        connection,
        principal.tenant,
        only,
        after=after,
        until=end or sql.END,
        limit=limit + 1,
        scan=scan,
        with_pinned=True,
    )
    last = cursor_of(found[limit - 1]) if len(found) > limit else end
    if last is not None:
        return found[:limit], ConversationCursor(last.last_message_at, last.id)
    if len(found) == limit:
        return found, ConversationCursor(None, _MAX_ID)
    silent, more = await _list_silent(connection, principal, only, _MAX_ID, limit - len(found))
    return [*found, *silent], more


async def _list_with(
    connection: Connection,
    principal: Principal,
    only: InboxFilter,
    person: Person,
    start: ConversationCursor,
    limit: int,
) -> tuple[list[Conversation], ConversationCursor | None]:
    found = await sql.list_with_person(connection, principal.tenant, only, person, start, limit + 1)
    if len(found) <= limit:
        return found, None
    last = found[limit - 1]
    return found[:limit], ConversationCursor(last.last_message_at, last.id)


async def _list_silent(
    connection: Connection, principal: Principal, only: InboxFilter, before: UUID, limit: int
) -> tuple[list[Conversation], ConversationCursor | None]:
    tenant, end, scan = principal.tenant, None, limit + 1
    if only != EVERYTHING:
        end = await sql.find_silent_end(connection, tenant, before, MAX_SCANNED)
        scan = 2 * MAX_SCANNED
    found = await sql.list_silent(
        connection,
        tenant,
        only,
        before=before,
        end=end or _MIN_ID,
        limit=limit + 1,
        scan=scan,
    )
    last = found[limit - 1].id if len(found) > limit else end
    return found[:limit], None if last is None else ConversationCursor(None, last)
