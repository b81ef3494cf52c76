"""Conversations: find them, read one."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from heliograph.core.inbox.model import ConversationStatus, InboxFilter
from heliograph.core.inbox.service import MAX_SEARCH
from heliograph.core.pages import MAX_CURSOR
from heliograph.faces.api.schemas.conversations import Conversation, ConversationList
from heliograph.faces.mcp.tool import READ_ONLY, CallContext, Input, ToolSet

tools = ToolSet()

STRANGERS = (
    "contact_name",
    "contact_chat_name",
    "display_name",
    "group_subject",
    "last_message_preview",
)


class OneConversation(Input):
    conversation_id: UUID


class PageOfConversations(Input):
    chat_account_id: UUID | None = Field(default=None, description="Only those of this account.")
    status: ConversationStatus | None = None
    assignee_user_id: UUID | None = Field(
        default=None, description="Only those assigned to this member."
    )
    label_id: UUID | None = Field(default=None, description="Only those with this label.")
    contact_id: UUID | None = Field(default=None, description="Only those with this person.")
    phone_number: str | None = Field(
        default=None,
        max_length=255,
        description="Only those with this phone number, in any notation, or this JID, also a "
        "group's.",
    )
    unread: bool | None = Field(
        default=None, description="Only those with unread messages, or without."
    )
    is_group: bool | None = Field(
        default=None, description="Only groups, or only those with one person."
    )
    search: str | None = Field(
        default=None,
        max_length=MAX_SEARCH,
        description="Part of a name of the contact or group, of the phone number or the JID.",
    )
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of entries.")] = 20
    cursor: str | None = Field(
        default=None, max_length=MAX_CURSOR, description="The `next_cursor` of the previous page."
    )


@tools.add(
    READ_ONLY,
    "Read a conversation",
    "conversations:read",
    output=Conversation,
    untrusted=tuple(f"/{name}" for name in STRANGERS),
)
async def get_conversation(call: CallContext, given: OneConversation) -> object:
    """Read a conversation: its contact, its state, the time of the last message. list_messages has
    the messages."""
    return await call.services.conversations.get(call.principal, given.conversation_id)


@tools.add(
    READ_ONLY,
    "List conversations",
    "conversations:read",
    output=ConversationList,
    untrusted=tuple(f"/conversations/*/{name}" for name in STRANGERS),
)
async def list_conversations(call: CallContext, given: PageOfConversations) -> object:
    """List conversations, newest activity first; those without messages come last. One that got
    a message meanwhile may come once more at the end. A page may be short or empty and still have a
    next_cursor."""
    only = InboxFilter(
        account_id=given.chat_account_id,
        status=given.status,
        label_id=given.label_id,
        assignee_user_id=given.assignee_user_id,
        unread=given.unread,
        is_group=given.is_group,
        text=given.search,
    )
    page = await call.services.conversations.list(
        call.principal,
        only,
        given.cursor,
        given.limit,
        contact_id=given.contact_id,
        phone_number=given.phone_number,
    )
    return {"conversations": page.records, "next_cursor": page.next_cursor}
