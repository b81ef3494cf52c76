"""Messages: send them, read one, count them, find out why one did not arrive."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

from heliograph.core.accounts.serializers import device_record
from heliograph.core.idempotency.service import StoredResponse
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.messages.history import MessageHistory, explain
from heliograph.core.messages.model import SentBy, new_run_id
from heliograph.core.messages.serializers import MessageRecord
from heliograph.errors import InvalidInputError
from heliograph.faces.api.schemas.devices import Device
from heliograph.faces.api.schemas.fields import ADDRESS_RULE, NO_NUL, Address
from heliograph.faces.api.schemas.messages import (
    Message,
    MessageStatistics,
    SendButtons,
    SendResult,
)
from heliograph.faces.api.schemas.sending import (
    MAX_EMOJI,
    ChangeResult,
    SendMessageInput,
)
from heliograph.faces.mcp.tool import (
    DESTRUCTIVE_WRITE,
    IDEMPOTENT_WRITE,
    READ_ONLY,
    WRITE,
    CallContext,
    Input,
    Nothing,
    Repeatable,
    ToolSet,
)
from heliograph.faces.mcp.tools.webhooks import DeliveryWithAttempts, delivery_with_attempts
from heliograph.faces.mcp.untrusted import MESSAGE_UNTRUSTED
from heliograph.input_problems import InputProblem
from heliograph.networks.content import Content, read_content
from heliograph.networks.content.texts import MAX_TEXT

tools = ToolSet()

_MORE_THAN_TEXT = ("buttons", "list")


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


class EditMessageCall(Input):
    message_id: UUID = Field(description="A message sent from here.")
    text: str = Field(
        min_length=1,
        max_length=MAX_TEXT,
        description="The new text; for a picture, video or document, the new caption. Buttons and "
        "lists are kept.",
    )


class ReactToMessageCall(Input):
    message_id: UUID = Field(description="Any message, sent or received.")
    emoji: str | None = Field(
        default=None, max_length=MAX_EMOJI, description="One emoji; empty takes the reaction back."
    )


class OneMessage(Input):
    message_id: UUID = Field(description="As returned by a send, a list or a webhook.")


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


@tools.add(WRITE, "Send a message of any kind", "messages:write", output=SendResult)
async def send_message(call: CallContext, given: SendMessageCall) -> object:
    """Send a text, buttons, a list, a file, a place, a contact card or a poll, to a phone number, a
    conversation or a contact; at once or later, and as a reply if reply_to_message_id is given.
    With fallback "text", a network that lacks this kind gets a text. The answer comes once the
    message is stored; get_message shows its progress."""
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


@tools.add(
    DESTRUCTIVE_WRITE,
    "Cancel a message",
    "messages:write",
    output=Message,
    untrusted=MESSAGE_UNTRUSTED,
)
async def cancel_message(call: CallContext, given: OneMessage) -> object:
    """Cancel a message that waits to be sent or is scheduled. To take back one that was sent, or
    may have been, use delete_message."""
    return await call.services.cancellations.cancel(call.principal, given.message_id)


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


@tools.add(DESTRUCTIVE_WRITE, "Take a message back", "messages:write", output=ChangeResult)
async def delete_message(call: CallContext, given: OneMessage) -> object:
    """Take back a message sent from here, for everyone; a waiting message is canceled."""
    return await call.services.message_edits.delete(call.principal, given.message_id)


@tools.add(IDEMPOTENT_WRITE, "React to a message", "messages:write", output=ChangeResult)
async def react_to_message(call: CallContext, given: ReactToMessageCall) -> object:
    """React to a message in the account's name. A new reaction replaces the previous one."""
    emoji = given.emoji or ""
    return await call.services.message_edits.react(call.principal, given.message_id, emoji)


def _with_text(message: MessageRecord, text: str) -> dict[str, Any]:
    """Return what the message is to say: the text, with what else its kind has."""
    said = message["typed_content"]
    if said is not None and said["type"] in _MORE_THAN_TEXT:
        return said | {"body": text}
    return {"type": "text", "body": text}


def _of_text(problem: InputProblem) -> InputProblem:
    """Return a problem of the content as one of the argument that the content was made of."""
    is_of_content = "content" in problem.loc
    return replace(problem, loc=("body", "text")) if is_of_content else problem


def _agent(call: CallContext) -> SentBy:
    """Return who sends what an AI tool asks for."""
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


@tools.add(
    READ_ONLY, "Read a message", "messages:read", output=Message, untrusted=MESSAGE_UNTRUSTED
)
async def get_message(call: CallContext, given: OneMessage) -> object:
    """Read a message with its status and the time of each step: queued, sent, delivered, read,
    failed. failure_reason says why it failed or is tried again; explain_message says more."""
    return await call.services.messages.get(call.principal, given.message_id)


@tools.add(READ_ONLY, "Count messages", "messages:read", output=MessageStatistics)
async def get_message_stats(call: CallContext, given: Nothing) -> object:
    """Count the organization's messages by status and direction, in total and for the last days."""
    return await call.services.statistics.summary(call.principal)


class MessageEvent(BaseModel):
    """An event that this message made."""

    id: UUID
    type: str
    created_at: AwareDatetime


class MessageExplanation(BaseModel):
    """Why a message is where it is."""

    explanation: list[str] = Field(description="Sentences, the most important first.")
    message: Message
    device: Device | None = Field(
        description="The account that sends it; null without the scope admin:read."
    )
    events: list[MessageEvent]
    deliveries: list[DeliveryWithAttempts] | None = Field(
        description="The events' deliveries; null without the scope webhooks:read."
    )


EXPLANATION_UNTRUSTED = (
    "/explanation/*",
    *(f"/message{path}" for path in MESSAGE_UNTRUSTED),
    "/device/restriction/reason",
    "/deliveries/*/error_message",
    "/deliveries/*/attempts/*/response_body",
    "/deliveries/*/attempts/*/error_message",
)
"""The sentences repeat what networks and endpoints have said."""


@tools.add(
    READ_ONLY,
    "Explain a message",
    "messages:read",
    output=MessageExplanation,
    untrusted=EXPLANATION_UNTRUSTED,
)
async def explain_message(call: CallContext, given: OneMessage) -> object:
    """Find out why a message was not sent, not delivered or not reported: the message, its account,
    the events it made, and each delivery of those to webhooks with its attempts."""
    history = await call.services.message_history.get(call.principal, given.message_id)
    return explanation_of(call, history)


def explanation_of(call: CallContext, history: MessageHistory) -> dict[str, object]:
    """Return the history as the tool shows it."""
    may_see = "admin:read" in call.principal.scopes
    return {
        "explanation": explain(history, names_account=may_see),
        "message": history.message,
        "device": device_record(history.account) if history.account and may_see else None,
        "events": history.events,
        "deliveries": None
        if history.deliveries is None
        else [
            delivery_with_attempts(delivery.delivery, delivery.attempts)
            for delivery in history.deliveries
        ],
    }
