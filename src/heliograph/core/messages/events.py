"""Reports about messages: events for webhooks, and log lines of failures for operators.

The `data` of an event is the message's record with some members that only events have. Every log
line has the id of the send, so that a search for it finds what happened to the message.
"""

from datetime import datetime
from typing import Annotated, NotRequired, TypedDict
from uuid import UUID

import structlog
from typing_extensions import Doc

from heliograph.core.events.model import EventType
from heliograph.core.events.service import EventBuilder
from heliograph.core.messages.model import (
    AppliedChange,
    Direction,
    Message,
    MessageChange,
    MessageStatus,
    Names,
    RequeuedMessage,
)
from heliograph.core.messages.serializers import MessageRecord, message_record
from heliograph.networks.content import ButtonReply
from heliograph.untrusted import UntrustedText

log = structlog.get_logger()


class FailedChangeRecord(TypedDict):
    """A requested change that failed."""

    id: Annotated[UUID, Doc("As the request for the change returned it.")]
    kind: Annotated[str, Doc("`edited`, `deleted` or `reaction`.")]
    reason: UntrustedText


class OutboundMessageRecord(MessageRecord):
    """A message that you sent."""

    change: NotRequired[
        Annotated[
            FailedChangeRecord,
            Doc(
                "Present in `message.failed` if a change of the message failed, not the message "
                "itself."
            ),
        ]
    ]


class ButtonRecord(TypedDict):
    """The button that somebody pressed."""

    id: UntrustedText
    title: UntrustedText


class InboundMessageRecord(MessageRecord):
    """A message that somebody wrote to one of your accounts."""

    button: NotRequired[Annotated[ButtonRecord, Doc("Present if a button was pressed.")]]


class ChangedMessageRecord(MessageRecord):
    """A message that somebody edited, deleted or reacted to, as it is now."""

    change_id: NotRequired[
        Annotated[UUID, Doc("The id of a change that you requested, as its request returned it.")]
    ]
    changed_by: Annotated[
        UntrustedText | None,
        Doc("The network's identifier of the person; null for the account itself."),
    ]
    changed_at: datetime
    emoji: NotRequired[
        Annotated[UntrustedText | None, Doc("The reaction; null or empty if it was removed.")]
    ]


def add_status_event(
    events: EventBuilder, message: Message, status: MessageStatus, names: Names
) -> None:
    """Add the event that a message has reached `status`; the payload shows the message as it is
    now."""
    is_inbound = message.direction is Direction.INBOUND
    data = _inbound_record(message, names) if is_inbound else _outbound_record(message, names)
    _add(events, message, status, data)


def add_change_event(
    events: EventBuilder, message: Message, change: AppliedChange, names: Names
) -> None:
    """Add the event that somebody edited, deleted or reacted to a message."""
    _add(events, message, change.kind, _changed_record(message, change, names))


def add_failed_change_event(
    events: EventBuilder, message: Message, change: MessageChange, reason: str, names: Names
) -> None:
    """Add the event that a change of a message has failed."""
    data = _outbound_record(message, names)
    data["change"] = {"id": change.id, "kind": change.kind, "reason": reason}
    _add(events, message, "failed", data)


# Each of these fills the record in place, to spare a copy for every event. It is complete, and so
# of its type, at the end.


def _outbound_record(message: Message, names: Names) -> OutboundMessageRecord:
    return message_record(message, names)  # type: ignore[return-value]


def _inbound_record(message: Message, names: Names) -> InboundMessageRecord:
    data: InboundMessageRecord = message_record(message, names)  # type: ignore[assignment]
    if isinstance(message.content, ButtonReply):
        data["button"] = {"id": message.content.id, "title": message.content.title}
    return data


def _changed_record(message: Message, change: AppliedChange, names: Names) -> ChangedMessageRecord:
    data: ChangedMessageRecord = message_record(message, names)  # type: ignore[assignment]
    data["changed_by"] = change.jid
    data["changed_at"] = change.at
    if change.id is not None:
        data["change_id"] = change.id
    if change.kind == "reaction":
        data["emoji"] = change.emoji
    return data


def _add(events: EventBuilder, message: Message, kind: str, data: MessageRecord) -> None:
    events.add(
        EventType(f"message.{kind}"),
        data,
        message.tenant,
        account_id=message.account_id,
        conversation_id=message.conversation_id,
        message_id=message.id,
        trace_context=message.trace_context,
    )


def log_failed_attempt(message: Message | RequeuedMessage, reason: str | None) -> None:
    """Log that a message has failed, or was requeued after a failed attempt."""
    has_failed = message.status is MessageStatus.FAILED
    next_attempt_at = message.next_attempt_at
    log.info(
        "message failed" if has_failed else "message will be tried again",
        run_id=message.run_id,
        message_id=str(message.id),
        account_id=str(message.account_id),
        retry_count=message.retry_count,
        next_attempt_at=next_attempt_at and next_attempt_at.isoformat(),
        reason=reason,
    )


def log_failure(message_id: UUID, account_id: UUID, run_id: str | None, reason: str) -> None:
    """Log that a message has failed, one of many at once."""
    log.info(
        "message failed",
        run_id=run_id,
        message_id=str(message_id),
        account_id=str(account_id),
        reason=reason,
    )
