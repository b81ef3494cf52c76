"""Messages: send them, read one, count them, find out why one did not arrive."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from pydantic import Field

from heliograph.core.idempotency.service import StoredResponse
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.messages.model import SentBy, new_run_id
from heliograph.core.messages.serializers import MessageRecord
from heliograph.errors import InvalidInputError
from heliograph.faces.api.routers import message_changes, message_lists
from heliograph.faces.api.routers import messages as api
from heliograph.faces.api.schemas.fields import ADDRESS_RULE, NO_NUL, Address
from heliograph.faces.api.schemas.messages import SendButtons, SendResult
from heliograph.faces.api.schemas.sending import MAX_EMOJI, ChangeResult, SendMessageInput
from heliograph.faces.mcp.operations import add_operation
from heliograph.faces.mcp.tool import (
    DESTRUCTIVE_WRITE,
    IDEMPOTENT_WRITE,
    READ_ONLY,
    WRITE,
    CallContext,
    Repeatable,
    ToolInput,
    ToolSet,
)
from heliograph.input_problems import InputProblem
from heliograph.networks.content import INPUTS, Content, read_content
from heliograph.networks.content.texts import MAX_TEXT

tools = ToolSet()

_MORE_THAN_TEXT = {
    kind for kind, given in INPUTS.items() if kind != "text" and "body" in given.model_fields
}
"""Kinds with a text among other members, which an edit of the text keeps."""


class SendButtonsCall(SendButtons, Repeatable):
    pass


class SendTextCall(Repeatable):
    phone_number: Address = Field(
        min_length=5,
        max_length=50,
        description=f"The recipient: {ADDRESS_RULE}.",
        json_schema_extra=NO_NUL,
    )
    body: str = Field(min_length=1, max_length=MAX_TEXT, description="The text.")
    chat_account_id: UUID | None = Field(
        default=None,
        description="The account that sends; default: the organization's primary account.",
    )


class SendMessageCall(SendMessageInput, Repeatable):
    pass


class EditMessageCall(ToolInput):
    message_id: UUID = Field(description="A message sent from here.")
    text: str = Field(
        min_length=1,
        max_length=MAX_TEXT,
        description="The new text, or the new caption of a file that has one. Buttons and lists are"
        " kept.",
    )


class ReactToMessageCall(ToolInput):
    message_id: UUID = Field(description="Any message, sent or received.")
    emoji: str | None = Field(
        default=None, max_length=MAX_EMOJI, description="One emoji; empty takes the reaction back."
    )


@tools.add(WRITE, "Send a message with buttons", "messages:write", output=SendResult)
async def send_button_message(call: CallContext, given: SendButtonsCall) -> object:
    """Send a text with one to three quick-reply buttons to a person on the chat network. The answer
    comes once the message is stored; get_message shows its progress. The pressed button comes back
    as a message of the type button_reply, in webhooks and in list_messages. On the sandbox,
    read_phone and act_as_phone play the person."""
    return await _send(
        call, given, given.phone_number, given.content(), given.chat_account_id, "buttons"
    )


@tools.add(WRITE, "Send a text", "messages:write", output=SendResult)
async def send_text_message(call: CallContext, given: SendTextCall) -> object:
    """Send a plain text to a person or group on the chat network. The answer comes once the message
    is stored; get_message shows its progress."""
    content = read_content({"type": "text", "body": given.body}).to_content()
    return await _send(call, given, given.phone_number, content, given.chat_account_id, "text")


@tools.add(
    WRITE,
    "Send a message of any kind",
    "messages:write",
    output=SendResult,
    also=f"The kinds are {', '.join(INPUTS)}.",
)
async def send_message(call: CallContext, given: SendMessageCall) -> object:
    """Send a message of any kind to exactly one of phone_number, conversation_id and contact_id, at
    once or later. A file takes exactly one of media_id and url, a contact card exactly one of
    phones and vcard. The answer comes once the message is stored; get_message shows its progress.
    For example {"phone_number": "+5511999990000", "content": {"type": "poll", "question": "When?",
    "options": ["Today", "Tomorrow"]}}."""
    return await call.services.messages.send(
        call.principal,
        SendMessage(
            given.to,
            content=given.content.to_content(),
            run_id=new_run_id(),
            account_id=given.chat_account_id,
            reply_to_message_id=given.reply_to_message_id,
            scheduled_for=given.scheduled_for,
            expires_at=given.expires_at,
            as_text=given.fallback == "text",
            metadata=given.metadata,
            file=given.content.file,
            wants_preview=given.content.wants_preview,
            sent_by=_agent(call),
        ),
        given.make_key(call.principal, "send message"),
    )


add_operation(
    tools,
    DESTRUCTIVE_WRITE,
    "Cancel a message",
    message_changes.cancel_message,
    "Cancel a message that waits to be sent or is scheduled. To take back one that was sent, or "
    "may have been, use delete_message.",
)


@tools.add(DESTRUCTIVE_WRITE, "Edit a message", "messages:write", output=ChangeResult)
async def edit_message(call: CallContext, given: EditMessageCall) -> object:
    """Change the text of a message sent from here. Networks allow that for some minutes.
    get_message shows the new text once the network has accepted it."""
    message = await call.services.messages.get(call.principal, given.message_id)
    try:
        content = read_content(_with_text(message, given.text)).to_content()
        return await call.services.message_edits.edit(call.principal, given.message_id, content)
    except InvalidInputError as error:
        raise InvalidInputError(*map(_of_text, error.problems)) from None


add_operation(
    tools,
    DESTRUCTIVE_WRITE,
    "Take a message back",
    message_changes.delete_message,
    "Take back a message sent from here, for everyone; a waiting message is canceled.",
)


@tools.add(IDEMPOTENT_WRITE, "React to a message", "messages:write", output=ChangeResult)
async def react_to_message(call: CallContext, given: ReactToMessageCall) -> object:
    """React to a message in the account's name. A new reaction replaces the previous one."""
    emoji = given.emoji or ""
    return await call.services.message_edits.react(call.principal, given.message_id, emoji)


def _with_text(message: MessageRecord, text: str) -> dict[str, Any]:
    """Return the new content: the text, with whatever else its kind has."""
    said = message["typed_content"]
    if said is not None and said["type"] in _MORE_THAN_TEXT:
        return said | {"body": text}
    return {"type": "text", "body": text}


def _of_text(problem: InputProblem) -> InputProblem:
    """Return a problem of the content as one of the argument from which it was made."""
    is_of_content = "content" in problem.loc
    return replace(problem, loc=("body", "text")) if is_of_content else problem


def _agent(call: CallContext) -> SentBy:
    """Return the agent that sends what an AI tool asks for."""
    return SentBy("agent", call.principal.key_id, call.principal.name)


async def _send(
    call: CallContext,
    given: Repeatable,
    recipient: str,
    content: Content,
    account_id: UUID | None,
    kind: str,
) -> StoredResponse:
    return await call.services.messages.send(
        call.principal,
        SendMessage(
            SendTo(recipient),
            content=content,
            account_id=account_id,
            run_id=new_run_id(),
            as_text=True,
            sent_by=_agent(call),
        ),
        given.make_key(call.principal, f"send {kind}"),
    )


add_operation(
    tools,
    READ_ONLY,
    "Read a message",
    api.get_message,
    "Read a message with its status and the time of each step: queued, sent, delivered, read, "
    "failed. failure_reason says why it failed or is tried again; explain_message says more.",
)
add_operation(
    tools,
    READ_ONLY,
    "Count messages",
    api.get_message_stats,
    "Count the organization's messages by status and direction, in total and for the last days.",
)
add_operation(
    tools,
    READ_ONLY,
    "Explain a message",
    message_lists.get_message_history,
    "Find out why a message was not sent, not delivered or not reported, in sentences: its steps, "
    "its attempts on the chat network, the events it made, and each delivery of those to webhooks "
    "with its attempts.",
    name="explain_message",
)
