"""Messages: list and search them, and see the steps of one."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, Field

from heliograph.core.messages.history_record import history_record
from heliograph.core.messages.lists.filters import LONGEST_ID, LONGEST_SEARCH, MessageFilter
from heliograph.core.pages import MAX_CURSOR
from heliograph.faces.api.schemas.message_lists import MessageHistory, MessageList
from heliograph.faces.mcp.tool import READ_ONLY, CallContext, Input, ToolSet
from heliograph.faces.mcp.tools.messages import OneMessage
from heliograph.faces.mcp.untrusted import MESSAGE_UNTRUSTED

tools = ToolSet()


class PageOfMessages(Input):
    conversation_id: UUID | None = Field(default=None, description="Only of this conversation.")
    chat_account_id: UUID | None = Field(default=None, description="Only of this account.")
    contact_id: UUID | None = Field(default=None, description="Only to or from this person.")
    phone_number: str | None = Field(
        default=None,
        max_length=255,
        description="Only to or from this phone number, in any notation, or this JID; with a "
        "group's JID, the messages in it.",
    )
    direction: str | None = Field(default=None, description="`inbound` or `outbound`.")
    status: str | None = Field(default=None, description="Such as `failed` or `queued`.")
    message_type: str | None = Field(default=None, description="Such as `text`.")
    chat_message_id: str | None = Field(
        default=None, max_length=LONGEST_ID, description="With this id of the chat network."
    )
    run_id: str | None = Field(
        default=None, max_length=LONGEST_ID, description="With this run_id, of one send."
    )
    since: AwareDatetime | None = Field(default=None, description="Made at this time or later.")
    until: AwareDatetime | None = Field(default=None, description="Made before this time.")
    search: str | None = Field(
        default=None,
        max_length=LONGEST_SEARCH,
        description="Words that the message contains, all of them; the last may be the beginning "
        "of one.",
    )
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of entries.")] = 20
    cursor: str | None = Field(
        default=None, max_length=MAX_CURSOR, description="The `next_cursor` of the previous page."
    )


HISTORY_UNTRUSTED = (
    "/explanation/*",
    *(f"/message{path}" for path in MESSAGE_UNTRUSTED),
    "/steps/*/reason",
    "/network_attempts/last_error",
    "/deliveries/*/attempts/*/response_body",
    "/deliveries/*/attempts/*/error_message",
)


@tools.add(
    READ_ONLY,
    "List messages",
    "messages:read",
    output=MessageList,
    untrusted=tuple(f"/messages/*{path}" for path in MESSAGE_UNTRUSTED),
)
async def list_messages(call: CallContext, given: PageOfMessages) -> object:
    """List messages, newest first, all or of one conversation, or search them for words. A pressed
    button is a message of the type button_reply whose content is the button's title. A page may be
    short or empty and still have a next_cursor."""
    values = given.model_dump(exclude={"limit", "cursor"})
    page = await call.services.message_lists.list(
        call.principal, MessageFilter(**values), limit=given.limit, cursor=given.cursor
    )
    return {"messages": page.records, "next_cursor": page.next_cursor}


@tools.add(
    READ_ONLY,
    "Read a message's history",
    "messages:read",
    output=MessageHistory,
    untrusted=HISTORY_UNTRUSTED,
)
async def get_message_history(call: CallContext, given: OneMessage) -> object:
    """Read each step of a message with its time and reason, its attempts on the chat network, and
    its webhook deliveries with each attempt."""
    history = await call.services.message_history.get(call.principal, given.message_id)
    return history_record(history, names_account=call.principal.may("admin:read"))
