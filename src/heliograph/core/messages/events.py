"""What is told of messages; `data` is `serialize_message` and what only events say."""

from typing import Any

from heliograph.core.events.maker import EventMaker
from heliograph.core.events.model import EventType
from heliograph.core.messages.model import Direction, Message, MessageStatus, Names
from heliograph.core.messages.serializers import message_record
from heliograph.networks.content import ButtonReply
from heliograph.networks.port import Changed


def add_status_event(
    events: EventMaker, message: Message, status: MessageStatus, names: Names
) -> None:
    """Add that a message has reached `status`; the payload shows it as it is now."""
    data = _describe(message, names)
    if message.direction is Direction.INBOUND:
        data.update(_answered(message))
    _add(events, message, status, data)


def add_change_event(events: EventMaker, message: Message, changed: Changed, names: Names) -> None:
    """Add that somebody changed a message, took it back or reacted to it."""
    data = _describe(message, names)
    data["changed_by"] = changed.sender_jid
    data["changed_at"] = changed.at
    if changed.kind == "reaction":
        data["emoji"] = changed.emoji
    _add(events, message, changed.kind, data)


def _describe(message: Message, names: Names) -> dict[str, Any]:
    data = message_record(message, names)
    data["conversation_id"] = message.conversation_id
    if message.direction is Direction.OUTBOUND:
        data["run_id"] = message.run_id
    return data


def _answered(message: Message) -> dict[str, Any]:
    """Which of our messages this one answers, and with which button."""
    answered: dict[str, Any] = {}
    if message.reply_to_message_id is not None:
        answered["reply_to_message_id"] = message.reply_to_message_id
    if isinstance(message.content, ButtonReply):
        button = message.content.button
        answered["button"] = {"id": button.id, "title": button.title}
        answered["reply_to_message_id"] = message.reply_to_message_id
    return answered


def _add(events: EventMaker, message: Message, kind: str, data: dict[str, Any]) -> None:
    events.add(
        EventType(f"message.{kind}"),
        data,
        message.tenant,
        account_id=message.account_id,
        conversation_id=message.conversation_id,
        message_id=message.id,
    )
