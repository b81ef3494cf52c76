"""The inbox: people read conversations, take them on, and answer by hand."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.contacts.sql import find_picture
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse
from heliograph.core.inbox import labels_sql, sql
from heliograph.core.inbox.conversations_sql import find_conversation
from heliograph.core.inbox.labels import get_label
from heliograph.core.inbox.model import (
    EVERYTHING,
    Conversation,
    ConversationStatus,
    InboxCursor,
    InboxFilter,
    InboxPage,
    ThreadMessage,
    ThreadPage,
)
from heliograph.core.inbox.serializers import ConversationRecord, conversation_record
from heliograph.core.media import MediaService
from heliograph.core.members.sql import find_role
from heliograph.core.messages.content_input import AnyInput
from heliograph.core.messages.model import new_run_id
from heliograph.core.messages.recipients import SendTo
from heliograph.core.messages.service import MessageService, SendMessage
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.sql import missing_error
from heliograph.errors import ConversationNotFoundError, InvalidInputError
from heliograph.platform.database.pool import Connection, Database

MAX_PAGE = 100
MAX_THREAD_PAGE = 200
MAX_PINNED = 50
MAX_SEARCH = 100
MAX_SCANNED = 10_000
"""How many conversations are read at most for one page of a filtered list."""

Change: TypeAlias = Callable[[Connection, Conversation], Awaitable[Conversation]]


class InboxService:
    """Each change returns the conversation as it is then; nothing is written if nothing changes.

    All methods raise `ConversationNotFoundError` when nobody has the conversation,
    `OtherOrganizationError` when another organization does, and `MissingScopeError`.
    """

    def __init__(self, database: Database, messages: MessageService) -> None:
        self._database = database
        self._messages = messages

    # --- reading ---

    async def list(
        self,
        principal: Principal,
        only: InboxFilter = EVERYTHING,
        after: InboxCursor | None = None,
        limit: int = 30,
    ) -> InboxPage:
        """List conversations that have messages, newest activity first.

        `after` is the `next` of the page before, `limit` is 1 to 100. A conversation that gets a
        message meanwhile moves to the top: no later page repeats it, and a new first page has it.
        """
        principal.require("conversations:read")
        _check_limit(limit, MAX_PAGE)
        only = _checked_filter(only)
        tenant, start = principal.tenant, after or sql.START

        async def work(connection: Connection) -> InboxPage:
            pinned: Sequence[Conversation] = ()
            end, scan = None, limit + 1
            if after is None:
                pinned = await sql.list_pinned(connection, tenant, only, 2 * MAX_PINNED)
            if only != EVERYTHING:
                end = await sql.find_last_of(connection, tenant, start, MAX_SCANNED)
                scan = 2 * MAX_SCANNED  # some may have moved in since `end` was found
            found = await sql.list_conversations(
                connection,
                tenant,
                only,
                after=start,
                until=end or sql.END,
                limit=limit + 1,
                scan=scan,
            )
            more = _cursor_of(found[limit - 1]) if len(found) > limit else end
            return InboxPage(tuple(pinned), tuple(found[:limit]), more)

        return await self._database.read(work)

    async def thread(
        self,
        principal: Principal,
        conversation_id: UUID,
        before: int | None = None,
        limit: int = 50,
    ) -> ThreadPage:
        """List the messages of a conversation, newest first in the order the gateway took them.

        `before` is that of the page before, `limit` is 1 to 200. A message that a client sent to
        the person's phone number is among them once the network has taken it.
        """
        principal.require("conversations:read")
        principal.require("messages:read")
        _check_limit(limit, MAX_THREAD_PAGE)
        tenant = principal.tenant
        seq = sql.LAST_SEQ if before is None else max(0, min(before, sql.LAST_SEQ))

        async def work(connection: Connection) -> tuple[Conversation, list[ThreadMessage]]:
            conversation = await _get_conversation(connection, tenant, conversation_id)
            return conversation, await sql.list_thread(
                connection, tenant, conversation_id, seq, limit + 1
            )

        conversation, found = await self._database.read(work)
        renew = self._messages.renew
        page = tuple(replace(entry, message=renew(entry.message)) for entry in found[:limit])
        more = page[-1].message.seq if len(found) > limit else None
        return ThreadPage(conversation, page, more)

    async def get(self, principal: Principal, conversation_id: UUID) -> Conversation:
        principal.require("conversations:read")
        return await self._database.read(_get_conversation, principal.tenant, conversation_id)

    # --- changing ---

    async def mark_read(self, principal: Principal, conversation_id: UUID) -> Conversation:
        """Set the number of unread messages to 0. The network gets no read receipts."""
        return await self._set(principal, conversation_id, unread_count=0)

    async def assign(
        self, principal: Principal, conversation_id: UUID, user_id: UUID | None
    ) -> Conversation:
        """Assign it to a member of the organization, or to nobody.

        Raises `InvalidInputError` for anybody else.
        """

        async def change(connection: Connection, conversation: Conversation) -> Conversation:
            if user_id and await find_role(connection, principal.tenant, user_id) is None:
                problem = "This person is not a member of the organization."
                raise InvalidInputError.at(("user_id",), problem)
            return replace(conversation, assignee_user_id=user_id)

        return await self._change(principal, conversation_id, change)

    async def close(self, principal: Principal, conversation_id: UUID) -> Conversation:
        """Close it until somebody writes to it or reopens it."""
        return await self._set(principal, conversation_id, status=ConversationStatus.CLOSED)

    async def reopen(self, principal: Principal, conversation_id: UUID) -> Conversation:
        return await self._set(principal, conversation_id, status=ConversationStatus.OPEN)

    async def set_agent_paused(
        self, principal: Principal, conversation_id: UUID, paused: bool
    ) -> Conversation:
        """Ask whatever answers automatically to pause in this conversation, or to resume."""
        return await self._set(principal, conversation_id, agent_paused=paused)

    async def pin(self, principal: Principal, conversation_id: UUID) -> Conversation:
        """Pin it above all others. Raises `InvalidInputError` if 50 are pinned already."""

        async def change(connection: Connection, conversation: Conversation) -> Conversation:
            others = await sql.count_pinned(
                connection, principal.tenant, conversation_id, most=MAX_PINNED
            )
            if others >= MAX_PINNED:
                problem = f"{MAX_PINNED} conversations are pinned already; unpin one first."
                raise InvalidInputError.at(("conversation_id",), problem)
            return replace(conversation, pinned=True)

        return await self._change(principal, conversation_id, change)

    async def unpin(self, principal: Principal, conversation_id: UUID) -> Conversation:
        return await self._set(principal, conversation_id, pinned=False)

    async def add_label(
        self, principal: Principal, conversation_id: UUID, label_id: UUID
    ) -> Conversation:
        """Add a label. Raises what `LabelService.get` raises, too."""

        async def change(connection: Connection, conversation: Conversation) -> Conversation:
            label = await get_label(connection, principal, label_id, labels_sql.hold_label)
            await labels_sql.add_to_conversation(
                connection, principal.tenant, conversation_id, label_id
            )
            others = [other for other in conversation.labels if other.id != label_id]
            by_name = sorted([*others, label], key=lambda label: label.name)
            return replace(conversation, labels=tuple(by_name))

        return await self._change(principal, conversation_id, change)

    async def remove_label(
        self, principal: Principal, conversation_id: UUID, label_id: UUID
    ) -> Conversation:
        """Remove a label. It is no error if the conversation does not have it."""

        async def change(connection: Connection, conversation: Conversation) -> Conversation:
            await labels_sql.remove_from_conversation(
                connection, principal.tenant, conversation_id, label_id
            )
            kept = tuple(label for label in conversation.labels if label.id != label_id)
            return replace(conversation, labels=kept)

        return await self._change(principal, conversation_id, change)

    # --- answering ---

    async def reply(
        self,
        principal: Principal,
        conversation_id: UUID,
        content: AnyInput,
        key: IdempotencyKey | None = None,
    ) -> StoredResponse:
        """Send a person's answer to the conversation's person or group, and pause the agent there.

        If the message is refused, the agent stays paused, for a person did mean to speak.
        What the network lacks goes out as a text. Needs the scope `messages:write` as well. Raises
        what `MessageService.send` raises.
        """
        principal.require("messages:write")
        # In a transaction of its own: the one that accepts messages is shared by all who send at
        # that moment, and must not wait for a conversation.
        conversation = await self.set_agent_paused(principal, conversation_id, paused=True)
        request = SendMessage(
            SendTo(conversation.remote_jid, conversation_id),
            content=content.to_content(),
            run_id=new_run_id(),
            account_id=conversation.account_id,
            as_text=True,
        )
        return await self._messages.send(principal, request, key)

    async def _set(
        self, principal: Principal, conversation_id: UUID, **fields: Any
    ) -> Conversation:
        async def change(_: Connection, conversation: Conversation) -> Conversation:
            return replace(conversation, **fields)

        return await self._change(principal, conversation_id, change)

    async def _change(
        self, principal: Principal, conversation_id: UUID, change: Change
    ) -> Conversation:
        principal.require("conversations:write")
        return await self._database.transact(
            _change_in, principal=principal, conversation_id=conversation_id, change=change
        )


async def _change_in(
    connection: Connection, principal: Principal, conversation_id: UUID, change: Change
) -> Conversation:
    conversation = await sql.lock_conversation(connection, principal.tenant, conversation_id)
    if conversation is None:
        raise await _missing_error(connection, conversation_id)
    changed = await change(connection, conversation)
    if changed == conversation:
        return conversation
    return await sql.update_conversation(connection, changed)


def _cursor_of(conversation: Conversation) -> InboxCursor:
    at = conversation.last_message_at or conversation.created_at
    return InboxCursor(at, conversation.id)


async def _get_conversation(
    connection: Connection, tenant: Tenant, conversation_id: UUID
) -> Conversation:
    conversation = await find_conversation(connection, tenant, conversation_id)
    if conversation is None:
        raise await _missing_error(connection, conversation_id)
    return conversation


async def _missing_error(connection: Connection, conversation_id: UUID) -> Exception:
    not_found = ConversationNotFoundError(conversation_id)
    return await missing_error(connection, "conversations", conversation_id, not_found)


def _check_limit(limit: int, most: int) -> None:
    if not 1 <= limit <= most:
        raise InvalidInputError.at(("limit",), f"A page has 1 to {most} entries.")


def _checked_filter(only: InboxFilter) -> InboxFilter:
    """Return the filter with single blanks in its text, and without a text of blanks alone."""
    text = " ".join((only.text or "").split())
    if len(text) > MAX_SEARCH or "\0" in text:
        raise InvalidInputError.at(("text",), f"A search has at most {MAX_SEARCH} characters.")
    return replace(only, text=text or None)


class ConversationService:
    def __init__(self, database: Database, media: MediaService) -> None:
        self._database = database
        self._media = media

    async def get(self, principal: Principal, conversation_id: UUID) -> ConversationRecord:
        """Return the conversation, with a link to the contact's picture if one is stored, and a
        preview of the last message for those who may read messages.

        Raises `ConversationNotFoundError` and `OtherOrganizationError`.
        """
        principal.require("conversations:read")

        async def work(connection: Connection) -> tuple[Conversation, str | None]:
            conversation = await _get_conversation(connection, principal.tenant, conversation_id)
            return conversation, await self._find_picture_url(connection, conversation)

        conversation, picture_url = await self._database.read(work)
        return conversation_record(
            conversation, shows_messages=principal.may("messages:read"), picture_url=picture_url
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
