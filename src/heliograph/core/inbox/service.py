"""The inbox: people read conversations, take them on, and answer by hand."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.changes.service import Changes
from heliograph.core.contacts.people import as_known
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse
from heliograph.core.inbox import sql
from heliograph.core.inbox.changes import (
    EDIT,
    MARK_READ,
    MAX_PINNED,
    Edit,
    edit_conversation,
    get_conversation,
    make_edit,
    mark_read,
    relabel,
)
from heliograph.core.inbox.model import (
    EVERYTHING,
    Conversation,
    ConversationChange,
    ConversationCursor,
    ConversationStatus,
    InboxFilter,
    InboxPage,
    NewestMessage,
    ThreadMessage,
    ThreadPage,
)
from heliograph.core.inbox.newest_sql import list_newest
from heliograph.core.inbox.reading import ConversationReader, first_place
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import MessageService, SendMessage
from heliograph.core.messages.model import new_run_id
from heliograph.core.pages import run_search
from heliograph.core.tenants.model import Principal
from heliograph.errors import InvalidInputError
from heliograph.networks.addresses import is_jid
from heliograph.networks.content import AnyInput
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.folding import fold

MAX_PAGE = 100
MAX_THREAD_PAGE = 200
MAX_SEARCH = 100
MAX_UNREAD = 1_000
"""Counting the unread conversations stops here: more are reported as this many."""
MAX_COUNTED = 10_000
"""How many conversations are read at most to count those with unread messages."""


class InboxService:
    """Reads and changes conversations. Each change returns the new conversation; nothing is written
    if nothing changes.

    All methods raise `ConversationNotFoundError` when nobody has the conversation,
    `OtherOrganizationError` when another organization does, `AccountNotAllowedError` when it is of
    an account that the caller may not use, and `MissingScopeError`.
    """

    def __init__(
        self,
        database: Database,
        messages: MessageService,
        changes: Changes,
    ) -> None:
        self._database = database
        self._messages = messages
        self._changes = changes

    # --- reading ---

    async def list(
        self,
        principal: Principal,
        only: InboxFilter = EVERYTHING,
        after: ConversationCursor | None = None,
        limit: int = 30,
    ) -> InboxPage:
        """List conversations, pinned ones first, then as `ConversationService.list` does: whoever
        reads on until there is no next page has seen each at least once.

        `after` is the `next` of the page before, `limit` is 1 to 100. `newest` is empty for a
        caller who may not read messages.
        """
        principal.require("conversations:read")
        _check_limit(limit, MAX_PAGE)
        checked = checked_filter(principal, only)
        tenant, start = principal.tenant, after or first_place(self._database.clock.now())
        pinned_since = None if after is None else after.begun_at

        async def work(connection: Connection) -> InboxPage:
            text = await as_known(connection, tenant, checked.text)
            only = replace(checked, text=text)
            pinned: Sequence[Conversation] = ()
            if after is None:
                pinned = await sql.list_pinned(connection, tenant, only, 2 * MAX_PINNED)
            reader = ConversationReader(
                connection,
                tenant,
                only,
                limit,
                pinned_since=pinned_since or sql.START.last_message_at,
            )
            found, more = await reader.read(start, is_first=after is None)
            newest: Mapping[UUID, NewestMessage] = {}
            if principal.may("messages:read"):
                shown = [each.id for each in (*pinned, *found)]
                newest = await list_newest(connection, tenant, shown) if shown else {}
            return InboxPage(tuple(pinned), tuple(found), more, newest)

        if only.text is not None:
            return await run_search(self._database, tenant, "q", work)
        return await self._database.read(work)

    async def thread(
        self,
        principal: Principal,
        conversation_id: UUID,
        before: int | None = None,
        limit: int = 50,
    ) -> ThreadPage:
        """List the messages of a conversation, newest first in the order the gateway took them.

        `before` is that of the page before, `limit` is 1 to 200.
        """
        principal.require("conversations:read")
        principal.require("messages:read")
        _check_limit(limit, MAX_THREAD_PAGE)
        tenant = principal.tenant
        seq = sql.LAST_SEQ if before is None else max(0, min(before, sql.LAST_SEQ))

        async def work(connection: Connection) -> ThreadPage:
            conversation = await get_conversation(connection, principal, conversation_id)
            found = await sql.list_thread(connection, tenant, conversation_id, seq, limit + 1)
            page = tuple(found[:limit])
            more = page[-1].message.seq if len(found) > limit else None
            elsewhere = _list_quoted_elsewhere(page)
            quoted = (
                await sql.list_quoted(connection, tenant, conversation_id, elsewhere)
                if elsewhere
                else {}
            )
            return ThreadPage(conversation, page, more, quoted)

        found = await self._database.read(work)
        renew = self._messages.renew
        page = tuple(replace(entry, message=renew(entry.message)) for entry in found.messages)
        return replace(found, messages=page)

    async def count_unread(self, principal: Principal) -> int:
        """Count the open conversations with unread messages, up to `MAX_UNREAD`."""
        principal.require("conversations:read")
        accounts = principal.account_filter
        return await self._database.read(
            sql.count_unread, principal.tenant, accounts, MAX_UNREAD, MAX_COUNTED
        )

    async def get(self, principal: Principal, conversation_id: UUID) -> Conversation:
        principal.require("conversations:read")
        return await self._database.read(get_conversation, principal, conversation_id)

    # --- changing ---

    async def mark_read(self, principal: Principal, conversation_id: UUID) -> Conversation:
        """Mark inbound messages as read. The network gets no read receipts."""
        return await self._changes.run(MARK_READ, principal, mark_read, conversation_id)

    async def mark_unread(self, principal: Principal, conversation_id: UUID) -> Conversation:
        """Mark the conversation as unread; an existing number of unread messages is kept."""

        async def edit(_: Connection, conversation: Conversation) -> Conversation:
            return replace(conversation, unread_count=max(1, conversation.unread_count))

        return await self._edit(principal, conversation_id, edit)

    async def assign(
        self, principal: Principal, conversation_id: UUID, user_id: UUID | None
    ) -> Conversation:
        """Assign it to a member of the organization, or to nobody.

        Raises `InvalidInputError` for anybody else.
        """
        return await self.change(
            principal, conversation_id, ConversationChange(assignee_user_id=user_id)
        )

    async def close(self, principal: Principal, conversation_id: UUID) -> Conversation:
        """Close it until somebody writes to it or reopens it."""
        return await self.change(
            principal, conversation_id, ConversationChange(status=ConversationStatus.CLOSED)
        )

    async def reopen(self, principal: Principal, conversation_id: UUID) -> Conversation:
        return await self.change(
            principal, conversation_id, ConversationChange(status=ConversationStatus.OPEN)
        )

    async def set_agent_paused(
        self, principal: Principal, conversation_id: UUID, paused: bool
    ) -> Conversation:
        """Pause automatic answers in this conversation, or resume them."""
        return await self.change(
            principal, conversation_id, ConversationChange(agent_paused=paused)
        )

    async def pin(self, principal: Principal, conversation_id: UUID) -> Conversation:
        """Pin it above all others. Raises `InvalidInputError` if 50 are pinned already."""
        return await self.change(principal, conversation_id, ConversationChange(pinned=True))

    async def unpin(self, principal: Principal, conversation_id: UUID) -> Conversation:
        return await self.change(principal, conversation_id, ConversationChange(pinned=False))

    async def add_label(
        self, principal: Principal, conversation_id: UUID, label_id: UUID
    ) -> Conversation:
        """Add a label. Raises what `LabelService.get` raises, too."""

        async def edit(connection: Connection, conversation: Conversation) -> Conversation:
            wanted = [label_id, *(label.id for label in conversation.labels)]
            labels = await relabel(connection, principal, conversation, wanted)
            return replace(conversation, labels=labels)

        return await self._edit(principal, conversation_id, edit)

    async def remove_label(
        self, principal: Principal, conversation_id: UUID, label_id: UUID
    ) -> Conversation:
        """Remove a label. It is no error if the conversation does not have it."""

        async def edit(connection: Connection, conversation: Conversation) -> Conversation:
            kept = [label.id for label in conversation.labels if label.id != label_id]
            labels = await relabel(connection, principal, conversation, kept)
            return replace(conversation, labels=labels)

        return await self._edit(principal, conversation_id, edit)

    async def change(
        self, principal: Principal, conversation_id: UUID, wanted: ConversationChange
    ) -> Conversation:
        """Make several changes at once, or none of them. Raises what each of them raises, and
        `InvalidInputError` for a time to reopen at that is over or of no snooze."""
        edit = make_edit(principal, wanted, self._database.clock.now())
        return await self._edit(principal, conversation_id, edit)

    # --- answering ---

    async def reply(
        self,
        principal: Principal,
        conversation_id: UUID,
        content: AnyInput,
        key: IdempotencyKey | None = None,
        *,
        reply_to_message_id: UUID | None = None,
    ) -> StoredResponse:
        """Send a person's answer to the conversation's person or group, and pause the agent there.

        If the message is refused, the agent stays paused, since a person meant to answer. Content
        that the network does not support is sent as a text. Also requires the scope
        `messages:write`. Raises what `MessageService.send` raises.
        """
        principal.require("messages:write")
        # In a transaction of its own: the one that accepts messages is shared by all senders at
        # that moment, and must not wait for a conversation.
        conversation = await self.set_agent_paused(principal, conversation_id, paused=True)
        request = SendMessage(
            SendTo(conversation.remote_jid, conversation_id),
            content=content.to_content(),
            run_id=new_run_id(),
            account_id=conversation.account_id,
            reply_to_message_id=reply_to_message_id,
            as_text=True,
            file=content.file,
            wants_preview=content.wants_preview,
        )
        return await self._messages.send(principal, request, key)

    async def _edit(self, principal: Principal, conversation_id: UUID, edit: Edit) -> Conversation:
        return await self._changes.run(EDIT, principal, edit_conversation, conversation_id, edit)


def _check_limit(limit: int, most: int) -> None:
    if not 1 <= limit <= most:
        raise InvalidInputError.at(("limit",), f"A page has 1 to {most} entries.")


def checked_filter(principal: Principal, only: InboxFilter) -> InboxFilter:
    """Return the filter for this caller: restricted to their accounts, with the text folded, or
    without it if that leaves nothing."""
    text = " ".join((only.text or "").split())
    text = text.removeprefix("+") if is_jid(text) else text
    if len(text) > MAX_SEARCH or "\0" in text:
        raise InvalidInputError.at(("text",), f"A search has at most {MAX_SEARCH} characters.")
    accounts = principal.account_filter
    return replace(
        only, text=fold(text) or None, account_ids=None if accounts is None else tuple(accounts)
    )


def _list_quoted_elsewhere(page: Sequence[ThreadMessage]) -> list[UUID]:
    """List the quoted messages of a page that are not on it."""
    here = {entry.message.id for entry in page}
    quoted = (entry.message.reply_to_message_id for entry in page)
    return list({each for each in quoted if each is not None and each not in here})
