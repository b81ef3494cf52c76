"""Conversations: find them, read one."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field

from heliograph.core.inbox.model import ConversationStatus, InboxCursor, InboxFilter
from heliograph.core.inbox.serializers import conversation_record
from heliograph.faces.api.schemas.conversations import Conversation
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
    search: str | None = Field(
        default=None,
        max_length=100,
        description="Part of a name of the contact or group, of the phone number or the JID.",
    )
    limit: Annotated[int, Field(ge=1, le=100, description="How many at most.")] = 20
    after: str | None = Field(
        default=None, max_length=100, description="The `next` of the previous page."
    )


class ConversationList(BaseModel):
    """Pinned ones come first, on the first page only. A short page may have a `next`, too."""

    conversations: list[Conversation]
    next: str | None


@tools.add(
    READ_ONLY,
    "Read a conversation",
    "conversations:read",
    output=Conversation,
    untrusted=tuple(f"/{name}" for name in STRANGERS),
)
async def get_conversation(call: CallContext, given: OneConversation) -> object:
    """Read a conversation: with whom, its state, when something was last said. list_messages has
    what was said."""
    return await call.services.conversations.get(call.principal, given.conversation_id)


@tools.add(
    READ_ONLY,
    "List conversations",
    "conversations:read",
    output=ConversationList,
    untrusted=tuple(f"/conversations/*/{name}" for name in STRANGERS),
)
async def list_conversations(call: CallContext, given: PageOfConversations) -> object:
    """List conversations in which something was said, newest activity first."""
    page = await call.services.inbox.list(
        call.principal,
        InboxFilter(account_id=given.chat_account_id, status=given.status, text=given.search),
        None if given.after is None else InboxCursor.parse(given.after),
        given.limit,
    )
    return {
        "conversations": [
            conversation_record(conversation, shows_messages=call.principal.may("messages:read"))
            for conversation in (*page.pinned, *page.conversations)
        ],
        "next": None if page.next is None else page.next.text,
    }
