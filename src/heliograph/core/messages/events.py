"""What is reported of messages: events for webhooks, and log lines of failures for operators.

The `data` of an event is the message's record and what only events say. Every log line has the id
of the send, so that a search for a message finds what became of it.
"""

from typing import Any
from uuid import UUID

import structlog

from heliograph.core.events.model import EventType
from heliograph.core.events.service import EventMaker
from heliograph.core.messages.model import Direction, Message, MessageStatus, Names
from heliograph.core.messages.serializers import message_record
from heliograph.networks.content import ButtonReply
from heliograph.networks.port import Changed

log = structlog.get_logger()


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


def log_trouble(message: Message, reason: str | None) -> None:
    """A message that has just failed, or went back into the queue after a try."""
    again_at = message.next_attempt_at
    log.info(
        _FAILED if message.status is MessageStatus.FAILED else "message will be tried again",
        run_id=message.run_id,
        message_id=str(message.id),
        account_id=str(message.account_id),
        retry_count=message.retry_count,
        next_attempt_at=again_at and again_at.isoformat(),
        reason=reason,
    )


def log_failure(message_id: UUID, account_id: UUID, run_id: str | None, reason: str) -> None:
    """A message that was given up with many others."""
    log.info(
        _FAILED,
        run_id=run_id,
        message_id=str(message_id),
        account_id=str(account_id),
        reason=reason,
    )


_FAILED = "message failed"
