"""Conversations for clients: reading and listing them as records, and changing one per request."""

from dataclasses import dataclass
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.changes.model import Change
from heliograph.core.changes.service import Changes
from heliograph.core.contacts.people import PeopleDirectory, as_known
from heliograph.core.contacts.sql import find_picture
from heliograph.core.inbox.changes import (
    EDIT,
    MARK_READ,
    Edit,
    edit_conversation,
    get_conversation,
    make_edit,
    mark_read,
)
from heliograph.core.inbox.model import (
    EVERYTHING,
    Conversation,
    ConversationChange,
    ConversationCursor,
    InboxFilter,
)
from heliograph.core.inbox.reading import ConversationReader, first_place
from heliograph.core.inbox.serializers import ConversationRecord, conversation_record
from heliograph.core.inbox.service import checked_filter
from heliograph.core.media.service import MediaService
from heliograph.core.pages import Page, decode_cursor, encode_cursor, run_search
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.sql import refuse_others
from heliograph.platform.database.pool import Connection, Database


@dataclass(eq=False)
class ConversationService:
    """Methods that take a conversation's id raise `ConversationNotFoundError`,
    `OtherOrganizationError` and `AccountNotAllowedError`; all of them `MissingScopeError`."""

    _database: Database
    _people: PeopleDirectory
    _media: MediaService
    _changes: Changes

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

        One that gets a message meanwhile moves to the top. So those in which something was said
        since the first page come once more at the end: who reads on until there is no next page
        has had each at least once. Without pictures, each of which would be looked up by itself.

        With a contact's id, or a phone number or JID as people write it, only those with this
        person, or the group of this JID. Raises `AccountNotAllowedError` and
        `OtherOrganizationError` for an account, a label or a contact that is not the caller's, and
        `InvalidInputError` for a cursor of another list, text that is neither a number nor a
        JID, and a search that takes too long.
        """
        principal.require("conversations:read")
        if only.account_id is not None:
            principal.require_account(only.account_id)
        only = checked_filter(principal, only)
        start = first_place(self._database.clock.now())
        if cursor is not None:
            start = decode_cursor(cursor, ConversationCursor)

        async def work(connection: Connection) -> Page:
            if only.account_id is not None:  # a removed account still has its conversations
                await refuse_others(connection, principal.tenant, "accounts", only.account_id)
            if only.label_id is not None:
                await refuse_others(connection, principal.tenant, "labels", only.label_id)
            text = await as_known(connection, principal.tenant, only.text)
            fits = replace(only, text=text)
            person = await self._people.find(connection, principal.tenant, contact_id, phone_number)
            reader = ConversationReader(connection, principal.tenant, fits, limit, person=person)
            found, more = await reader.read(start, is_first=cursor is None)
            shows = principal.may("messages:read")
            records = [conversation_record(each, shows_messages=shows) for each in found]
            return Page(records, None if more is None else encode_cursor(more))

        if only.text is not None:
            return await run_search(self._database, principal.tenant, "search", work)
        return await self._database.read(work)

    async def change(
        self, principal: Principal, conversation_id: UUID, wanted: ConversationChange
    ) -> ConversationRecord:
        """Make several changes at once, or none of them.

        Raises `InvalidInputError` for an assignee who is no member, more than 50 pinned ones, and a
        time to reopen at that is over or of no snooze; and what `LabelService.get` raises.
        """
        edit = make_edit(principal, wanted, self._database.clock.now())
        return await self._changes.run(EDIT, principal, self._edit, conversation_id, edit)

    async def _edit(self, change: Change, conversation_id: UUID, edit: Edit) -> ConversationRecord:
        edited = await edit_conversation(change, conversation_id, edit)
        return await self._record(change.connection, change.principal, edited)

    async def mark_read(self, principal: Principal, conversation_id: UUID) -> ConversationRecord:
        """Mark what came in as read, and return the conversation."""
        return await self._changes.run(MARK_READ, principal, self._mark_read, conversation_id)

    async def _mark_read(self, change: Change, conversation_id: UUID) -> ConversationRecord:
        read = await mark_read(change, conversation_id)
        return await self._record(change.connection, change.principal, read)

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
