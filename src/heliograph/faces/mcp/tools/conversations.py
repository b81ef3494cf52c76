"""Conversations: find them, read one, read what was said in it."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field

from heliograph.core.inbox.model import ConversationStatus, InboxCursor, InboxFilter
from heliograph.core.inbox.serializers import conversation_record
from heliograph.core.messages.model import Names
from heliograph.core.messages.serializers import message_record
from heliograph.faces.api.schemas.conversations import Conversation
from heliograph.faces.api.schemas.messages import Message
from heliograph.faces.mcp.tool import READ_ONLY, CallContext, Input, ToolSet
from heliograph.faces.mcp.untrusted import MESSAGE_UNTRUSTED

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


class PageOfMessages(OneConversation):
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 20
    before: int | None = Field(default=None, ge=0, description="The `next` of the previous page.")


class ConversationList(BaseModel):
    """Pinned ones come first, on the first page only. A short page may have a `next`, too."""

    conversations: list[Conversation]
    next: str | None


class ThreadEntry(Message):
    """A message of the conversation, and who wrote it."""

    author: str | None = Field(description="The name of the person who wrote it; null for ours.")


class MessageList(BaseModel):
    """Newest first."""

    messages: list[ThreadEntry]
    next: int | None


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


@tools.add(
    READ_ONLY,
    "List messages",
    "conversations:read",
    "messages:read",
    output=MessageList,
    untrusted=("/messages/*/author", *(f"/messages/*{path}" for path in MESSAGE_UNTRUSTED)),
)
async def list_messages(call: CallContext, given: PageOfMessages) -> object:
    """List what was said in a conversation, newest first. A pressed button is a message of the type
    button_reply whose content is the button's title."""
    page = await call.services.inbox.thread(
        call.principal, given.conversation_id, given.before, given.limit
    )
    messages = [
        message_record(entry.message, Names(sender=entry.sender)) | {"author": entry.author}
        for entry in page.messages
    ]
    return {"messages": messages, "next": page.before}
