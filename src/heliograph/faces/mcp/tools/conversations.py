"""Conversations: find them, read one."""

from heliograph.core.inbox.model import ConversationStatus
from heliograph.faces.api.routers import conversations as api
from heliograph.faces.mcp.operations import add_operation
from heliograph.faces.mcp.tool import READ_ONLY, ToolSet

tools = ToolSet()

add_operation(
    tools,
    READ_ONLY,
    "Read a conversation",
    api.get_conversation,
    "Read a conversation: its contact, its state, the time of the last message. list_messages has "
    "the messages.",
)
add_operation(
    tools,
    READ_ONLY,
    "List conversations",
    api.list_conversations,
    "List conversations, newest activity first; those without messages come last. One that got a "
    "message meanwhile may come once more at the end. A page may be short or empty and still have "
    "a next_cursor.",
    status=ConversationStatus,
)
