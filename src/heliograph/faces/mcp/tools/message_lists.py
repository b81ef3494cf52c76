"""Messages: list and search them."""

from heliograph.core.messages.model import Direction, MessageStatus
from heliograph.faces.api.routers import message_lists as api
from heliograph.faces.mcp.operations import add_operation
from heliograph.faces.mcp.tool import READ_ONLY, ToolSet

tools = ToolSet()

add_operation(
    tools,
    READ_ONLY,
    "List messages",
    api.list_messages,
    "List messages, newest first, all or of one conversation, or search them for words. A pressed "
    "button is a message of the type button_reply whose content is the button's title. A page may "
    "be short or empty and still have a next_cursor.",
    direction=Direction,
    status=MessageStatus,
)
